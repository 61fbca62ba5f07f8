/* Adam with coupled L2 and bias correction, over the flat array. */
#include "nn/nn.h"

#include <math.h>

struct nn_adam nn_adam_default(void)
{
    return (struct nn_adam){.rate = 1e-4, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8, .decay = 1e-6};
}

static double norm_of(const real *v, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) sum += (double)v[i] * (double)v[i];
    return sqrt(sum);
}

/* Tensors from `first` on that learn at the same pace; *count numbers. Returns the next one. */
static int run_of(const struct nn_model *model, int first, size_t *count)
{
    int k = first;
    for (*count = 0; k < model->tensors && model->tensor[k].pace == model->tensor[first].pace; k++)
        *count += model->tensor[k].count;
    return k;
}

double nn_adam_step(struct nn_adam *a, const struct kern_ops *kern, const struct nn_model *model,
                    real *params, real *m, real *v, const real *grads)
{
    double norm = norm_of(grads, model->total);
    if (!isfinite(norm)) return norm;
    double scale = a->clip_norm > 0.0 && norm > a->clip_norm ? a->clip_norm / norm : 1.0;
    a->step++;
    double bias1 = 1.0 - pow(a->beta1, (double)a->step),
           bias2 = 1.0 - pow(a->beta2, (double)a->step);
    size_t count = 0;
    for (int k = 0, next; k < model->tensors; k = next) {
        size_t at = model->tensor[k].offset;
        next = run_of(model, k, &count);
        if (model->tensor[k].pace == 0.0) continue;
        kern->adam(params + at, m + at, v + at, grads + at, count, a->rate * model->tensor[k].pace,
                   a->beta1, a->beta2, a->eps, a->decay, bias1, bias2, scale);
    }
    return norm;
}
