/* Which model, and how its candidates are drawn. */
#ifndef UCPO_CLI_MODEL_H
#define UCPO_CLI_MODEL_H

#include "cli/cli.h"
#include "cli/options.h"

/* ---- which model to search with: what solve and explain share (model_choice.c) ---- */

enum { MODEL_PATH_SIZE = 4096 };

/* The model for the instances of `set`. wanted: a file, "none", or NULL: the shipped one for the
 * problem and nearest size, and if there is none a warning unless `is_silent`. *model stays NULL
 * without one; path gets its file. `label` names the instances in messages. Returns the exit code. */
int model_choose(const char *wanted, const char *label, const ucpo_dataset *set, int is_silent,
                 ucpo_model **model, char path[MODEL_PATH_SIZE]);

/* ---- how a model's candidates are drawn: what solve and eval ask alike ---- */

const char *decode_mask_at(size_t index);

/* Rows of an option table for settings that hold a ucpo_solve_config or ucpo_eval_config in
 * `config`; AT is the table's macro for the place of a member. */
#define DECODE_ROWS(AT)                                                                            \
    OPT("augment", 'a', OPT_INT, AT(config.augment), "N", "8",                                     \
        "images of each instance (turned and mirrored coordinates)", .low = 1, .high = 8),         \
        OPT("greedy", 'g', OPT_FLAG, AT(config.greedy), NULL, NULL,                                \
            "always the most probable node, one trajectory per image, instead of sampling"),       \
        OPT("mask", 0, OPT_CHOICE, AT(config.mask), "MASK", "auto",                                \
            "what may not be chosen: visited nodes only, or also what a look-ahead rules out "     \
            "(pip, or pip-d as the model's auxiliary decoder predicts it); auto is what the "      \
            "model was trained with",                                                              \
            .choice = decode_mask_at, .old_letter = 'm'),                                          \
        OPT("temperature", 0, OPT_REAL, AT(config.temperature), "T", "1",                          \
            "of sampling: below 1 keener, above 1 bolder", .low = 0.001, .high = 1000),            \
        OPT("seed", 's', OPT_SEED, AT(config.seed), "SEED", "1",                                   \
            "same seed and --samples, same plans, on any number of threads"),                      \
        OPT("threads", 'j', OPT_INT, AT(config.threads), "T", "0",                                 \
            "threads, 0 for all processors", .low = 0, .high = 1024, .old_letter = 't'),           \
        OPT("kernels", 0, OPT_CHOICE, AT(config.kernels), "SET", "auto",                           \
            "instructions of the processor; auto: the best there are",                             \
            .words = "auto portable avx2 avx512 amx"),                                             \
        OPT("precision", 0, OPT_CHOICE, AT(config.precision), "P", "auto",                         \
            "of factors in matrix products; bf16 is fast with amx only; auto: f32",                \
            .words = "auto f32 bf16")

#endif
