#include "support/same.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_TSPTW "{\"schema\": \"ucpo.instance/1\", \"problem\": \"tsptw\", "
#define XY         "\"coordinates\": [[0,0],[3,4],[6,8]]"
#define WINDOWS    "\"time_windows\": [[0,40],[4,9],[8,14]]"
#define GOOD       HEAD_TSPTW XY ", " WINDOWS
#define HEAD_DL    "{\"schema\": \"ucpo.instance/1\", \"problem\": \"tspdl\", "
#define DRAFT      "\"demand\": [0,1,1], \"draft_limit\": [2,2,1]"

static const ucpo_instance_data *first_of(const ucpo_dataset *set)
{
    return ucpo_instance_view(ucpo_dataset_at(set, 0));
}

static void reads_every_key(void **state)
{
    (void)state;
    ucpo_dataset *set = read_text_set(
        "{\"schema\": \"ucpo.instance/1\", \"problem\": \"cvrptwlv\", \"name\": \"toy\", \"n\": "
        "3,\n" XY ", \"metric\": \"manhattan\", \"rounding\": \"dimacs\",\n"
        "\"cost\": [[0,1,2],[3,0,4],[5,6.5,0]], \"duration\": "
        "[[0,2,4],[6,0,8],[10,13,0]],\n" WINDOWS
        ", \"service\": [0, 1, 2.5], \"demand\": [0, 4, 5], \"capacity\": 10,\n"
        "\"vehicles\": 2, \"unit\": 8, \"tolerance\": 0.0003, \"service_in_cost\": 3, "
        "\"best_known\": 32.5}",
        NULL);
    const ucpo_instance_data *d = first_of(set);
    assert_string_equal(d->problem, "cvrptwlv");
    assert_string_equal(d->name, "toy");
    assert_int_equal(d->n, 3);
    assert_true(d->x[2] == 6 && d->y[2] == 8 && d->cost[7] == 6.5 && d->duration[6] == 10);
    assert_true(d->ready[1] == 4 && d->due[2] == 14 && d->service[2] == 2.5 && d->demand[1] == 4);
    assert_true(d->capacity == 10 && d->vehicles == 2 && d->unit == 8 && d->tolerance == 0.0003);
    assert_true(d->file->service_in_cost == 3 && d->best_known == 32.5);
    assert_int_equal(d->metric, UCPO_METRIC_MANHATTAN);
    assert_int_equal(d->rounding, UCPO_ROUND_DIMACS);
    ucpo_dataset_free(set);
}

static void null_is_no_deadline_and_no_best_known(void **state)
{
    (void)state;
    ucpo_dataset *set = read_text_set(
        HEAD_TSPTW XY ", \"time_windows\": [[0,null],[4,9],[8,null]], \"best_known\": null}", NULL);
    const ucpo_instance_data *d = first_of(set);
    assert_true(isinf(d->due[0]) && d->due[1] == 9 && isinf(d->due[2]) && d->due[0] > 0);
    assert_true(isnan(d->best_known));
    ucpo_dataset_free(set);
}

static void one_service_time_holds_for_all_customers_but_not_the_depot(void **state)
{
    (void)state;
    ucpo_dataset *set = read_text_set(GOOD ", \"service\": 2.5}", NULL);
    const ucpo_instance_data *d = first_of(set);
    assert_true(d->service[0] == 0 && d->service[1] == 2.5 && d->service[2] == 2.5);
    ucpo_dataset_free(set);
}

static void accepts_a_byte_order_mark_crlf_and_large_whole_numbers(void **state)
{
    (void)state;
    ucpo_dataset *set = read_text_set(
        "\xEF\xBB\xBF\r\n" GOOD ",\r\n\"best_known\": 123456789012345678901234567890}", NULL);
    assert_true(first_of(set)->best_known == 123456789012345678901234567890.0);
    ucpo_dataset_free(set);
}

static void reads_both_draft_conventions(void **state)
{
    (void)state;
    ucpo_dataset *load = read_text_set(HEAD_DL XY ", " DRAFT ", \"draft\": \"load\"}", NULL);
    ucpo_dataset *unload = read_text_set(HEAD_DL XY ", " DRAFT ", \"draft\": \"unload\"}", NULL);
    assert_int_equal(first_of(load)->draft, UCPO_DRAFT_LOAD);
    assert_int_equal(first_of(unload)->draft, UCPO_DRAFT_UNLOAD);
    ucpo_dataset_free(load);
    ucpo_dataset_free(unload);
}

