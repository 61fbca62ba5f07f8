#include "support/text_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "id;name;lat;lon;from;until;service;demand\n"

static ucpo_read_config with_capacity(struct test_log *log)
{
    ucpo_read_config options = ucpo_read_config_default();
    options.capacity = 10.0;
    options.hooks = test_log_hooks(log);
    return options;
}

static void semicolons_decimal_commas_quotes_and_clock_times(void **state)
{
    (void)state;
    struct test_log log = {0};
    ucpo_read_config options = with_capacity(&log);
    ucpo_dataset *set =
        test_read_text("\xEF\xBB\xBF" HEAD "D;Depot;52,5;13,4;07:00;18:00;;\r\n"
                       "K1;\"Caf\xC3\xA9 \"\"Anna\"\"; Mitte\";52,6;13,4;8:30;10:00;7,5;3\r\n"
                       "K2;Kiosk;52.5;13.5;;;;1\r\n",
                       &options);
    const ucpo_instance_data *d = test_view(set);
    assert_string_equal(d->problem, "cvrptw");
    assert_int_equal(d->n, 3);
    assert_int_equal(d->metric, UCPO_METRIC_HAVERSINE);
    assert_true(d->x[0] == 52.5 && d->y[2] == 13.5);
    assert_true(d->ready[0] == 420 && d->due[0] == 1080 && d->ready[1] == 510 && d->due[1] == 600);
    assert_true(d->ready[2] == 420 && isinf(d->due[2]));
    assert_true(d->service[1] == 7.5 && d->demand[1] == 3 && d->demand[2] == 1);
    assert_string_equal(d->id[1], "K1");
    assert_string_equal(d->label[1], "Caf\xC3\xA9 \"Anna\"; Mitte");
    assert_true(d->clock == 60 && d->clock_day == 0);
    assert_close(d->speed, 40.0 / 60.0, 1e-15, 0);
    assert_logged(&log, "40 km/h");
    assert_close(ucpo_instance_cost(ucpo_dataset_at(set, 0), 0, 1), 11.1195, 1e-5, 0);
    ucpo_dataset_free(set);
}

static void commas_and_tabs_separate_as_well(void **state)
{
    (void)state;
    static const char *const text[] = {
        "x,y,ready,due\n0,0,0,40\n3,4,4,9\n6,8,8,14\n",
        "x\ty\tready\tdue\n0\t0\t0\t40\n3\t4\t4\t9\n6\t8\t8\t14\n",
        "# a remark\nx;y;window\n0;0;0-40\n3;4;4 - 9\n\n6;8;8-14;;\n"};
    for (size_t k = 0; k < 3; k++) {
        ucpo_dataset *set = test_read_text(text[k], NULL);
        const ucpo_instance_data *d = test_view(set);
        assert_string_equal(d->problem, "tsptw");
        assert_true(d->ready[1] == 4 && d->due[2] == 14 && d->x[1] == 3 && d->speed == 0);
        assert_true(d->clock == 0 && ucpo_instance_duration(ucpo_dataset_at(set, 0), 0, 1) == 5);
        ucpo_dataset_free(set);
    }
}

static void windows_cross_midnight_and_dates_count_days(void **state)
{
    (void)state;
    ucpo_dataset *set = test_read_text("id,x,y,ready,due\nD,0,0,18:00,02:00\nA,1,0,23:30,00:30\n"
                                       "B,2,0,00:15,01:00\nC,3,0,19:00,20:00\n",
                                       NULL);
    const ucpo_instance_data *d = test_view(set);
    assert_true(d->ready[0] == 1080 && d->due[0] == 1560);
    assert_true(d->ready[1] == 1410 && d->due[1] == 1470);
    assert_true(d->ready[2] == 1455 && d->due[2] == 1500 && d->due[3] == 1200);
    char text[32];
    assert_string_equal(ucpo_clock_text(ucpo_dataset_at(set, 0), 1455.25, 0, text, 32),
                        "00:15:15+1");
    ucpo_dataset_free(set);
}

