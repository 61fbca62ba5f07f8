#include "cli/verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/output.h"

/* Adds "text" to a comma-separated list in buf. */
static void append(char *buf, size_t size, const char *text)
{
    size_t used = strlen(buf);
    snprintf(buf + used, size - used, "%s%s", used ? ", " : "", text);
}

static void append_count(char *buf, size_t size, long count, const char *one, const char *many)
{
    char text[80];
    if (count == 0) return;
    snprintf(text, sizeof text, "%ld %s", count, count == 1 ? one : many);
    append(buf, size, text);
}

const char *plan_violations(const ucpo_evaluation *eval, char *buf, size_t size)
{
    char text[96];
    buf[0] = '\0';
    if (eval->late_count) {
        snprintf(text, sizeof text, "late %.6g in all at %d stop%s", eval->late_sum,
                 (int)eval->late_count, eval->late_count == 1 ? "" : "s");
        append(buf, size, text);
    }
    if (eval->over_count) {
        snprintf(text, sizeof text, "over %.6g in all at %d stop%s", eval->over_sum,
                 (int)eval->over_count, eval->over_count == 1 ? "" : "s");
        append(buf, size, text);
    }
    append_count(buf, size, eval->vehicles_over, "vehicle too many", "vehicles too many");
    append_count(buf, size, eval->missing, "customer missing", "customers missing");
    append_count(buf, size, eval->duplicates, "customer visited twice", "repeated visits");
    append_count(buf, size, eval->unknown, "unknown node", "unknown nodes");
    append_count(buf, size, eval->blocked, "leg without a way", "legs without a way");
    return buf;
}

const char *plan_excess(const ucpo_evaluation *eval, char *buf, size_t size)
{
    snprintf(buf, size, "largest excess ");
    if (eval->late_max > 0.0 || eval->over_max <= 0.0) {
        size_t used = strlen(buf);
        snprintf(buf + used, size - used, "%.6g%s", eval->late_max,
                 eval->late_max > 0.0 ? " in time" : "");
    }
    if (eval->over_max > 0.0) {
        size_t used = strlen(buf);
        snprintf(buf + used, size - used, "%s%.6g in load", eval->late_max > 0.0 ? ", " : "",
                 eval->over_max);
    }
    return buf;
}

const char *plan_verdict(const ucpo_evaluation *eval, const char *good, const char *bad, char *buf,
                         size_t size)
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
    return buf;
}

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