static void malformed_files_are_named_by_line_or_key(void **state)
{
    (void)state;

    static const struct {
        const char *text;
        ucpo_status code;
        long line;
        const char *fragment;
    } table[] = {
        {"{", UCPO_E_FORMAT, 1, "not valid JSON"},
        {"{\n\"n\": 1,\n\"n\": 2}", UCPO_E_FORMAT, 3, "duplicate"},
        {"{\"x\": NaN}", UCPO_E_FORMAT, 1, "invalid token near 'NaN'"},
        {"{\"x\":\n 1e999}", UCPO_E_FORMAT, 2, "overflow"},
        {"{\"x\": \"a\\u0000b\"}", UCPO_E_FORMAT, 1, "u0000"},
        {GOOD "}\n{}", UCPO_E_FORMAT, 2, "end of file expected"},
        {"{\"x\": \"\xff\"}", UCPO_E_FORMAT, 1, "unable to decode byte 0xff"},
        {"{}", UCPO_E_FORMAT, 0, "schema is missing, expected \"ucpo.instance/1\" or"},
        {"{\"schema\": 1}", UCPO_E_FORMAT, 0, "schema is 1, expected"},
        {"{\"schema\": \"ucpo.solution/1\"}", UCPO_E_FORMAT, 0, "schema is \"ucpo.solution/1\""},
        {"{\"schema\": \"ucpo.instance/2\"}", UCPO_E_FORMAT, 0, "schema is \"ucpo.instance/2\""},
        {"{\"schema\": \"ucpo.instance/1\"}", UCPO_E_FORMAT, 0, "problem is missing, expected one"},
        {"{\"schema\": \"ucpo.instance/1\", \"problem\": \"vrp\"}", UCPO_E_FORMAT, 0,
         "problem is \"vrp\", expected one of: tsptw"},
        {"{\"schema\": \"ucpo.instance/1\", \"problem\": 3}", UCPO_E_FORMAT, 0, "problem is 3"},
        {HEAD_TSPTW WINDOWS "}", UCPO_E_FORMAT, 0, "coordinates and cost are both missing"},
        {HEAD_TSPTW XY "}", UCPO_E_FORMAT, 0, "time_windows is missing, tsptw needs it"},
        {HEAD_TSPTW "\"coordinates\": 3, " WINDOWS "}", UCPO_E_FORMAT, 0, "coordinates is 3"},
        {HEAD_TSPTW "\"coordinates\": [[0,0]], " WINDOWS "}", UCPO_E_FORMAT, 0,
         "coordinates is an array of 1, expected an array of 2 .. 65536"},
        {HEAD_TSPTW "\"coordinates\": [[0,0],[1],[2,2]], " WINDOWS "}", UCPO_E_FORMAT, 0,
         "coordinates[1] is an array of 1, expected a pair of numbers"},
        {HEAD_TSPTW "\"coordinates\": [[0,0],[1,null],[2,2]], " WINDOWS "}", UCPO_E_FORMAT, 0,
         "coordinates[1][1] is null, expected a number"},
        {HEAD_TSPTW XY ", \"time_windows\": [[0,40],[4,9]]}", UCPO_E_FORMAT, 0,
         "time_windows is an array of 2, expected an array of 3 (as many as coordinates says)"},
        {HEAD_TSPTW XY ", \"time_windows\": [[0,40],[4,9],[null,9]]}", UCPO_E_FORMAT, 0,
         "time_windows[2][0] is null, expected a number"},
        {HEAD_TSPTW XY ", \"time_windows\": [[0,40],[4,9],[8,\"x\"]]}", UCPO_E_FORMAT, 0,
         "time_windows[2][1] is \"x\", expected a number or null"},
        {HEAD_TSPTW XY ", \"time_windows\": [[0,40],[10,9],[8,9]]}", UCPO_E_FORMAT, 0,
         "window of node 1"},
        {GOOD ", \"n\": 4}", UCPO_E_FORMAT, 0,
         "coordinates is an array of 3, expected an array of 4"},
        {GOOD ", \"n\": 2.5}", UCPO_E_FORMAT, 0, "n is 2.5, expected a whole number 2 .. 65536"},
        {GOOD ", \"n\": 1e300}", UCPO_E_FORMAT, 0, "n is 1e+300"},
        {GOOD ", \"cost\": [[0,1,2],[1,0],[2,1,0]]}", UCPO_E_FORMAT, 0,
         "cost[1] is an array of 2, expected an array of 3"},
        {GOOD ", \"cost\": [[0,1,2],[1,0,true],[2,1,0]]}", UCPO_E_FORMAT, 0,
         "cost[1][2] is true, expected a number"},
        {GOOD ", \"cost\": [[0,1,2],[1,0,-1],[2,1,0]]}", UCPO_E_FORMAT, 0, "cost from node 1"},
        {GOOD ", \"service\": [0,{},0]}", UCPO_E_FORMAT, 0, "service[1] is an object"},
        {GOOD ", \"service\": [0,-1,0]}", UCPO_E_FORMAT, 0, "service of node 1 is -1"},
        {GOOD ", \"service\": false}", UCPO_E_FORMAT, 0,
         "service is false, expected an array of 3"},
        {GOOD ", \"metric\": \"euklid\"}", UCPO_E_FORMAT, 0,
         "metric is \"euklid\", expected one of: \"euclid\" \"manhattan\""},
        {GOOD ", \"rounding\": 1}", UCPO_E_FORMAT, 0, "rounding is 1, expected one of: \"none\""},
        {GOOD ", \"unit\": 0}", UCPO_E_FORMAT, 0, "unit is 0, expected a number > 0"},
        {GOOD ", \"tolerance\": -1}", UCPO_E_FORMAT, 0, "tolerance is -1"},
        {GOOD ", \"service_in_cost\": \"2\"}", UCPO_E_FORMAT, 0, "service_in_cost is \"2\""},
        {GOOD ", \"best_known\": \"32\"}", UCPO_E_FORMAT, 0, "best_known is \"32\""},
        {GOOD ", \"name\": 7}", UCPO_E_FORMAT, 0, "name is 7, expected a string"},
        {GOOD ", \"capacity\": 7}", UCPO_E_UNSUPPORTED, 0, "capacity has no meaning for tsptw"},
        {GOOD ", \"draft_limit\": 7}", UCPO_E_UNSUPPORTED, 0, "draft_limit has no meaning"},
        {HEAD_DL XY ", " DRAFT "}", UCPO_E_FORMAT, 0, "draft is missing, tspdl needs it"},
        {HEAD_DL XY ", \"demand\": [0,1,1], \"draft\": \"load\"}", UCPO_E_FORMAT, 0,
         "draft_limit is missing, tspdl needs it"},
        {HEAD_DL XY ", " DRAFT ", \"draft\": \"both\"}", UCPO_E_FORMAT, 0, "draft is \"both\""},
        {"{\"schema\": \"ucpo.dataset/1\"}", UCPO_E_FORMAT, 0, "instances is missing"},
        {"{\"schema\": \"ucpo.dataset/1\", \"instances\": []}", UCPO_E_FORMAT, 0, "no instance"},
        {"{\"schema\": \"ucpo.dataset/1\", \"instances\": [3]}", UCPO_E_FORMAT, 0,
         "instances[0] is 3, expected an object"},
        {"{\"schema\": \"ucpo.dataset/1\", \"instances\": [{\"schema\": \"x\"}]}", UCPO_E_FORMAT, 0,
         "instances[0].schema is \"x\""},
        {"{\"schema\": \"ucpo.dataset/1\", \"instances\": [" GOOD "}, " HEAD_TSPTW XY
         ", \"time_windows\": [[0,1],[2,\"a\"],[0,1]]}]}",
         UCPO_E_FORMAT, 0, "instances[1].time_windows[1][1] is \"a\""},
        {"{\"schema\": \"ucpo.dataset/1\", \"instances\": [" GOOD "}, " HEAD_TSPTW XY
         ", \"time_windows\": [[0,1],[2,1],[0,1]]}]}",
         UCPO_E_FORMAT, 0, "instances[1]: window of node 1"},
    };

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        ucpo_dataset *set = NULL;
        ucpo_error err = {0};
        ucpo_status st =
            ucpo_read_bytes(table[i].text, strlen(table[i].text), "bad.json", NULL, &set, &err);
        assert_error(st, &err, table[i].code, table[i].line, table[i].fragment);
        assert_string_equal(err.file, "bad.json");
        assert_null(set);
    }
}

