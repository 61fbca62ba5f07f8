/* JSON instances: no input may crash; what was read is written, and reads back to the same text. */
#include "ucpo.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static ucpo_status read_json(const void *bytes, size_t size, ucpo_dataset **set)
{
    ucpo_read_config options = ucpo_read_config_default();
    options.format = "json";
    ucpo_error err;
    return ucpo_read_bytes(bytes, size, "fuzz", &options, set, &err);
}

static void write_json(const ucpo_dataset *set, char **bytes, size_t *size)
{
    ucpo_write_config options = ucpo_write_config_default();
    options.format = "json";
    options.strict = 1;
    ucpo_error err;
    if (ucpo_write_bytes(set, &options, bytes, size, &err) != UCPO_OK) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ucpo_dataset *set = NULL, *back = NULL;
    if (read_json(data, size, &set) != UCPO_OK) return 0;
    char *first = NULL, *second = NULL;
    size_t first_size = 0, second_size = 0;
    write_json(set, &first, &first_size);
    if (read_json(first, first_size, &back) != UCPO_OK) abort();
    write_json(back, &second, &second_size);
    if (first_size != second_size || memcmp(first, second, first_size) != 0) abort();
    ucpo_bytes_free(first);
    ucpo_bytes_free(second);
    ucpo_dataset_free(set);
    ucpo_dataset_free(back);
    return 0;
}
