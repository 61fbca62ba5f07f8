#include "support/same.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* five nodes on a line: costs are easy to add up */
#define XY      ",\"coordinates\":[[0,0],[1,0],[2,0],[3,0],[4,0]]"
#define WINDOWS ",\"time_windows\":[[0,20],[0,20],[5,6],[0,20],[0,4]]"
#define TSPTW                                                                                      \
    "{\"schema\":\"ucpo.instance/1\",\"problem\":\"tsptw\",\"name\":\"line\"" XY WINDOWS "}"
#define FLEET                                                                                      \
    "{\"schema\":\"ucpo.instance/1\",\"problem\":\"cvrptw\",\"name\":\"fleet\"" XY WINDOWS         \
    ",\"demand\":[0,1,1,1,1],\"capacity\":2}"
#define DRAFT                                                                                      \
    "{\"schema\":\"ucpo.instance/1\",\"problem\":\"tspdl\"" XY                                     \
    ",\"demand\":[0,1,1,1,1],\"draft_limit\":[4,4,1,4,4],\"draft\":\"load\"}"

static ucpo_plans *read_bytes(const void *bytes, size_t size, const char *format,
                              const ucpo_dataset *set)
{
    ucpo_plans *plans = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_plans_read_bytes(bytes, size, "plan", format, set, &plans, &err), &err);
    return plans;
}

static ucpo_plans *read_plans(const char *text, const ucpo_dataset *set)
{
    return read_bytes(text, strlen(text), NULL, set);
}

/* Compares a plan with "1 2 0 3". */
static void assert_plan(const ucpo_plans *plans, size_t index, const char *expected)
{
    ucpo_plan plan = ucpo_plans_at(plans, index);
    char text[512] = "";
    for (size_t k = 0; k < plan.len; k++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%d", k ? " " : "", (int)plan.nodes[k]);
    }
    assert_string_equal(text, expected);
}

static void assert_reads(const char *text, const char *instance, const char *expected, double cost)
{
    ucpo_dataset *set = read_text_set(instance, NULL);
    ucpo_plans *plans = read_plans(text, set);
    assert_int_equal(ucpo_plans_count(plans), 1);
    assert_plan(plans, 0, expected);
    assert_close(ucpo_plans_at(plans, 0).stated_cost, cost, 0, 0);
    assert_false(ucpo_plans_at(plans, 0).is_placeholder);
    ucpo_plans_free(plans);
    ucpo_dataset_free(set);
}

struct bad {
    const char *text;
    ucpo_status code;
    long line;
    const char *fragment;
};

static void assert_all_fail(const struct bad *table, size_t count, const char *format,
                            const char *instance)
{
    ucpo_dataset *set = read_text_set(instance, NULL);
    for (size_t k = 0; k < count; k++) {
        ucpo_plans *plans = NULL;
        ucpo_error err = {0};
        ucpo_status st = ucpo_plans_read_bytes(table[k].text, strlen(table[k].text), "bad", format,
                                               set, &plans, &err);
        assert_error(st, &err, table[k].code, table[k].line, table[k].fragment);
        assert_string_equal(err.file, "bad");
        assert_null(plans);
    }
    ucpo_dataset_free(set);
}

/* Writes plans and returns the text. */
static char *written(const char *format, const ucpo_dataset *set, const ucpo_plans *plans)
{
    char *bytes = NULL;
    size_t size = 0;
    ucpo_error err = {0};
    assert_ok(ucpo_plans_write_bytes(format, set, plans, &bytes, &size, &err), &err);
    char *text = malloc(size + 1);
    memcpy(text, bytes, size);
    text[size] = '\0';
    ucpo_bytes_free(bytes);
    return text;
}

static ucpo_plans *one_plan(const int32_t *nodes, size_t len)
{
    ucpo_plans *plans = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_plans_create(&plans, &err), &err);
    assert_ok(ucpo_plans_add(plans, nodes, len, NAN, &err), &err);
    return plans;
}

/* ---- container ---- */

static void plans_are_copied_and_counted(void **state)
{
    (void)state;
    int32_t nodes[] = {3, 1, 2};
    ucpo_plans *plans = one_plan(nodes, 3);
    ucpo_error err = {0};
    ucpo_plan first = ucpo_plans_at(plans, 0);
    nodes[0] = 9;
    for (int i = 0; i < 100; i++) assert_ok(ucpo_plans_add(plans, nodes, 3, i, &err), &err);
    assert_int_equal(ucpo_plans_count(plans), 101);
    assert_int_equal(first.nodes[0], 3); /* stays valid while others are added */
    assert_true(isnan(first.stated_cost));
    assert_true(ucpo_plans_at(plans, 100).stated_cost == 99);
    ucpo_plan none = ucpo_plans_at(plans, 101);
    assert_null(none.nodes);
    assert_int_equal(none.len, 0);
    assert_ok(ucpo_plans_add(plans, NULL, 0, NAN, &err), &err);
    assert_int_equal(ucpo_plans_add(plans, NULL, 1, NAN, &err), UCPO_E_ARGUMENT);
    assert_int_equal(ucpo_plans_add(plans, nodes, SIZE_MAX / 8, NAN, &err), UCPO_E_ARGUMENT);
    ucpo_plans_free(plans);
    ucpo_plans_free(NULL);
}

static void the_formats_are_listed(void **state)
{
    (void)state;
    static const char *const names[] = {"json", "sol", "tour", "csv", "npy", "list", "mtsp"};
    for (size_t i = 0; i < 7; i++) assert_string_equal(ucpo_plan_format_at(i), names[i]);
    assert_null(ucpo_plan_format_at(7));
    ucpo_plans *plans = NULL;
    ucpo_error err = {0};
    assert_error(ucpo_plans_read_bytes("1", 1, NULL, "excel", NULL, &plans, &err), &err,
                 UCPO_E_ARGUMENT, 0, "unknown solution format 'excel', expected one of: json, sol");
    assert_error(ucpo_plans_read_bytes("hello", 5, NULL, NULL, NULL, &plans, &err), &err,
                 UCPO_E_FORMAT, 1, "none of the known solution formats");
    assert_error(ucpo_plans_read_bytes(NULL, 0, NULL, NULL, NULL, &plans, &err), &err,
                 UCPO_E_FORMAT, 0, "file is empty");
}

