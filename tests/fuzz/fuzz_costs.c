/* Reference costs (NPY, CSV, pickle): no input may crash; what is read is positive. */
#include "ucpo.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    double *costs = NULL;
    size_t count = 0;
    ucpo_error err = {0};
    if (ucpo_costs_read_bytes(data, size, "fuzz", &costs, &count, &err) != UCPO_OK) {
        if (err.text[0] == '\0') abort();
        return 0;
    }
    if (count == 0) abort();
    for (size_t i = 0; i < count; i++)
        if (!(costs[i] > 0.0)) abort();
    ucpo_costs_free(costs);
    return 0;
}
