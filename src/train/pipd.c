#include "train/pipd.h"

#include <math.h>
#include <string.h>

int pipd_learns(const struct train_phase *p, double done)
{
    double block = done * (double)p->aux_blocks;
    return done < p->aux_open || done >= 1.0 - p->aux_close ||
           block - floor(block) >= 1.0 - p->aux_update;
}

void pipd_renew(struct pipd *d, const struct train_phase *p, double done, size_t total)
{
    if (done < p->aux_open || !d->has_best) return;
    int64_t block = (int64_t)(done * (double)p->aux_blocks);
    if (d->has_frozen && block == d->block) return;
    memcpy(d->frozen, d->snapshot, total * sizeof(real));
    d->has_frozen = 1;
    d->block = block;
}

void pipd_judge(struct pipd *d, const struct train_phase *p, const struct step_labels *labels,
                const real *params, size_t total)
{
    double share = fmax(0.02, 1.0 / (double)(d->judged + 1));
    if (labels->nodes[0] == 0 || labels->nodes[1] == 0) return;
    d->judged++;
    for (int y = 0; y < 2; y++) {
        double recall = (double)labels->right[y] / (double)labels->nodes[y];
        d->recall[y] += share * (recall - d->recall[y]);
    }
    if (d->recall[1] < p->aux_recall) return;
    if (d->has_best && d->recall[0] <= d->best) return;
    memcpy(d->snapshot, params, total * sizeof(real));
    d->has_best = 1;
    d->best = d->recall[0];
}