static void writing_has_limits(void **state)
{
    (void)state;
    ucpo_dataset *set = read_text_set(TSPTW, NULL);
    ucpo_plans *plans = NULL;
    ucpo_error err = {0};
    char *bytes = NULL;
    size_t size = 0;
    assert_ok(ucpo_plans_create(&plans, &err), &err);
    assert_error(ucpo_plans_write_bytes("json", set, plans, &bytes, &size, &err), &err,
                 UCPO_E_ARGUMENT, 0, "no plan to write");
    int32_t nodes[] = {1, 2};
    assert_ok(ucpo_plans_add(plans, nodes, 2, NAN, &err), &err);
    assert_error(ucpo_plans_write_bytes("list", set, plans, &bytes, &size, &err), &err,
                 UCPO_E_ARGUMENT, 0, "format list can be read only");
    assert_int_equal(ucpo_plans_write_bytes("mtsp", set, plans, &bytes, &size, &err),
                     UCPO_E_ARGUMENT);
    assert_int_equal(ucpo_plans_write_bytes(NULL, set, plans, &bytes, &size, &err),
                     UCPO_E_ARGUMENT);
    assert_ok(ucpo_plans_add(plans, nodes, 2, NAN, &err), &err);
    assert_error(ucpo_plans_write_bytes("sol", set, plans, &bytes, &size, &err), &err,
                 UCPO_E_ARGUMENT, 0, "format sol holds one plan, there are 2");
    assert_int_equal(ucpo_plans_write_bytes("tour", set, plans, &bytes, &size, &err),
                     UCPO_E_ARGUMENT);
    assert_error(ucpo_plans_write_bytes("json", set, plans, &bytes, &size, &err), &err,
                 UCPO_E_MISMATCH, 0, "plan 1 has no instance: the set holds 1");
    assert_int_equal(ucpo_plans_write_bytes("csv", NULL, plans, &bytes, &size, &err),
                     UCPO_E_MISMATCH);
    ucpo_plans_free(plans);
    ucpo_dataset_free(set);
}

static void files_are_read_and_written(void **state)
{
    (void)state;
    char path[] = "/tmp/ucpo_plans_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    ucpo_dataset *set = read_text_set(TSPTW, NULL);
    ucpo_plans *plans = one_plan((int32_t[]){2, 1, 3, 4}, 4), *back = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_plans_write(path, "sol", set, plans, &err), &err);
    assert_ok(ucpo_plans_read(path, NULL, set, &back, &err), &err);
    assert_plan(back, 0, "2 1 3 4");
    ucpo_plans_free(back);
    back = NULL;
    assert_int_equal(ucpo_plans_read("/nonexistent", NULL, set, &back, &err), UCPO_E_IO);
    assert_int_equal(ucpo_plans_write("/nonexistent/x", "sol", set, plans, &err), UCPO_E_IO);
    assert_int_equal(ucpo_plans_write(path, "excel", set, plans, &err), UCPO_E_ARGUMENT);
    remove(path);
    ucpo_plans_free(plans);
    ucpo_dataset_free(set);
}

/* ---- sol ---- */

static void sol_is_read_in_its_dialects(void **state)
{
    (void)state;
    assert_reads("Route #1: 1 2\nRoute #2: 3\nCost 32\n", FLEET, "1 2 0 3", 32);
    assert_reads("Route #1: 1 2\r\nRoute #2: 3\r\nCost: 32.5\r\n", FLEET, "1 2 0 3", 32.5);
    assert_reads("Route 1 : 1 2\nRoute 2 : 3", FLEET, "1 2 0 3", NAN);
    assert_reads("route #1:1 2\nROUTE #2:3\ncost = 32", FLEET, "1 2 0 3", 32);
    assert_reads("Instance x\nAuthors: me\nSolution\nRoute #1: 0 4 0\nRoute #2:\nRoute #3: 1\n"
                 "Costly remark\nRoutes: 3\nTime 3.5\n",
                 FLEET, "4 0 1", NAN);
    assert_reads("Route #1: 77 -3\nCost 0_12\n", FLEET, "77 -3", 12);
    assert_reads("Route #1:\n", FLEET, "", NAN);
}

static void malformed_sol_is_explained(void **state)
{
    (void)state;
    static const struct bad table[] = {
        {"Cost 32\n", UCPO_E_FORMAT, 0, "holds no route"},
        {"Route #1: 1\nRoute #2: 2 x\n", UCPO_E_FORMAT, 2, "route 2 holds 'x', expected a node"},
        {"Route #1: 1 2.5\n", UCPO_E_FORMAT, 1, "route 1 holds '2.5'"},
        {"Route #1: 1 99999999999\n", UCPO_E_FORMAT, 1, "route 1 holds '99999999999'"},
        {"Route #1 1 2\n", UCPO_E_FORMAT, 1, "route line begins 'Route #1 1 2'"},
        {"Route #a: 1 2\n", UCPO_E_FORMAT, 1, "route line begins 'Route #a: 1 2'"},
        {"Route: 1 2\n", UCPO_E_FORMAT, 1, "route line begins"},
        {"Route #1: 1\nCost many\n", UCPO_E_FORMAT, 2, "cost is 'Cost many', expected a number"},
        {"Route #1: 1\nCost\n", UCPO_E_FORMAT, 2, "cost is 'Cost'"},
    };

    assert_all_fail(table, sizeof table / sizeof table[0], "sol", FLEET);
}

