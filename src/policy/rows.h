/* A group of decisions on its way through the network (rollout.c), for all that decide. */
#ifndef UCPO_POLICY_ROWS_H
#define UCPO_POLICY_ROWS_H

#include "policy/policy.h"

/* The environment at the start of `count` samples; is_bound: its tables hold. */
ucpo_status rows_begin(struct policy *p, const struct ucpo_instance *inst, int count, int is_bound,
                       ucpo_error *err);

/* Mask and state of all samples for the next decision. */
void rows_look(struct policy *p, const struct policy_options *options);

/* Fills a row's state and list of open nodes for sample s; returns the length of the list. */
int rows_open(struct policy *p, int b, int s, const struct policy_options *options, int row);

/* Glimpse, pointer and probabilities of all rows. */
void rows_forward(struct policy *p, int b, double temperature);

#endif
