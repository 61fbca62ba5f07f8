/* The side network: a few numbers about each candidate, straight to its logit. */
#include "nn/nn.h"

#include <string.h>

/* Numbers of the network. */
static size_t side_count(const struct nn_config *c)
{
    return (size_t)c->side_hidden * (size_t)(c->side_features + 2);
}

void nn_side_layout(struct nn_side *s, struct arena *arena)
{
    size_t count = side_count(&s->model->config);
    s->par = arena_take(arena, count, sizeof(real));
    s->sum = s->keep ? arena_take(arena, count * KERN_LANES, sizeof(real)) : NULL;
}

void nn_side_begin(struct nn_side *s, const real *params)
{
    size_t count = side_count(&s->model->config);
    memcpy(s->par, params + s->model->side, count * sizeof(real));
    if (s->keep) memset(s->sum, 0, count * KERN_LANES * sizeof(real));
}

void nn_side_forward(const struct nn_side *s, real *bias, const real *phi, size_t stride, int count)
{
    const struct nn_config *c = &s->model->config;
    s->kern->side_forward(bias, phi, stride, s->par, c->side_features, c->side_hidden, count);
}

void nn_side_backward(struct nn_side *s, const real *phi, size_t stride, const real *dbias,
                      int count)
{
    const struct nn_config *c = &s->model->config;
    s->kern->side_backward(s->sum, phi, stride, s->par, dbias, c->side_features, c->side_hidden,
                           count);
}

void nn_side_end(struct nn_side *s, real *grads)
{
    size_t count = side_count(&s->model->config);
    for (size_t i = 0; i < count; i++) {
        real total = 0;
        for (size_t k = 0; k < KERN_LANES; k++) total += s->sum[i * KERN_LANES + k];
        grads[s->model->side + i] += total;
    }
}
