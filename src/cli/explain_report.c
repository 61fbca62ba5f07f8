#include "cli/explain_report.h"

#include "cli/check_report.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/verdict.h"

int explain_one(const ucpo_instance *inst, const ucpo_plan *plan, struct explained *out)
{
    ucpo_error err = {0};
    static const int32_t nothing = 0; /* an empty plan is a plan */
    const int32_t *nodes = !plan ? NULL : plan->len ? plan->nodes : &nothing;
    size_t len = plan ? plan->len : 0;
    ucpo_status status = UCPO_OK;
    out->inst = inst;
    out->has_plan = plan != NULL;
    if (plan) status = ucpo_check(inst, nodes, len, &out->eval, NULL, 0, NULL, 0, &err);
    if (!status) status = ucpo_explain(inst, nodes, len, &out->findings, &err);
    if (!status && interrupt_is_pending()) status = UCPO_E_CANCELLED;
    if (status) {
        ucpo_explanation_free(out->findings);
        out->findings = NULL;
        return message_failure(status, &err);
    }
    out->code = ucpo_explanation_is_proof(out->findings)  ? EXIT_PROVED
                : out->has_plan && !out->eval.is_feasible ? EXIT_INFEASIBLE
                                                          : EXIT_DONE;
    return EXIT_DONE;
}

/* ---- text ---- */

enum part { PROOFS, TIGHT, SINGLE, JOINT, BROKEN, PARTS };

static enum part part_of(const ucpo_reason *reason)
{
    if (reason->is_proof) return PROOFS;
    if (reason->kind == UCPO_REASON_PLAN_BROKEN) return BROKEN;
    if (reason->kind < UCPO_REASON_RELAX_DUE) return TIGHT;
    return reason->is_joint ? JOINT : SINGLE;
}

static void print_heading(FILE *out, enum part part, size_t count)
{
    if (part == PROOFS) fprintf(out, "\nWhy no plan can be feasible:\n");
    if (part == TIGHT) fprintf(out, "\nWhere it is tightest:\n");
    if (part == SINGLE && count == 1)
        fprintf(out, "\nOne change of the instance makes this plan feasible:\n");
    if (part == SINGLE && count > 1)
        fprintf(out, "\nEach of these changes alone makes this plan feasible:\n");
    if (part == JOINT)
        fprintf(out, "\nNo single change makes this plan feasible; these %zu together do:\n",
                count);
    if (part == BROKEN) fprintf(out, "\nWhy this plan cannot be saved:\n");
}

/* Sentences speak of node numbers: what the file calls the first few of them. */
static void print_ids(FILE *out, const ucpo_instance *inst, const ucpo_reason *reason)
{
    const ucpo_instance_data *data = ucpo_instance_view(inst);
    char id[160];
    size_t most = reason->customer_count < 8 ? reason->customer_count : 8;
    if (!data->id && !data->label) return;
    for (size_t k = 0; k < most; k++) {
        int32_t node = reason->customers[k];
        const char *name = data->label ? data->label[node] : "";
        if (node == 0) continue;
        fprintf(out, "      %d is %s%s%s\n", (int)node,
                data->id ? ucpo_node_text(inst, node, id, sizeof id) : "",
                data->id && name[0] ? " " : "", name);
    }
}

static void print_part(FILE *out, const ucpo_instance *inst, const ucpo_explanation *findings,
                       enum part part)
{
    size_t count = 0;
    for (size_t i = 0; i < ucpo_explanation_count(findings); i++)
        count += part_of(ucpo_explanation_at(findings, i)) == part;
    if (count > 0) print_heading(out, part, count);
    for (size_t i = 0; i < ucpo_explanation_count(findings); i++)
        if (part_of(ucpo_explanation_at(findings, i)) == part) {
            fprintf(out, "  - %s\n", ucpo_explanation_at(findings, i)->text);
            print_ids(out, inst, ucpo_explanation_at(findings, i));
        }
}

const char *explain_in_short(const struct explained *item, char *buf, size_t size)
{
    static const enum part order[] = {PROOFS, BROKEN, SINGLE, JOINT,
                                      TIGHT}; /* the first that there is */

    const char *text = NULL;
    enum part part = PROOFS;
    size_t count = 0;
    for (size_t k = 0; !text && k < PARTS; k++)
        for (size_t i = 0; i < ucpo_explanation_count(item->findings); i++) {
            const ucpo_reason *reason = ucpo_explanation_at(item->findings, i);
            if (part_of(reason) != order[k]) continue;
            if (!text) text = reason->text;
            part = order[k];
            count++;
        }
    if (!text)
        snprintf(buf, size, "why is not known");
    else if (part == PROOFS || part == BROKEN)
        snprintf(buf, size, "%s%s", part == PROOFS ? "no plan can be feasible: " : "", text);
    else if (part == JOINT)
        snprintf(buf, size, "%zu changes together make this plan feasible, the first: %s", count,
                 text);
    else
        snprintf(buf, size, "%s: %s",
                 part == SINGLE ? "one change makes this plan feasible" : "it is tightest here",
                 text);
    return buf;
}

static const char *verdict_of(const struct explained *item)
{
    if (item->code == EXIT_PROVED) return "PROVED INFEASIBLE: no plan can keep all constraints";
    if (item->has_plan && item->eval.is_tolerated)
        return item->is_found ? "there is a plan that is feasible within the tolerance"
                              : "the plan is feasible within the tolerance";
    if (item->is_found && item->eval.is_feasible)
        return "there is a feasible plan: nothing is wrong";
    if (item->has_plan && item->eval.is_feasible) return "the plan is feasible: nothing is wrong";
    return "no proof of infeasibility was found, which does not mean that a feasible plan exists";
}

