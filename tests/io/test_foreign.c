#include "support/text_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAR "\"start\": [13.4, 52.5], \"end\": [13.4, 52.5], \"time_window\": [0, 9000]"

static void a_vroom_problem_becomes_a_fleet(void **state)
{
    (void)state;
    struct test_log log = {0};
    ucpo_read_config options = ucpo_read_config_default();
    options.hooks = test_log_hooks(&log);
    ucpo_dataset *set =
        test_read_text("{\"vehicles\": [{\"id\": 1, \"capacity\": [4], " CAR
                       "}, {\"id\": 2, \"capacity\": [4], " CAR "}],\n"
                       "\"jobs\": [{\"id\": 101, \"description\": \"Bakery\", \"location\": [13.5, "
                       "52.6], \"service\": 300, "
                       "\"setup\": 10, \"delivery\": [2], \"time_windows\": [[100, 900]]}, "
                       "{\"id\": 7, \"location\": [13.3, 52.4], \"amount\": [1]}]}",
                       &options);
    const ucpo_instance_data *d = test_view(set);
    assert_string_equal(d->problem, "cvrptwlv");
    assert_true(d->vehicles == 2 && d->capacity == 4 && d->n == 3);
    assert_true(d->x[1] == 52.6 && d->y[1] == 13.5 && d->service[1] == 310 && d->demand[1] == 2);
    assert_true(d->ready[1] == 100 && d->due[1] == 900 && isinf(d->due[2]) && d->due[0] == 9000);
    assert_string_equal(d->id[1], "101");
    assert_string_equal(d->label[1], "Bakery");
    assert_close(d->speed, 40.0 / 3600.0, 1e-15, 0);
    assert_logged(&log, "setup times are added");
    ucpo_dataset_free(set);
}

static void a_vroom_matrix_is_picked_by_index_and_epochs_become_dates(void **state)
{
    (void)state;
    ucpo_dataset *set =
        test_read_text("{\"vehicles\": [{\"id\": 1, \"start_index\": 2, \"end_index\": 2, "
                       "\"time_window\": [1700000000, 1700030000]}],"
                       "\"jobs\": [{\"id\": 1, \"location_index\": 0, \"time_windows\": "
                       "[[1700001000, 1700002000]]}, {\"id\": 2, "
                       "\"location_index\": 1}], \"matrices\": {\"car\": {\"durations\": [[0, 1, "
                       "2], [3, 0, 5], [6, null, 0]]}}}",
                       NULL);
    const ucpo_instance *inst = ucpo_dataset_at(set, 0);
    const ucpo_instance_data *d = test_view(set);
    char text[32];
    assert_string_equal(d->problem, "tsptw");
    assert_true(ucpo_instance_cost(inst, 0, 1) == 6 && ucpo_instance_cost(inst, 1, 2) == 1);
    assert_true(ucpo_instance_has_way(inst, 0, 1) && !ucpo_instance_has_way(inst, 0, 2));
    assert_string_equal(ucpo_clock_text(inst, d->ready[0], 1, text, 32), "2023-11-14T22:13:20");
    ucpo_dataset_free(set);
}

