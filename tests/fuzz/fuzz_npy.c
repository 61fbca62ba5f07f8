/* NumPy instances: no input may crash; what was read is written, and reads back the same. */
#include "ucpo.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static ucpo_status read_npy(const void *bytes, size_t size, const char *problem, ucpo_dataset **set)
{
    ucpo_read_config options = ucpo_read_config_default();
    options.format = "npy";
    options.problem = problem;
    ucpo_error err;
    return ucpo_read_bytes(bytes, size, "fuzz", &options, set, &err);
}

static void write_npy(const ucpo_dataset *set, char **bytes, size_t *size)
{
    ucpo_write_config options = ucpo_write_config_default();
    options.format = "npy";
    ucpo_error err;
    if (ucpo_write_bytes(set, &options, bytes, size, &err) != UCPO_OK) abort();
}

static void check_round_trip(const ucpo_dataset *set, const char *problem)
{
    ucpo_dataset *back = NULL;
    char *first = NULL, *second = NULL;
    size_t first_size = 0, second_size = 0;
    write_npy(set, &first, &first_size);
    if (read_npy(first, first_size, problem, &back) != UCPO_OK) abort();
    write_npy(back, &second, &second_size);
    if (first_size != second_size || memcmp(first, second, first_size) != 0) abort();
    ucpo_bytes_free(first);
    ucpo_bytes_free(second);
    ucpo_dataset_free(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const problems[] = {NULL, "tsptw", "tspdl", "cvrptw"};
    for (size_t p = 0; p < sizeof problems / sizeof problems[0]; p++) {
        ucpo_dataset *set = NULL;
        if (read_npy(data, size, problems[p], &set) != UCPO_OK) continue;
        check_round_trip(set, problems[p]);
        ucpo_dataset_free(set);
    }
    return 0;
}
