/* What the plan formats share. */
#ifndef UCPO_IO_PLAN_H
#define UCPO_IO_PLAN_H

#include "io/io.h"

extern const struct io_plan_format io_plan_json, io_plan_sol, io_plan_tour, io_plan_csv,
    io_plan_npy, io_plan_list, io_plan_mtsp;

/* A plan while it is read, in its shortest form: no 0 at either end, never two in a row. */
struct plan_draft {
    int32_t *nodes;
    size_t len, capacity;
};

ucpo_status plan_push(struct plan_draft *draft, int32_t node, ucpo_error *err);

/* Appends the plan to `plans` and empties the draft, which keeps its memory for the next one. */
ucpo_status plan_finish(struct plan_draft *draft, double stated_cost, ucpo_plans *plans,
                        ucpo_error *err);
void plan_draft_free(struct plan_draft *draft);

/* A whole token as a node number: digits with an optional sign, within int32. 0: it is none. */
int plan_parse_id(const char *token, size_t length, int32_t *out);

/* Next token of one line as a node number; `where` ("route 2") names the place in the message.
 * *out_length 0: no more tokens. */
ucpo_status plan_token_id(struct io_text *line, const char *where, int32_t *out, size_t *out_length,
                          ucpo_error *err);

/* 1 if `c` is one of the characters of `set`; NUL never is. */
int plan_is_one_of(char c, const char *set);

/* Parses "32", ": 32", "= 32" and LKH's "penalty_cost" form "0_32" at the cursor. 0: no number. */
int plan_parse_cost(struct io_text *line, double *out);

/* The instance of plan `index`, or NULL. */
const ucpo_instance *plan_instance(const ucpo_dataset *set, size_t index);

/* Plan `index` with its evaluation, for writers. */
struct plan_report {
    const ucpo_instance *inst;
    ucpo_plan plan;
    ucpo_evaluation eval;
    ucpo_stop *schedule; /* eval.stops rows */
    int32_t *missing;    /* eval.missing entries */
};

ucpo_status plan_report_make(const ucpo_dataset *set, const ucpo_plans *plans, size_t index,
                             struct plan_report *out, ucpo_error *err);

/* The same for one plan of one instance; stated_cost NaN: none. */
ucpo_status plan_report_check(const ucpo_instance *inst, ucpo_plan plan, struct plan_report *out,
                              ucpo_error *err);
void plan_report_free(struct plan_report *report);

/* The members of a "ucpo.solution/1" object, each on a line of its own, without braces. */
void plan_json_put(struct io_buffer *out, const struct plan_report *report, const char *indent);

#endif
