/* Writes a small random model: make_model PROBLEM SEED FILE [MASK]. For tests of programs. */
#include "ucpo.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc < 4) return 2;
    ucpo_model_config config = ucpo_model_config_default(argv[1]);
    config.width = 16, config.heads = 2, config.hidden = 8, config.layers = 1;
    ucpo_model *model = NULL;
    ucpo_error err = {0};
    ucpo_status st = ucpo_model_create(&config, strtoull(argv[2], NULL, 10), &model, &err);
    if (!st && argc > 4) st = ucpo_model_set_fact(model, "train.mask", argv[4], &err);
    if (!st) st = ucpo_model_save(model, argv[3], UCPO_DTYPE_F16, &err);
    if (st) fprintf(stderr, "make_model: %s\n", err.text);
    ucpo_model_free(model);
    return st ? 1 : 0;
}
