/* For tests in float and in double: `real` is that of the file that includes this. */
#ifndef UCPO_TESTS_SHAKE_SIDE_H
#define UCPO_TESTS_SHAKE_SIDE_H

#include <math.h>
#include <string.h>

#include "nn/nn.h"

/* w2 and V of the side network and the weights of pairs begin with 0: shake them, so that their paths
 * are walked. */
static inline void shake_side(const struct nn_model *model, real *params)
{
    for (int k = 0; k < model->tensors; k++) {
        const struct nn_tensor *w = &model->tensor[k];
        if (!strstr(w->name, "side_W2") && !strstr(w->name, "side_V") && !strstr(w->name, "pair"))
            continue;
        for (size_t i = 0; i < w->count; i++)
            params[w->offset + i] = (real)(0.3 * sin(2.0 + 3.0 * (double)i));
    }
}

#endif
