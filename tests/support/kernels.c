#include "support/kernels.h"

#include <stdio.h>
#include <string.h>

int test_kernels(int argc, char **argv, const struct kern_ops **f32, const struct kern_ops **bf16)
{
    char list[64];
    int set = 0;
    const char *name = argc > 1 ? argv[1] : kern_best()->name;
    if (strcmp(name, "emulated") == 0) {
        *f32 = &kern_emulated;
#ifdef UCPO_REAL_DOUBLE
        *bf16 = &kern_emulated_rounded;
#else
        *bf16 = &kern_emulated_amx;
#endif
        return 0;
    }
    while (set < KERN_SETS && strcmp(name, kern_set_name((enum kern_set)set)) != 0) set++;
    if (set == KERN_SETS || !kern_of((enum kern_set)set, 0)) {
        printf("not run: kernels %s; this machine has %s\n", name, kern_list(list, sizeof list));
        return TEST_SKIPPED;
    }
    *f32 = kern_of((enum kern_set)set, 0);
    *bf16 = kern_of((enum kern_set)set, 1);
    return 0;
}
