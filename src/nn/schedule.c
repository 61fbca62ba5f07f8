/* Learning-rate schedules: a factor on the base rate as a function of the step. */
#include "nn/nn.h"

#include <math.h>

double nn_schedule_factor(const struct nn_schedule *s, int64_t step)
{
    if (step < s->warmup) return (double)(step + 1) / (double)s->warmup;
    double done = 0.0;
    if (s->length > s->warmup)
        done = fmin((double)(step - s->warmup) / (double)(s->length - s->warmup), 1.0);
    switch (s->kind) {
    case NN_SCHEDULE_CONSTANT: break;
    case NN_SCHEDULE_DROP: return step >= s->drop_at ? s->last : 1.0;
    case NN_SCHEDULE_LINEAR: return 1.0 + (s->last - 1.0) * done;
    case NN_SCHEDULE_COSINE:
        return s->last + (1.0 - s->last) * 0.5 * (1.0 + cos(3.14159265358979323846 * done));
    }
    return 1.0;
}
