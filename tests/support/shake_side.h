/* For tests in float and in double: `real` is that of the file that includes this. */
#ifndef UCPO_TESTS_SHAKE_SIDE_H
#define UCPO_TESTS_SHAKE_SIDE_H

#include <math.h>

#include "nn/nn.h"

/* w2 of the side network begins with 0: shake it, so that its paths are walked. */
static inline void shake_side(const struct nn_model *model, real *params)
{
    const struct nn_tensor *w2 = &model->tensor[model->tensors - 1];
    for (size_t i = 0; i < w2->count; i++)
        params[w2->offset + i] = (real)(0.3 * sin(2.0 + 3.0 * (double)i));
}

#endif
