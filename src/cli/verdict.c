#include "cli/verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "core/text.h"

static void append_count(char *buf, size_t size, long count, const char *one, const char *many)
{
    if (count) text_append(buf, size, ", ", "%ld %s", count, count == 1 ? one : many);
}

const char *plan_violations(const ucpo_evaluation *eval, char *buf, size_t size)
{
    buf[0] = '\0';
    if (eval->late_count)
        text_append(buf, size, ", ", "late %.6g in all at %d stop%s", eval->late_sum,
                    (int)eval->late_count, eval->late_count == 1 ? "" : "s");
    if (eval->over_count)
        text_append(buf, size, ", ", "over %.6g in all at %d stop%s", eval->over_sum,
                    (int)eval->over_count, eval->over_count == 1 ? "" : "s");
    append_count(buf, size, eval->vehicles_over, "vehicle too many", "vehicles too many");
    append_count(buf, size, eval->missing, "customer missing", "customers missing");
    append_count(buf, size, eval->duplicates, "customer visited twice", "repeated visits");
    append_count(buf, size, eval->unknown, "unknown node", "unknown nodes");
    append_count(buf, size, eval->blocked, "leg without a way", "legs without a way");
    return buf;
}

/* "largest excess 3.2 in time, 2 in load" */
static const char *plan_excess(const ucpo_evaluation *eval, char *buf, size_t size)
{
    char amounts[80] = "";
    if (eval->late_max > 0.0)
        text_append(amounts, sizeof amounts, ", ", "%.6g in time", eval->late_max);
    if (eval->over_max > 0.0)
        text_append(amounts, sizeof amounts, ", ", "%.6g in load", eval->over_max);
    if (!amounts[0]) snprintf(amounts, sizeof amounts, "%.6g", eval->late_max);
    snprintf(buf, size, "largest excess %s", amounts);
    return buf;
}

const char *plan_verdict(const ucpo_instance *inst, const ucpo_evaluation *eval, const char *good,
                         const char *bad, char *buf, size_t size)
{
    char wrong[400], excess[120];
    plan_excess(eval, excess, sizeof excess);
    if (!eval->is_feasible)
        snprintf(buf, size, "%s: %s; %s", bad, plan_violations(eval, wrong, sizeof wrong), excess);
    else if (eval->is_tolerated)
        snprintf(buf, size, "%s, within tolerance %.6g: %s", good,
                 eval->late_max > 0.0 ? eval->tolerance : eval->load_tolerance, excess);
    else
        snprintf(buf, size, "%s, %s", good, excess);
    const char *note =
        ucpo_claim_note(inst, eval->is_feasible ? UCPO_CLAIM_FEASIBLE : UCPO_CLAIM_INFEASIBLE);
    if (note[0]) text_append(buf, size, "; ", "%s", note);
    return buf;
}

/* ---- what was left out in reading ---- */

enum { SHOWN_LEFT_OUT = 8 };

void print_claim_note(FILE *out, const ucpo_instance *inst, ucpo_claim claim)
{
    const char *note = ucpo_claim_note(inst, claim);
    if (note[0]) fprintf(out, "; %s", note);
}

void report_left_out(FILE *out, const ucpo_instance_data *data)
{
    size_t more = data->left_outs > SHOWN_LEFT_OUT ? data->left_outs - SHOWN_LEFT_OUT : 0;
    for (size_t k = 0; k < data->left_outs - more; k++)
        report_line(out, k ? "" : "left out", "%s: %s", ucpo_reading_name(data->left_out[k].way),
                    data->left_out[k].text);
    if (more) report_line(out, "", "and %zu more (--format json lists all)", more);
}

void report_changed(FILE *out, size_t changed)
{
    if (changed > 0)
        report_line(out, "left out",
                    "of %zu instance%s something was left out in reading: verdicts are about the "
                    "instances as read",
                    changed, changed == 1 ? "" : "s");
}

void put_json_reading(FILE *out, int *is_first, const ucpo_instance *inst)
{
    const ucpo_instance_data *data = ucpo_instance_view(inst);
    if (data->left_outs == 0) return;
    put_json_text(out, is_first, "reading", ucpo_reading_name(ucpo_instance_reading(inst)));
    put_json_key(out, is_first, "left_out");
    fputc('[', out);
    for (size_t k = 0; k < data->left_outs; k++) {
        int is_first_member = 1;
        fputs(k ? ", {" : "{", out);
        put_json_text(out, &is_first_member, "way", ucpo_reading_name(data->left_out[k].way));
        put_json_text(out, &is_first_member, "what", data->left_out[k].text);
        fputc('}', out);
    }
    fputc(']', out);
}

void tell_left_out(const char *file, const ucpo_dataset *set)
{
    for (size_t i = 0; i < ucpo_dataset_count(set); i++) {
        const ucpo_instance_data *data = ucpo_instance_view(ucpo_dataset_at(set, i));
        for (size_t k = 0; k < data->left_outs; k++)
            message_alarm("%s: left out: %s (what is read: %s)", file, data->left_out[k].text,
                          ucpo_reading_name(data->left_out[k].way));
    }
}

const char *cost_unit_text(const ucpo_instance_data *data, char buf[24])
{
    buf[0] = '\0';
    if (data->cost_unit) snprintf(buf, 24, " %s", data->cost_unit);
    return buf;
}

/* ---- many plans ---- */

void excess_add(struct excess *sum, const ucpo_evaluation *eval)
{
    if (!sum->has_any || eval->tolerance < sum->least) sum->least = eval->tolerance;
    if (!sum->has_any || eval->tolerance > sum->most) sum->most = eval->tolerance;
    sum->has_any = 1;
    sum->tolerated += eval->is_tolerated != 0;
    sum->late_max = fmax(sum->late_max, eval->late_max);
    sum->over_max = fmax(sum->over_max, eval->over_max);
}

const char *excess_text(const struct excess *sum, char *buf, size_t size)
{
    char largest[120], range[80];
    ucpo_evaluation eval = {.late_max = sum->late_max, .over_max = sum->over_max};
    plan_excess(&eval, largest, sizeof largest);
    if (sum->least == sum->most)
        snprintf(range, sizeof range, "%.6g", sum->most);
    else
        snprintf(range, sizeof range, "%.6g to %.6g", sum->least, sum->most);
    if (sum->tolerated == 0)
        snprintf(buf, size, "%s, needed by no feasible plan: %s", range, largest);
    else
        snprintf(buf, size, "%zu plan%s feasible within tolerance %s: %s", sum->tolerated,
                 sum->tolerated == 1 ? " is" : "s are", range, largest);
    return buf;
}

void report_excess(FILE *out, const struct excess *sum)
{
    char text[EXCESS_TEXT];
    if (sum->has_any) report_line(out, "tolerance", "%s", excess_text(sum, text, sizeof text));
}