static void dated_times_come_out_with_their_date(void **state)
{
    (void)state;
    ucpo_dataset *set = test_read_text("id,x,y,ready,due\nD,0,0,2024-02-28T18:00,2024-03-01T09:00\n"
                                       "A,1,0,2024-02-29 08:00,2024-02-29T08:30\n",
                                       NULL);
    const ucpo_instance *inst = ucpo_dataset_at(set, 0);
    const ucpo_instance_data *d = test_view(set);
    char text[32];
    assert_true(d->ready[1] == 1440 + 480 && d->due[0] == 2880 + 540);
    assert_string_equal(ucpo_clock_text(inst, d->ready[1], 1, text, 32), "2024-02-29T08:00");
    assert_string_equal(ucpo_clock_text(inst, d->ready[1], 0, text, 32), "08:00+1");
    char *json = test_write_text(set, "json", NULL);
    assert_non_null(strstr(json, "\"date\": \"2024-02-28\""));
    ucpo_dataset *again = test_read_text(json, NULL);
    assert_same_instance(d, test_view(again));
    assert_int_equal(test_view(again)->clock_day, d->clock_day);
    assert_string_equal(test_view(again)->id[1], "A");
    free(json);
    ucpo_dataset_free(again);
    ucpo_dataset_free(set);
}

static void the_depot_is_the_first_row_or_the_one_that_says_so(void **state)
{
    (void)state;
    ucpo_dataset *set =
        test_read_text("kind,id,x,y\nstop,A,1,0\nstop,B,2,0\nDepot,D,0,0\nstop,C,3,0\n", NULL);
    const ucpo_instance_data *d = test_view(set);
    assert_int_equal(d->file->depot, 2);
    assert_string_equal(d->id[0], "D");
    assert_string_equal(d->id[1], "A");
    assert_string_equal(d->id[3], "C");
    ucpo_dataset_free(set);
}

static void rows_without_ids_are_numbered_if_the_depot_is_not_the_first(void **state)
{
    (void)state;
    struct test_log log = {0};
    ucpo_read_config options = ucpo_read_config_default();
    options.hooks = test_log_hooks(&log);
    ucpo_dataset *set = test_read_text("kind,x,y\n,1,0\n\n,2,0\nDepot,0,0\n,3,0\n", &options);
    const ucpo_instance_data *d = test_view(set);
    assert_string_equal(d->id[0], "3");
    assert_string_equal(d->id[1], "1");
    assert_string_equal(d->id[2], "2");
    assert_string_equal(d->id[3], "4");
    assert_logged(&log, "text:5: the depot is not the first row");
    ucpo_dataset_free(set);
    set = test_read_text("kind,x,y\nDepot,0,0\n,3,0\n", NULL);
    assert_null(test_view(set)->id);
    ucpo_dataset_free(set);
}

static void columns_can_be_named(void **state)
{
    (void)state;
    ucpo_read_config options = ucpo_read_config_default();
    options.columns = "x=foo,y=bar,demand=qty 2";
    options.capacity = 9.0;
    ucpo_dataset *set = test_read_text("foo,bar,qty 2,demand\n0,0,0,1\n3,4,5,1\n", &options);
    const ucpo_instance_data *d = test_view(set);
    assert_true(d->x[1] == 3 && d->demand[1] == 5);
    ucpo_dataset_free(set);
}

static void service_may_be_in_seconds_or_hours(void **state)
{
    (void)state;
    ucpo_dataset *set =
        test_read_text("x,y,Service time (s),from\n0,0,0,07:00\n3,4,90,08:00\n", NULL);
    assert_true(test_view(set)->service[1] == 1.5);
    ucpo_dataset_free(set);
}

static void stops_without_demand_count_one_each(void **state)
{
    (void)state;
    ucpo_read_config options = ucpo_read_config_default();
    options.vehicles = 2;
    ucpo_dataset *set = test_read_text("x,y\n0,0\n3,4\n1,1\n", &options);
    assert_string_equal(test_view(set)->problem, "cvrptwlv");
    assert_true(test_view(set)->demand[2] == 1 && test_view(set)->capacity == 3);
    ucpo_dataset_free(set);
}

static void a_depot_without_window_opens_in_time_for_the_first_stop(void **state)
{
    (void)state;
    struct test_log log = {0};
    ucpo_read_config options = ucpo_read_config_default();
    options.speed = 60.0;
    options.hooks = test_log_hooks(&log);
    ucpo_dataset *set =
        test_read_text("x,y,from,to\n0,0,,\n30,0,08:00,08:10\n0,5,09:00,10:00\n", &options);
    assert_true(test_view(set)->ready[0] == 450 && isinf(test_view(set)->due[0]));
    assert_logged(&log, "no opening time");
    assert_not_logged(&log, "km/h");
    ucpo_dataset_free(set);
}

