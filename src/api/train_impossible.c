/* Whether a run is about to learn from instances that no plan can solve. */
#include "api/train.h"

#include <stdio.h>

enum {
    LOOKED_AT = 60, /* instances of a phase */
    MOST_NODES = 60 /* a proof of such an instance takes a millisecond or so */
};

static size_t count_proved(const ucpo_dataset *set, size_t most, size_t *looked)
{
    size_t proved = 0;
    for (size_t i = 0; i < ucpo_dataset_count(set) && i < most; i++) {
        ucpo_explanation *why = NULL;
        const ucpo_instance *inst = ucpo_dataset_at(set, i);
        if (ucpo_instance_view(inst)->n > MOST_NODES) continue;
        if (ucpo_explain(inst, NULL, 0, &why, NULL))
            return proved; /* no memory: the run will say */
        proved += ucpo_explanation_is_proof(why) != 0;
        (*looked)++;
        ucpo_explanation_free(why);
    }
    return proved;
}

/* Of a mixture, as many of each size and level as come. */
static size_t look_at_generated(const struct run *run, const struct train_phase *p, size_t *looked)
{
    size_t proved = 0;
    for (int size = 0; size < p->sizes.count; size++) {
        for (int level = 0; level < p->levels.count; level++) {
            double share = p->sizes.weight[size] * p->levels.weight[level];
            ucpo_generate_config g = ucpo_generate_config_default();
            ucpo_dataset *set = NULL;
            g.problem = run->plan->ops->info.name, g.level = p->levels.word[level];
            g.size = p->sizes.number[size], g.seed = run->plan->run.seed, g.threads = 1;
            g.count = (size_t)(share * LOOKED_AT + 0.5);
            if (g.count == 0 || g.size > MOST_NODES || ucpo_generate(&g, &set, NULL)) continue;
            proved += count_proved(set, g.count, looked);
            ucpo_dataset_free(set);
        }
    }
    return proved;
}

int run_impossible(const struct run *run, char *text, size_t size)
{
    for (int p = 0; p < run->plan->phases; p++) {
        const ucpo_dataset *own = source_own(run->trainer->source, p);
        size_t looked = 0;
        size_t proved = own ? count_proved(own, LOOKED_AT, &looked)
                            : look_at_generated(run, &run->plan->phase[p], &looked);
        if (proved * 50 < looked || proved == 0) continue; /* below 2 % */
        snprintf(text, size,
                 "phase %d: %zu of %zu instances looked at are proved to have no feasible plan; "
                 "nothing can be learned from such (ucpo explain says why)",
                 p + 1, proved, looked);
        return 1;
    }
    return 0;
}
