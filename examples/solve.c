/* Solves a small delivery round and prints the best plan. With a model file as argument the model
 * adds its candidates; without one the constructive rules answer.
 *
 *   cc solve.c $(pkg-config --cflags --libs ucpo) && ./a.out [MODEL]
 */
#include <stdio.h>

#include <ucpo.h>

static int fail(const ucpo_error *err)
{
    char text[800];
    fprintf(stderr, "%s\n", ucpo_error_message(err, text, sizeof text));
    return 1;
}

static void on_improved(void *user, const ucpo_solve_progress *best)
{
    (void)user;
    printf("  after %lld candidates: cost %g, %s\n", (long long)best->candidates, best->cost,
           best->is_feasible ? "feasible" : "infeasible");
}

static int solve(const ucpo_model *model, const ucpo_instance *instance)
{
    ucpo_error err = {0};
    ucpo_solve_config config = ucpo_solve_config_default();
    config.time_limit = 2.0; /* seconds; or config.samples for the same answer every time */
    config.samples = 100;
    config.improved = on_improved;
    ucpo_solution *solution = NULL;
    if (ucpo_solve(model, instance, &config, &solution, &err) != UCPO_OK) return fail(&err);

    printf("%s, cost %g, %lld candidates (%lld distinct, %lld feasible)\nplan: 0",
           solution->evaluation.is_feasible ? "feasible" : "infeasible", solution->evaluation.cost,
           (long long)solution->candidates, (long long)solution->distinct,
           (long long)solution->feasible);
    for (size_t i = 0; i < solution->len; i++) printf(" %d", (int)solution->nodes[i]);
    printf(" 0\n");
    int code = solution->evaluation.is_feasible ? 0 : 3;
    ucpo_solution_free(solution);
    return code;
}

int main(int argc, char **argv)
{
    /* depot 0 and four customers: time windows, demands, at most two vehicles of capacity 10 */
    const double x[] = {0, 3, 6, 6, 1}, y[] = {0, 4, 8, 0, 7};
    const double ready[] = {0, 4, 8, 10, 5}, due[] = {60, 20, 30, 40, 30};
    const double demand[] = {0, 4, 5, 7, 3}, service[] = {0, 1, 1, 1, 1};
    ucpo_instance_data data = ucpo_instance_data_default();
    data.problem = "cvrptwlv";
    data.n = 5;
    data.x = x;
    data.y = y;
    data.ready = ready;
    data.due = due;
    data.service = service;
    data.demand = demand;
    data.capacity = 10;
    data.vehicles = 2;

    ucpo_error err = {0};
    ucpo_instance *instance = NULL;
    ucpo_model *model = NULL;
    if (ucpo_instance_create(&data, &instance, &err) != UCPO_OK) return fail(&err);
    int code = 0;
    if (argc > 1 && ucpo_model_load(argv[1], &model, &err) != UCPO_OK) code = fail(&err);
    if (code == 0) code = solve(model, instance);
    ucpo_model_free(model);
    ucpo_instance_free(instance);
    return code;
}
