/* Every number of a file goes to its own place: all of them differ, in every format. And what is written, to the
 * letter, since a reader forgives much that a writer should not do. */
#include "support/text_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 3 };

struct expected {
    double x[N], y[N], ready[N], due[N], service[N], demand[N], limit[N], cost[N * N], time[N * N];
    double capacity;
    int vehicles;
};

/* NULL or all 0: the array is not there. */
static void same(const char *what, const double *actual, const double *expected, size_t count)
{
    int is_there = 0;
    for (size_t i = 0; i < count; i++) is_there = is_there || expected[i] != 0.0;
    if (!is_there && !actual) return;
    if (!actual) fail_msg("there is no %s", what);
    for (size_t i = 0; i < count; i++)
        if (actual[i] != expected[i])
            fail_msg("%s[%zu] is %g, expected %g", what, i, actual[i], expected[i]);
}

static void assert_fields(const char *text, const char *format, double capacity,
                          const char *problem, const struct expected *e)
{
    ucpo_read_config options = ucpo_read_config_default();
    options.format = format;
    options.capacity = capacity;
    ucpo_dataset *set = test_read_text(text, &options);
    const ucpo_instance_data *d = test_view(set);
    assert_string_equal(d->problem, problem);
    assert_int_equal(d->n, N);
    same("x", d->x, e->x, N);
    same("y", d->y, e->y, N);
    same("ready", d->ready, e->ready, N);
    same("due", d->due, e->due, N);
    same("service", d->service, e->service, N);
    same("demand", d->demand, e->demand, N);
    same("limit", d->limit, e->limit, N);
    same("cost", d->cost, e->cost, N * N);
    same("duration", d->duration, e->time, N * N);
    assert_true(d->capacity == e->capacity);
    assert_int_equal(d->vehicles, e->vehicles);
    ucpo_dataset_free(set);
}

/* ---- rows of Solomon's kind ---- */

#define HEAD    "CUST NO.  XCOORD.  YCOORD.  DEMAND  READY TIME  DUE DATE  SERVICE TIME\n"
#define VEHICLE "VEHICLE\nNUMBER CAPACITY\n7 41.5\nCUSTOMER\n"

static const struct expected row_family = {.x = {3, -5, 11},
                                           .y = {-13, 17, 19.25},
                                           .demand = {0, 23, 29},
                                           .ready = {2, 31, 37},
                                           .due = {999.5, 400, 401},
                                           .service = {0, 43, 47.5},
                                           .capacity = 41.5,
                                           .vehicles = 7};

static void rows_of_solomon(void **state)
{
    struct expected e = row_family;
    (void)state;
    assert_fields("A\n" VEHICLE HEAD "0 3 -13 0 2 999.5 0\n1 -5 17 23 31 400 43\n"
                  "2 11 19.25 29 37 401 47.5\n",
                  NULL, 0, "cvrptwlv", &e);
    e.vehicles = 0, e.capacity = 0.75; /* the option's */
    assert_fields("1 3 -13 0 2 999.5 0\n2 -5 17 0.5 31 400 43\n3 11 19.25 0.25 37 401 47.5\n", NULL,
                  0.75, "cvrptw",
                  &(struct expected){.x = {3, -5, 11},
                                     .y = {-13, 17, 19.25},
                                     .demand = {0, 0.5, 0.25},
                                     .ready = {2, 31, 37},
                                     .due = {999.5, 400, 401},
                                     .service = {0, 43, 47.5},
                                     .capacity = 0.75});
}

static void numbers_of_vehicles_and_capacities(void **state)
{
    static const struct {
        const char *numbers, *refused;
        double capacity;
        int vehicles;
    } cases[] = {
        {"1 30", NULL, 30, 1},
        {"2147483647 30", NULL, 30, 2147483647},
        {"2147483648 30",
         "NUMBER of vehicles is '2147483648', expected a whole number 1 .. 2147483647", 0, 0},
        {"0 30", "NUMBER of vehicles is '0'", 0, 0},
        {"-1 30", "NUMBER of vehicles is '-1'", 0, 0},
        {"1.5 30", "NUMBER of vehicles is '1.5'", 0, 0},
        {"1 0.25", NULL, 0.25, 1},
        {"1 0", "CAPACITY is 0, expected a number > 0", 0, 0},
        {"1 -3", "CAPACITY is -3, expected a number > 0", 0, 0},
        {"1 inf", "CAPACITY is 'inf', expected a finite number", 0, 0},
    };

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[400];
        snprintf(text, sizeof text,
                 "A\nVEHICLE\nNUMBER CAPACITY\n%s\nCUSTOMER\n" HEAD
                 "0 0 0 0 0 9 0\n1 1 1 0.125 0 9 0\n",
                 cases[k].numbers);
        if (cases[k].refused) {
            const struct test_bad bad = {text, UCPO_E_FORMAT, 4, cases[k].refused};
            assert_refused("solomon", &bad, 1);
            continue;
        }
        ucpo_dataset *set = test_read_text(text, NULL);
        assert_true(test_view(set)->capacity == cases[k].capacity);
        assert_int_equal(test_view(set)->vehicles, cases[k].vehicles);
        ucpo_dataset_free(set);
    }
}