static void sol_is_written(void **state)
{
    (void)state;
    ucpo_dataset *set = read_text_set(FLEET, NULL);
    ucpo_plans *plans = one_plan((int32_t[]){0, 1, 2, 0, 0, 4, 3, 0}, 8);
    char *text = written("sol", set, plans);
    assert_string_equal(text, "Route #1: 1 2\nRoute #2: 4 3\nCost 12\n");
    free(text);
    ucpo_plans_free(plans);
    plans = one_plan(NULL, 0);
    text = written("sol", set, plans);
    assert_string_equal(text, "Route #1:\nCost 0\n");
    free(text);
    ucpo_plans_free(plans);
    ucpo_dataset_free(set);
}

/* ---- tour ---- */

static void tour_is_read(void **state)
{
    (void)state;
    assert_reads("NAME : line.8.tour\nCOMMENT : Length = 8\nCOMMENT : Found by LKH\nTYPE : TOUR\n"
                 "DIMENSION : 5\nTOUR_SECTION\n1\n2\n3\n5\n4\n-1\nEOF\n",
                 TSPTW, "1 2 4 3", 8);
    assert_reads("TYPE: TOUR\nDIMENSION: 5\nTOUR_SECTION\n1 2 3 5 4 -1\n", TSPTW, "1 2 4 3", NAN);
    assert_reads("COMMENT : Cost = 0_671\nTOUR_SECTION\n1 2 3 5 4\nEOF\n", TSPTW, "1 2 4 3", 671);
    assert_reads("COMMENT : Length unknown\nTOUR_SECTION\n1 2 3 5 4\nEOF\n", TSPTW, "1 2 4 3", NAN);
}

static void a_tour_may_begin_anywhere(void **state)
{
    (void)state;
    assert_reads("TOUR_SECTION\n3 5 4 1 2 -1\n", TSPTW, "1 2 4 3", NAN);
    assert_reads("TOUR_SECTION\n3 5 4 2 -1\n", TSPTW, "2 4 3 1", NAN); /* no depot: as it stands */
    assert_reads("TOUR_SECTION\n-1\n", TSPTW, "", NAN);
}

static void ids_above_n_are_copies_of_the_depot(void **state)
{
    (void)state;
    assert_reads("DIMENSION : 7\nTOUR_SECTION\n3 6 5 7 4 1 2 -1\n", FLEET, "1 2 0 4 0 3", NAN);
    assert_reads("DIMENSION : 5\nTOUR_SECTION\n1 3 6 5 2 4 -1\n", FLEET, "2 0 4 1 3", NAN);
    assert_reads("TOUR_SECTION\n1 3 6 5 6 2 4 9 -1\n", FLEET, "2 0 4 0 1 3", NAN);
    /* unused vehicles of a limited fleet stand side by side */
    assert_reads("DIMENSION : 11\nTOUR_SECTION\n1 3 6 7 8 9 10 11 5 2 4 -1\n",
                 "{\"schema\":\"ucpo.instance/1\",\"problem\":\"cvrptwlv\"" XY WINDOWS
                 ",\"demand\":[0,1,1,1,1],\"capacity\":2,\"vehicles\":7}",
                 "2 0 4 1 3", NAN);
}

static void malformed_tours_are_explained(void **state)
{
    (void)state;
    static const struct bad table[] = {
        {"TYPE : TOUR\n", UCPO_E_FORMAT, 0, "holds no TOUR_SECTION"},
        {"TYPE : TSP\nTOUR_SECTION\n1 2 -1\n", UCPO_E_FORMAT, 1, "TYPE is 'TSP', expected TOUR"},
        {"DIMENSION : five\nTOUR_SECTION\n", UCPO_E_FORMAT, 1, "DIMENSION is 'five'"},
        {"DIMENSION : 0\nTOUR_SECTION\n", UCPO_E_FORMAT, 1, "DIMENSION is '0'"},
        {"TOUR_SECTION\n1\n2\n", UCPO_E_FORMAT, 4, "file ends inside TOUR_SECTION, expected -1"},
        {"TOUR_SECTION\n1\n2\nx\n-1\n", UCPO_E_FORMAT, 4, "holds 'x', expected a node number"},
        {"TOUR_SECTION\n1\n0\n-1\n", UCPO_E_FORMAT, 3, "holds 0, expected node numbers from 1"},
        {"TOUR_SECTION\n1\n-2\n-1\n", UCPO_E_FORMAT, 3, "holds -2"},
        {"NAME: x\nDIMENSION : 4\nTOUR_SECTION\n1 2 3 4 -1\n", UCPO_E_MISMATCH, 2,
         "DIMENSION is 4, but the instance has 5 nodes"},
        {"DIMENSION : 6\nTOUR_SECTION\n1 2 3 4 5 6 -1\n", UCPO_E_MISMATCH, 1, "DIMENSION is 6"},
    };

    assert_all_fail(table, sizeof table / sizeof table[0], "tour", TSPTW);
    static const struct bad fleet[] = {
        {"DIMENSION : 6\nTOUR_SECTION\n1 2 3 4 5 -1\n", UCPO_E_MISMATCH, 1, "DIMENSION is 6"},
        {"DIMENSION : 9\nTOUR_SECTION\n1 2 3 4 5 6 7 8 9 -1\n", UCPO_E_MISMATCH, 1,
         "DIMENSION is 9"},
    };

    assert_all_fail(fleet, sizeof fleet / sizeof fleet[0], "tour", FLEET);
}

static void tour_is_written(void **state)
{
    (void)state;
    ucpo_dataset *set = read_text_set(FLEET, NULL);
    ucpo_plans *plans = one_plan((int32_t[]){1, 2, 0, 4, 0, 3}, 6);
    char *text = written("tour", set, plans);
    assert_string_equal(text, "NAME : fleet.18.tour\nCOMMENT : Length = 18\nTYPE : TOUR\n"
                              "DIMENSION : 7\nTOUR_SECTION\n1\n2\n3\n6\n5\n7\n4\n-1\nEOF\n");
    ucpo_plans *back = read_plans(text, set);
    assert_plan(back, 0, "1 2 0 4 0 3");
    assert_true(ucpo_plans_at(back, 0).stated_cost == 18);
    free(text);
    ucpo_plans_free(back);
    ucpo_plans_free(plans);
    ucpo_dataset_free(set);
}

