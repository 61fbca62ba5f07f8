#include "cli/decoding.h"

#include "ucpo.h"

static const char *mask_at(size_t index)
{
    return index == 0 ? "auto" : ucpo_mask_at(index - 1);
}

static const char *kernels_at(size_t index)
{
    static const char *const names[] = {"auto", "portable", "avx2", "avx512", "amx"};
    return index < sizeof names / sizeof names[0] ? names[index] : NULL;
}

static const char *precision_at(size_t index)
{
    static const char *const names[] = {"auto", "f32", "bf16"};
    return index < sizeof names / sizeof names[0] ? names[index] : NULL;
}

#define AT(member) offsetof(struct decode_settings, member)

static const struct opt_spec specs[] = {
    OPT("augment", 'a', OPT_INTEGER, AT(augment), "N", "8",
        "images of each instance (turned and mirrored coordinates)", .low = 1, .high = 8),
    OPT("greedy", 'g', OPT_FLAG, AT(is_greedy), NULL, NULL,
        "always the most probable node, one trajectory per image, instead of sampling"),
    OPT("mask", 0, OPT_CHOICE, AT(mask), "MASK", "auto",
        "what may not be chosen: visited nodes only, or also what a look-ahead rules out (pip, or "
        "pip-d as the model's auxiliary decoder predicts it); auto is what the model was trained "
        "with",
        .choice = mask_at, .old_letter = 'm'),
    OPT("temperature", 0, OPT_REAL, AT(temperature), "T", "1",
        "of sampling: below 1 keener, above 1 bolder", .low = 0.001, .high = 1000),
    OPT("seed", 's', OPT_SEED, AT(seed), "SEED", "1",
        "same seed and --samples, same plans, on any number of threads"),
    OPT("threads", 'j', OPT_INTEGER, AT(threads), "T", "0", "threads, 0 for all processors",
        .low = 0, .high = 1024, .old_letter = 't'),
    OPT("kernels", 0, OPT_CHOICE, AT(kernels), "SET", "auto",
        "instructions of the processor; auto: the best there are", .choice = kernels_at),
    OPT("precision", 0, OPT_CHOICE, AT(precision), "P", "auto",
        "of factors in matrix products; bf16 is fast with amx only; auto: f32",
        .choice = precision_at),
};

const struct opt_group decode_options = {"Decoding", specs, sizeof specs / sizeof specs[0]};