/* Who must be there by 08:30, but says not from when, may be served before the first opening of others. */
static void a_guessed_opening_of_the_depot_made_an_instance_harder(void **state)
{
    (void)state;
    ucpo_read_config options = ucpo_read_config_default();
    options.speed = 60.0;
    ucpo_dataset *set =
        test_read_text("x,y,from,to\n0,0,,\n30,0,10:00,12:00\n0,5,,08:30\n", &options);
    const ucpo_instance *inst = ucpo_dataset_at(set, 0);
    ucpo_evaluation e;
    const int32_t plan[] = {2, 1};
    assert_ok(ucpo_check(inst, plan, 2, &e, NULL, 0, NULL, 0, NULL), NULL);
    assert_true(e.is_feasible && test_view(set)->ready[0] == 505);
    assert_int_equal(ucpo_instance_reading(inst), UCPO_READ_HARDER);
    assert_non_null(strstr(test_view(set)->left_out[0].text, "no opening time"));
    ucpo_dataset_free(set);
    set = test_read_text("x,y,from,to\n0,0,,\n30,0,10:00,12:00\n0,5,08:00,08:30\n", &options);
    assert_int_equal(ucpo_instance_reading(ucpo_dataset_at(set, 0)), UCPO_READ_WHOLE);
    ucpo_dataset_free(set);
}

static void what_is_written_reads_back(void **state)
{
    (void)state;
    struct test_log log = {0};
    ucpo_read_config options = with_capacity(&log);
    options.speed = 30.0;
    options.vehicles = 2;
    ucpo_dataset *set = test_read_text(
        HEAD "D;Depot;52.5;13.4;07:00;18:00;;\n"
             "K1;\"A, \"\"B\"\"\";52.6;13.4;8:30;10:00:30;7.5;3\nK2;;52.5;13.5;;;;1\n",
        &options);
    ucpo_write_config how = ucpo_write_config_default();
    how.hooks = test_log_hooks(&log);
    char *text = test_write_text(set, "csv", &how);
    assert_logged(&log, "pass option 'speed' 30");
    options.capacity = 0.0;
    options.vehicles = 0;
    ucpo_dataset *again = test_read_text(text, &options);
    const ucpo_instance_data *a = test_view(set), *b = test_view(again);
    assert_same_instance(a, b);
    assert_true(b->speed == a->speed && b->clock == 60);
    assert_string_equal(b->label[1], "A, \"B\"");
    free(text);
    ucpo_dataset_free(again);
    ucpo_dataset_free(set);
}

static void times_of_the_day_are_read_as_people_write_them(void **state)
{
    (void)state;

    static const struct {
        const char *text;
        double minutes;
    } good[] = {
        {"08h00", 480},   {"8h", 480},         {"8H30", 510},       {"8:00 AM", 480},
        {"8:00am", 480},  {"8 AM", 480},       {"8am", 480},        {"12 am", 0},
        {"12:15 AM", 15}, {"12 PM", 720},      {"5:30 p.m.", 1050}, {"11:59:30 pm", 1439.5},
        {"8 Uhr", 480},   {"17:30 Uhr", 1050}, {"17:30", 1050},     {"24:00", 1440},
        {"24h", 1440},
    };

    for (size_t k = 0; k < sizeof good / sizeof good[0]; k++) {
        char text[120];
        snprintf(text, sizeof text, "x,y,from,to\n0,0,00:00,\n1,1,%s,\n", good[k].text);
        ucpo_dataset *set = test_read_text(text, NULL);
        assert_true(test_view(set)->ready[1] == good[k].minutes && test_view(set)->clock == 60);
        ucpo_dataset_free(set);
    }
    static const char *const bad[] = {"13 PM", "0:30 am", "8:5 AM", "8h6", "8 o'clock", "08.30",
                                      "25h",   "8h60",    "am",     "h",   "8:00 AMs"};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        char text[120];
        snprintf(text, sizeof text, "x,y,from,to\n0,0,,\n1,1,%s,\n", bad[k]);
        const struct test_bad one = {text, UCPO_E_FORMAT, 3, "expected a number, a time such as"};
        assert_refused(NULL, &one, 1);
    }
    ucpo_dataset *set = test_read_text("x,y,window\n0,0,7 AM-12:00 PM\n1,1,08h30 - 9h\n"
                                       "1,2,8:00 AM - 5:30 PM\n",
                                       NULL);
    assert_true(test_view(set)->due[0] == 720 && test_view(set)->ready[1] == 510);
    assert_true(test_view(set)->due[1] == 540 && test_view(set)->due[2] == 1050);
    ucpo_dataset_free(set);
}

