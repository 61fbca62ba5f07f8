#include "support/kernels.h"

#include <stdio.h>
#include <string.h>

int test_kernels(int argc, char **argv, enum kern_set *out)
{
    char list[64];
    int set = 0;
    const char *name = argc > 1 ? argv[1] : kern_best()->name;
    while (set < KERN_SETS && strcmp(name, kern_set_name((enum kern_set)set)) != 0) set++;
    if (set == KERN_SETS || !kern_of((enum kern_set)set, 0)) {
        printf("not run: kernels %s; this machine has %s\n", name, kern_list(list, sizeof list));
        return TEST_SKIPPED;
    }
    *out = (enum kern_set)set;
    return 0;
}
