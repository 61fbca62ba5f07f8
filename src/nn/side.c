/* The side network: a few numbers about each candidate, straight to its logit and, if the model says
 * so, to the scores of the glimpse. */
#include "nn/nn.h"

#include <string.h>

/* Numbers of W1, b1 and w2. */
static size_t side_count(const struct kern_side *size)
{
    return (size_t)size->hidden * (size_t)(size->features + 2);
}

/* Numbers of V, heads rounded up to lanes. */
static size_t lane_count(const struct kern_side *size)
{
    return (size_t)size->hidden * (size_t)size->lanes;
}

void nn_side_layout(struct nn_side *s, struct arena *arena)
{
    const struct nn_config *c = &s->model->config;
    s->size =
        (struct kern_side){c->side_features, c->side_hidden, c->side_glimpse ? nn_lanes(c) : 0};
    size_t count = side_count(&s->size), more = lane_count(&s->size);
    s->par = arena_take(arena, count + more, sizeof(real));
    s->sum = s->keep ? arena_take(arena, count * KERN_LANES + more, sizeof(real)) : NULL;
}

void nn_side_begin(struct nn_side *s, const real *params)
{
    size_t count = side_count(&s->size), more = lane_count(&s->size);
    int heads = s->model->config.heads, hidden = s->size.hidden, lanes = s->size.lanes;
    memcpy(s->par, params + s->model->side, count * sizeof(real));
    memset(s->par + count, 0, more * sizeof(real));
    for (int a = 0; a < heads && lanes; a++)
        for (int h = 0; h < hidden; h++)
            s->par[count + (size_t)(h * lanes + a)] =
                params[s->model->side_v + (size_t)(a * hidden + h)];
    if (s->keep) memset(s->sum, 0, (count * KERN_LANES + more) * sizeof(real));
}

void nn_side_forward(const struct nn_side *s, real *bias, real *units, real *extra, const real *phi,
                     size_t stride, int count)
{
    s->kern->side_forward(bias, units, extra, phi, stride, s->par, &s->size, count);
}

void nn_side_backward(struct nn_side *s, const real *phi, const real *units, size_t stride,
                      const real *dbias, const real *dextra, int count)
{
    s->kern->side_backward(s->sum, phi, units, stride, s->par, dbias, dextra, &s->size, count);
}

void nn_side_end(struct nn_side *s, real *grads)
{
    size_t count = side_count(&s->size);
    int heads = s->model->config.heads, hidden = s->size.hidden, lanes = s->size.lanes;
    for (size_t i = 0; i < count; i++) {
        real total = 0;
        for (size_t k = 0; k < KERN_LANES; k++) total += s->sum[i * KERN_LANES + k];
        grads[s->model->side + i] += total;
    }
    const real *dv = s->sum + count * KERN_LANES;
    for (int a = 0; a < heads && lanes; a++)
        for (int h = 0; h < hidden; h++)
            grads[s->model->side_v + (size_t)(a * hidden + h)] += dv[h * lanes + a];
}
