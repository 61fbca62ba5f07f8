/* The loss alone: three arrays in, one weight per trajectory out. Everything else is yours.
 *
 * The "network" here is a table of six logits, one per candidate plan; a real one replaces the two
 * functions below. Twelve trajectories are sampled per step, the loss says which should become more
 * likely, and the chain rule carries that to the logits. Plan 3 is the best feasible one; plan 0 is
 * cheaper but late.
 *
 *   cc loss_only.c $(pkg-config --cflags --libs ucpo) -lm && ./a.out [settings]
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "ucpo.h"

enum { PLANS = 6, SAMPLES = 12, STEPS = 300 };

static const double plan_objective[PLANS] = {8.0, 12.0, 11.0, 10.0, 9.0, 15.0};
static const double plan_violation[PLANS] = {2.5, 0.0, 0.0, 0.0, 4.0, 0.0};

static void probabilities(const double *logit, double *p)
{
    double sum = 0.0;
    for (int j = 0; j < PLANS; j++) sum += p[j] = exp(logit[j]);
    for (int j = 0; j < PLANS; j++) p[j] /= sum;
}

static int sample(const double *p, uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    double u = (double)(*state >> 11) * 0x1p-53;
    int j = 0;
    while (j < PLANS - 1 && u >= p[j]) u -= p[j++];
    return j;
}

int main(int argc, char **argv)
{
    ucpo_loss_config config;
    ucpo_error err;
    if (ucpo_loss_parse(argc > 1 ? argv[1] : "ucpo,alpha=sum", &config, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 2;
    }
    const double alpha = ucpo_loss_alpha(&config, PLANS); /* score = alpha x log-likelihood */
    double logit[PLANS] = {0.0}, p[PLANS];
    uint64_t state = 1;
    printf("step   loss    dual  margin  primal  feasible   p(plan 3)\n");
    for (int step = 0; step <= STEPS; step++) {
        double objective[SAMPLES], violation[SAMPLES], score[SAMPLES], weight[SAMPLES];
        int chosen[SAMPLES];
        uint32_t rank[SAMPLES];
        ucpo_loss_result result;

        probabilities(logit, p);
        for (int i = 0; i < SAMPLES; i++) {
            chosen[i] = sample(p, &state);
            objective[i] = plan_objective[chosen[i]];
            violation[i] = plan_violation[chosen[i]];
            score[i] = alpha * log(p[chosen[i]]);
        }
        if (ucpo_loss(&config, SAMPLES, objective, violation, score, &result, weight, rank, &err)) {
            fprintf(stderr, "%s\n", err.text);
            return 1;
        }
        if (step % 50 == 0)
            printf("%4d %6.3f  %6.3f  %6.3f  %6.3f  %4zu / %d  %10.3f\n", step, result.loss,
                   result.dual, result.margin, result.primal, result.feasible, SAMPLES, p[3]);

        /* d loss / d logit[j] = sum_i weight[i] alpha (1[j = chosen i] - p[j]); one descent step */
        double gradient[PLANS] = {0.0};
        for (int i = 0; i < SAMPLES; i++)
            for (int j = 0; j < PLANS; j++)
                gradient[j] += weight[i] * alpha * ((j == chosen[i]) - p[j]);
        for (int j = 0; j < PLANS; j++) logit[j] -= 0.1 * gradient[j];
    }
    return p[3] > 0.5 ? 0 : 1; /* the best feasible plan has become the likely one */
}
