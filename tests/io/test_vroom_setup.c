/* Setups of VROOM: a job's is paid unless the vehicle comes from the same place, be it its start. Random files with
 * shared places, all orders, driven here by that rule and checked by ucpo. */
#include "support/text_case.h"

#include "core/rng.h"
#include "problem/problem.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_JOBS = 5, MOST_PLACES = 4, ROOM = 4096 };

/* A file as VROOM sees it. */
struct file {
    int jobs, places, start, vehicles;
    int duration[MOST_PLACES][MOST_PLACES];
    int place[MOST_JOBS], setup[MOST_JOBS], service[MOST_JOBS];
    int has_window[MOST_JOBS], from[MOST_JOBS], to[MOST_JOBS];
    int open, close;
    char text[ROOM];
};

static int draw(struct rng *rng, int low, int high)
{
    return low + (int)(rng_uniform(rng) * (high - low + 1));
}

static void put(struct file *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct file *f, const char *format, ...)
{
    size_t used = strlen(f->text);
    va_list args;
    va_start(args, format);
    vsnprintf(f->text + used, sizeof f->text - used, format, args);
    va_end(args);
    assert_true(strlen(f->text) + 1 < sizeof f->text);
}

static void put_file(struct file *f)
{
    f->text[0] = '\0';
    put(f, "{\"vehicles\": [");
    for (int v = 0; v < f->vehicles; v++)
        put(f, "%s{\"start_index\": %d, \"end_index\": %d, \"time_window\": [%d, %d]}",
            v ? ", " : "", f->start, f->start, f->open, f->close);
    put(f, "], \"jobs\": [");
    for (int k = 0; k < f->jobs; k++) {
        put(f, "%s{\"id\": %d, \"location_index\": %d, \"setup\": %d, \"service\": %d",
            k ? ", " : "", k + 1, f->place[k], f->setup[k], f->service[k]);
        if (f->has_window[k]) put(f, ", \"time_windows\": [[%d, %d]]", f->from[k], f->to[k]);
        put(f, "}");
    }
    put(f, "], \"matrices\": {\"car\": {\"durations\": [");
    for (int i = 0; i < f->places; i++) {
        put(f, "%s", i ? ", [" : "[");
        for (int j = 0; j < f->places; j++) put(f, "%s%d", j ? "," : "", f->duration[i][j]);
        put(f, "]");
    }
    put(f, "]}}}");
}

static void make(struct file *f, struct rng *rng)
{
    memset(f, 0, sizeof *f);
    f->jobs = draw(rng, 2, MOST_JOBS);
    f->places = draw(rng, 2, MOST_PLACES);
    f->start = draw(rng, 0, f->places - 1);
    f->vehicles = draw(rng, 0, 3) ? 1 : 2;
    f->open = draw(rng, 0, 20);
    f->close = f->open + draw(rng, 40, 160);
    int same = draw(rng, 0, 1), wide = draw(rng, 5, 60);
    for (int i = 0; i < f->places; i++)
        for (int j = 0; j < f->places; j++) f->duration[i][j] = i == j ? 0 : draw(rng, 1, 20);
    for (int k = 0; k < f->jobs; k++) {
        f->place[k] = draw(rng, 0, f->places - 1);
        f->setup[k] = draw(rng, 0, 3) ? draw(rng, 1, 20) : 0;
        f->service[k] = draw(rng, 0, 10);
        f->has_window[k] = draw(rng, 0, 3) > 0;
        f->from[k] = f->open + draw(rng, 0, 60);
        f->to[k] = f->from[k] + draw(rng, 0, wide);
        if (same && k > 0 && draw(rng, 0, 1)) { /* two jobs of one customer */
            f->place[k] = f->place[k - 1];
            f->from[k] = f->from[k - 1];
            f->to[k] = f->to[k - 1];
        }
    }
    put_file(f);
}

/* The rule itself: earliest start within the window, then setup and service. Jobs first .. end - 1 of an order are
 * one route. */
static int is_route(const struct file *f, const int *order, int first, int end)
{
    int time = f->open, at = f->start;
    for (int k = first; k < end; k++) {
        int job = order[k];
        time += f->duration[at][f->place[job]];
        if (f->has_window[job] && time < f->from[job]) time = f->from[job];
        if (f->has_window[job] && time > f->to[job]) return 0;
        time += (f->place[job] == at ? 0 : f->setup[job]) + f->service[job];
        at = f->place[job];
    }
    return time + f->duration[at][f->start] <= f->close;
}