static void what_vroom_has_and_ucpo_has_not_is_named(void **state)
{
    (void)state;
#define JOB "\"jobs\": [{\"id\": 1, \"location\": [13.5, 52.6]}]"
    static const struct test_bad bad[] = {
        {"{\"vehicles\": [{" CAR "}], " JOB ", \"shipments\": [{}]}", UCPO_E_UNSUPPORTED, 0,
         "'shipments'"},
        {"{\"vehicles\": [{" CAR ", \"skills\": [1]}], " JOB "}", UCPO_E_UNSUPPORTED, 0,
         "vehicles[0] has 'skills'"},
        {"{\"vehicles\": [{" CAR ", \"breaks\": [{}]}], " JOB "}", UCPO_E_UNSUPPORTED, 0,
         "'breaks'"},
        {"{\"vehicles\": [{" CAR ", \"max_tasks\": 3}], " JOB "}", UCPO_E_UNSUPPORTED, 0,
         "'max_tasks'"},
        {"{\"vehicles\": [{\"start\": [13.4, 52.5]}], " JOB "}", UCPO_E_UNSUPPORTED, 0,
         "not the same"},
        {"{\"vehicles\": [{" CAR "}, {" CAR ", \"capacity\": [2]}], " JOB "}", UCPO_E_UNSUPPORTED,
         0, "vehicles[1].capacity differs"},
        {"{\"vehicles\": [{" CAR "}], \"jobs\": [{\"location\": [1, 2], \"time_window\": [1, 2]}]}",
         UCPO_E_FORMAT, 0, "did you mean 'time_windows'"},
        {"{\"vehicles\": [{" CAR
         "}], \"jobs\": [{\"location\": [1, 2], \"time_windows\": [[1, 2], [3, 4]]}]}",
         UCPO_E_UNSUPPORTED, 0, "jobs[0] has 2 time windows"},
        {"{\"vehicles\": [{" CAR
         "}], \"jobs\": [{\"location\": [1, 2], \"pickup\": [1]}, {\"location\": [1, 2], "
         "\"delivery\": [1, 2]}]}",
         UCPO_E_UNSUPPORTED, 0, "jobs[1].delivery has 2 components"},
        {"{\"vehicles\": [{" CAR "}], \"jobs\": [{\"id\": 1}]}", UCPO_E_FORMAT, 0,
         "jobs[0].location is missing, expected [longitude, latitude]"},
        {"{\"vehicles\": [{" CAR "}], \"jobs\": [{\"id\": 4, \"location\": [1, 2]}, {\"id\": 5, "
         "\"location\": [1, 2]}, {\"id\": 4, \"location\": [1, 2]}]}",
         UCPO_E_FORMAT, 0, "jobs[2].id is 4, as jobs[0].id"},
        {"{\"vehicles\": [{" CAR "}], \"jobs\": [{\"location\": [1, 2], \"delivery\": [-3]}]}",
         UCPO_E_FORMAT, 0, "jobs[0].delivery[0] is -3, expected a number >= 0"},
        {"{\"vehicles\": [], " JOB "}", UCPO_E_FORMAT, 0, "vehicles is an array of 0"},
    };
    assert_refused(NULL, bad, sizeof bad / sizeof bad[0]);
}

#define SECOND(rest) "{\"vehicles\": [{\"capacity\": [4], " CAR "}, {" rest "}], " JOB "}"

static void what_is_left_out_says_which_way_the_instance_goes(void **state)
{
    (void)state;

    static const struct {
        const char *text;
        ucpo_reading way;
    } file[] = {
        {"{\"vehicles\": [{" CAR "}], " JOB ", \"shipments\": [{}]}", UCPO_READ_EASIER},
        {"{\"vehicles\": [{" CAR ", \"breaks\": [{}]}], " JOB "}", UCPO_READ_EASIER},
        {"{\"vehicles\": [{" CAR ", \"costs\": {\"fixed\": 3}}], " JOB "}", UCPO_READ_WHOLE},
        {"{\"vehicles\": [{" CAR ", \"speed_factor\": 2}], " JOB "}", UCPO_READ_HARDER},
        {"{\"vehicles\": [{" CAR ", \"speed_factor\": 0.5}], " JOB "}", UCPO_READ_EASIER},
        {SECOND("\"capacity\": [3], " CAR), UCPO_READ_EASIER},
        {SECOND("\"capacity\": [5], " CAR), UCPO_READ_HARDER},
        {SECOND(CAR), UCPO_READ_HARDER},
        {SECOND("\"capacity\": [4], \"start\": [13.4, 52.5], \"end\": [13.4, 52.5], "
                "\"time_window\": [0, 8000]"),
         UCPO_READ_EASIER},
        {SECOND("\"capacity\": [4], \"start\": [13.4, 52.5], \"end\": [13.4, 52.5]"),
         UCPO_READ_HARDER},
        {SECOND("\"capacity\": [4], \"start\": [13.4, 52.5], \"end\": [13.4, 52.5], "
                "\"time_window\": [10, 9100]"),
         UCPO_READ_EITHER},
        {SECOND("\"capacity\": [4], \"start\": [13.5, 52.5], \"end\": [13.5, 52.5], "
                "\"time_window\": [0, 9000]"),
         UCPO_READ_EITHER},
        {"{\"vehicles\": [{" CAR "}], \"jobs\": [{\"location\": [1, 2], \"time_windows\": [[1, 2], "
         "[3, 4]]}]}",
         UCPO_READ_HARDER},
        {"{\"distance_matrix\": [[0,1],[1,0]], \"pickups_deliveries\": [[1,1]]}", UCPO_READ_EASIER},
        {"{\"distance_matrix\": [[0,1],[1,0]], \"penalties\": [1,2]}", UCPO_READ_HARDER},
        {"{\"distance_matrix\": [[0,1],[1,0]], \"starts\": [1]}", UCPO_READ_EITHER},
    };

    for (size_t k = 0; k < sizeof file / sizeof file[0]; k++) {
        ucpo_read_config options = ucpo_read_config_default();
        ucpo_dataset *set = NULL;
        ucpo_error err;
        assert_int_equal(
            ucpo_read_bytes(file[k].text, strlen(file[k].text), "x", &options, &set, &err),
            UCPO_E_UNSUPPORTED);
        options.ignore_unsupported = 1;
        set = test_read_text(file[k].text, &options);
        const ucpo_instance *inst = ucpo_dataset_at(set, 0);
        unsigned way = (unsigned)ucpo_instance_reading(inst);
        if ((way & UCPO_READ_EITHER) != (unsigned)file[k].way)
            fail_msg("file %zu is %s", k, ucpo_reading_name((ucpo_reading)way));
        if (file[k].way == UCPO_READ_WHOLE) assert_int_equal(way, UCPO_READ_COST);
        assert_true(!ucpo_claim_note(inst, UCPO_CLAIM_FEASIBLE)[0] == !(way & UCPO_READ_EASIER));
        assert_true(!ucpo_claim_note(inst, UCPO_CLAIM_INFEASIBLE)[0] == !(way & UCPO_READ_HARDER));
        assert_true(ucpo_claim_note(inst, UCPO_CLAIM_OPTIMAL)[0]);
        ucpo_dataset_free(set);
    }
}