static void rows_of_silva(void **state)
{
    struct expected e = row_family;
    struct test_log log;
    ucpo_read_config options = ucpo_read_config_default();
    (void)state;
    e.vehicles = 0, e.capacity = 0;
    memset(e.demand, 0, sizeof e.demand);
    assert_fields("!! A\n" HEAD "1 3 -13 0 2 999.5 0\n2 -5 17 23 31 400 43\n"
                  "3 11 19.25 29 37 401 47.5\n999 0 0 0 0 0 0\n",
                  NULL, 0, "tsptw", &e);
    options.hooks = test_log_hooks(&log);
    ucpo_dataset *set = /* a demand of the first row, a name with a blank of another kind */
        test_read_text("!!  A\x01"
                       "B 1 2\n!! second\n1 0 0 5 0 9 0\n2 1 0 0 0 9 0\n999\n",
                       &options);
    assert_logged(&log, "demand 5 of id 1 and all others are not used by tsptw");
    assert_string_equal(test_view(set)->name, "A");
    ucpo_dataset_free(set);
    static const struct test_bad bad[] = {
        {"!! A\nCUST NO. YCOORD. XCOORD. DEMAND READY TIME DUE DATE SERVICE TIME\n1 0 0 0 0 9 0\n",
         UCPO_E_FORMAT, 2, "column head is 'YCOORD.', expected column XCOORD."},
        {"!! A\n1 0 0 -1 0 9 0\n", UCPO_E_FORMAT, 2, "demand of id 1 is -1"},
        {"!! A\n1 0 0 0 9 8.5 0\n", UCPO_E_FORMAT, 2, "window of id 1 is [9, 8.5]"},
        {"!! A\n1 a 0 0 0 9 0\n", UCPO_E_FORMAT, 2, "x is 'a'"},
        {"!! A\n1 0 0 d 0 9 0\n", UCPO_E_FORMAT, 2, "demand is 'd'"},
        {"!! A\n1 0 0 0 r 9 0\n", UCPO_E_FORMAT, 2, "ready time is 'r'"},
        {"!! A\n1 0 0 0 0 d 0\n", UCPO_E_FORMAT, 2, "due date is 'd'"},
        {"!! A\n1 0 0 0 0 9 s\n", UCPO_E_FORMAT, 2, "service time is 's'"},
        {"!! A\ni 0 0 0 0 9 0\n", UCPO_E_FORMAT, 2, "line 'i 0 0 0 0 9 0' before the rows"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        ucpo_read_config strict = ucpo_read_config_default();
        ucpo_dataset *none = NULL;
        ucpo_error err = {0};
        strict.strict = 1;
        assert_int_equal(
            ucpo_read_bytes(bad[k].text, strlen(bad[k].text), "bad", &strict, &none, &err),
            bad[k].code);
        if (!strstr(err.text, bad[k].part)) fail_msg("'%s' is not '%s'", err.text, bad[k].part);
        assert_int_equal(err.line, bad[k].line);
    }
}

/* ---- matrices ---- */

static void plain_and_rakke(void **state)
{
    (void)state;
    assert_fields("3\n0 3 5\n7 0 11\n13 17 0\n2 900\n31 400\n37 401.5\n", NULL, 0, "tsptw",
                  &(struct expected){.cost = {0, 3, 5, 7, 0, 11, 13, 17, 0},
                                     .ready = {2, 31, 37},
                                     .due = {900, 400, 401.5}});
    assert_fields("3\n1 3 5\n7 1 11\n13 17 1\n0 2 3\n5 9 8\n99\n", NULL, 0, "tspdl",
                  &(struct expected){.cost = {0, 3, 5, 7, 0, 11, 13, 17, 0},
                                     .demand = {0, 2, 3},
                                     .limit = {5, 9, 8}});

    static const struct {
        const char *optimum;
        double best;
    } optima[] = {{"0", 0}, {"0.5", 0.5}, {"99.25", 99.25}, {"-1", NAN}, {"-0.5", NAN}};

    for (size_t k = 0; k < sizeof optima / sizeof optima[0]; k++) {
        char text[80];
        snprintf(text, sizeof text, "2\n1 5\n5 1\n0 1\n1 1\n%s\n", optima[k].optimum);
        ucpo_dataset *set = test_read_text(text, NULL);
        assert_close(test_view(set)->best_known, optima[k].best, 0, 0);
        ucpo_dataset_free(set);
    }
}

#define SPEC(type) "NAME : A\nTYPE : " type "\nDIMENSION : 3\n"
#define COORDS     "NODE_COORD_SECTION\n1 3 -13\n2 -5 17\n3 11 19.25\n"
#define WINDOWS    "TIME_WINDOW_SECTION\n1 2 999.5\n2 31 400\n3 37 401\n"

static void sections_of_tsplib(void **state)
{
    struct expected e = row_family;
    (void)state;
    assert_fields(
        SPEC("CVRPTW") "VEHICLES : 7\nCAPACITY : 41.5\nEDGE_WEIGHT_TYPE : EUC_2D\n" COORDS
                       "DEMAND_SECTION\n3 29\n1 0\n2 23\n" WINDOWS
                       "SERVICE_TIME_SECTION\n1 0\n2 43\n3 47.5\nDEPOT_SECTION\n1\n-1\nEOF\n",
        NULL, 0, "cvrptwlv", &e);
    for (int k = 0; k < N; k++) e.service[k] = k ? 6.5 : 0;
    e.vehicles = 0;
    assert_fields(SPEC("CVRPTW") "CAPACITY : 41.5\nSERVICE_TIME : 6.5\n"
                                 "EDGE_WEIGHT_TYPE : EUC_2D\n" COORDS
                                 "DEMAND_SECTION\n3 29\n1 0\n2 23\n" WINDOWS
                                 "DEPOT_SECTION\n1\n-1\nEOF\n",
                  NULL, 0, "cvrptw", &e);
    assert_fields(
        SPEC("CVRP") "CAPACITY : 60\nEDGE_WEIGHT_TYPE : EUC_2D\n" COORDS
                     "DEMAND_SECTION\n1 0\n2 23\n3 29\nDEPOT_SECTION\n1\n-1\nEOF\n",
        NULL, 0, "cvrp",
        &(struct expected){
            .x = {3, -5, 11}, .y = {-13, 17, 19.25}, .demand = {0, 23, 29}, .capacity = 60});
    assert_fields(SPEC("TSPTW") "EDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : FULL_MATRIX\n"
                                "EDGE_WEIGHT_SECTION\n0 3 5\n7 0 11\n13 17 0\n" WINDOWS
                                "DISPLAY_DATA_SECTION\n1 -3 13\n2 5 -17\n3 -11 -19.25\nEOF\n",
                  NULL, 0, "tsptw",
                  &(struct expected){.x = {-3, 5, -11},
                                     .y = {13, -17, -19.25},
                                     .cost = {0, 3, 5, 7, 0, 11, 13, 17, 0},
                                     .ready = {2, 31, 37},
                                     .due = {999.5, 400, 401}});
    assert_fields(
        SPEC("TSPDL") "EDGE_WEIGHT_TYPE : EUC_2D\n" COORDS
                      "DEMAND_SECTION\n1 0\n2 2\n3 3\nDRAFT_LIMIT_SECTION\n1 5\n2 9\n3 8\nEOF\n",
        NULL, 0, "tspdl",
        &(struct expected){
            .x = {3, -5, 11}, .y = {-13, 17, 19.25}, .demand = {0, 2, 3}, .limit = {5, 9, 8}});
}

/* TSPLIB 95, section 2: nint(x) is floor(x + 0.5). */
static void weight_types_round_as_tsplib_says(void **state)
{
    static const struct {
        const char *type;
        double to[4]; /* from (0, 0) to (1, 1), (2, 2), (3, 4), (0.5, 0) */
    } types[] = {
        {"EUC_2D", {1, 3, 5, 1}}, {"CEIL_2D", {2, 3, 5, 1}}, {"FLOOR_2D", {1, 2, 5, 0}},
        {"MAN_2D", {2, 4, 7, 1}}, {"MAX_2D", {1, 2, 4, 1}},  {"EXACT_2D", {1414, 2828, 5000, 500}},
        {"ATT", {1, 1, 2, 1}}, /* sqrt(d^2 / 10) to the next whole number */
    };

    (void)state;
    for (size_t k = 0; k < sizeof types / sizeof types[0]; k++) {
        char text[400];
        snprintf(text, sizeof text,
                 "NAME : A\nTYPE : CVRP\nDIMENSION : 5\nCAPACITY : 9\nEDGE_WEIGHT_TYPE : %s\n"
                 "NODE_COORD_SECTION\n1 0 0\n2 1 1\n3 2 2\n4 3 4\n5 0.5 0\n"
                 "DEMAND_SECTION\n1 0\n2 1\n3 1\n4 1\n5 1\nDEPOT_SECTION\n1\n-1\nEOF\n",
                 types[k].type);
        ucpo_dataset *set = test_read_text(text, NULL);
        for (int32_t j = 1; j < 5; j++) {
            double cost = ucpo_instance_cost(ucpo_dataset_at(set, 0), 0, j);
            if (cost != types[k].to[j - 1])
                fail_msg("%s to %d is %g, expected %g", types[k].type, (int)j, cost,
                         types[k].to[j - 1]);
        }
        ucpo_dataset_free(set);
    }
}

static void negative_loads_of_tsplib_are_refused(void **state)
{
    static const struct test_bad bad[] = {
        {SPEC("CVRP") "CAPACITY : 9\nDEMAND_SECTION\n1 0\n2 -3\n", UCPO_E_FORMAT, 7, "-3"},
        {SPEC("TSPDL") "DRAFT_LIMIT_SECTION\n1 3\n2 -3\n3 1\n", UCPO_E_FORMAT, 6, "-3"},
        {SPEC("CVRPTW") "SERVICE_TIME_SECTION\n1 0\n2 -3\n3 1\n", UCPO_E_FORMAT, 6, "-3"},
        {SPEC("CVRP") "DEMAND_SECTION\n1 0\n3 5\nEOF\n", UCPO_E_FORMAT, 7, "node 2 is missing"},
        {SPEC("CVRP") "DEMAND_SECTION\n2 0\n3 5\n-1\nEOF\n", UCPO_E_FORMAT, 7, "node 1 is missing"},
        {SPEC("CVRP") "DEMAND_SECTION\n1 0\n2 5\nEOF   \n", UCPO_E_FORMAT, 7, "node 3 is missing"},
        {SPEC("CVRP") "DEMAND_SECTION\n1 0\n2 5\n2 7\n", UCPO_E_FORMAT, 7, "node 2 is given twice"},
        {SPEC("CVRP") "DEMAND_SECTION\n1 0\n2 5\n4 7\n", UCPO_E_FORMAT, 7,
         "node id is '4', expected a whole number 1 .. 3"},
        {SPEC("CVRP") "DEMAND_SECTION\n0 0\n2 5\n3 7\n", UCPO_E_FORMAT, 5,
         "node id is '0', expected a whole number 1 .. 3"},
    };
    (void)state;
    assert_refused("tsplib", bad, sizeof bad / sizeof bad[0]);
}

/* ---- tables and JSON ---- */

static void columns_of_a_table(void **state)
{
    struct expected e = row_family;
    (void)state;
    e.vehicles = 0;
    assert_fields("service,due,demand,y,ready,x\n0,999.5,0,-13,2,3\n43,400,23,17,31,-5\n"
                  "47.5,401,29,19.25,37,11\n",
                  NULL, 41.5, "cvrptw", &e);
    e.x[0] = 52.5, e.x[1] = 52.25, e.x[2] = 52; /* latitude first */
    e.y[0] = 13.5, e.y[1] = 13.25, e.y[2] = 13;
    assert_fields("lon,lat,demand,ready,due,service\n13.5,52.5,0,2,999.5,0\n"
                  "13.25,52.25,23,31,400,43\n13,52,29,37,401,47.5\n",
                  NULL, 41.5, "cvrptw", &e);
}

static void keys_of_json(void **state)
{
    static const struct expected both = {.x = {3, -5, 11},
                                         .y = {-13, 17, 19.25},
                                         .cost = {0, 3, 5, 7, 0, 11, 13, 17, 0},
                                         .time = {0, 23, 29, 31, 0, 37, 41, 43, 0},
                                         .demand = {0, 2, 3},
                                         .ready = {2, 31, 37},
                                         .due = {999.5, 400, 401},
                                         .service = {0, 43, 47.5},
                                         .capacity = 41.5,
                                         .vehicles = 7};
    static const struct expected drafts = {
        .x = {3, -5, 11}, .y = {-13, 17, 19.25}, .demand = {0, 2, 3}, .limit = {5, 9, 8}};
    (void)state;
    assert_fields("{\"schema\": \"ucpo.instance/1\", \"problem\": \"cvrptwlv\", \"coordinates\": "
                  "[[3,-13],[-5,17],[11,19.25]], \"cost\": [[0,3,5],[7,0,11],[13,17,0]], "
                  "\"duration\": [[0,23,29],[31,0,37],[41,43,0]], \"demand\": [0,2,3], "
                  "\"time_windows\": [[2,999.5],[31,400],[37,401]], \"service\": [0,43,47.5], "
                  "\"capacity\": 41.5, \"vehicles\": 7}",
                  NULL, 0, "cvrptwlv", &both);
    assert_fields("{\"schema\": \"ucpo.instance/1\", \"problem\": \"tspdl\", \"coordinates\": "
                  "[[3,-13],[-5,17],[11,19.25]], \"demand\": [0,2,3], \"draft_limit\": [5,9,8], "
                  "\"draft\": \"load\"}",
                  NULL, 0, "tspdl", &drafts);
}

static void keys_of_vroom_and_of_dictionaries(void **state)
{
    (void)state;
    assert_fields(
        "{\"vehicles\": [{\"id\": 1, \"start\": [13.5, 52.5], \"end\": [13.5, 52.5], "
        "\"capacity\": [41], \"time_window\": [2, 999]}], \"jobs\": [{\"id\": 1, \"location\": "
        "[13.25, 52.25], \"service\": 43, \"delivery\": [23], \"time_windows\": [[31, 400]]}, "
        "{\"id\": 2, \"location\": [13, 52], \"service\": 47, \"delivery\": [29], "
        "\"time_windows\": [[37, 401]]}]}",
        NULL, 0, "cvrptwlv",
        &(struct expected){.x = {52.5, 52.25, 52},
                           .y = {13.5, 13.25, 13},
                           .demand = {0, 23, 29},
                           .ready = {2, 31, 37},
                           .due = {999, 400, 401},
                           .service = {0, 43, 47},
                           .capacity = 41,
                           .vehicles = 1});
    assert_fields("{\"distance_matrix\": [[0,3,5],[7,0,11],[13,17,0]], \"time_matrix\": "
                  "[[0,23,29],[31,0,37],[41,43,0]], \"time_windows\": [[2,999],[31,400],[37,401]], "
                  "\"demands\": [0,2,3], \"vehicle_capacities\": [41,41], \"num_vehicles\": 2, "
                  "\"depot\": 0}",
                  NULL, 0, "cvrptwlv",
                  &(struct expected){.cost = {0, 3, 5, 7, 0, 11, 13, 17, 0},
                                     .time = {0, 23, 29, 31, 0, 37, 41, 43, 0},
                                     .demand = {0, 2, 3},
                                     .ready = {2, 31, 37},
                                     .due = {HUGE_VAL, 400, 401},
                                     .capacity = 41,
                                     .vehicles = 2});
}

/* ---- writing, to the letter ---- */

static ucpo_instance_data instance(const char *problem)
{
    static const double x[] = {3, -5, 11}, y[] = {-13, 17, 19.25}, ready[] = {2, 31, 37},
                        due[] = {999.5, 400, 401}, service[] = {0, 43, 47.5},
                        demand[] = {0, 23, 29};
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = problem, d.n = N, d.x = x, d.y = y, d.ready = ready, d.due = due;
    d.service = service;
    if (strcmp(problem, "tsptw") == 0) return d;
    d.demand = demand, d.capacity = 41.5;
    return d;
}

static void assert_written(const ucpo_instance_data *d, const char *format, const char *expected)
{
    ucpo_dataset *set = test_set_of(d);
    char *text = test_write_text(set, format, NULL);
    assert_string_equal(text, expected);
    ucpo_dataset_free(set);
    free(text);
}

static void solomon_to_the_letter(void **state)
{
    ucpo_instance_data d = instance("cvrptwlv");
    (void)state;
    d.vehicles = 1, d.name = "a name";
#define BODY                                                                                       \
    "CUSTOMER\n" HEAD "\n    0  3  -13  0  2  999.5  0\n    1  -5  17  23  31  400  43\n"          \
    "    2  11  19.25  29  37  401  47.5\n"
    assert_written(&d, "solomon",
                   "a name\n\nVEHICLE\nNUMBER     CAPACITY\n    1      41.5\n\n" BODY);
    d.problem = "cvrptw", d.vehicles = 0, d.name = "";
    assert_written(&d, "solomon", "\n\nVEHICLE\nNUMBER     CAPACITY\n    2      41.5\n\n" BODY);
    static const char *const lost[] = {"vehicle", "#1", "\xEF\xBB\xBFx", "1 2 3 4 5 6 7"};
    for (size_t k = 0; k < sizeof lost / sizeof lost[0]; k++) {
        d.name = lost[k];
        assert_written(&d, "solomon", "\n\nVEHICLE\nNUMBER     CAPACITY\n    2      41.5\n\n" BODY);
    }
    static const char *const kept[] = {"a#1", "\xEF\xBB", "1 2 3 4 5 6", "1 2 3 4 5 6 7 8"};
    for (size_t k = 0; k < sizeof kept / sizeof kept[0]; k++) {
        char text[500];
        if (k == 1) continue; /* no UTF-8: made readable */
        d.name = kept[k];
        snprintf(text, sizeof text, "%s\n\nVEHICLE\nNUMBER     CAPACITY\n    2      41.5\n\n" BODY,
                 kept[k]);
        assert_written(&d, "solomon", text);
    }
}

static void plain_silva_and_rakke_to_the_letter(void **state)
{
    static const double cost[] = {0, 3, 5, 7, 0.5, 11, 13, 17, 0}, demand[] = {0, 2, 3},
                        limit[] = {5, 9, 8};
    ucpo_instance_data d = instance("tsptw");
    (void)state;
    d.name = "a";
    assert_written(&d, "silva",
                   "!! a\n\nCUST NO.  XCOORD.  YCOORD.  DEMAND  [READY TIME]  [DUE DATE]  "
                   "[SERVICE TIME]\n\n    1  3  -13  0  2  999.5  0\n    2  -5  17  0  31  400  "
                   "43\n    3  11  19.25  0  37  401  47.5\n  999  0  0  0  0  0  0\n");
    d.x = d.y = NULL, d.cost = cost;
    assert_written(&d, "plain",
                   "3\n0 3 5\n50 0.5 54\n60.5 64.5 0\n2 999.5\n31 400\n37 401\n"
                   "# Sum of service times: 90.5\n");
    d.cost = NULL, d.service = NULL;
    d.x = (const double[]){0, 3, 0}, d.y = (const double[]){0, 4, 4};
    assert_written(&d, "plain",
                   "3\n0 5 4\n5 0 3\n4 3 0\n2 999.5\n31 400\n37 401\n"
                   "# Sum of service times: 0\n");
    d = ucpo_instance_data_default();
    d.problem = "tspdl", d.n = N, d.cost = cost, d.demand = demand, d.limit = limit;
    d.draft = UCPO_DRAFT_UNLOAD, d.best_known = 26.5;
    assert_written(&d, "rakke", "3\n\n0 3 5\n7 0 11\n13 17 0\n\n0 2 3\n\n5 9 8\n\n26.5\n");
    d.best_known = (double)NAN;
    assert_written(&d, "rakke", "3\n\n0 3 5\n7 0 11\n13 17 0\n\n0 2 3\n\n5 9 8\n\n-1\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_solomon),
        cmocka_unit_test(numbers_of_vehicles_and_capacities),
        cmocka_unit_test(rows_of_silva),
        cmocka_unit_test(plain_and_rakke),
        cmocka_unit_test(sections_of_tsplib),
        cmocka_unit_test(weight_types_round_as_tsplib_says),
        cmocka_unit_test(negative_loads_of_tsplib_are_refused),
        cmocka_unit_test(columns_of_a_table),
        cmocka_unit_test(keys_of_json),
        cmocka_unit_test(keys_of_vroom_and_of_dictionaries),
        cmocka_unit_test(solomon_to_the_letter),
        cmocka_unit_test(plain_silva_and_rakke_to_the_letter),
    };
    return cmocka_run_group_tests_name("fields", tests, NULL, NULL);
}