static void a_name_beside_an_address_is_not_ambiguous(void **state)
{
    (void)state;
    static const char *const heads[] = {"address,name,id,order", "name,address,order,id"};
    for (size_t k = 0; k < 2; k++) {
        struct test_log log = {0};
        ucpo_read_config options = ucpo_read_config_default();
        options.hooks = test_log_hooks(&log);
        char text[160];
        snprintf(text, sizeof text, "%s,x,y\nM1,M2,1,2,0,0\nA1,A2,3,4,1,1\n", heads[k]);
        ucpo_dataset *set = test_read_text(text, &options);
        assert_string_equal(test_view(set)->label[1], k == 0 ? "A2" : "A1");
        assert_string_equal(test_view(set)->id[1], k == 0 ? "3" : "4");
        assert_not_logged(&log, "mean nothing");
        ucpo_dataset_free(set);
    }
    const struct test_bad two = {"address,company,x,y\nA,B,0,0\nC,D,1,1\n", UCPO_E_FORMAT, 1,
                                 "both mean name"};
    assert_refused(NULL, &two, 1);
}

static void a_column_that_restricts_is_not_passed_over(void **state)
{
    (void)state;

    static const struct {
        const char *head, *cell;
        ucpo_reading way;
    } column[] = {{"pickup", "3", UCPO_READ_EASIER},
                  {"Skills", "crane", UCPO_READ_EASIER},
                  {"max_route_time", "480", UCPO_READ_EASIER},
                  {"Max. Distance (km)", "99", UCPO_READ_EASIER},
                  {"setup", "5", UCPO_READ_EASIER},
                  {"maxPallets", "5", UCPO_READ_EASIER},
                  {"working time limit", "5", UCPO_READ_EASIER},
                  {"breaks", "12:00-12:30", UCPO_READ_EASIER},
                  {"penalty", "7", UCPO_READ_HARDER},
                  {"window2", "3-4", UCPO_READ_HARDER}};

    for (size_t k = 0; k < sizeof column / sizeof column[0]; k++) {
        char text[160], empty[160];
        snprintf(text, sizeof text, "x,y,%s\n0,0,\n1,1,%s\n", column[k].head, column[k].cell);
        snprintf(empty, sizeof empty, "x,y,%s\n0,0,\n1,1,0\n", column[k].head);
        const struct test_bad bad = {text, UCPO_E_UNSUPPORTED, 1, "ucpo has no counterpart"};
        assert_refused(NULL, &bad, 1);
        ucpo_read_config options = ucpo_read_config_default();
        options.ignore_unsupported = 1;
        ucpo_dataset *set = test_read_text(text, &options);
        assert_int_equal(ucpo_instance_reading(ucpo_dataset_at(set, 0)), column[k].way);
        assert_int_equal(test_view(set)->left_outs, 1);
        assert_non_null(strstr(test_view(set)->left_out[0].text, column[k].head));
        ucpo_dataset_free(set);
        set = test_read_text(empty, NULL);
        assert_int_equal(test_view(set)->left_outs, 0);
        ucpo_dataset_free(set);
    }
}

static void assert_far(const char *text, const char *part)
{
    struct test_log log = {0};
    ucpo_read_config options = ucpo_read_config_default();
    options.hooks = test_log_hooks(&log);
    ucpo_dataset *set = test_read_text(text, &options);
    if (part)
        assert_logged(&log, part);
    else
        assert_not_logged(&log, "from the middle of all places");
    ucpo_dataset_free(set);
}

#define TOWN "A,Bakery,52.51,13.40\nB,Kiosk,52.52,13.44\nC,Inn,52.49,13.41\nD,Bar,52.50,13.45\n"