static void a_plan_that_is_no_tour_is_refused(void **state)
{
    (void)state;
    ucpo_dataset *set = read_text_set(TSPTW, NULL);
    ucpo_error err = {0};
    char *bytes = NULL;
    size_t size = 0;
    ucpo_plans *plans = one_plan((int32_t[]){1, 2, 0, 4, 3}, 5);
    assert_error(ucpo_plans_write_bytes("tour", set, plans, &bytes, &size, &err), &err,
                 UCPO_E_UNSUPPORTED, 0, "has 2 routes, a tour of this instance has at most 1");
    ucpo_plans_free(plans);
    plans = one_plan((int32_t[]){1, 2, 5}, 3);
    assert_error(ucpo_plans_write_bytes("tour", set, plans, &bytes, &size, &err), &err,
                 UCPO_E_UNSUPPORTED, 0, "1 unknown nodes");
    ucpo_plans_free(plans);
    ucpo_dataset_free(set);
}

/* file id 3 is the depot: ids 1 2 3 4 5 are our nodes 1 2 0 3 4 */
#define DEPOT_3                                                                                    \
    "TYPE : CVRPTW\nDIMENSION : 5\nCAPACITY : 9\nEDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n"  \
    "1 1 0\n2 2 0\n3 0 0\n4 3 0\n5 4 0\nDEMAND_SECTION\n1 1\n2 1\n3 0\n4 1\n5 1\n"                 \
    "TIME_WINDOW_SECTION\n1 0 99\n2 0 99\n3 0 99\n4 0 99\n5 0 99\nDEPOT_SECTION\n3\n-1\nEOF\n"

static void a_tour_of_a_file_whose_depot_is_not_node_1_was_misread(void **state)
{
    (void)state;
    assert_reads("DIMENSION : 5\nTOUR_SECTION\n3 2 1 4 5 -1\n", DEPOT_3, "2 1 3 4", NAN);
    assert_reads("TOUR_SECTION\n1 4 5 3 2 -1\n", DEPOT_3, "2 1 3 4", NAN);
    assert_reads("DIMENSION : 6\nTOUR_SECTION\n3 2 1 6 4 5 -1\n", DEPOT_3, "2 1 0 3 4", NAN);
    assert_reads("The tours traveled by the 2 salesmen are:\n3 2 1 3 (#2)  Cost: 4\n"
                 "3 4 5 3 (#2)  Cost: 8\n",
                 DEPOT_3, "2 1 0 3 4", 12);
    /* formats that never carry the file's ids speak in our numbers */
    assert_reads("Route #1: 2 1\nRoute #2: 3 4\n", DEPOT_3, "2 1 0 3 4", NAN);
}

static void a_tour_for_a_file_whose_depot_is_not_node_1_had_wrong_ids(void **state)
{
    (void)state;
    ucpo_dataset *set = read_text_set(DEPOT_3, NULL);
    ucpo_plans *plans = one_plan((int32_t[]){2, 1, 0, 3, 4}, 5);
    char *text = written("tour", set, plans);
    assert_non_null(strstr(text, "DIMENSION : 6\nTOUR_SECTION\n3\n2\n1\n6\n4\n5\n-1\n"));
    ucpo_plans *back = read_plans(text, set);
    assert_plan(back, 0, "2 1 0 3 4");
    ucpo_plans_free(back);
    free(text);
    ucpo_plans_free(plans);
    ucpo_dataset_free(set);
}

/* ---- list and mtsp ---- */

static void list_holds_one_plan_per_line(void **state)
{
    (void)state;
    ucpo_dataset *set = read_text_set(TSPTW, NULL);
    ucpo_plans *plans = read_plans("# best tours\n4 3 2 1\n#\n  1 2 3 4 # nothing found\n"
                                   "1 2 0 4 3\n0 4 9 0\n\n \n",
                                   set);
    assert_int_equal(ucpo_plans_count(plans), 4);
    assert_plan(plans, 0, "4 3 2 1");
    assert_plan(plans, 1, "1 2 3 4");
    assert_plan(plans, 2, "1 2 0 4 3");
    assert_plan(plans, 3, "4 9");
    assert_false(ucpo_plans_at(plans, 0).is_placeholder);
    assert_true(ucpo_plans_at(plans, 1).is_placeholder);
    ucpo_plans_free(plans);
    static const struct bad table[] = {
        {"# nothing\n", UCPO_E_FORMAT, 0, "holds no plan"},
        {"1 2\n3 x\n", UCPO_E_FORMAT, 2, "the plan holds 'x'"},
    };

    assert_all_fail(table, 2, "list", TSPTW);
    ucpo_dataset_free(set);
}

static void an_empty_line_in_a_list_shifted_the_plans(void **state)
{
    (void)state;
    static const struct bad table[] = {
        {"4 3 2 1\n\n1 2 4 3\n", UCPO_E_FORMAT, 2, "line is empty, but plans follow"},
        {"\n\n4 3 2 1\n", UCPO_E_FORMAT, 1, "line is empty"},
    };

    assert_all_fail(table, 2, "list", TSPTW);
    ucpo_dataset *set = read_text_set(TSPTW, NULL);
    ucpo_plans *plans = read_plans("4 3 2 1\n0\n1 2 4 3\n\n", set);
    assert_int_equal(ucpo_plans_count(plans), 3);
    assert_plan(plans, 1, "");
    assert_plan(plans, 2, "1 2 4 3");
    ucpo_plans_free(plans);
    ucpo_dataset_free(set);
}

