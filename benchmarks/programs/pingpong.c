/* Raw pipe round trips: the floor below every referee.

   pingpong echo          answers every request on standard input with a reply
   pingpong pair COUNT    plays both sides, prints wall and own CPU nanoseconds per round trip

   A request has 300 bytes and a reply 60; both go through a pipe in one piece. */

#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { REQUEST = 300, REPLY = 60, WARM_UP = 2000 };

static char buffer[4096];

static int echo(int in, int out) {
    while (read(in, buffer, sizeof buffer) > 0)
        if (write(out, buffer, REPLY) != REPLY)
            return 1;
    return 0;
}

static double wall(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e9 + now.tv_nsec;
}

static double nanoseconds(struct timeval time) {
    return time.tv_sec * 1e9 + time.tv_usec * 1e3;
}

static double own_cpu(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
}

static int pair(long count) {
    int to[2], from[2];
    if (pipe(to) || pipe(from))
        return 1;
    if (fork() == 0) {
        close(to[1]), close(from[0]);
        _exit(echo(to[0], from[1]));
    }
    close(to[0]), close(from[1]);
    double began = 0, used = 0;
    for (long n = -WARM_UP; n < count; n++) {
        if (n == 0)
            began = wall(), used = own_cpu();
        if (write(to[1], buffer, REQUEST) != REQUEST || read(from[0], buffer, REPLY) != REPLY)
            return 1;
    }
    printf("%.1f %.1f\n", (wall() - began) / count, (own_cpu() - used) / count);
    close(to[1]);
    wait(NULL);
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "echo"))
        return echo(0, 1);
    if (argc == 3 && !strcmp(argv[1], "pair"))
        return pair(atol(argv[2]));
    return 2;
}
