/* Checks a hand-made plan of a small delivery round and prints the schedule.
 *
 *   cc check_plan.c $(pkg-config --cflags --libs ucpo) && ./a.out
 */
#include <stdio.h>

#include <ucpo.h>

static int fail(const ucpo_error *err)
{
    char text[800];
    fprintf(stderr, "%s\n", ucpo_error_message(err, text, sizeof text));
    return 1;
}

int main(void)
{
    /* depot 0 and three customers, each with a time window */
    const double x[] = {0, 3, 6, 6}, y[] = {0, 4, 8, 0};
    const double ready[] = {0, 4, 8, 15}, due[] = {40, 9, 14, 22};
    ucpo_instance_data data = ucpo_instance_data_default();
    data.problem = "tsptw";
    data.n = 4;
    data.x = x;
    data.y = y;
    data.ready = ready;
    data.due = due;

    ucpo_error err = {0};
    ucpo_instance *instance = NULL;
    if (ucpo_instance_create(&data, &instance, &err) != UCPO_OK) return fail(&err);

    const int32_t plan[] = {1, 2, 3};
    ucpo_stop stops[8];
    ucpo_evaluation result;
    ucpo_status status = ucpo_check(instance, plan, 3, &result, stops, 8, NULL, 0, &err);
    ucpo_instance_free(instance);
    if (status != UCPO_OK) return fail(&err);

    printf("cost %g, %s\n", result.cost, result.is_feasible ? "feasible" : "infeasible");
    for (size_t i = 0; i < result.stops; i++)
        printf("node %d: arrive %g, start %g, slack %g\n", (int)stops[i].node, stops[i].arrive,
               stops[i].start, stops[i].slack);
    return result.is_feasible ? 0 : 3;
}
