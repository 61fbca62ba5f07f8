/* A plan with what the checker says about it, and which panels it can have. */
#include "plot/plan.h"

#include <stdlib.h>
#include <string.h>

/* Where routes begin, and the place of every stop on its route. */
static void split_routes(struct plot_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        int is_new = i == 0 || plan->stops[i].route != plan->stops[i - 1].route;
        if (is_new) plan->routes[plan->route_count++].first = i;
        plan->routes[plan->route_count - 1].end = i + 1;
        plan->route_of[i] = (int32_t)plan->route_count - 1;
        plan->number[i] = is_new ? 1 : plan->number[i - 1] + 1;
    }
}

/* Times around 1 need three decimals, around 100 one or two. */
static int decimals_for(double unit)
{
    return unit < 5.0 ? 4 : unit < 5000.0 ? 2 : 1;
}

ucpo_status plot_plan_make(const ucpo_instance *inst, ucpo_plan nodes, struct plot_plan *out,
                           ucpo_error *err)
{
    struct plot_plan plan = {0};
    ucpo_status st = plan_report_check(inst, nodes, &plan.report, err);
    if (st) return st;
    plan.inst = inst;
    plan.data = ucpo_instance_view(inst);
    plan.stops = plan.report.schedule;
    plan.count = plan.report.eval.stops;
    plan.decimals = decimals_for(plan.data->unit);
    plan.routes = mem_zeroed(plan.count, sizeof *plan.routes);
    plan.route_of = mem_zeroed(plan.count, sizeof *plan.route_of);
    plan.number = mem_zeroed(plan.count, sizeof *plan.number);
    if (!plan.routes || !plan.route_of || !plan.number) {
        st = status_no_memory(err, plan.count * sizeof *plan.routes);
        plot_plan_free(&plan);
        return st;
    }
    split_routes(&plan);
    *out = plan;
    return UCPO_OK;
}

void plot_plan_free(struct plot_plan *plan)
{
    plan_report_free(&plan->report);
    free(plan->routes);
    free(plan->route_of);
    free(plan->number);
    *plan = (struct plot_plan){0};
}

int plot_stop_is_return(const struct plot_plan *plan, size_t stop)
{
    return plan->stops[stop].node == 0 && !plan->stops[stop].is_unknown;
}

int plot_stop_is_violated(const struct plot_plan *plan, size_t stop)
{
    const ucpo_stop *s = &plan->stops[stop];
    return s->late > 0.0 || s->over > 0.0 || s->is_duplicate || s->is_unknown || s->is_blocked;
}

ucpo_status plot_names_parse(const char *word, enum plot_names *out, ucpo_error *err)
{
    static const char *const words[] = {"order", "id", "name"};
    *out = PLOT_NAMES_ORDER;
    if (!word) return UCPO_OK;
    for (int k = 0; k < 3; k++) {
        if (strcmp(word, words[k]) != 0) continue;
        *out = (enum plot_names)k;
        return UCPO_OK;
    }
    return status_argument(err, "names is '%.40s', expected order, id or name", word);
}

ucpo_status plot_show_parse(const char *words, unsigned *out, ucpo_error *err)
{
    static const char *const names[] = {"map", "time", "load", "cloud"};
    unsigned show = 0;
    while (words && *words) {
        size_t length = strcspn(words, ","), k = 0;
        while (k < 4 && (strlen(names[k]) != length || memcmp(names[k], words, length) != 0)) k++;
        if (k == 4)
            return status_argument(err,
                                   "show holds '%.*s', expected some of map, time, load, cloud, "
                                   "separated by commas",
                                   (int)(length < 40 ? length : 40), words);
        show |= 1u << k;
        words += length;
        if (*words == ',' && words[1])
            words++;
        else if (*words == ',')
            return status_argument(err, "show ends with a comma");
    }
    *out = show;
    return UCPO_OK;
}

unsigned plot_show_for(const struct plot_plan *plan, unsigned asked)
{
    if (asked) return asked;
    unsigned show = PLOT_SHOW_MAP | PLOT_SHOW_CLOUD;
    if (plan->data->due) show |= PLOT_SHOW_TIME;
    if (plan->data->demand) show |= PLOT_SHOW_LOAD;
    return show;
}