static void an_array_or_a_scalar_is_no_instance(void **state)
{
    (void)state;
    ucpo_read_config options = ucpo_read_config_default();
    options.format = "json";
    ucpo_dataset *set = NULL;
    ucpo_error err;
    assert_error(ucpo_read_bytes("[1, 2]", 6, "x", &options, &set, &err), &err, UCPO_E_FORMAT, 1,
                 "the file is an array of 2, expected an object");
    assert_error(ucpo_read_bytes("", 0, "x", &options, &set, &err), &err, UCPO_E_FORMAT, 1,
                 "not valid JSON");
}

static void unknown_keys_are_warned_about_with_a_suggestion(void **state)
{
    (void)state;
    static const char text[] = GOOD ", \"servise\": 2, \"weather\": \"fine\"}";
    struct line_log log = {0};
    ucpo_read_config options = ucpo_read_config_default();
    options.hooks = line_log_hooks(&log);
    options.ignore_unsupported = 1;
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_read_bytes(text, strlen(text), "x", &options, &set, &err), &err);
    assert_int_equal(log.lines, 3); /* the third: what that makes of the instance */
    assert_int_equal(ucpo_instance_reading(ucpo_dataset_at(set, 0)), UCPO_READ_EITHER);
    assert_non_null(strstr(log.text, "unknown key 'servise', did you mean 'service'?"));
    assert_non_null(strstr(log.text, "unknown key 'weather'\n"));
    ucpo_dataset_free(set);
    options.strict = 1;
    assert_error(ucpo_read_bytes(text, strlen(text), "x", &options, &set, &err), &err,
                 UCPO_E_FORMAT, 0, "unknown key 'servise'");
    static const char in_set[] =
        "{\"schema\": \"ucpo.dataset/1\", \"author\": 1, \"instances\": [" GOOD "}]}";
    assert_error(ucpo_read_bytes(in_set, strlen(in_set), "x", &options, &set, &err), &err,
                 UCPO_E_FORMAT, 0, "unknown key 'author'");
}