static void a_capacity_without_demands_limited_the_stops_of_a_vehicle(void **state)
{
    (void)state;
    struct test_log log = {0};
    ucpo_read_config options = ucpo_read_config_default();
    options.hooks = test_log_hooks(&log);
    ucpo_dataset *set = test_read_text("{\"distance_matrix\": [[0,1,2],[1,0,1],[2,1,0]], "
                                       "\"vehicle_capacities\": [1], \"num_vehicles\": 1}",
                                       &options);
    ucpo_evaluation e;
    const int32_t plan[] = {1, 2};
    assert_ok(ucpo_check(ucpo_dataset_at(set, 0), plan, 2, &e, NULL, 0, NULL, 0, NULL), NULL);
    assert_true(e.is_feasible);
    assert_logged(&log, "no demands: the vehicles carry anything");
    ucpo_dataset_free(set);
}

static double clock_of(const char *vehicle, const char *window)
{
    char text[400];
    snprintf(text, sizeof text,
             "{\"vehicles\": [{\"start\": [13.4, 52.5], \"end\": [13.4, 52.5]%s}], \"jobs\": "
             "[{\"location\": [13.5, 52.6], \"time_windows\": [%s]}]}",
             vehicle, window);
    ucpo_dataset *set = test_read_text(text, NULL);
    double clock = test_view(set)->clock;
    ucpo_dataset_free(set);
    return clock;
}

static void seconds_since_midnight_are_times_of_the_day(void **state)
{
    (void)state;
    assert_true(clock_of(", \"time_window\": [25200, 57600]", "[27000, 32400]") == 1);
    assert_true(clock_of(", \"time_window\": [0, 86400]", "[27000, 32400]") == 1);
    assert_true(clock_of("", "[27000, 32400]") == 1);
    assert_true(clock_of(", \"time_window\": [79200, 108000]", "[90000, 93600]") == 1);
    assert_true(clock_of(", \"time_window\": [0, 14400]", "[100, 900]") == 0);
    assert_true(clock_of("", "[0, 900]") == 0);
    assert_true(clock_of(", \"time_window\": [100, 900000]", "[100, 900]") == 0);
}

