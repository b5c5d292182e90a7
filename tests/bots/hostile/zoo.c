/* Hostile bots in C: floods, memory, fork chains, signals, raw system calls.
   Started as `zoo NAME`. Plays the first legal action but for the one thing its name tells. */

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *name;

static int is(const char *other) {
    return !strcmp(name, other);
}

static void tell(const char *outcome, const char *detail) {
    fprintf(stderr, "ATTACK %s %s\n", outcome, detail);
    fflush(stderr);
}

static void outcome(long result, const char *detail) {
    tell(result >= 0 ? "ok" : "blocked", result >= 0 ? detail : strerrorname_np(errno));
}

static void flood(int descriptor, int with_line_ends) {
    static char block[1 << 16];
    memset(block, 'x', sizeof block);
    for (size_t at = 99; with_line_ends && at < sizeof block; at += 100)
        block[at] = '\n';
    while (write(descriptor, block, sizeof block) > 0 || errno == EAGAIN || errno == EINTR)
        ;
    pause();
}

static void *flood_errors(void *unused) {
    (void)unused;
    flood(2, 1);
    return NULL;
}

/* Every process of the chain lives for a moment: it forks, and ends. */
static void chain(void) {
    for (;;) {
        setsid();
        pid_t child = fork();
        if (child > 0)
            _exit(0);
        if (child < 0)
            usleep(100);
    }
}

static void start_chain(void) {
    signal(SIGCHLD, SIG_IGN); /* nobody waits for the first link */
    if (fork() == 0) {
        for (int descriptor = 0; descriptor < 3; descriptor++)
            close(descriptor);
        chain();
    }
}

static void take(size_t size, int flags) {
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        outcome(-1, "");
        return;
    }
    for (size_t at = 0; at < size; at += 4096)
        memory[at] = 1;
    sleep(1);
    munmap(memory, size);
    tell("ok", "took it");
}

static void on_start(void) {
    if (is("floods_stderr_and_plays")) {
        pthread_t thread;
        pthread_create(&thread, NULL, flood_errors, NULL);
    } else if (is("forks_in_a_chain")) {
        start_chain();
    } else if (is("forks_in_chains")) {
        for (int i = 0; i < 8; i++)
            start_chain();
    } else if (is("takes_memory")) {
        take(384ul << 20, MAP_PRIVATE);
    } else if (is("takes_shared_memory")) {
        take(384ul << 20, MAP_SHARED);
    } else if (is("calls_by_the_old_gate")) {
#ifdef __x86_64__
        long result; /* getpid of 32-bit programs, which no list of 64-bit numbers knows */
        __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory");
        errno = EPERM;
        outcome(result > 0 ? 0 : -1, "called the kernel as a 32-bit program");
#else
        tell("blocked", "another machine");
#endif
    } else if (is("calls_with_the_x32_bit")) {
#ifdef __x86_64__
        outcome(syscall(0x40000000 + SYS_getpid), "called the kernel as an x32 program");
#else
        tell("blocked", "another machine");
#endif
    } else if (is("clones_into_namespaces")) {
        long child = syscall(SYS_clone, 0x10000000 | SIGCHLD, 0, 0, 0, 0); /* CLONE_NEWUSER */
        if (child == 0)
            _exit(0);
        outcome(child, "has a child in a namespace of its own");
        if (child > 0)
            waitpid((pid_t)child, NULL, 0);
    } else if (is("undoes_its_death_signal")) {
        prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
        prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
        prctl(PR_SET_NAME, "kworker/0:1", 0, 0, 0);
    }
}

static void on_act(void) {
    if (is("floods_without_a_line_end"))
        flood(1, 0);
    else if (is("floods_lines"))
        flood(1, 1);
    else if (is("divides_by_zero"))
        raise(SIGFPE);
    else if (is("jumps_to_nowhere"))
        raise(SIGSEGV);
    else if (is("blocks_all_signals")) {
        sigset_t all;
        sigfillset(&all);
        sigprocmask(SIG_BLOCK, &all, NULL);
        for (;;)
            ;
    } else if (is("dies_of_a_real_time_signal"))
        raise(SIGRTMIN + 5);
}

static int talk(void) {
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        char *id;
        if (strstr(line, "{\"type\":\"hello\"") == line) {
            puts("{\"type\":\"ready\",\"protocol\":1}");
        } else if (strstr(line, "{\"type\":\"start\"") == line) {
            on_start();
        } else if (strstr(line, "{\"type\":\"act\"") == line && (id = strstr(line, "\"id\":\""))) {
            on_act();
            printf("{\"type\":\"action\",\"id\":\"%.*s\",\"action\":0}\n",
                   (int)strcspn(id + 6, "\""), id + 6);
        } else if (strstr(line, "{\"type\":\"bye\"") == line) {
            break;
        }
        fflush(stdout);
    }
    free(line);
    return 0;
}

static void *talk_in_a_thread(void *unused) {
    (void)unused;
    exit(talk());
}

int main(int argc, char **argv) {
    name = argc > 1 ? argv[1] : "";
    if (is("leaves_its_main_thread")) {
        pthread_t thread;
        pthread_create(&thread, NULL, talk_in_a_thread, NULL);
        pthread_exit(NULL);
    }
    return talk();
}
