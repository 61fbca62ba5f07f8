/* Settings of the loss: defaults, the score scale, and the check that every entry point makes. */
#include "loss/loss.h"

#include "core/sized.h"

#include <math.h>

void ucpo_loss_config_init(ucpo_loss_config *config, size_t size)
{
    ucpo_loss_config own = {
        .family = UCPO_LOSS_PAIRS,
        .relation = UCPO_RELATION_CANONICAL,
        .pairing = UCPO_PAIRING_ANCHOR,
        .scaling = UCPO_SCALING_LAGRANGIAN,
        .terms = UCPO_TERM_DUAL | UCPO_TERM_MARGIN | UCPO_TERM_PRIMAL,
        .k = 1,
        .lambda = 1.0,
        .tie = 0.1,
        .indicator = HUGE_VAL,
        .beta = 1.0,
        .alpha = 1.0,
        .alpha_is_per_node = 1,
    };
    sized_give(config, size, &own, sizeof own);
}

double ucpo_loss_alpha(const ucpo_loss_config *config, int32_t n)
{
    ucpo_loss_config defaults = ucpo_loss_config_default();
    if (!config) config = &defaults;
    return config->alpha_is_per_node && n > 0 ? config->alpha / n : config->alpha;
}

static ucpo_status check_number(const char *name, double value, double low, double high,
                                ucpo_error *err)
{
    if (value >= low && value <= high) return UCPO_OK; /* not NaN */
    return status_fail(err, UCPO_E_ARGUMENT, "loss: %s is %.17g, expected %g .. %g", name, value,
                       low, high);
}

static ucpo_status check_numbers(const ucpo_loss_config *config, ucpo_error *err)
{
    ucpo_status st = check_number("lambda", config->lambda, 0.0, LOSS_LIMIT, err);
    if (!st) st = check_number("tie", config->tie, 1e-12, 1e6, err);
    if (!st) st = check_number("indicator", config->indicator, 1e-12, HUGE_VAL, err);
    if (!st) st = check_number("beta", config->beta, 0.0, LOSS_LIMIT, err);
    if (!st) st = check_number("beta-min", config->beta_min, 0.0, LOSS_LIMIT, err);
    if (!st) st = check_number("beta-max", config->beta_max, 0.0, LOSS_LIMIT, err);
    if (!st) st = check_number("alpha", config->alpha, 1e-12, LOSS_LIMIT, err);
    if (st) return st;
    if (config->beta_max > 0.0 && config->beta_min > config->beta_max)
        return status_fail(err, UCPO_E_ARGUMENT, "loss: beta-min %g is above beta-max %g",
                           config->beta_min, config->beta_max);
    return UCPO_OK;
}

ucpo_status config_check(const ucpo_loss_config *config, ucpo_error *err)
{
    int is_known = (unsigned)config->family <= UCPO_LOSS_REINFORCE_NORM &&
                   (unsigned)config->relation <= UCPO_RELATION_OBJECTIVE &&
                   (unsigned)config->pairing <= UCPO_PAIRING_ALL &&
                   (unsigned)config->scaling <= UCPO_SCALING_CONSTANT;
    if (!is_known)
        return status_fail(err, UCPO_E_ARGUMENT,
                           "loss: family %d, relation %d, pairing %d or scaling %d is unknown",
                           (int)config->family, (int)config->relation, (int)config->pairing,
                           (int)config->scaling);
    if (config->terms == 0 || config->terms > 7)
        return status_fail(err, UCPO_E_ARGUMENT, "loss: terms is %u, expected 1 .. 7",
                           config->terms);
    if (config->k == 0) return status_fail(err, UCPO_E_ARGUMENT, "loss: k is 0, expected >= 1");
    if (config->k > 1 && config->family != UCPO_LOSS_PAIRS)
        return status_fail(err, UCPO_E_ARGUMENT, "loss: k = %u works with family pairs only",
                           config->k);
    if (config->relation == UCPO_RELATION_TIES && config->pairing != UCPO_PAIRING_ANCHOR)
        return status_fail(err, UCPO_E_ARGUMENT,
                           "loss: relation ties is defined for pairing anchor only");
    return check_numbers(config, err);
}