static void a_misspelt_key_relaxed_the_instance(void **state)
{
    (void)state;

    static const struct {
        const char *text, *message;
    } cases[] = {
        {GOOD ", \"vehicle\": 1}", "unknown key 'vehicle', did you mean 'vehicles'?"},
        {GOOD ", \"servise\": 1}", "unknown key 'servise', did you mean 'service'?"},
        {"{\"schema\": \"ucpo.dataset/1\", \"instance\": [" GOOD "}]}",
         "unknown key 'instance', did you mean 'instances'?"},
    };

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        ucpo_dataset *set = NULL;
        ucpo_error err = {0};
        ucpo_status st =
            ucpo_read_bytes(cases[k].text, strlen(cases[k].text), "x", NULL, &set, &err);
        assert_error(st, &err, UCPO_E_FORMAT, 0, cases[k].message);
    }
}

static void a_service_time_of_the_depot_went_unnoticed(void **state)
{
    (void)state;
    static const char text[] =
        "{\"schema\":\"ucpo.instance/1\",\"problem\":\"tsptw\",\"coordinates\":[[0,0],[3,4]],"
        "\"time_windows\":[[0,40],[4,9]],\"service\":[5,1]}";
    struct line_log log = {0};
    ucpo_read_config options = ucpo_read_config_default();
    options.hooks = line_log_hooks(&log);
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_read_bytes(text, strlen(text), "x", &options, &set, &err), &err);
    assert_non_null(strstr(log.text, "service time 5 of the depot is ignored"));
    assert_close(ucpo_instance_view(ucpo_dataset_at(set, 0))->service[0], 0, 0, 0);
    ucpo_dataset_free(set);
}