static void a_short_or_partial_identity_is_no_placeholder(void **state)
{
    (void)state;
    ucpo_dataset *set = read_text_set(TSPTW, NULL);
    ucpo_plans *plans = read_plans("1 2 3\n", set); /* not all customers */
    assert_false(ucpo_plans_at(plans, 0).is_placeholder);
    ucpo_plans_free(plans);
    plans = read_plans("1 2\n", NULL); /* with two customers it proves nothing */
    assert_false(ucpo_plans_at(plans, 0).is_placeholder);
    ucpo_plans_free(plans);
    plans = read_plans("1 2 3\n", NULL);
    assert_true(ucpo_plans_at(plans, 0).is_placeholder);
    ucpo_plans_free(plans);
    plans = read_plans("Route #1: 1 2 3 4\n", set); /* other formats do not store placeholders */
    assert_false(ucpo_plans_at(plans, 0).is_placeholder);
    ucpo_plans_free(plans);
    ucpo_dataset_free(set);
}

static void mtsp_is_read(void **state)
{
    (void)state;
    assert_reads("toy, Cost: 0_32\nThe tours traveled by the 2 salesmen are:\n"
                 "1 5 3 1 (#2)  Cost: 20\n1 2 4 1 (#2)  Cost: 12\n",
                 FLEET, "4 2 0 1 3", 32);
    assert_reads("The tours traveled by the 2 salesmen are:\n1 5 3 1 (#2)  Cost: 20\n"
                 "1 2 4 1 (#2)  Cost: 13\n",
                 FLEET, "4 2 0 1 3", 33);
    assert_reads("The tours traveled by the 1 salesmen are:\n1 5 30 1\n", FLEET, "4 29", NAN);
    static const struct bad table[] = {
        {"1 2 3\n", UCPO_E_FORMAT, 0, "no line 'The tours traveled by"},
        {"The tours traveled by the 1 salesmen are:\n", UCPO_E_FORMAT, 2, "first route was"},
        {"The tours traveled by the 1 salesmen are:\n1 x 1\n", UCPO_E_FORMAT, 2,
         "route 1 holds 'x'"},
    };

    assert_all_fail(table, sizeof table / sizeof table[0], "mtsp", FLEET);
}

static void damaged_plan_files_were_read_in_part(void **state)
{
    (void)state;
#define SALESMEN "The tours traveled by the 1 salesmen are:\n"
#define ROUTE    "\"routes\":[{\"nodes\":[1]}]}"
#define JSON     "{\"schema\":\"ucpo.solution/1\","
    static const struct bad table[] = {
        {"Route #1: 1 2\nRout #2: 3 4\n", UCPO_E_FORMAT, 2, "is it meant to be 'Route #1"},
        {"Route #1: 1 2\nCost 3\nCost 4\n", UCPO_E_FORMAT, 3, "cost is given again"},
        {SALESMEN "1 5 3 1 (#3)  Cost: 20\n", UCPO_E_FORMAT, 2, "route 1 states '(#3)', but has 2"},
        {"instance,route,position,node\n0,1,1,\"2\n", UCPO_E_FORMAT, 2, "a quote is not closed"},
        {"instance,route,position,node,node\n0,1,1,2,3\n", UCPO_E_FORMAT, 1,
         "column node is given twice"},
        {"instance,route,position,node\n0,1,1,2,3\n", UCPO_E_FORMAT, 2,
         "more fields than the head"},
        {JSON "\"stated_cots\":3," ROUTE, UCPO_E_FORMAT, 0, "did you mean 'stated_cost'?"},
        {JSON "\"problem\":\"tsptw\"," ROUTE, UCPO_E_MISMATCH, 0,
         "problem is \"tsptw\", but the instance is a cvrptw"},
        {JSON "\"routes\":[{\"node\":[1]}]}", UCPO_E_FORMAT, 0,
         "unknown key 'routes[0].node', did you mean 'nodes'?"},
    };

    assert_all_fail(table, sizeof table / sizeof table[0], NULL, FLEET);
    assert_reads(JSON "\"problem\":\"cvrptwlv\",\"remark\":1," ROUTE, FLEET, "1", NAN);
}

/* ---- csv ---- */

static void csv_is_written_with_the_schedule_and_read_back(void **state)
{
    (void)state;
    ucpo_dataset *set = read_text_set(FLEET, NULL);
    ucpo_plans *plans = one_plan((int32_t[]){1, 2, 0, 4, 77, 0, 3}, 7);
    char *text = written("csv", set, plans);
    assert_string_equal(
        text, "instance,route,position,node,arrive,wait,start,leave,slack,load,late,over\n"
              "0,1,1,1,1,0,1,1,19,1,0,0\n"
              "0,1,2,2,2,3,5,5,1,2,0,0\n"
              "0,1,3,0,7,0,7,7,13,2,0,0\n"
              "0,2,1,4,4,0,4,4,0,1,0,0\n"
              "0,2,2,77,0,0,0,0,0,0,0,0\n"
              "0,2,3,0,8,0,8,8,12,1,0,0\n"
              "0,3,1,3,3,0,3,3,17,1,0,0\n"
              "0,3,2,0,6,0,6,6,14,1,0,0\n");
    ucpo_plans *back = read_plans(text, set);
    assert_plan(back, 0, "1 2 0 4 77 0 3");
    free(text);
    ucpo_plans_free(back);
    ucpo_plans_free(plans);
    ucpo_dataset_free(set);
}

static void csv_keeps_empty_plans_in_their_place(void **state)
{
    (void)state;
    ucpo_dataset *set = read_text_set(
        "{\"schema\":\"ucpo.dataset/1\",\"instances\":[" TSPTW "," TSPTW "," DRAFT "]}", NULL);
    ucpo_plans *plans = one_plan((int32_t[]){2, 1}, 2);
    ucpo_error err = {0};
    assert_ok(ucpo_plans_add(plans, NULL, 0, NAN, &err), &err);
    assert_ok(ucpo_plans_add(plans, (int32_t[]){3, 2}, 2, NAN, &err), &err);
    char *text = written("csv", set, plans);
    ucpo_plans *back = read_plans(text, set);
    assert_int_equal(ucpo_plans_count(back), 3);
    assert_plan(back, 0, "2 1");
    assert_plan(back, 1, "");
    assert_plan(back, 2, "3 2");
    free(text);
    ucpo_plans_free(back);
    ucpo_plans_free(plans);
    ucpo_dataset_free(set);
}