/* Shortly after midnight (UTC), a way of half an hour: the vehicle may leave the day before. */
static void a_vehicle_without_a_window_could_not_leave_before_midnight(void **state)
{
    (void)state;
    static const char *const file[] = {
        "{\"vehicles\": [{\"start_index\": 0, \"end_index\": 0}], \"jobs\": [{\"id\": 1, "
        "\"location_index\": 1, \"time_windows\": [[1700006400, 1700007000]]}], "
        "\"matrix\": [[0, 1800], [1800, 0]]}",
        "{\"vehicles\": [{\"start\": [13.4, 52.5], \"end\": [13.4, 52.5]}], \"jobs\": [{\"id\": 1, "
        "\"location\": [13.7, 52.5], \"time_windows\": [[1700006400, 1700006700]]}]}"};
    for (size_t k = 0; k < 2; k++) {
        ucpo_dataset *set = test_read_text(file[k], NULL);
        const ucpo_instance *inst = ucpo_dataset_at(set, 0);
        ucpo_evaluation e;
        const int32_t plan[] = {1};
        char text[32];
        assert_ok(ucpo_check(inst, plan, 1, &e, NULL, 0, NULL, 0, NULL), NULL);
        assert_true(e.is_feasible);
        assert_string_equal(ucpo_clock_text(inst, test_view(set)->ready[1], 1, text, 32),
                            "2023-11-15T00:00");
        ucpo_dataset_free(set);
    }
}

static void a_profile_without_a_matrix_got_straight_lines(void **state)
{
    (void)state;
    static const struct test_bad bad[] = {{"{\"vehicles\": [{\"profile\": \"truck\", \"start\": "
                                           "[1, 2], \"end\": [1, 2], \"start_index\": 0, "
                                           "\"end_index\": 0}], \"jobs\": [{\"location\": [1, 3], "
                                           "\"location_index\": 1}], \"matrices\": "
                                           "{\"car\": {\"durations\": [[0,1],[1,0]]}}}",
                                           UCPO_E_FORMAT, 0, "matrices has no profile 'truck'"}};
    assert_refused(NULL, bad, 1);
}

static void costs_have_the_unit_that_their_file_implies(void **state)
{
    (void)state;

    static const struct {
        const char *text, *unit;
    } file[] = {
        {"{\"vehicles\": [{" CAR "}], " JOB "}", "km"},
        {"{\"vehicles\": [{\"start_index\": 0, \"end_index\": 0}], \"jobs\": "
         "[{\"location_index\": 1}], \"matrices\": {\"car\": {\"durations\": [[0,1],[1,0]]}}}",
         "s"},
        {"{\"vehicles\": [{\"start_index\": 0, \"end_index\": 0}], \"jobs\": "
         "[{\"location_index\": 1}], \"matrices\": {\"car\": {\"durations\": [[0,1],[1,0]], "
         "\"costs\": [[0,1],[1,0]]}}}",
         NULL},
        {"{\"code\": \"Ok\", \"distances\": [[0,1],[1,0]], \"durations\": [[0,1],[1,0]]}", "m"},
        {"{\"code\": \"Ok\", \"durations\": [[0,1],[1,0]]}", "s"},
        {"{\"distance_matrix\": [[0,1],[1,0]]}", NULL},
        {"lat,lon\n1,2\n3,4\n", "km"},
        {"x,y\n1,2\n3,4\n", NULL},
    };

    for (size_t k = 0; k < sizeof file / sizeof file[0]; k++) {
        ucpo_dataset *set = test_read_text(file[k].text, NULL);
        const char *unit = test_view(set)->cost_unit;
        if (file[k].unit)
            assert_string_equal(unit ? unit : "(none)", file[k].unit);
        else
            assert_null(unit);
        ucpo_dataset_free(set);
    }
}