static void a_place_far_from_all_others_is_named(void **state)
{
    (void)state;
    assert_far("id,name,lat,lon\nhome,Depot,5.25,13.43\n" TOWN,
               "the depot, node 0 (home) 'Depot' lies at 5.25, 13.43, 5254 km from the middle");
    assert_far("id,name,lat,lon\n" TOWN "E,Pub,13.42,52.51\n",
               "node 4 (E) 'Pub' lies at 13.42, 52.51, 5551 km from the middle of all places: are "
               "latitude and longitude swapped there?");
    assert_far("id,name,lat,lon\n" TOWN "E,Pub,0,0\n", "is a coordinate missing there?");
    assert_far("id,name,lat,lon\n" TOWN "E,Pub,-52.5,13.42\n", "is a sign wrong there?");
    assert_far("id,name,lat,lon\n" TOWN, NULL);
    assert_far("id,name,lat,lon\n" TOWN "E,Pub,53.5,10.0\n", NULL); /* 250 km */
    assert_far("lat,lon\n52.5,13.4\n48.1,11.6\n40.4,-3.7\n38.7,-9.1\n41.9,12.5\n", NULL);
    assert_far("x,y\n500,500\n510,520\n490,505\n500,490\n0,0\n", "node 4 lies at 0, 0, 707.1 from");
    assert_far("x,y\n0,0\n10,20\n40,5\n50,90\n35,35\n", NULL);
    assert_far("x,y\n5,5\n5,5\n5,5\n6,6\n", NULL);
}

static void a_row_that_is_no_delivery_was_taken_for_one(void **state)
{
    (void)state;
    static const struct test_bad bad[] = {
        {"kind,x,y\ndepot,0,0\nPickup,1,1\n", UCPO_E_UNSUPPORTED, 3, "kind is 'Pickup'"},
        {"x,y,demand,capacity\n0,0,0,10\n1,1,2,10\n2,2,2,8\n", UCPO_E_UNSUPPORTED, 4,
         "capacity is 8, in the depot's row 10"},
        {"x,y,demand,capacity,vehicles\n0,0,0,10,2\n1,1,2,,3\n", UCPO_E_UNSUPPORTED, 3,
         "vehicles is 3, in the depot's row 2"},
    };
    assert_refused(NULL, bad, sizeof bad / sizeof bad[0]);
    ucpo_read_config options = ucpo_read_config_default();
    options.ignore_unsupported = 1;
    ucpo_dataset *set = test_read_text(bad[1].text, &options);
    assert_int_equal(ucpo_instance_reading(ucpo_dataset_at(set, 0)), UCPO_READ_EASIER);
    ucpo_dataset_free(set);
}