/* Neither by a tolerance, nor by a unit that it follows from, nor by one customer far away. */
static void a_file_cannot_switch_deadlines_off(void **state)
{
    (void)state;
    static const char *const head =
        "{\"schema\":\"ucpo.instance/1\",\"problem\":\"tsptw\",\"coordinates\":[[0,0],"
        "[0.003,0.004],[0.005,0],%s],\"time_windows\":[[0,null],[0,0.5],[0,0.5],[0,null]]%s}";

    static const struct {
        const char *last, *more;
        double tolerance; /* negative: refused */
    } table[] = {
        {"[0,0.005]", "", 5e-8},
        {"[0,0.005]", ",\"tolerance\":0", 0.0},
        {"[0,0.005]", ",\"tolerance\":5e-7", 5e-7},
        {"[0,0.005]", ",\"tolerance\":6e-7", -1},
        {"[0,0.005]", ",\"tolerance\":1e300", -1},
        {"[0,0.005]", ",\"unit\":1e9", 5e-7},
        {"[0,0.005]", ",\"unit\":1e9,\"tolerance\":1e-3", -1},
        {"[0,1e9]", ",\"tolerance\":1", -1},
    };

    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        char text[512];
        snprintf(text, sizeof text, head, table[k].last, table[k].more);
        ucpo_dataset *set = NULL;
        ucpo_error err = {0};
        ucpo_status st = ucpo_read_bytes(text, strlen(text), "x", NULL, &set, &err);
        if (table[k].tolerance < 0) {
            assert_int_equal(st, UCPO_E_FORMAT);
            assert_non_null(strstr(err.text, "tolerance is "));
            assert_non_null(strstr(err.text, "option 'tolerance'"));
        } else {
            assert_ok(st, &err);
            assert_close(first_of(set)->tolerance, table[k].tolerance, 0, 1e-18);
        }
        ucpo_dataset_free(set);
        ucpo_read_config options = ucpo_read_config_default();
        options.tolerance = 3.5; /* asked for by who reads */
        set = NULL;
        assert_ok(ucpo_read_bytes(text, strlen(text), "x", &options, &set, &err), &err);
        assert_true(first_of(set)->tolerance == 3.5);
        ucpo_dataset_free(set);
    }
}

static void keys_without_meaning_can_be_ignored_on_request(void **state)
{
    (void)state;
    static const char text[] = GOOD ", \"capacity\": 7, \"demand\": \"none\", \"vehicles\": 3}";
    struct line_log log = {0};
    ucpo_read_config options = ucpo_read_config_default();
    options.ignore_unsupported = 1;
    options.hooks = line_log_hooks(&log);
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_read_bytes(text, strlen(text), "x", &options, &set, &err), &err);
    assert_int_equal(log.lines, 4);
    assert_int_equal(ucpo_instance_reading(ucpo_dataset_at(set, 0)), UCPO_READ_EASIER);
    assert_null(first_of(set)->demand);
    assert_true(first_of(set)->capacity == 0.0);
    ucpo_dataset_free(set);
}

static void what_was_left_out_and_the_unit_of_costs_survive_a_file(void **state)
{
    (void)state;
    static const char text[] =
        GOOD ", \"cost_unit\": \"km\", \"left_out\": [{\"way\": \"harder\", \"what\": \"second "
             "windows\"}, {\"way\": \"other cost\", \"what\": \"a \\\"fee\\\"\"}]}";
    ucpo_dataset *set = NULL, *again = NULL;
    ucpo_error err = {0};
    char *bytes = NULL;
    size_t size = 0;
    ucpo_write_config how = ucpo_write_config_default();
    how.format = "json";
    assert_ok(ucpo_read_bytes(text, strlen(text), "x", NULL, &set, &err), &err);
    assert_ok(ucpo_write_bytes(set, &how, &bytes, &size, &err), &err);
    assert_ok(ucpo_read_bytes(bytes, size, "x", NULL, &again, &err), &err);
    const ucpo_instance_data *d = first_of(again);
    assert_string_equal(d->cost_unit, "km");
    assert_int_equal(d->left_outs, 2);
    assert_int_equal(d->left_out[0].way, UCPO_READ_HARDER);
    assert_int_equal(d->left_out[1].way, UCPO_READ_COST);
    assert_string_equal(d->left_out[1].text, "a \"fee\"");
    const ucpo_instance *inst = ucpo_dataset_at(again, 0);
    assert_string_equal(ucpo_claim_note(inst, UCPO_CLAIM_FEASIBLE), "");
    assert_non_null(strstr(ucpo_claim_note(inst, UCPO_CLAIM_INFEASIBLE), "is harder"));
    assert_non_null(strstr(ucpo_claim_note(inst, UCPO_CLAIM_OPTIMAL), "other costs"));
    ucpo_bytes_free(bytes);
    ucpo_dataset_free(set);
    ucpo_dataset_free(again);
    static const char bad[] = GOOD ", \"left_out\": [{\"way\": \"sideways\", \"what\": \"x\"}]}";
    assert_error(ucpo_read_bytes(bad, strlen(bad), "x", NULL, &set, &err), &err, UCPO_E_FORMAT, 0,
                 "left_out[0] is an object, expected an object with a text 'what'");
}