static void a_data_dictionary_of_or_tools_is_read(void **state)
{
    (void)state;
    ucpo_dataset *set = test_read_text("{\"distance_matrix\": [[0,1,2],[3,0,4],[5,6,0]], "
                                       "\"time_matrix\": [[0,2,4],[6,0,8],[10,12,0]], "
                                       "\"time_windows\": [[7,9],[0,5],[8,12]], \"demands\": "
                                       "[1,0,2], \"vehicle_capacities\": [4,4], "
                                       "\"num_vehicles\": 2, \"depot\": 1}",
                                       NULL);
    const ucpo_instance *inst = ucpo_dataset_at(set, 0);
    const ucpo_instance_data *d = test_view(set);
    assert_string_equal(d->problem, "cvrptwlv");
    assert_true(d->file->depot == 1 && d->vehicles == 2 && d->capacity == 4);
    assert_true(ucpo_instance_cost(inst, 0, 1) == 3 && ucpo_instance_duration(inst, 2, 0) == 12);
    assert_true(d->ready[1] == 7 && d->due[2] == 12 && d->demand[1] == 1 && d->demand[2] == 2);
    assert_true(isinf(d->due[0]));
    ucpo_dataset_free(set);
    static const struct test_bad bad[] = {
        {"{\"distance_matrix\": [[0,1],[1,0]], \"pickups_deliveries\": [[1,2]]}",
         UCPO_E_UNSUPPORTED, 0, "pickups_deliveries"},
        {"{\"distance_matrix\": [[0,1],[1,0]], \"demands\": [0,1], \"vehicle_capacities\": [3,4]}",
         UCPO_E_UNSUPPORTED, 0, "vehicles of one kind"},
        {"{\"distance_matrix\": [[0,1],[1]]}", UCPO_E_FORMAT, 0,
         "distance_matrix[1] is an array of 1"},
        {"{\"distance_matrix\": [[0,1],[1,0]], \"max_distance\": 3}", UCPO_E_UNSUPPORTED, 0,
         "key 'max_distance': ucpo has no counterpart"},
        {"{\"distance_matrix\": [[0,1],[1,0]], \"penalties\": [1,2]}", UCPO_E_UNSUPPORTED, 0,
         "key 'penalties'"},
        {"{\"distance_matrix\": [[0,1],[1,0]], \"depot_capacity\": 2}", UCPO_E_UNSUPPORTED, 0,
         "key 'depot_capacity'"},
        {"{\"distance_matrix\": [[0,1],[1,0]], \"vehicle_load_time\": 5}", UCPO_E_UNSUPPORTED, 0,
         "key 'vehicle_load_time'"},
        {"{\"distance_matrix\": [[0,1],[1,0]], \"demand\": [0,1]}", UCPO_E_FORMAT, 0,
         "did you mean 'demands'"},
    };
    assert_refused(NULL, bad, sizeof bad / sizeof bad[0]);
}

static void a_matrix_of_a_table_service_is_a_tour(void **state)
{
    (void)state;
    struct test_log log = {0};
    ucpo_read_config options = ucpo_read_config_default();
    options.hooks = test_log_hooks(&log);
    ucpo_dataset *set = test_read_text(
        "{\"code\": \"Ok\", \"durations\": [[0,1,null],[3,0,null],[5,6,0]], \"destinations\": "
        "[{\"location\": "
        "[13,52], \"name\": \"A\"}, {\"location\": [13.1,52]}, {\"location\": [13,52.1]}]}",
        &options);
    const ucpo_instance_data *d = test_view(set);
    assert_string_equal(d->problem, "tsptw");
    assert_true(d->x[2] == 52.1 && d->no_way >= 1000.0 / 25.0 && d->cost[2] == d->no_way);
    assert_logged(&log, "no way to place 2");
    static const int32_t tour[] = {1, 2};
    ucpo_evaluation eval;
    assert_int_equal(ucpo_check(ucpo_dataset_at(set, 0), tour, 2, &eval, NULL, 0, NULL, 0, NULL),
                     UCPO_OK);
    assert_false(eval.is_feasible);
    assert_int_equal(eval.blocked, 1);
    assert_true(eval.cost == 1 + 5 && eval.violation == 1);
    char *json = test_write_text(set, "json", NULL);
    ucpo_dataset *again = test_read_text(json, NULL);
    assert_same_instance(d, test_view(again));
    assert_true(test_view(again)->no_way == d->no_way);
    free(json);
    ucpo_dataset_free(again);
    ucpo_dataset_free(set);
}

static void a_plan_of_a_dictionary_can_be_read_beside_it(void **state)
{
    (void)state;
    ucpo_dataset *set =
        test_read_text("{\"distance_matrix\": [[0,1,2],[3,0,4],[5,6,0]], \"depot\": 2}", NULL);
    const ucpo_instance_data *d = test_view(set);
    assert_string_equal(d->id[0], "2");
    assert_string_equal(d->id[1], "0");
    assert_string_equal(d->id[2], "1");
    ucpo_dataset_free(set);
    set = test_read_text("{\"distance_matrix\": [[0,1,2],[3,0,4],[5,6,0]], \"depot\": 0}", NULL);
    assert_null(test_view(set)->id);
    ucpo_dataset_free(set);
}