static void mistakes_are_named_with_line_and_column(void **state)
{
    (void)state;
    static const struct test_bad bad[] = {
        {"id;lat;lon\nA;1;2\n", UCPO_E_FORMAT, 1, "1 row behind the head line"},
        {"id;name\nA;B\nC;D\n", UCPO_E_FORMAT, 1,
         "no columns lat and lon, nor x and y, among: id, name"},
        {"id;x;y\nA;0;0\nB;;1\n", UCPO_E_FORMAT, 3, "x is '', expected a number"},
        {"id;x;y\nA;0;0\nB;1,2,3;1\n", UCPO_E_FORMAT, 3, "x is '1,2,3'"},
        {"id;x;y;demand\nA;0;0;\nB;1;1;2\n", UCPO_E_FORMAT, 1, "pass option 'capacity'"},
        {"id;x;y;ready\nA;0;0;8\nB;1;1;08:30\n", UCPO_E_FORMAT, 3,
         "a time of the day, unlike in line 2"},
        {"id;x;y;ready\nA;0;0;08:00\nB;1;1;25:00\n", UCPO_E_FORMAT, 3,
         "ready is '25:00', expected a number, a time"},
        {"id;x;y;ready;due\nA;0;0;;\nB;1;1;9;8\n", UCPO_E_FORMAT, 3, "opens after it closes"},
        {"id;x;y\nA;0;0\nB;1;1;2\n", UCPO_E_FORMAT, 3, "more columns than the head line"},
        {"id;x;y\nA;0;0\nB;\"1;1\n", UCPO_E_FORMAT, 3, "a quote is not closed"},
        {"id;name;x;y\nA;;0;0\nB;\"Bar;1;1\nC;\"Inn\";2;2\n", UCPO_E_FORMAT, 3,
         "not closed in its row: the next one, in line 4, is followed by 'Inn\";2;2'"},
        {"id;name;x;y\nA;;0;0\nB;\"Bar\" 7;1;1\n", UCPO_E_FORMAT, 3,
         "'7;1;1' behind a closing quote, expected ';'"},
        {"kind;x;y\ndepot;0;0\ndepot;1;1\n", UCPO_E_UNSUPPORTED, 3,
         "a second depot (the first is in line 2)"},
        {"id;x;y;serivce\nA;0;0;\nB;1;1;2\n", UCPO_E_FORMAT, 1, "did you mean 'service'"},
        {"id;x;y;qtty\nA;0;0;\nB;1;1;2\n", UCPO_E_FORMAT, 1, "'qtty', did you mean 'qty'"},
        {"id;x;y;von;biss\nA;0;0;;\nB;1;1;2;3\n", UCPO_E_FORMAT, 1, "did you mean 'bis'"},
        {"id;x;y;from;untill\nA;0;0;;\nB;1;1;2;3\n", UCPO_E_FORMAT, 1, "did you mean 'until'"},
        {"id;x;y;Servicezeitt\nA;0;0;\nB;1;1;2\n", UCPO_E_FORMAT, 1, "did you mean 'servicezeit'"},
        {"id;x;y\nA;0;0\nB;1;1\nC;2;2\nB;3;3\n", UCPO_E_FORMAT, 5,
         "id 'B' stands in line 3 as well"},
        {"kind;id;x;y\nstop;A;0;0\ndepot;D;1;1\n;D;2;2\n", UCPO_E_FORMAT, 4,
         "id 'D' stands in line 3 as well"},
        {"kind;x;y\n;0;0\nDepott;1;1\n", UCPO_E_FORMAT, 3,
         "kind is 'Depott', did you mean 'depot'?"},
        {"id;x;y;ready;due\nA;0;0;2026-03-28T22:00+01:00;2026-03-29T12:00+02:00\nB;1;1;;\n",
         UCPO_E_FORMAT, 2, "unlike the other time of this row"},
        {"id;x;y;qty;weight\nA;0;0;;\nB;1;1;2;2\n", UCPO_E_FORMAT, 1, "both mean demand"},
        {"id;Latitude;lon\nA;13;52\nB;93;13\n", UCPO_E_FORMAT, 3,
         "Latitude is '93', expected degrees from -90 to 90"},
        {"id;lat;lon\nA;13;52\nB;13;-181\n", UCPO_E_FORMAT, 3,
         "lon is '-181', expected degrees from -180 to 180"},
        {"id;x;y;Opens;Closes\nA;0;0;8:00;18:00\nB;1;1;8.5;9:00\n", UCPO_E_FORMAT, 3,
         "'8.5' is a plain number as a time, unlike in line 2: expected the same in all rows "
         "(such as 8:00)"},
        {"id;x;y;Opens;Closes\nA;0;0;;\nB;1;1;9:75;\n", UCPO_E_FORMAT, 3, "Opens is '9:75'"},
        {"id;x;y;demand\nA;0;0;\nB;1;1;2\nC;1;2\n", UCPO_E_FORMAT, 4,
         "the row has 3 columns, the head line 4: 'demand' is missing"},
        {"id;x;y;service (days)\nA;0;0;\nB;1;1;2\n", UCPO_E_FORMAT, 1,
         "is in 'days', expected (min)"},
        {"id;x;y;service\nA;0;0;\nB;1;1;-2\n", UCPO_E_FORMAT, 3,
         "service is '-2', expected a number >= 0"},
    };
    assert_refused(NULL, bad, sizeof bad / sizeof bad[0]);
}

static void what_is_recognisable_is_called_by_its_name(void **state)
{
    (void)state;
    static const struct test_bad bad[] = {
        {"<?xml version=\"1.0\"?><gpx></gpx>", UCPO_E_FORMAT, 1, "looks like GPX"},
        {"PK\x03\x04....[Content_Types].xml", UCPO_E_FORMAT, 1, "Excel workbook"},
        {"1;52.5;13.4\n2;52.6;13.5\n", UCPO_E_FORMAT, 1, "CSV without a head line"},
        {"Straße;Ort2\nA;B\n", UCPO_E_FORMAT, 1, "names none of the known columns"},
        {"{\"type\": \"FeatureCollection\", \"features\": []}", UCPO_E_UNSUPPORTED, 0,
         "looks like GeoJSON"},
        {"{\"schema\": \"ucpo.solution/1\"}", UCPO_E_FORMAT, 0, "this is a plan"},
        {"instance,route,position,node,arrive,id\n0,1,1,2,5,A\n", UCPO_E_FORMAT, 1,
         "looks like a plan, which comes after its instance"},
        {"c101\n\nCUST NO. XCOORD. YCOORD.\n0 1 2\n", UCPO_E_FORMAT, 1,
         "Solomon file without its line VEHICLE"},
    };
    assert_refused(NULL, bad, sizeof bad / sizeof bad[0]);
}