static void a_key_of_ours_that_restricts_is_not_passed_over(void **state)
{
    (void)state;
    static const char *const keys[] = {"\"max_route_time\": 5", "\"skills\": [[1]]",
                                       "\"pickup\": [0, 1]"};
    for (size_t k = 0; k < 3; k++) {
        char text[600];
        ucpo_dataset *set = NULL;
        ucpo_error err;
        snprintf(text, sizeof text, GOOD ", %s}", keys[k]);
        assert_error(ucpo_read_bytes(text, strlen(text), "x", NULL, &set, &err), &err,
                     UCPO_E_UNSUPPORTED, 0, "ucpo has no counterpart");
    }
}

static void options_supply_and_override(void **state)
{
    (void)state;
    static const char no_problem[] = "{\"schema\": \"ucpo.instance/1\", " XY ", " WINDOWS "}";
    ucpo_dataset *set = read_text_set(no_problem, "tsptw");
    assert_string_equal(first_of(set)->problem, "tsptw");
    ucpo_dataset_free(set);

    static const char fleet[] = "{\"schema\": \"ucpo.instance/1\", \"problem\": \"cvrptwlv\", " XY
                                ", " WINDOWS ", \"demand\": [0,1,2]}";
    ucpo_read_config options = ucpo_read_config_default();
    ucpo_error err = {0};
    set = NULL;
    assert_error(ucpo_read_bytes(fleet, strlen(fleet), "x", NULL, &set, &err), &err, UCPO_E_FORMAT,
                 0, "capacity is missing");
    options.capacity = 5;
    assert_error(ucpo_read_bytes(fleet, strlen(fleet), "x", &options, &set, &err), &err,
                 UCPO_E_FORMAT, 0, "vehicles is missing");
    options.vehicles = 3;
    assert_ok(ucpo_read_bytes(fleet, strlen(fleet), "x", &options, &set, &err), &err);
    assert_true(first_of(set)->capacity == 5 && first_of(set)->vehicles == 3);
    ucpo_dataset_free(set);
    options.vehicles = -1;
    assert_ok(ucpo_read_bytes(fleet, strlen(fleet), "x", &options, &set, &err), &err);
    assert_string_equal(first_of(set)->problem, "cvrptw");
    ucpo_dataset_free(set);
    options.problem = "tspdl";
    assert_int_equal(ucpo_read_bytes(fleet, strlen(fleet), "x", &options, &set, &err),
                     UCPO_E_MISMATCH);
}

static void a_limited_fleet_of_none_is_an_error(void **state)
{
    (void)state;
    static const char text[] =
        "{\"schema\": \"ucpo.instance/1\", \"problem\": \"cvrptwlv\", " XY ", " WINDOWS
        ", \"demand\": [0,1,2], \"capacity\": 3, \"vehicles\": 0}";
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    assert_error(ucpo_read_bytes(text, strlen(text), "x", NULL, &set, &err), &err, UCPO_E_FORMAT, 0,
                 "vehicles is 0, expected a whole number >= 1");
}

/* ---- writing ---- */

static ucpo_dataset *through_json(const ucpo_dataset *set)
{
    ucpo_write_config options = ucpo_write_config_default();
    options.format = "json";
    options.strict = 1;
    ucpo_error err = {0};
    char *bytes = NULL;
    size_t size = 0;
    assert_ok(ucpo_write_bytes(set, &options, &bytes, &size, &err), &err);
    ucpo_read_config read_options = ucpo_read_config_default();
    read_options.strict = 1;
    ucpo_dataset *back = NULL;
    assert_ok(ucpo_read_bytes(bytes, size, "back", &read_options, &back, &err), &err);
    ucpo_bytes_free(bytes);
    return back;
}

static void add(ucpo_dataset *set, const ucpo_instance_data *data)
{
    ucpo_error err = {0};
    ucpo_instance *inst = NULL;
    assert_ok(ucpo_instance_create(data, &inst, &err), &err);
    assert_ok(ucpo_dataset_add(set, inst, &err), &err);
}

static const double odd[] = {0.1, 1.0 / 3.0, 5e-324, 1e12, 123456.789012345678};
static const double even_odder[] = {-0.0, -1e-7, 3e5, 900719925474.0, 2.2250738585072011e-308};

