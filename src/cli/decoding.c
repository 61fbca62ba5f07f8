#include "cli/decoding.h"

#include "ucpo.h"

const char *decode_mask_at(size_t index)
{
    return index == 0 ? "auto" : ucpo_mask_at(index - 1);
}

const char *decode_kernels_at(size_t index)
{
    static const char *const names[] = {"auto", "portable", "avx2", "avx512", "amx"};
    return index < sizeof names / sizeof names[0] ? names[index] : NULL;
}

const char *decode_precision_at(size_t index)
{
    static const char *const names[] = {"auto", "f32", "bf16"};
    return index < sizeof names / sizeof names[0] ? names[index] : NULL;
}