/* The second route begins with job number `cut` of the order; 0: there is one. */
static int is_feasible(const struct file *f, const int *order, int cut)
{
    return is_route(f, order, 0, cut ? cut : f->jobs) && (!cut || is_route(f, order, cut, f->jobs));
}

static int next_order(int *order, int n)
{
    int i = n - 2, j = n - 1;
    while (i >= 0 && order[i] > order[i + 1]) i--;
    if (i < 0) return 0;
    while (order[j] < order[i]) j--;
    int swap = order[i];
    order[i] = order[j];
    order[j] = swap;
    for (int a = i + 1, b = n - 1; a < b; a++, b--) {
        swap = order[a];
        order[a] = order[b];
        order[b] = swap;
    }
    return 1;
}

static ucpo_evaluation check(const ucpo_instance *inst, const int *order, int n, int cut)
{
    int32_t plan[MOST_JOBS + 1] = {0};
    size_t len = 0;
    ucpo_evaluation e;
    for (int k = 0; k < n; k++) {
        if (cut && k == cut) plan[len++] = 0;
        plan[len++] = order[k] + 1;
    }
    assert_ok(ucpo_check(inst, plan, len, &e, NULL, 0, NULL, 0, NULL), NULL);
    return e;
}

/* All orders and, of two vehicles, cuts, by the rule and by the checker; what searches work on is not easier. */
static double least_cost(const struct file *f, const ucpo_instance *inst, int *lost)
{
    int order[MOST_JOBS] = {0};
    double least = HUGE_VAL, least_searched = HUGE_VAL;
    for (int k = 0; k < f->jobs; k++) order[k] = k;
    do {
        for (int cut = 0; cut < (f->vehicles > 1 ? f->jobs : 1); cut++) {
            ucpo_evaluation e = check(inst, order, f->jobs, cut);
            if (e.is_feasible != is_feasible(f, order, cut))
                fail_msg("ucpo says %d of an order in\n%s", e.is_feasible, f->text);
            ucpo_evaluation searched = check(inst->load, order, f->jobs, cut);
            if (searched.is_feasible && !e.is_feasible)
                fail_msg("the image is easier:\n%s", f->text);
            assert_true(searched.cost == e.cost);
            if (e.is_feasible) least = fmin(least, e.cost);
            if (searched.is_feasible) least_searched = fmin(least_searched, e.cost);
        }
    } while (next_order(order, f->jobs));
    *lost += least < least_searched;
    return least;
}

static void jobs_at_one_place_pay_one_setup_as_in_vroom(void **state)
{
    (void)state;

    enum { FILES = 3000 };

    int feasible = 0, lost = 0, shared = 0;
    for (uint64_t i = 0; i < FILES; i++) {
        struct rng rng = rng_at(36, 1, i);
        static struct file f;
        make(&f, &rng);
        ucpo_dataset *set = test_read_text(f.text, NULL);
        const ucpo_instance *inst = ucpo_dataset_at(set, 0);
        double least = least_cost(&f, inst, &lost);
        feasible += isfinite(least);
        shared += inst->data.setup != NULL;
        ucpo_explanation *why = NULL;
        assert_ok(ucpo_explain(inst, NULL, 0, &why, NULL), NULL);
        int is_proved = ucpo_explanation_is_proof(why), has_plan = isfinite(least) != 0;
        if (is_proved == has_plan)
            fail_msg("proved infeasible or not, unlike all orders:\n%s", f.text);
        ucpo_explanation_free(why);
        double bound = 0.0;
        if (isfinite(least)) assert_ok(ucpo_bound(inst, least, &bound, NULL), NULL);
        assert_true(bound <= least);
        ucpo_dataset_free(set);
    }
    print_message(
        "%d files with shared setups, %d feasible; the searches' image lacks the best plan of %d\n",
        shared, feasible, lost);
    assert_true(shared > FILES / 3 && feasible > FILES / 4 && lost < FILES / 8);
}

static void solve_finds_a_plan_that_pays_one_setup(void **state)
{
    (void)state;

    enum { FILES = 300 };

    int feasible = 0, found = 0;
    for (uint64_t i = 0; i < FILES; i++) {
        struct rng rng = rng_at(37, 1, i);
        static struct file f;
        int lost = 0;
        make(&f, &rng);
        ucpo_dataset *set = test_read_text(f.text, NULL);
        const ucpo_instance *inst = ucpo_dataset_at(set, 0);
        double least = least_cost(&f, inst, &lost);
        ucpo_solution *s = NULL;
        assert_ok(ucpo_solve(NULL, inst, NULL, &s, NULL), NULL);
        if (s->evaluation.is_feasible != (isfinite(least) != 0))
            fail_msg("feasible or not, unlike all orders:\n%s", f.text);
        if (s->evaluation.is_feasible && s->evaluation.cost != least)
            fail_msg("not the optimum:\n%s", f.text);
        feasible += isfinite(least);
        found += s->evaluation.is_feasible;
        ucpo_solution_free(s);
        ucpo_dataset_free(set);
    }
    print_message("a plan was found for %d of %d\n", found, feasible);
    assert_true(found == feasible && found > FILES / 3);
}