static ucpo_dataset *odd_set(void)
{
    static const double ready[] = {0.0, -0.0, -5.5, 1.0 / 7.0, 3};
    static const double due[] = {INFINITY, 0.1, 17.0, INFINITY, 1e12};
    static const double whole[] = {0, 1, 1, 1, 1}, limit[] = {4, 4, 0.3, 1, 2};
    double matrix[25];
    for (int i = 0; i < 25; i++) matrix[i] = i * 0.1;
    matrix[6] = NAN; /* the diagonal is nobody's business */
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_dataset_create(&set, &err), &err);
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = "tsptw";
    d.name = "caf\xC3\xA9 \"quoted\" back\\slash\ttab\x01 \xF0\x9F\x9A\x9A";
    d.n = 5;
    d.x = odd;
    d.y = even_odder;
    d.ready = ready;
    d.due = due;
    add(set, &d);
    d.cost = matrix;
    d.name = NULL;
    d.service = whole;
    d.file = &(ucpo_file_notes){.service_in_cost = 0.7};
    d.best_known = -3.25;
    add(set, &d);
    d.x = d.y = NULL;
    d.duration = matrix;
    d.unit = 0.3;
    d.tolerance = 0.0;
    add(set, &d);
    ucpo_instance_data dl = ucpo_instance_data_default();
    dl.problem = "tspdl";
    dl.n = 5;
    dl.x = odd;
    dl.y = even_odder;
    dl.demand = whole;
    dl.limit = limit;
    dl.draft = UCPO_DRAFT_UNLOAD;
    dl.metric = UCPO_METRIC_ATT;
    dl.rounding = UCPO_ROUND_EXACT;
    add(set, &dl);
    ucpo_instance_data fleet = d;
    fleet.problem = "cvrptwlv";
    fleet.demand = whole;
    fleet.capacity = 1.1;
    fleet.vehicles = 7;
    add(set, &fleet);
    fleet.problem = "cvrptw";
    fleet.vehicles = 0;
    add(set, &fleet);
    return set;
}

static void a_round_trip_keeps_every_bit(void **state)
{
    (void)state;
    ucpo_dataset *set = odd_set();
    ucpo_dataset *back = through_json(set);
    /* the written diagonal is 0 where it was not a number */
    for (size_t i = 0; i < ucpo_dataset_count(set); i++) {
        const ucpo_instance_data *d = ucpo_instance_view(ucpo_dataset_at(set, i));
        if (d->cost) ((double *)d->cost)[6] = 0.0;
        if (d->duration) ((double *)d->duration)[6] = 0.0;
    }
    assert_same_set(set, back);
    ucpo_dataset_free(back);
    ucpo_dataset_free(set);
}

static void one_instance_is_written_without_a_set_around_it(void **state)
{
    (void)state;
    ucpo_dataset *set = read_text_set(GOOD "}", NULL);
    ucpo_dataset *back = through_json(set);
    assert_same_set(set, back);
    ucpo_write_config options = ucpo_write_config_default();
    options.format = "json";
    char *bytes = NULL;
    size_t size = 0;
    ucpo_error err = {0};
    assert_ok(ucpo_write_bytes(set, &options, &bytes, &size, &err), &err);
    static const char expected[] = "{\n"
                                   "  \"schema\": \"ucpo.instance/1\",\n"
                                   "  \"problem\": \"tsptw\",\n"
                                   "  \"n\": 3,\n"
                                   "  \"coordinates\": [[0,0], [3,4], [6,8]],\n"
                                   "  \"metric\": \"euclid\",\n"
                                   "  \"rounding\": \"none\",\n"
                                   "  \"time_windows\": [[0,40], [4,9], [8,14]],\n"
                                   "  \"unit\": 8,\n"
                                   "  \"tolerance\": 8e-05\n"
                                   "}\n";
    assert_int_equal(size, strlen(expected));
    assert_memory_equal(bytes, expected, size);
    ucpo_bytes_free(bytes);
    ucpo_dataset_free(back);
    ucpo_dataset_free(set);
}

static void long_names_are_cut_between_characters(void **state)
{
    (void)state;
    char text[1024] = GOOD ", \"name\": \"x";
    for (int i = 0; i < 100; i++) strcat(text, "\xC3\xA9");
    strcat(text, "\"}");
    ucpo_dataset *set = read_text_set(text, NULL);
    assert_int_equal(strlen(first_of(set)->name), 127);
    ucpo_dataset *back = through_json(set);
    assert_same_set(set, back);
    ucpo_dataset_free(back);
    ucpo_dataset_free(set);
    strcpy(text, GOOD ", \"name\": \"xy");
    for (int i = 0; i < 100; i++) strcat(text, "\xC3\xA9");
    strcat(text, "\"}");
    set = read_text_set(text, NULL);
    assert_int_equal(strlen(first_of(set)->name), 126);
    ucpo_dataset_free(set);
}

