/* Model files: no input may crash; what was loaded can be saved, and saving what was saved changes
 * nothing more. Each input is tried as it is, and once more with the header length corrected: a
 * mutation that moves bytes would otherwise never get past the first check. */
#include "ucpo.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_round_trip(const ucpo_model *model, ucpo_dtype dtype)
{
    char *first = NULL, *second = NULL;
    size_t first_size = 0, second_size = 0;
    ucpo_model *back = NULL;
    ucpo_error err;
    ucpo_status st = ucpo_model_save_bytes(model, dtype, &first, &first_size, &err);
    if (st == UCPO_E_ARGUMENT && dtype == UCPO_DTYPE_F16) return; /* a weight above 65504 */
    if (st != UCPO_OK) abort();
    if (ucpo_model_load_bytes(first, first_size, "back", &back, &err) != UCPO_OK) abort();
    if (ucpo_model_save_bytes(back, dtype, &second, &second_size, &err) != UCPO_OK) abort();
    if (first_size != second_size || memcmp(first, second, first_size) != 0) abort();
    ucpo_bytes_free(first);
    ucpo_bytes_free(second);
    ucpo_model_free(back);
}

static void try_bytes(const uint8_t *data, size_t size)
{
    ucpo_model *model = NULL;
    ucpo_error err;
    if (ucpo_model_load_bytes(data, size, "fuzz", &model, &err) != UCPO_OK) {
        if (err.text[0] == '\0') abort();
        return;
    }
    check_round_trip(model, UCPO_DTYPE_F32);
    check_round_trip(model, UCPO_DTYPE_F16);
    ucpo_model_free(model);
}

/* Where a header that ends like ours ends: "]}}" and blanks. */
static size_t end_of_header(const uint8_t *data, size_t size)
{
    for (size_t i = 8; i + 3 <= size; i++) {
        if (memcmp(data + i, "]}}", 3) != 0) continue;
        i += 3;
        while (i < size && data[i] == ' ') i++;
        return i;
    }
    return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_bytes(data, size);
    if (size < 8) return 0;
    uint8_t *copy = malloc(size);
    if (!copy) return 0;
    memcpy(copy, data, size);
    uint64_t length = end_of_header(data, size) - 8;
    for (int k = 0; k < 8; k++) copy[k] = (uint8_t)(length >> (8 * k));
    if (memcmp(copy, data, size) != 0) try_bytes(copy, size);
    free(copy);
    return 0;
}
