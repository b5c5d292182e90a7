/* Plays any legal action with equal chance, decided by the seed of the game alone.
   C and POSIX, no JSON library: the few values it needs are found by skipping all others. */

#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The functions below take valid JSON, as the referee sends it; strings end at a NUL. */

static const char *skip_space(const char *at) {
    return at + strspn(at, " \t\r\n");
}

static const char *skip_string(const char *at) {
    for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && at[1])
            at++;
    return *at ? at + 1 : at;
}

/* Behind the value that begins at `at`. */
static const char *skip_value(const char *at) {
    int depth = 0;
    do {
        if (*at == '"') {
            at = skip_string(at);
        } else if (*at == '{' || *at == '[') {
            depth++, at++;
        } else if (*at == '}' || *at == ']') {
            depth--, at++;
        } else if (depth == 0) {
            at += strcspn(at, ",]} \t\r\n"); /* a number, true, false or null */
        } else if (*at) {
            at++;
        }
    } while (*at && depth > 0);
    return at;
}

/* The value of a key of the object that begins at `at`; NULL without such a key.
   Keys inside its values do not count. */
static const char *find(const char *at, const char *key) {
    size_t length = strlen(key);
    at = skip_space(at + 1);
    while (*at == '"') {
        const char *name = at + 1;
        const char *end = skip_string(at);
        const char *value = skip_space(skip_space(end) + 1);
        if ((size_t)(end - 1 - name) == length && !strncmp(name, key, length))
            return value;
        at = skip_space(skip_value(value));
        if (*at == ',')
            at = skip_space(at + 1);
    }
    return NULL;
}

/* How many values the array that begins at `at` holds. */
static uint64_t count(const char *at) {
    uint64_t values = 0;
    at = skip_space(at + 1);
    while (*at && *at != ']') {
        values++;
        at = skip_space(skip_value(at));
        if (*at == ',')
            at = skip_space(at + 1);
    }
    return values;
}

static int is_type(const char *type, const char *name) {
    size_t length = strlen(name);
    return type && !strncmp(type + 1, name, length) && type[length + 1] == '"';
}

/* SplitMix64, by Sebastiano Vigna (public domain). */
static uint64_t draw(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static void act(const char *line, uint64_t *state) {
    const char *id = find(line, "id");
    const char *legal = find(line, "legal");
    uint64_t actions = legal ? count(legal) : 0;
    if (!id || !actions)
        return;
    int length = (int)(skip_value(id) - id); /* with its quotes */
    unsigned long long index = draw(state) % actions;
    printf("{\"type\":\"action\",\"id\":%.*s,\"action\":%llu}\n", length, id, index);
    fflush(stdout);
}

int main(void) {
    char *line = NULL;
    size_t size = 0;
    uint64_t state = 0;
    while (getline(&line, &size, stdin) > 0) {
        const char *type = find(line, "type");
        if (is_type(type, "hello")) {
            puts("{\"type\":\"ready\",\"protocol\":1,\"name\":\"minnow\","
                 "\"version\":\"1.0.0\",\"wants\":[\"legal\"]}");
            fflush(stdout);
        } else if (is_type(type, "start")) {
            const char *seed = find(line, "seed");
            state = seed ? strtoull(seed, NULL, 10) : 0;
        } else if (is_type(type, "act")) {
            act(line, &state);
        } else if (is_type(type, "bye")) {
            break;
        }
    }
    free(line);
    return 0;
}