static void csv_columns_and_rows_may_stand_in_any_order(void **state)
{
    (void)state;
    static const char text[] = "\nnode,\"comment, quoted\",position , route,instance\r\n"
                               "3,\"a \"\"b\"\", c\",2,1,0\r\n"
                               "4,,1,2,0\r\n"
                               "\r\n"
                               "2,x,1,1,1\r\n"
                               "1,\",,,\",1,1,0\r\n"
                               "-7,,2,2,0";
    ucpo_plans *plans = read_plans(text, NULL);
    assert_int_equal(ucpo_plans_count(plans), 2);
    assert_plan(plans, 0, "1 3 0 4 -7");
    assert_plan(plans, 1, "2");
    ucpo_plans_free(plans);
    static const struct bad table[] = {
        {"", UCPO_E_FORMAT, 0, "file is empty"},
        {"node,route\n", UCPO_E_FORMAT, 1, "column instance is missing"},
        {"instance,route,position,node\n", UCPO_E_FORMAT, 0, "holds no plan"},
        {"instance,route,position,node\n0,1,1\n", UCPO_E_FORMAT, 2, "row ends before column node"},
        {"instance,route,position,node\n0,1,1,x\n", UCPO_E_FORMAT, 2, "node is 'x'"},
        {"instance,route,position,node\n0,-1,1,2\n", UCPO_E_FORMAT, 2, "route is '-1'"},
        {"instance,route,position,node\n0,1,1,2\n0,1,1,3\n", UCPO_E_FORMAT, 3, "is given twice"},
        {"instance,route,position,node\n0,1,1,2\n2,1,1,3\n", UCPO_E_FORMAT, 3,
         "instance is 2, but no row belongs to instance 1"},
        {"instance,route,position,node\n1,1,1,2\n", UCPO_E_FORMAT, 2,
         "instance is 1, but no row belongs to instance 0"},
    };

    assert_all_fail(table, sizeof table / sizeof table[0], "csv", TSPTW);
}

/* ---- npy ---- */

static ucpo_plans *read_npy_plan(const char *descr, const char *shape, const void *data,
                                 size_t size, const ucpo_dataset *set, ucpo_status code,
                                 const char *fragment)
{
    char bytes[512] = "\x93NUMPY\x01";
    int length = snprintf(bytes + 10, 200, "{'descr': '%s', 'fortran_order': False, 'shape': %s}\n",
                          descr, shape);
    bytes[8] = (char)length;
    if (size > 0) memcpy(bytes + 10 + length, data, size);
    if (!code) return read_bytes(bytes, 10 + (size_t)length + size, NULL, set);
    ucpo_plans *plans = NULL;
    ucpo_error err = {0};
    assert_error(
        ucpo_plans_read_bytes(bytes, 10 + (size_t)length + size, "x", NULL, set, &plans, &err),
        &err, code, 0, fragment);
    return NULL;
}

static void npy_rows_are_plans(void **state)
{
    (void)state;
    static const uint8_t rows[] = {4, 3, 2, 1, 1, 2, 3, 4, 3, 0, 4, 0, 200, 1, 0, 0};
    ucpo_dataset *set = read_text_set(TSPTW, NULL);
    ucpo_plans *plans = read_npy_plan("|u1", "(4, 4)", rows, 16, set, UCPO_OK, "");
    assert_int_equal(ucpo_plans_count(plans), 4);
    assert_plan(plans, 0, "4 3 2 1");
    assert_plan(plans, 2, "3 0 4");
    assert_plan(plans, 3, "200 1");
    assert_false(ucpo_plans_at(plans, 0).is_placeholder);
    assert_true(ucpo_plans_at(plans, 1).is_placeholder);
    ucpo_plans_free(plans);
    static const int64_t one[] = {2, -1, 3};
    plans = read_npy_plan("<i8", "(3,)", one, sizeof one, set, UCPO_OK, "");
    assert_plan(plans, 0, "2 -1 3");
    ucpo_plans_free(plans);
    ucpo_dataset_free(set);
}

static void npy_of_anything_else_is_no_plan(void **state)
{
    (void)state;
    static const int64_t huge[] = {5000000000};
    static const float f[] = {1, 2};
    read_npy_plan("<i8", "(1,)", huge, 8, NULL, UCPO_E_FORMAT, "plan 0 holds 5000000000");
    read_npy_plan("<f4", "(2,)", f, 8, NULL, UCPO_E_FORMAT, "floating-point numbers");
    read_npy_plan("|b1", "(8,)", f, 8, NULL, UCPO_E_FORMAT, "truth values");
    read_npy_plan("<i4", "(1, 2, 1)", f, 8, NULL, UCPO_E_FORMAT, "has 3 axes");
    read_npy_plan("<i4", "()", f, 4, NULL, UCPO_E_FORMAT, "has 0 axes");
    read_npy_plan("<i4", "(4000000000, 0)", f, 0, NULL, UCPO_E_FORMAT, "rows are empty");
    read_npy_plan("<i4", "(0, 4)", f, 0, NULL, UCPO_E_FORMAT, "holds no plan");
    read_npy_plan("<i4", "(3,)", f, 8, NULL, UCPO_E_FORMAT, "file cut short");
}

