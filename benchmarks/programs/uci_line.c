/* An instant chess engine for UCI runners: it plays the next move of one legal line, whatever is
   asked, so that the runner is all that is measured.

   uci_line FILE      the moves of the line, with blanks between them */

#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PLIES = 512 };

static char buffer[1 << 16], text[1 << 13];
static char *moves[PLIES];
static int plies, next;

static int starts_with(const char *line, const char *prefix) {
    return !strncmp(line, prefix, strlen(prefix));
}

static void say(const char *said) {
    if (write(1, said, strlen(said)) < 0)
        _exit(1);
}

static void count_moves(const char *line) {
    const char *played = strstr(line, " moves ");
    for (next = 0; played && (played = strchr(played + 1, ' ')); played++)
        next += played[1] != ' ' && played[1] != 0;
}

static int answer(const char *line) {
    char reply[128];
    if (starts_with(line, "uci") && !starts_with(line, "ucinewgame")) {
        say("id name line\nuciok\n");
    } else if (starts_with(line, "isready")) {
        say("readyok\n");
    } else if (starts_with(line, "position")) {
        count_moves(line);
    } else if (starts_with(line, "go")) {
        snprintf(reply, sizeof reply, "info depth 1 score cp 0 nodes 1 time 0\nbestmove %s\n",
                 next < plies ? moves[next] : "0000");
        say(reply);
    }
    return !starts_with(line, "quit");
}

int main(int count, char **arguments) {
    FILE *file = count == 2 ? fopen(arguments[1], "r") : NULL;
    size_t held = file ? fread(text, 1, sizeof text - 1, file) : 0;
    for (char *move = strtok(text, " \n"); move && plies < PLIES; move = strtok(NULL, " \n"))
        moves[plies++] = move;
    if (!held || !plies)
        return 2;
    ssize_t got;
    held = 0;
    while ((got = read(0, buffer + held, sizeof buffer - held)) > 0) {
        char *line = buffer, *end;
        held += got;
        while ((end = memchr(line, '\n', buffer + held - line))) {
            *end = 0;
            if (!answer(line))
                return 0;
            line = end + 1;
        }
        held = buffer + held - line;
        memmove(buffer, line, held);
    }
    return 0;
}
