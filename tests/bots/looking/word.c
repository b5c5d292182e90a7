/* Leaves a word for the next process in the inode numbers of pipes, or reads the one that was left.

       word leave BITS SPACING VALUE     uses up numbers until the next one stands for the value
       word read BITS SPACING

   The spacing is how far apart values are: more than others use up in between. Prints the value,
   and how many numbers it used up in how many seconds of the processor. */

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static unsigned next_number(void) {
    int ends[2];
    struct stat found;
    if (pipe(ends) || fstat(ends[0], &found))
        exit(1);
    close(ends[0]);
    close(ends[1]);
    return (unsigned)found.st_ino;
}

int main(int count, char **words) {
    if (count < 4)
        return 2;
    unsigned values = 1u << atoi(words[2]), spacing = (unsigned)atoi(words[3]);
    unsigned long used = 0;
    unsigned value = next_number() / spacing % values;
    if (words[1][0] == 'l') {
        unsigned wanted = (unsigned)atoi(words[4]);
        for (; value != wanted; used++)
            value = next_number() / spacing % values;
    }
    printf("%u %lu %.3f\n", value, used, (double)clock() / CLOCKS_PER_SEC);
    return 0;
}
