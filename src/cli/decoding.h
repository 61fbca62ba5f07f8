/* How a model's candidates are drawn: what solve and eval ask alike. */
#ifndef UCPO_CLI_DECODING_H
#define UCPO_CLI_DECODING_H

#include "cli/options.h"

#include <stdint.h>

struct decode_settings {
    const char *mask, *kernels, *precision;
    long augment, threads;
    int is_greedy;
    double temperature;
    uint64_t seed;
};

/* Settings: struct decode_settings. */
extern const struct opt_group decode_options;

#endif
