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

double nn_adam_step(struct nn_adam *a, const struct kern_ops *kern, real *params, real *m, real *v,
                    const real *grads, size_t count)
{
    double norm = norm_of(grads, count);
    if (!isfinite(norm)) return norm;
    double scale = a->clip_norm > 0.0 && norm > a->clip_norm ? a->clip_norm / norm : 1.0;
    a->step++;
    double bias1 = 1.0 - pow(a->beta1, (double)a->step),
           bias2 = 1.0 - pow(a->beta2, (double)a->step);
    kern->adam(params, m, v, grads, count, a->rate, a->beta1, a->beta2, a->eps, a->decay, bias1,
               bias2, scale);
    return norm;
}
