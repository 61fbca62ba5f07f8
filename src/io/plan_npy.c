/* Plans as a NumPy array of integers: one row per plan, depot left out. 0 separates routes and
 * fills rows shorter than the longest. */
#include "io/plan.h"

#include <math.h>

static ucpo_status read_row(const struct io_npy *array, size_t row, size_t width, const char *label,
                            struct plan_draft *draft, ucpo_error *err)
{
    for (size_t k = 0; k < width; k++) {
        size_t pair[4] = {row, k, 0, 0}, single[4] = {k, 0, 0, 0};
        double value = io_npy_at(array, array->rank == 2 ? pair : single);
        if (value < INT32_MIN || value > INT32_MAX)
            return status_format(err, label, 0, "plan %zu holds %.0f, expected a node number", row,
                                 value);
        ucpo_status st = plan_push(draft, (int32_t)value, err);
        if (st) return st;
    }
    return UCPO_OK;
}

static ucpo_status read_npy(const char *bytes, size_t size, const char *label,
                            const ucpo_dataset *set, ucpo_plans *plans, ucpo_error *err)
{
    (void)set;
    struct io_npy array;
    ucpo_status st = io_npy_parse(bytes, size, label, &array, err);
    if (st) return st;
    if (array.type != 'i' && array.type != 'u')
        return status_format(err, label, 0,
                             "NPY array holds %s, expected integers (one plan per row)",
                             array.type == 'f' ? "floating-point numbers" : "truth values");
    if (array.rank != 1 && array.rank != 2)
        return status_format(err, label, 0,
                             "NPY array has %d axes, expected (plans, customers) or (customers,)",
                             array.rank);
    size_t rows = array.rank == 2 ? array.shape[0] : 1, width = array.shape[array.rank - 1];
    if (width == 0 && rows > 1) /* any number of rows fits into no bytes */
        return status_format(err, label, 0, "NPY rows are empty");
    struct plan_draft draft = {0};
    for (size_t row = 0; !st && row < rows; row++) {
        st = read_row(&array, row, width, label, &draft, err);
        if (!st) st = plan_finish(&draft, NAN, plans, err);
    }
    plan_draft_free(&draft);
    return st;
}

static ucpo_status write_npy(struct io_buffer *out, const ucpo_dataset *set,
                             const ucpo_plans *plans, ucpo_error *err)
{
    (void)set;
    size_t shape[2] = {ucpo_plans_count(plans), 1}; /* a row of one 0 is an empty plan */
    struct plan_draft row = {0};
    ucpo_status st = UCPO_OK;
    for (int pass = 0; !st && pass < 2; pass++) { /* first for the width, then for the numbers */
        if (pass == 1) io_npy_header(out, "<i4", 2, shape);
        for (size_t i = 0; !st && i < shape[0]; i++) {
            ucpo_plan plan = ucpo_plans_at(plans, i);
            row.len = 0;
            for (size_t k = 0; !st && k < plan.len; k++) st = plan_push(&row, plan.nodes[k], err);
            if (row.len > 0 && row.nodes[row.len - 1] == 0) row.len--;
            if (pass == 0 && row.len > shape[1]) shape[1] = row.len;
            for (size_t k = 0; !st && pass == 1 && k < shape[1]; k++)
                io_put_little(out, (uint32_t)(k < row.len ? row.nodes[k] : 0), 4);
        }
    }
    plan_draft_free(&row);
    return st;
}

const struct io_plan_format io_plan_npy = {"npy", 1, 1, io_npy_detect, read_npy, write_npy};