static void npy_pads_short_plans_with_the_depot(void **state)
{
    (void)state;
    ucpo_plans *plans = one_plan((int32_t[]){0, 2, 1, 0, 0, 4, 3, 0}, 8);
    ucpo_error err = {0};
    assert_ok(ucpo_plans_add(plans, (int32_t[]){3, -2}, 2, NAN, &err), &err);
    assert_ok(ucpo_plans_add(plans, NULL, 0, NAN, &err), &err);
    char *bytes = NULL;
    size_t size = 0;
    assert_ok(ucpo_plans_write_bytes("npy", NULL, plans, &bytes, &size, &err), &err);
    assert_int_equal(size, 128 + 3 * 5 * 4);
    ucpo_plans *back = read_bytes(bytes, size, NULL, NULL);
    assert_int_equal(ucpo_plans_count(back), 3);
    assert_plan(back, 0, "2 1 0 4 3");
    assert_plan(back, 1, "3 -2");
    assert_plan(back, 2, "");
    ucpo_bytes_free(bytes);
    ucpo_plans_free(back);
    ucpo_plans_free(plans);
}

/* ---- json ---- */

static void json_needs_only_the_nodes(void **state)
{
    (void)state;
    assert_reads(
        "{\"schema\":\"ucpo.solution/1\",\"routes\":[{\"nodes\":[1,2]},{\"nodes\":[3.0]}]}", FLEET,
        "1 2 0 3", NAN);
    assert_reads("{\"schema\":\"ucpo.solution/1\",\"cost\":7,\"routes\":[{\"nodes\":[1,-2,900]}]}",
                 FLEET, "1 -2 900", 7);
    assert_reads("{\"schema\":\"ucpo.solution/1\",\"cost\":7,\"stated_cost\":8,\"routes\":[]}",
                 FLEET, "", 8);
    assert_reads("{\"schema\":\"ucpo.solution/1\",\"cost\":7,\"stated_cost\":null,\"routes\":[]}",
                 FLEET, "", NAN);
}

static void malformed_json_solutions_are_explained(void **state)
{
    (void)state;
#define HEAD "{\"schema\":\"ucpo.solution/1\","
#define MANY "{\"schema\":\"ucpo.solutions/1\","
    static const struct bad table[] = {
        {"{\n\"routes\": [,]}", UCPO_E_FORMAT, 2, "not valid JSON"},
        {"{}", UCPO_E_FORMAT, 0, "schema is missing, expected \"ucpo.solution/1\" or"},
        {TSPTW, UCPO_E_FORMAT, 0, "schema is \"ucpo.instance/1\", expected \"ucpo.solution/1\""},
        {HEAD "\"a\":1}", UCPO_E_FORMAT, 0, "routes is missing, expected an array"},
        {HEAD "\"routes\":[[1]]}", UCPO_E_FORMAT, 0, "routes[0] is an array of 1"},
        {HEAD "\"routes\":[{}]}", UCPO_E_FORMAT, 0, "routes[0].nodes is missing"},
        {HEAD "\"routes\":[{\"nodes\":[1,\"2\"]}]}", UCPO_E_FORMAT, 0,
         "routes[0].nodes[1] is \"2\", expected a node number"},
        {HEAD "\"routes\":[{\"nodes\":[1.5]}]}", UCPO_E_FORMAT, 0, "routes[0].nodes[0] is 1.5"},
        {HEAD "\"routes\":[{\"nodes\":[3e9]}]}", UCPO_E_FORMAT, 0, "nodes[0] is 3000000000"},
        {HEAD "\"routes\":[],\"cost\":\"7\"}", UCPO_E_FORMAT, 0, "cost is \"7\""},
        {MANY "\"a\":1}", UCPO_E_FORMAT, 0, "solutions is missing"},
        {MANY "\"solutions\":[]}", UCPO_E_FORMAT, 0, "holds no plan"},
        {MANY "\"solutions\":[3]}", UCPO_E_FORMAT, 0, "solutions[0] is 3, expected an object"},
        {MANY "\"solutions\":[{\"routes\":[]},{\"routes\":[{\"nodes\":[null]}]}]}", UCPO_E_FORMAT,
         0, "solutions[1].routes[0].nodes[0] is null"},
    };

    assert_all_fail(table, sizeof table / sizeof table[0], "json", FLEET);
}

static void json_carries_schedule_and_violations(void **state)
{
    (void)state;
    ucpo_dataset *set = read_text_set(FLEET, NULL);
    ucpo_plans *plans = one_plan((int32_t[]){2, 4, 1, 1, 9}, 5);
    char *text = written("json", set, plans);
    assert_string_equal(
        text,
        "{\n"
        "  \"schema\": \"ucpo.solution/1\",\n"
        "  \"instance\": \"fleet\",\n"
        "  \"problem\": \"cvrptw\",\n"
        "  \"status\": \"infeasible\",\n"
        "  \"code\": 3,\n"
        "  \"cost\": 8,\n"
        "  \"stated_cost\": null,\n"
        "  \"tolerance\": 4e-05,\n"
        "  \"unit\": 4,\n"
        "  \"violation\": 6.24999,\n"
        "  \"summary\": {\"routes\": 1, \"duration\": 11, \"wait\": 3, \"late_sum\": 3, "
        "\"late_count\": 1, \"over_sum\": 1, \"over_count\": 1, \"late_max\": 3, "
        "\"over_max\": 1, \"vehicles_over\": 0, "
        "\"missing\": [3], \"duplicates\": 1, \"unknown\": 1},\n"
        "  \"routes\": [\n"
        "    {\"vehicle\": 1, \"nodes\": [2, 4, 1, 1, 9], \"stops\": [\n"
        "      {\"node\": 2, \"arrive\": 2, \"wait\": 3, \"start\": 5, \"leave\": 5, \"slack\": 1, "
        "\"load\": 1, \"late\": 0, \"over\": 0, \"violations\": []},\n"
        "      {\"node\": 4, \"arrive\": 7, \"wait\": 0, \"start\": 7, \"leave\": 7, \"slack\": "
        "-3, "
        "\"load\": 2, \"late\": 3, \"over\": 0, \"violations\": [\"late\"]},\n"
        "      {\"node\": 1, \"arrive\": 10, \"wait\": 0, \"start\": 10, \"leave\": 10, "
        "\"slack\": 10, \"load\": 3, \"late\": 0, \"over\": 1, \"violations\": [\"over_load\"]},\n"
        "      {\"node\": 1, \"arrive\": 10, \"wait\": 0, \"start\": 10, \"leave\": 10, "
        "\"slack\": 10, \"load\": 3, \"late\": 0, \"over\": 0, \"violations\": "
        "[\"duplicate\"]},\n"
        "      {\"node\": 9, \"arrive\": 0, \"wait\": 0, \"start\": 0, \"leave\": 0, "
        "\"slack\": 0, \"load\": 0, \"late\": 0, \"over\": 0, \"violations\": [\"unknown\"]},\n"
        "      {\"node\": 0, \"arrive\": 11, \"wait\": 0, \"start\": 11, \"leave\": 11, "
        "\"slack\": 9, \"load\": 3, \"late\": 0, \"over\": 0, \"violations\": []}\n"
        "    ]}\n"
        "  ]\n"
        "}\n");
    ucpo_plans *back = read_plans(text, set);
    assert_plan(back, 0, "2 4 1 1 9");
    free(text);
    ucpo_plans_free(back);
    ucpo_plans_free(plans);
    ucpo_dataset_free(set);
}