#define UNITS(word) ", \"metadata\": {\"query\": {\"units\": " word "}}}"

static void units_of_openrouteservice_are_honoured(void **state)
{
    (void)state;

    static const struct {
        const char *text;
        double metres;
    } known[] = {{"{\"distances\": [[0,2],[3,0]]" UNITS("\"m\""), 2.0},
                 {"{\"distances\": [[0,2],[3,0]]" UNITS("\"km\""), 2000.0},
                 {"{\"distances\": [[0,2],[3,0]]" UNITS("\"mi\""), 3218.688},
                 {"{\"distances\": [[0,2],[3,0]]}", 2.0}};

    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        ucpo_read_config options = ucpo_read_config_default();
        options.speed = 36.0;
        ucpo_dataset *set = test_read_text(known[k].text, &options);
        const ucpo_instance *inst = ucpo_dataset_at(set, 0);
        assert_close(ucpo_instance_cost(inst, 0, 1), known[k].metres, 1e-12, 0);
        assert_close(ucpo_instance_duration(inst, 0, 1), known[k].metres / 10.0, 1e-12, 0);
        ucpo_dataset_free(set);
    }
    static const struct test_bad bad[] = {
        {"{\"distances\": [[0,2],[3,0]]" UNITS("\"ft\""), UCPO_E_FORMAT, 0,
         "metadata.query.units is \"ft\", expected m, km or mi"},
        {"{\"distances\": [[0,2],[3,0]]" UNITS("7"), UCPO_E_FORMAT, 0, "expected m, km or mi"},
    };
    assert_refused(NULL, bad, sizeof bad / sizeof bad[0]);
}

static void options_that_change_nothing_are_named(void **state)
{
    (void)state;

    static const struct {
        const char *text;
        int is_speed_used;
    } cases[] = {
        {"{\"vehicles\": [{" CAR "}], " JOB "}", 1},
        {"{\"vehicles\": [{\"start_index\": 0, \"end_index\": 0}], \"jobs\": [{\"id\": 1, "
         "\"location_index\": 1}], \"matrix\": [[0,1],[1,0]]}",
         0},
        {"{\"distance_matrix\": [[0,1],[1,0]]}", 0},
        {"{\"durations\": [[0,1],[1,0]]}", 0},
        {"{\"distances\": [[0,1],[1,0]]}", 1},
        {"{\"schema\": \"ucpo.instance/1\", \"problem\": \"tsptw\", \"n\": 2, \"cost\": "
         "[[0,1],[1,0]], \"time_windows\": [[0,9],[0,9]]}",
         0},
        {"2\n0 1\n1 0\n0 9\n0 9\n", 0},
    };

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct test_log log = {0};
        ucpo_read_config options = ucpo_read_config_default();
        options.hooks = test_log_hooks(&log);
        options.speed = 30.0;
        options.matrix = "nowhere.json";
        options.columns = "id=Kunde";
        ucpo_dataset_free(test_read_text(cases[k].text, &options));
        assert_logged(&log, "option 'matrix' has no effect");
        assert_logged(&log, "option 'columns' has no effect");
        if (cases[k].is_speed_used)
            assert_not_logged(&log, "option 'speed' has no effect");
        else
            assert_logged(&log, "option 'speed' has no effect");
    }
}