/* The example of the report: one customer, two jobs, a day that is long enough for one setup only. */
static void two_jobs_at_one_place_were_proved_infeasible(void **state)
{
    (void)state;
    static const char text[] =
        "{\"vehicles\": [{\"start_index\": 0, \"end_index\": 0, \"time_window\": [0, 100]}], "
        "\"jobs\": [{\"id\": 1, \"location_index\": 1, \"setup\": 30, \"service\": 10, "
        "\"time_windows\": [[0, 80]]}, {\"id\": 2, \"location_index\": 1, \"setup\": 30, "
        "\"service\": 10, \"time_windows\": [[0, 80]]}], "
        "\"matrix\": [[0, 20], [20, 0]]}";
    ucpo_dataset *set = test_read_text(text, NULL);
    const ucpo_instance *inst = ucpo_dataset_at(set, 0);
    ucpo_stop stops[4];
    ucpo_evaluation e;
    const int32_t plan[] = {1, 2};
    assert_ok(ucpo_check(inst, plan, 2, &e, stops, 4, NULL, 0, NULL), NULL);
    assert_true(e.is_feasible && stops[0].leave == 60 && stops[1].leave == 70 && e.duration == 90);
    ucpo_solution *s = NULL;
    assert_ok(ucpo_solve(NULL, inst, NULL, &s, NULL), NULL);
    assert_true(s->evaluation.is_feasible && s->end == UCPO_SOLVE_OPTIMAL);
    ucpo_solution_free(s);
    char *json = test_write_text(set, "json", NULL);
    ucpo_dataset *again = test_read_text(json, NULL);
    assert_true(test_view(again)->setup[2] == 30 && test_view(again)->place[2] == 1);
    assert_ok(ucpo_check(ucpo_dataset_at(again, 0), plan, 2, &e, NULL, 0, NULL, 0, NULL), NULL);
    assert_true(e.is_feasible);
    free(json);
    ucpo_dataset_free(again);
    static const char *const others[] = {"tsplib", "plain", "silva", "npy", "csv"};
    for (size_t k = 0; k < 5; k++) {
        ucpo_write_config how = ucpo_write_config_default();
        char *bytes = NULL;
        size_t size = 0;
        how.format = others[k];
        assert_int_equal(ucpo_write_bytes(set, &how, &bytes, &size, NULL), UCPO_E_UNSUPPORTED);
    }
    ucpo_dataset_free(set);
}

/* Without a matrix places are the same if their coordinates are; the vehicle's start counts. */
static void a_job_at_the_start_of_the_vehicle_pays_no_setup(void **state)
{
    (void)state;
    static const char text[] =
        "{\"vehicles\": [{\"start\": [13.4, 52.5], \"end\": [13.4, 52.5], \"time_window\": [0, "
        "9000]}], "
        "\"jobs\": [{\"id\": 1, \"location\": [13.4, 52.5], \"setup\": 600, \"service\": 60}, "
        "{\"id\": 2, \"location\": [13.5, 52.5], \"setup\": 500, \"service\": 60}]}";
    ucpo_dataset *set = test_read_text(text, NULL);
    ucpo_stop first[4], second[4];
    ucpo_evaluation e;
    const int32_t begins[] = {1, 2}, ends[] = {2, 1};
    const ucpo_instance *inst = ucpo_dataset_at(set, 0);
    assert_ok(ucpo_check(inst, begins, 2, &e, first, 4, NULL, 0, NULL), NULL);
    assert_ok(ucpo_check(inst, ends, 2, &e, second, 4, NULL, 0, NULL), NULL);
    assert_true(first[0].leave == 60 && second[1].leave == second[1].start + 660);
    assert_true(test_view(set)->service[2] == 560 && test_view(set)->setup[2] == 0);
    ucpo_dataset_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_jobs_at_one_place_were_proved_infeasible),
        cmocka_unit_test(a_job_at_the_start_of_the_vehicle_pays_no_setup),
        cmocka_unit_test(jobs_at_one_place_pay_one_setup_as_in_vroom),
        cmocka_unit_test(solve_finds_a_plan_that_pays_one_setup),
    };
    return cmocka_run_group_tests_name("vroom_setup", tests, NULL, NULL);
}