static void json_solutions_come_back(void **state)
{
    (void)state;
    ucpo_dataset *set = read_text_set(
        "{\"schema\":\"ucpo.dataset/1\",\"instances\":[" FLEET "," DRAFT "," DRAFT "]}", NULL);
    ucpo_plans *plans = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_plans_create(&plans, &err), &err);
    assert_ok(ucpo_plans_add(plans, (int32_t[]){4, 0, 2, 0, 1, 3}, 6, 32.5, &err), &err);
    assert_ok(ucpo_plans_add(plans, (int32_t[]){1, 2, 3, 4}, 4, NAN, &err), &err);
    assert_ok(ucpo_plans_add(plans, NULL, 0, NAN, &err), &err);
    char *text = written("json", set, plans);
    assert_non_null(strstr(
        text, "\"status\": \"feasible\",\n    \"within_tolerance\": false,\n    \"code\": 0"));
    assert_non_null(strstr(text, "\"objective\": 18"));
    assert_non_null(strstr(text, "[\"over_draft\"]"));
    assert_non_null(strstr(text, "\"routes\": []\n"));
    ucpo_plans *back = read_plans(text, set);
    assert_int_equal(ucpo_plans_count(back), 3);
    assert_plan(back, 0, "4 0 2 0 1 3");
    assert_plan(back, 1, "1 2 3 4");
    assert_plan(back, 2, "");
    assert_true(ucpo_plans_at(back, 0).stated_cost == 32.5);
    assert_true(isnan(ucpo_plans_at(back, 1).stated_cost));
    free(text);
    ucpo_plans_free(back);
    ucpo_plans_free(plans);
    ucpo_dataset_free(set);
}

static void open_deadlines_are_null_in_json_and_inf_in_csv(void **state)
{
    (void)state;
    ucpo_dataset *set = read_text_set("{\"schema\":\"ucpo.instance/1\",\"problem\":\"tsptw\","
                                      "\"coordinates\":[[0,0],[1,0]],"
                                      "\"time_windows\":[[0,null],[0,null]]}",
                                      NULL);
    ucpo_plans *plans = one_plan((int32_t[]){1}, 1);
    char *json = written("json", set, plans), *csv = written("csv", set, plans);
    assert_non_null(strstr(json, "\"slack\": null"));
    assert_non_null(strstr(csv, "0,1,1,1,1,0,1,1,inf,0,0,0\n"));
    free(json);
    free(csv);
    ucpo_plans_free(plans);
    ucpo_dataset_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_are_copied_and_counted),
        cmocka_unit_test(the_formats_are_listed),
        cmocka_unit_test(writing_has_limits),
        cmocka_unit_test(files_are_read_and_written),
        cmocka_unit_test(sol_is_read_in_its_dialects),
        cmocka_unit_test(malformed_sol_is_explained),
        cmocka_unit_test(sol_is_written),
        cmocka_unit_test(tour_is_read),
        cmocka_unit_test(a_tour_may_begin_anywhere),
        cmocka_unit_test(ids_above_n_are_copies_of_the_depot),
        cmocka_unit_test(malformed_tours_are_explained),
        cmocka_unit_test(tour_is_written),
        cmocka_unit_test(a_plan_that_is_no_tour_is_refused),
        cmocka_unit_test(a_tour_of_a_file_whose_depot_is_not_node_1_was_misread),
        cmocka_unit_test(a_tour_for_a_file_whose_depot_is_not_node_1_had_wrong_ids),
        cmocka_unit_test(list_holds_one_plan_per_line),
        cmocka_unit_test(an_empty_line_in_a_list_shifted_the_plans),
        cmocka_unit_test(a_short_or_partial_identity_is_no_placeholder),
        cmocka_unit_test(mtsp_is_read),
        cmocka_unit_test(damaged_plan_files_were_read_in_part),
        cmocka_unit_test(csv_is_written_with_the_schedule_and_read_back),
        cmocka_unit_test(csv_keeps_empty_plans_in_their_place),
        cmocka_unit_test(csv_columns_and_rows_may_stand_in_any_order),
        cmocka_unit_test(npy_rows_are_plans),
        cmocka_unit_test(npy_of_anything_else_is_no_plan),
        cmocka_unit_test(npy_pads_short_plans_with_the_depot),
        cmocka_unit_test(json_needs_only_the_nodes),
        cmocka_unit_test(malformed_json_solutions_are_explained),
        cmocka_unit_test(json_carries_schedule_and_violations),
        cmocka_unit_test(json_solutions_come_back),
        cmocka_unit_test(open_deadlines_are_null_in_json_and_inf_in_csv),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