static void what_vroom_says_in_vain_is_named(void **state)
{
    (void)state;
#define PLACE "\"location\": [13.5, 52.6]"
    static const char *const cases[][2] = {
        {"{\"vehicles\": [{" CAR "}, {" CAR "}], \"jobs\": [{" PLACE ", \"delivery\": [3]}]}",
         "jobs have loads, but vehicles no capacity"},
        {"{\"vehicles\": [{" CAR ", \"steps\": [{\"type\": \"start\"}]}], \"jobs\": [{" PLACE "}]}",
         "the steps of vehicles are not used"},
        {"{\"vehicles\": [{" CAR ", \"capacity\": [2]}, {" CAR
         ", \"capacity\": [9]}], \"jobs\": [{" PLACE ", \"delivery\": [3]}]}",
         "a proof that it is infeasible says nothing about the file's"},
        {"{\"vehicles\": [{" CAR "}], \"jobs\": [{" PLACE ", \"time_windows\": [[1, 2], [3, 4]]}]}",
         "harder than the file's problem"},
        {"{\"distance_matrix\": [[0,1],[1,0]], \"starts\": [1]}", "harder than the file's problem"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct test_log log = {0};
        ucpo_read_config options = ucpo_read_config_default();
        options.hooks = test_log_hooks(&log);
        options.ignore_unsupported = 1;
        ucpo_dataset *set = test_read_text(cases[k][0], &options);
        assert_logged(&log, cases[k][1]);
        assert_string_equal(test_view(set)->name, "text"); /* the label's, as the file has none */
        ucpo_dataset_free(set);
    }
    ucpo_read_config options = ucpo_read_config_default();
    options.ignore_unsupported = 1;
    ucpo_dataset *set =
        test_read_text("{\"vehicles\": [{" CAR ", \"capacity\": [9]}], \"jobs\": [{" PLACE
                       ", \"delivery\": [3], \"pickup\": [2]}]}",
                       &options);
    assert_true(test_view(set)->demand[1] == 5); /* added up, as the warning says */
    ucpo_dataset_free(set);
}

static void a_service_that_failed_is_quoted(void **state)
{
    (void)state;
    static const struct test_bad bad[] = {
        {"{\"code\": \"InvalidQuery\", \"message\": \"Query string malformed\"}", UCPO_E_FORMAT, 0,
         "InvalidQuery: Query string malformed"},
        {"{\"code\": \"NoTable\", \"message\": \"x\", \"durations\": []}", UCPO_E_FORMAT, 0,
         "failed: NoTable: x"},
        {"{\"error\": {\"code\": 6004, \"message\": \"too many places\"}}", UCPO_E_FORMAT, 0,
         "failed: too many places"},
    };
    assert_refused(NULL, bad, sizeof bad / sizeof bad[0]);
}

static void json_without_an_instance_is_not_taken_for_one(void **state)
{
    (void)state;
    static const char *const no[] = {"{\"a\": 1}", "{\"schema\": \"ucpo.solution/1\"}",
                                     "{\"settings\": {\"x\": [1, 2]}}"};
    static const char *const yes[] = {"{\"schema\": \"ucpo.instance/1\"}",
                                      "{\"problem\": \"tsptw\"}",
                                      "{\"jobs\": [], \"vehicles\": []}", "{\"durations\": []}"};
    for (size_t k = 0; k < sizeof no / sizeof no[0]; k++)
        assert_null(ucpo_format_detect(no[k], strlen(no[k])));
    for (size_t k = 0; k < sizeof yes / sizeof yes[0]; k++)
        assert_string_equal(ucpo_format_detect(yes[k], strlen(yes[k])), "json");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_vroom_problem_becomes_a_fleet),
        cmocka_unit_test(a_vroom_matrix_is_picked_by_index_and_epochs_become_dates),
        cmocka_unit_test(what_vroom_has_and_ucpo_has_not_is_named),
        cmocka_unit_test(what_is_left_out_says_which_way_the_instance_goes),
        cmocka_unit_test(a_capacity_without_demands_limited_the_stops_of_a_vehicle),
        cmocka_unit_test(seconds_since_midnight_are_times_of_the_day),
        cmocka_unit_test(a_vehicle_without_a_window_could_not_leave_before_midnight),
        cmocka_unit_test(a_profile_without_a_matrix_got_straight_lines),
        cmocka_unit_test(costs_have_the_unit_that_their_file_implies),
        cmocka_unit_test(a_data_dictionary_of_or_tools_is_read),
        cmocka_unit_test(a_matrix_of_a_table_service_is_a_tour),
        cmocka_unit_test(a_plan_of_a_dictionary_can_be_read_beside_it),
        cmocka_unit_test(units_of_openrouteservice_are_honoured),
        cmocka_unit_test(options_that_change_nothing_are_named),
        cmocka_unit_test(what_vroom_says_in_vain_is_named),
        cmocka_unit_test(a_service_that_failed_is_quoted),
        cmocka_unit_test(json_without_an_instance_is_not_taken_for_one),
    };
    return cmocka_run_group_tests_name("foreign", tests, NULL, NULL);
}
