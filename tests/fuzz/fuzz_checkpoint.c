/* PyTorch checkpoints: no input may crash, and every refusal says why. Checksums are put right first:
 * a mutation would otherwise never get past them; what is too short for an archive is tried as its
 * pickle. What is taken can be saved and loaded. */
#include "io/pickle.h"
#include "ucpo.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint32_t number(const uint8_t *at, int bytes)
{
    uint32_t value = 0;
    for (int i = bytes; i-- > 0;) value = value << 8 | at[i];
    return value;
}

static uint32_t crc(const uint8_t *at, size_t size)
{
    uint32_t c = 0xffffffffu;
    for (size_t i = 0; i < size; i++) {
        c ^= at[i];
        for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
    }
    return ~c;
}

/* Every directory entry gets the checksum of the content it points to. */
static void mend(uint8_t *data, size_t size)
{
    for (size_t i = 0; i + 46 <= size; i++) {
        if (memcmp(data + i, "PK\1\2", 4) != 0) continue;
        size_t length = number(data + i + 24, 4), place = number(data + i + 42, 4);
        if (place + 30 > size) continue;
        size_t begin = place + 30 + number(data + place + 26, 2) + number(data + place + 28, 2);
        if (begin > size || length > size - begin) continue;
        uint32_t sum = crc(data + begin, length);
        for (int k = 0; k < 4; k++) data[i + 16 + (size_t)k] = (uint8_t)(sum >> (8 * k));
    }
}

static void try_archive(const uint8_t *data, size_t size, const char *problem)
{
    ucpo_model *model = NULL, *back = NULL;
    ucpo_error err = {0};
    char *bytes = NULL;
    size_t length = 0;
    if (ucpo_model_import_bytes(data, size, "fuzz", problem, &model, &err) != UCPO_OK) {
        if (err.text[0] == '\0') abort();
        return;
    }
    if (ucpo_model_save_bytes(model, UCPO_DTYPE_F32, &bytes, &length, &err) != UCPO_OK) abort();
    if (ucpo_model_load_bytes(bytes, length, "back", &back, &err) != UCPO_OK) abort();
    ucpo_bytes_free(bytes);
    ucpo_model_free(model);
    ucpo_model_free(back);
}

static void try_pickle(const uint8_t *data, size_t size)
{
    struct pickle pickle = {0};
    ucpo_error err = {0};
    ucpo_status st = pickle_read((const char *)data, size, "fuzz", 1, &pickle, &err);
    if (st && err.text[0] == '\0') abort();
    pickle_free(&pickle);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + 1);
    if (!copy) return 0;
    if (size) memcpy(copy, data, size);
    mend(copy, size);
    try_archive(copy, size, "tsptw");
    try_archive(copy, size, NULL);
    try_pickle(data, size);
    free(copy);
    return 0;
}