struct warned {
    const char *text, *warning; /* warning NULL: none of those in `never` */
};

static void assert_warnings(const struct warned *cases, size_t count, const char *never)
{
    for (size_t k = 0; k < count; k++) {
        struct test_log log = {0};
        ucpo_read_config options = with_capacity(&log);
        ucpo_dataset_free(test_read_text(cases[k].text, &options));
        if (cases[k].warning)
            assert_logged(&log, cases[k].warning);
        else
            assert_not_logged(&log, never);
    }
}

static void what_no_column_says_is_named(void **state)
{
    (void)state;
    static const struct warned cases[] = {
        {"id;x;y;Kisten\nA;0;0;\nB;1;1;2\n",
         "columns that mean nothing here: Kisten; nothing says ready, due, service, demand"},
        {"id;x;y;vn;bis;qty;dwell\nA;0;0;;;;\nB;1;1;2;3;1;5\n",
         "mean nothing here: vn, dwell; nothing says ready, service ("},
        {"id;x;y\nA;0;0\nB;1;1\n",
         "there is a capacity, but no column of demands: every stop counts 1 of 10"},
        {"id;x;y;ready\nA;0;0;\nB;1;1;2\n", "there is no column of deadlines"},
        {"id;x;y;window;qty\nA;0;0;;\nB;1;1;2-3;1\n", NULL},
        {"id;x;y;unit;parcel;height;region;state;qty\nA;0;0;;;;;;\nB;1;1;2;3;4;5;6;1\n",
         "mean nothing here: unit, parcel, height, region, state; nothing says ready"},
    };
    assert_warnings(cases, sizeof cases / sizeof cases[0], "no column");
}

static void more_names_of_windows_are_known(void **state)
{
    (void)state;
    static const char *const heads[] = {"tw_open;tw_close", "earliest time;latest time",
                                        "Open Time;Close Time"};
    for (size_t k = 0; k < 3; k++) {
        char text[128];
        snprintf(text, sizeof text, "x;y;%s\n0;0;;\n3;4;7;9\n", heads[k]);
        ucpo_dataset *set = test_read_text(text, NULL);
        assert_true(test_view(set)->ready[1] == 7 && test_view(set)->due[1] == 9);
        ucpo_dataset_free(set);
    }
}

#define NIGHT "id;x;y;from;until;qty\nD;0;0;"

static void what_is_missing_in_a_table_is_said(void **state)
{
    (void)state;
    static const struct warned cases[] = {
        {"id;x;y;Qty\nD;0;0;\nA;1;0;2\nB;2;0;\nC;2;1;\n", "no Qty in line 4, 5: counted as 0"},
        {"id;name;x;y;qty\n1;Bakery;0;0;4\n2;Cafe;1;0;2\n",
         "text:2: the demand 4 of the depot, 'Bakery', is ignored (the first row is the depot, "
         "unless "
         "a column 'kind' names another)"},
        {"id;x;y;qty\nD;0;0;\nA;1;0;0\n", NULL},
    };
    assert_warnings(cases, sizeof cases / sizeof cases[0], "counted as 0");
}

static void windows_with_swapped_ends_are_listed(void **state)
{
    (void)state;
    static const struct warned cases[] = {
        {NIGHT "06:00;;\nA;1;0;10:00;08:30;1\nB;2;0;09:00;10:00;1\nC;2;0;12:00;11:00;1\n",
         "text:3: 'A' is open from 10:00 to 08:30 of a later day, over midnight: longer than 12 "
         "hours, or the depot is closed by then; are the two exchanged? (line 3, 5)"},
        {NIGHT "06:00;18:00;\nA;1;0;22:00;02:00;1\n",
         "'A' is open from 22:00 to 02:00 of a later day"},
        {NIGHT "18:00;06:00;\nA;1;0;22:00;02:00;1\n", NULL},
        {NIGHT "18:00;;\nA;1;0;22:00;02:00;1\nB;1;0;02:00;04:00;1\n", NULL},
        {NIGHT "07:00;18:00;\nA;1;0;;06:30;1\n", "end before the depot opens: line 3"},
        {NIGHT ";;\nA;1;0;04:00;06:30;1\n", "may leave from 03:58 on"},
    };
    assert_warnings(cases, sizeof cases / sizeof cases[0], "windows that");
    ucpo_dataset *set =
        test_read_text("id;x;y;from;until\nD;0;0;07:00;18:00\nA;1;0;;06:30\n", NULL);
    assert_true(test_view(set)->due[1] == 390); /* before the depot opens, not a day later */
    ucpo_dataset_free(set);
}