/* What the verdict is not about. */
static const char *note_of(const struct explained *item)
{
    if (item->code == EXIT_PROVED) return ucpo_claim_note(item->inst, UCPO_CLAIM_INFEASIBLE);
    if (!item->has_plan || !item->eval.is_feasible) return "";
    return ucpo_claim_note(item->inst, UCPO_CLAIM_FEASIBLE);
}

void explain_print_findings(FILE *out, const struct explained *item)
{
    double clock = ucpo_instance_view(item->inst)->clock;
    const char *note = note_of(item);
    report_line(out, "verdict", "%s%s%s", verdict_of(item), note[0] ? "; " : "", note);
    if (clock > 0.0)
        report_line(out, "times", "of the day; spans below in %s",
                    clock == 60.0  ? "minutes"
                    : clock == 1.0 ? "seconds"
                                   : "units");
    for (int part = 0; part < PARTS; part++)
        print_part(out, item->inst, item->findings, (enum part)part);
}

void explain_print_detail(FILE *out, const struct explained *item, int asked_rounding)
{
    char text[PLAN_VERDICT];
    const char *whose = item->is_found ? " (the best that a search found)" : "";
    report_facts(out, ucpo_instance_view(item->inst), asked_rounding);
    plan_verdict(item->inst, &item->eval, "feasible", "INFEASIBLE", text, sizeof text);
    if (item->has_plan) report_line(out, "plan", "%s%s", text, whose);
    explain_print_findings(out, item);
}

void explain_print_row(FILE *out, const struct explained *item)
{
    const ucpo_reason *first = ucpo_explanation_at(item->findings, 0);
    if (item->code == EXIT_PROVED)
        fprintf(out, "%zu  proved infeasible%s: %s\n", item->index,
                note_of(item)[0] ? " (as read)" : "", first->text);
    else if (item->code == EXIT_INFEASIBLE && item->is_found)
        fprintf(out, "%zu  no feasible plan was found, no proof\n", item->index);
    else if (item->code == EXIT_INFEASIBLE)
        fprintf(out, "%zu  plan infeasible, no proof about the instance\n", item->index);
    else if (message_is_verbose())
        fprintf(out, "%zu  %s\n", item->index,
                !item->has_plan           ? "no proof"
                : item->eval.is_tolerated ? "plan feasible within the tolerance"
                                          : "plan feasible");
}

/* ---- JSON ---- */

/* What the file calls the customers, beside their numbers. */
static void put_words(FILE *out, int *is_first, const char *key, const char *const *words,
                      const ucpo_reason *reason)
{
    if (!words) return;
    put_json_key(out, is_first, key);
    fputc('[', out);
    for (size_t i = 0; i < reason->customer_count; i++) {
        if (i) fputs(", ", out);
        put_json_string(out, words[reason->customers[i]]);
    }
    fputc(']', out);
}

static void put_finding(FILE *out, const ucpo_instance *inst, const ucpo_reason *reason)
{
    const ucpo_instance_data *data = ucpo_instance_view(inst);
    int is_first = 1;
    fputc('{', out);
    put_json_text(out, &is_first, "kind", ucpo_reason_name(reason->kind));
    put_json_truth(out, &is_first, "is_proof", reason->is_proof);
    put_json_truth(out, &is_first, "is_joint", reason->is_joint);
    put_json_key(out, &is_first, "customers");
    fputc('[', out);
    for (size_t i = 0; i < reason->customer_count; i++)
        fprintf(out, "%s%d", i ? ", " : "", (int)reason->customers[i]);
    fputc(']', out);
    put_words(out, &is_first, "ids", data->id, reason);
    put_words(out, &is_first, "names", data->label, reason);
    put_json_value(out, &is_first, "value", reason->value);
    put_json_value(out, &is_first, "bound", reason->bound);
    put_json_value(out, &is_first, "excess", reason->excess);
    put_json_text(out, &is_first, "text", reason->text);
    fputc('}', out);
}

void explain_put_item(FILE *out, const struct explained *item)
{
    const ucpo_instance_data *data = ucpo_instance_view(item->inst);
    const char *status = item->code == EXIT_PROVED       ? "proved_infeasible"
                         : item->code == EXIT_INFEASIBLE ? "plan_infeasible"
                         : item->has_plan                ? "plan_feasible"
                                                         : "no_proof";
    const char *plan = item->is_found ? "found" : item->has_plan ? "given" : "none";
    int is_first = 1;
    fputc('{', out);
    put_json_text(out, &is_first, "schema", "ucpo.explanation/1");
    put_json_text(out, &is_first, "problem", data->problem);
    put_json_text(out, &is_first, "instance", data->name);
    put_json_value(out, &is_first, "index", (double)item->index);
    put_json_value(out, &is_first, "n", data->n);
    put_json_value(out, &is_first, "tolerance", data->tolerance);
    put_json_text(out, &is_first, "status", status);
    put_json_reading(out, &is_first, item->inst);
    put_json_value(out, &is_first, "code", item->code);
    put_json_text(out, &is_first, "plan", plan);
    if (item->has_plan) {
        put_json_truth(out, &is_first, "within_tolerance", item->eval.is_tolerated);
        put_json_value(out, &is_first, "late_max", item->eval.late_max);
        put_json_value(out, &is_first, "over_max", item->eval.over_max);
    }
    put_json_key(out, &is_first, "findings");
    fputc('[', out);
    for (size_t i = 0; i < ucpo_explanation_count(item->findings); i++) {
        fputs(i ? ",\n  " : "\n  ", out);
        put_finding(out, item->inst, ucpo_explanation_at(item->findings, i));
    }
    fputs("]}", out);
}