static void names_that_are_not_utf8_become_readable(void **state)
{
    (void)state;
    static const char *const names[] = {("a\xFF"
                                         "b"),
                                        "a\xC3",
                                        "a\xE0\x80\x80",
                                        "a\xED\xA0\x80",
                                        "a\xF5\x80\x80\x80",
                                        "a\xF0\x80\x80\x80"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        ucpo_dataset *set = read_text_set(GOOD "}", NULL);
        ucpo_instance_data d = *first_of(set);
        d.name = names[i];
        add(set, &d);
        ucpo_dataset *back = through_json(set);
        const char *name = ucpo_instance_view(ucpo_dataset_at(back, 1))->name;
        assert_memory_equal(name, "a\xEF\xBF\xBD", 4);
        ucpo_dataset_free(back);
        ucpo_dataset_free(set);
    }
}

static int stop_at_once(void *user, size_t done, size_t total)
{
    (void)user;
    return done < total;
}

static void progress_may_stop_reading_and_writing(void **state)
{
    (void)state;
    ucpo_dataset *set = odd_set();
    ucpo_write_config options = ucpo_write_config_default();
    options.format = "json";
    char *bytes = NULL;
    size_t size = 0;
    ucpo_error err = {0};
    assert_ok(ucpo_write_bytes(set, &options, &bytes, &size, &err), &err);
    ucpo_read_config read_options = ucpo_read_config_default();
    read_options.hooks.progress = stop_at_once;
    ucpo_dataset *back = NULL;
    assert_int_equal(ucpo_read_bytes(bytes, size, "x", &read_options, &back, &err),
                     UCPO_E_CANCELLED);
    ucpo_bytes_free(bytes);
    options.hooks.progress = stop_at_once;
    assert_int_equal(ucpo_write_bytes(set, &options, &bytes, &size, &err), UCPO_E_CANCELLED);
    ucpo_dataset_free(set);
}

static void scaling_is_refused(void **state)
{
    (void)state;
    ucpo_dataset *set = read_text_set(GOOD "}", NULL);
    ucpo_write_config options = ucpo_write_config_default();
    options.format = "json";
    options.scale = 100;
    char *bytes = NULL;
    size_t size = 0;
    ucpo_error err = {0};
    assert_error(ucpo_write_bytes(set, &options, &bytes, &size, &err), &err, UCPO_E_ARGUMENT, 0,
                 "scale is 100");
    ucpo_dataset_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_key),
        cmocka_unit_test(null_is_no_deadline_and_no_best_known),
        cmocka_unit_test(one_service_time_holds_for_all_customers_but_not_the_depot),
        cmocka_unit_test(accepts_a_byte_order_mark_crlf_and_large_whole_numbers),
        cmocka_unit_test(reads_both_draft_conventions),
        cmocka_unit_test(malformed_files_are_named_by_line_or_key),
        cmocka_unit_test(an_array_or_a_scalar_is_no_instance),
        cmocka_unit_test(unknown_keys_are_warned_about_with_a_suggestion),
        cmocka_unit_test(a_misspelt_key_relaxed_the_instance),
        cmocka_unit_test(a_service_time_of_the_depot_went_unnoticed),
        cmocka_unit_test(a_file_cannot_switch_deadlines_off),
        cmocka_unit_test(keys_without_meaning_can_be_ignored_on_request),
        cmocka_unit_test(what_was_left_out_and_the_unit_of_costs_survive_a_file),
        cmocka_unit_test(a_key_of_ours_that_restricts_is_not_passed_over),
        cmocka_unit_test(options_supply_and_override),
        cmocka_unit_test(a_limited_fleet_of_none_is_an_error),
        cmocka_unit_test(a_round_trip_keeps_every_bit),
        cmocka_unit_test(one_instance_is_written_without_a_set_around_it),
        cmocka_unit_test(long_names_are_cut_between_characters),
        cmocka_unit_test(names_that_are_not_utf8_become_readable),
        cmocka_unit_test(progress_may_stop_reading_and_writing),
        cmocka_unit_test(scaling_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