static void kinds_that_nobody_knows_are_stops_and_named(void **state)
{
    (void)state;
    static const struct warned cases[] = {
        {"kind;x;y;qty\ndepot;0;0;\nfrozen;1;1;1\nfresh;2;1;1\n",
         "text:3: kind is 'frozen', and others, expected depot"},
        {"kind;x;y;qty\nHub;0;0;\nCustomer;1;1;1\n;2;1;1\n", NULL},
    };
    assert_warnings(cases, sizeof cases / sizeof cases[0], "kind");
}

static void duplicate_ids_can_be_kept(void **state)
{
    (void)state;
    struct test_log log = {0};
    ucpo_read_config options = ucpo_read_config_default();
    options.hooks = test_log_hooks(&log);
    options.ignore_unsupported = 1;
    ucpo_dataset_free(test_read_text("id;x;y\nA;0;0\nB;1;1\nB;3;3\n", &options));
    assert_logged(&log, "text:4: id 'B' stands in line 3 as well");
}

static void windows_1252_is_converted(void **state)
{
    (void)state;
    struct test_log log = {0};
    ucpo_read_config options = ucpo_read_config_default();
    options.hooks = test_log_hooks(&log);
    ucpo_dataset *set = test_read_text("id;name;Breite;L\xE4nge\nA;Depot;52;13\n"
                                       "B;M\xFCller \x80 \x96 Gr\xC3\xB6\xDF"
                                       "e \x81;52;13\n",
                                       &options);
    assert_string_equal(test_view(set)->label[1],
                        "M\xC3\xBCller \xE2\x82\xAC \xE2\x80\x93 Gr\xC3\xB6\xC3\x9F"
                        "e "
                        "\xEF\xBF\xBD");
    assert_logged(&log, "text:1: the text is not UTF-8 from here on");
    ucpo_dataset_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(semicolons_decimal_commas_quotes_and_clock_times),
        cmocka_unit_test(commas_and_tabs_separate_as_well),
        cmocka_unit_test(windows_cross_midnight_and_dates_count_days),
        cmocka_unit_test(dated_times_come_out_with_their_date),
        cmocka_unit_test(the_depot_is_the_first_row_or_the_one_that_says_so),
        cmocka_unit_test(rows_without_ids_are_numbered_if_the_depot_is_not_the_first),
        cmocka_unit_test(columns_can_be_named),
        cmocka_unit_test(service_may_be_in_seconds_or_hours),
        cmocka_unit_test(stops_without_demand_count_one_each),
        cmocka_unit_test(a_depot_without_window_opens_in_time_for_the_first_stop),
        cmocka_unit_test(a_guessed_opening_of_the_depot_made_an_instance_harder),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(times_of_the_day_are_read_as_people_write_them),
        cmocka_unit_test(a_name_beside_an_address_is_not_ambiguous),
        cmocka_unit_test(a_column_that_restricts_is_not_passed_over),
        cmocka_unit_test(a_place_far_from_all_others_is_named),
        cmocka_unit_test(a_row_that_is_no_delivery_was_taken_for_one),
        cmocka_unit_test(mistakes_are_named_with_line_and_column),
        cmocka_unit_test(what_is_recognisable_is_called_by_its_name),
        cmocka_unit_test(what_no_column_says_is_named),
        cmocka_unit_test(more_names_of_windows_are_known),
        cmocka_unit_test(windows_with_swapped_ends_are_listed),
        cmocka_unit_test(what_is_missing_in_a_table_is_said),
        cmocka_unit_test(kinds_that_nobody_knows_are_stops_and_named),
        cmocka_unit_test(duplicate_ids_can_be_kept),
        cmocka_unit_test(windows_1252_is_converted),
    };
    return cmocka_run_group_tests_name("stops", tests, NULL, NULL);
}
