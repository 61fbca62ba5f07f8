/* NULL for every pointer of every function of ucpo.h, one after the other: refused, or with a meaning that is
 * documented. The last test reads the header: what stands there and was not tried here fails. */
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- what was tried ---- */

enum { MOST_TRIED = 500, NAME = 64 };

static struct tried {
    char function[NAME], argument[NAME];
} tried[MOST_TRIED];

static size_t tried_count;

static void note(const char *function, const char *argument)
{
    assert_true(tried_count < MOST_TRIED);
    struct tried *t = &tried[tried_count++];
    snprintf(t->function, sizeof t->function, "%s", function);
    snprintf(t->argument, sizeof t->argument, "%s", argument);
}

static int was_tried(const char *function, const char *argument)
{
    for (size_t i = 0; i < tried_count; i++)
        if (strcmp(tried[i].function, function) == 0 && strcmp(tried[i].argument, argument) == 0)
            return 1;
    return 0;
}

static ucpo_error err;

/* A status with `err`, which must say what is missing. */
static void refused(const char *function, const char *argument, ucpo_status status)
{
    note(function, argument);
    if (status != UCPO_E_ARGUMENT || err.text[0] == '\0')
        fail_msg("%s(%s = NULL): %s '%s'", function, argument, ucpo_status_name(status), err.text);
    err = (ucpo_error){0};
}

/* The same without a place for the words. */
static void silent(const char *function, ucpo_status status)
{
    note(function, "err");
    if (status == UCPO_OK) fail_msg("%s(err = NULL): succeeded, expected a refusal", function);
}

/* NULL is documented. */
static void taken(const char *function, const char *argument, ucpo_status status)
{
    note(function, argument);
    if (status) fail_msg("%s(%s = NULL): %s", function, argument, err.text);
}

/* There is no status to say so. */
static void neutral(const char *function, const char *argument, int is_neutral)
{
    note(function, argument);
    if (!is_neutral) fail_msg("%s(%s = NULL): an answer out of nothing", function, argument);
}

static int is_empty(const char *text)
{
    return text && text[0] == '\0';
}

/* ---- one of each ---- */

static ucpo_dataset *set;
static const ucpo_instance *inst;
static ucpo_model *model;
static ucpo_plans *plans, *no_plans;
static ucpo_train_config *train;
static char *bytes;
static size_t size;
static const int32_t order[] = {1, 2, 3};
static const double three[] = {3.0, 1.0, 2.0}, zeros[3];
static double weight[3];
static uint32_t rank[3];
static char buf[256];

static ucpo_instance *mirrored(void)
{
    static const double x[] = {0.0, 1.0, 2.0}, load[] = {0.0, 1.0, 1.0}, limit[] = {2.0, 2.0, 2.0};
    ucpo_instance_data data = ucpo_instance_data_default();
    ucpo_instance *ship = NULL;
    data.problem = "tspdl", data.n = 3, data.x = x, data.y = x, data.demand = load,
    data.limit = limit;
    assert_ok(ucpo_instance_create(&data, &ship, &err), &err);
    return ship;
}

static int set_up(void **state)
{
    (void)state;
    ucpo_generate_config g = ucpo_generate_config_default();
    g.problem = "tsptw", g.level = "easy", g.size = 4, g.count = 1;
    assert_ok(ucpo_generate(&g, &set, &err), &err);
    inst = ucpo_dataset_at(set, 0);
    ucpo_model_config c = ucpo_model_config_default("tsptw");
    c.width = 8, c.heads = 1, c.hidden = 4, c.layers = 1;
    assert_ok(ucpo_model_create(&c, 1, &model, &err), &err);
    assert_ok(ucpo_plans_create(&plans, &err), &err);
    assert_ok(ucpo_plans_create(&no_plans, &err), &err);
    assert_ok(ucpo_plans_add(plans, order, 3, NAN, &err), &err);
    assert_ok(ucpo_train_config_create(&train, &err), &err);
    ucpo_write_config w = ucpo_write_config_default();
    w.format = "json";
    assert_ok(ucpo_write_bytes(set, &w, &bytes, &size, &err), &err);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    ucpo_bytes_free(bytes);
    ucpo_train_config_free(train);
    ucpo_plans_free(plans);
    ucpo_plans_free(no_plans);
    ucpo_model_free(model);
    ucpo_dataset_free(set);
    return 0;
}

/* ---- 1 to 4 ---- */

static void errors_and_instances(void **state)
{
    (void)state;
    const ucpo_error said = {.code = UCPO_E_IO, .text = "it burns"};
    neutral("ucpo_error_message", "err", is_empty(ucpo_error_message(NULL, buf, sizeof buf)));
    neutral("ucpo_error_message", "buf", is_empty(ucpo_error_message(&said, NULL, 10)));
    assert_string_equal(ucpo_error_message(NULL, NULL, 0), "");
    neutral("ucpo_instance_reading", "inst", ucpo_instance_reading(NULL) == UCPO_READ_WHOLE);
    neutral("ucpo_claim_note", "inst", is_empty(ucpo_claim_note(NULL, UCPO_CLAIM_OPTIMAL)));
    ucpo_instance_data_init(NULL, sizeof(ucpo_instance_data));
    neutral("ucpo_instance_data_init", "data", 1);
    ucpo_instance *made = NULL;
    const ucpo_instance_data *view = ucpo_instance_view(inst);
    refused("ucpo_instance_create", "data", ucpo_instance_create(NULL, &made, &err));
    refused("ucpo_instance_create", "out", ucpo_instance_create(view, NULL, &err));
    silent("ucpo_instance_create", ucpo_instance_create(NULL, &made, NULL));
    ucpo_instance_free(NULL);
    neutral("ucpo_instance_free", "inst", made == NULL);
    neutral("ucpo_instance_view", "inst", ucpo_instance_view(NULL) == NULL);
    neutral("ucpo_instance_cost", "inst", ucpo_instance_cost(NULL, 0, 1) == 0.0);
    neutral("ucpo_instance_duration", "inst", ucpo_instance_duration(NULL, 0, 1) == 0.0);
    neutral("ucpo_instance_tolerance_cap", "inst", ucpo_instance_tolerance_cap(NULL) == 0.0);
    neutral("ucpo_instance_has_way", "inst", ucpo_instance_has_way(NULL, 0, 1) == 0);
    neutral("ucpo_node_text", "inst", strcmp(ucpo_node_text(NULL, 3, buf, sizeof buf), "3") == 0);
    neutral("ucpo_node_text", "buf", is_empty(ucpo_node_text(inst, 3, NULL, 10)));
    neutral("ucpo_clock_text", "inst", is_empty(ucpo_clock_text(NULL, 3.0, 1, buf, sizeof buf)));
    neutral("ucpo_clock_text", "buf", is_empty(ucpo_clock_text(inst, 3.0, 1, NULL, 10)));
    ucpo_instance *ship = mirrored();
    refused("ucpo_instance_mirror", "inst", ucpo_instance_mirror(NULL, &made, &err));
    refused("ucpo_instance_mirror", "out", ucpo_instance_mirror(ship, NULL, &err));
    silent("ucpo_instance_mirror", ucpo_instance_mirror(inst, &made, NULL));
    ucpo_instance_free(ship);
}

/* ---- 5 ---- */

static void sets(void **state)
{
    (void)state;
    ucpo_dataset *made = NULL;
    refused("ucpo_dataset_create", "out", ucpo_dataset_create(NULL, &err));
    silent("ucpo_dataset_create", ucpo_dataset_create(NULL, NULL));
    ucpo_dataset_free(NULL);
    neutral("ucpo_dataset_free", "set", 1);
    ucpo_instance *ship = mirrored();
    refused("ucpo_dataset_add", "set", ucpo_dataset_add(NULL, ship, &err));
    refused("ucpo_dataset_add", "inst", ucpo_dataset_add(set, NULL, &err));
    silent("ucpo_dataset_add", ucpo_dataset_add(NULL, ship, NULL));
    ucpo_instance_free(ship); /* nobody took it */
    refused("ucpo_dataset_share", "set", ucpo_dataset_share(NULL, inst, &err));
    refused("ucpo_dataset_share", "inst", ucpo_dataset_share(set, NULL, &err));
    silent("ucpo_dataset_share", ucpo_dataset_share(set, NULL, NULL));
    refused("ucpo_dataset_slice", "set", ucpo_dataset_slice(NULL, 0, 0, &made, &err));
    refused("ucpo_dataset_slice", "out", ucpo_dataset_slice(set, 0, 1, NULL, &err));
    silent("ucpo_dataset_slice", ucpo_dataset_slice(set, 1, 1, &made, NULL));
    assert_int_equal(ucpo_dataset_count(set), 1);
    neutral("ucpo_dataset_count", "set", ucpo_dataset_count(NULL) == 0);
    neutral("ucpo_dataset_at", "set", ucpo_dataset_at(NULL, 0) == NULL);
    ucpo_generate_config g = ucpo_generate_config_default();
    g.problem = "tsptw", g.size = 4, g.count = 1;
    ucpo_generate_config_init(NULL, sizeof g);
    neutral("ucpo_generate_config_init", "config", 1);
    refused("ucpo_generate", "config", ucpo_generate(NULL, &made, &err)); /* without a problem */
    refused("ucpo_generate", "out", ucpo_generate(&g, NULL, &err));
    silent("ucpo_generate", ucpo_generate(NULL, &made, NULL));
    refused("ucpo_generate_preset", "preset", ucpo_generate_preset(NULL, 0, 1, &made, &err));
    refused("ucpo_generate_preset", "out", ucpo_generate_preset("tsptw50_easy", 0, 1, NULL, &err));
    silent("ucpo_generate_preset", ucpo_generate_preset(NULL, 0, 1, &made, NULL));
    assert_null(made);
}

/* ---- 6 ---- */

static void files(void **state)
{
    (void)state;
    static const char toy[] = UCPO_TEST_DATA "/../../examples/data/toy.tsptw";
    ucpo_dataset *made = NULL;
    char *out = NULL;
    size_t length = 0;
    ucpo_write_config w = ucpo_write_config_default();
    w.format = "json";
    ucpo_read_config_init(NULL, sizeof(ucpo_read_config));
    neutral("ucpo_read_config_init", "config", 1);
    ucpo_write_config_init(NULL, sizeof w);
    neutral("ucpo_write_config_init", "config", 1);
    refused("ucpo_read", "path", ucpo_read(NULL, NULL, &made, &err));
    refused("ucpo_read", "out", ucpo_read(toy, NULL, NULL, &err));
    silent("ucpo_read", ucpo_read("nowhere", NULL, &made, NULL));
    taken("ucpo_read", "config", ucpo_read(toy, NULL, &made, &err));
    ucpo_dataset_free(made);
    made = NULL;
    refused("ucpo_read_bytes", "bytes", ucpo_read_bytes(NULL, 10, "a", NULL, &made, &err));
    assert_int_equal(ucpo_read_bytes(NULL, 0, "a", NULL, &made, &err), UCPO_E_FORMAT); /* empty */
    refused("ucpo_read_bytes", "out", ucpo_read_bytes(bytes, size, "a", NULL, NULL, &err));
    silent("ucpo_read_bytes", ucpo_read_bytes("?", 1, "a", NULL, &made, NULL));
    ucpo_status st = ucpo_read_bytes(bytes, size, NULL, NULL, &made, &err);
    taken("ucpo_read_bytes", "label", st);
    taken("ucpo_read_bytes", "config", st);
    ucpo_dataset_free(made);
    refused("ucpo_write", "path", ucpo_write(NULL, set, &w, &err));
    refused("ucpo_write", "set", ucpo_write("unwritten", NULL, &w, &err));
    refused("ucpo_write", "config", ucpo_write("unwritten", set, NULL, &err)); /* no format */
    silent("ucpo_write", ucpo_write("unwritten", set, NULL, NULL));
    refused("ucpo_write_bytes", "set", ucpo_write_bytes(NULL, &w, &out, &length, &err));
    refused("ucpo_write_bytes", "config", ucpo_write_bytes(set, NULL, &out, &length, &err));
    refused("ucpo_write_bytes", "bytes", ucpo_write_bytes(set, &w, NULL, &length, &err));
    refused("ucpo_write_bytes", "size", ucpo_write_bytes(set, &w, &out, NULL, &err));
    silent("ucpo_write_bytes", ucpo_write_bytes(set, NULL, &out, &length, NULL));
    ucpo_bytes_free(NULL);
    neutral("ucpo_bytes_free", "bytes", out == NULL);
    refused("ucpo_file_read", "path", ucpo_file_read(NULL, &out, &length, &err));
    refused("ucpo_file_read", "bytes", ucpo_file_read(toy, NULL, &length, &err));
    refused("ucpo_file_read", "size", ucpo_file_read(toy, &out, NULL, &err));
    silent("ucpo_file_read", ucpo_file_read("nowhere", &out, &length, NULL));
    refused("ucpo_file_write", "path", ucpo_file_write(NULL, "a", 1, &err));
    refused("ucpo_file_write", "bytes", ucpo_file_write("unwritten", NULL, 1, &err));
    silent("ucpo_file_write", ucpo_file_write("unwritten", NULL, 1, NULL));
    neutral("ucpo_format_detect", "bytes", ucpo_format_detect(NULL, 10) == NULL);
    assert_int_not_equal(access("unwritten", F_OK), 0);
}

/* ---- 7, 8 ---- */

static void plans_of_a_set(void **state)
{
    (void)state;
    static const char file[] = UCPO_TEST_DATA "/../../examples/data/toy_tsptw.sol";
    ucpo_plans *made = NULL;
    char *out = NULL;
    size_t length = 0;
    refused("ucpo_plans_create", "out", ucpo_plans_create(NULL, &err));
    silent("ucpo_plans_create", ucpo_plans_create(NULL, NULL));
    ucpo_plans_free(NULL);
    neutral("ucpo_plans_free", "plans", 1);
    refused("ucpo_plans_add", "plans", ucpo_plans_add(NULL, order, 3, NAN, &err));
    refused("ucpo_plans_add", "nodes", ucpo_plans_add(no_plans, NULL, 3, NAN, &err));
    silent("ucpo_plans_add", ucpo_plans_add(no_plans, NULL, 3, NAN, NULL));
    neutral("ucpo_plans_count", "plans", ucpo_plans_count(NULL) == 0);
    neutral("ucpo_plans_at", "plans", ucpo_plans_at(NULL, 0).nodes == NULL);
    refused("ucpo_plans_read", "path", ucpo_plans_read(NULL, "sol", set, &made, &err));
    refused("ucpo_plans_read", "out", ucpo_plans_read(file, "sol", set, NULL, &err));
    silent("ucpo_plans_read", ucpo_plans_read("nowhere", "sol", set, &made, NULL));
    ucpo_status st = ucpo_plans_read(file, NULL, NULL, &made, &err);
    taken("ucpo_plans_read", "format", st);
    taken("ucpo_plans_read", "set", st);
    ucpo_plans_free(made);
    refused("ucpo_plans_read_bytes", "bytes",
            ucpo_plans_read_bytes(NULL, 3, "a", "list", set, &made, &err));
    refused("ucpo_plans_read_bytes", "out",
            ucpo_plans_read_bytes("1 2", 3, "a", "list", set, NULL, &err));
    silent("ucpo_plans_read_bytes", ucpo_plans_read_bytes("?", 1, "a", "list", set, &made, NULL));
    st = ucpo_plans_read_bytes("1 2", 3, NULL, NULL, NULL, &made, &err);
    taken("ucpo_plans_read_bytes", "label", st);
    taken("ucpo_plans_read_bytes", "format", st);
    taken("ucpo_plans_read_bytes", "set", st);
    ucpo_plans_free(made);
    refused("ucpo_plans_write", "path", ucpo_plans_write(NULL, "sol", set, plans, &err));
    refused("ucpo_plans_write", "format", ucpo_plans_write("unwritten", NULL, set, plans, &err));
    refused("ucpo_plans_write", "plans", ucpo_plans_write("unwritten", "sol", set, NULL, &err));
    silent("ucpo_plans_write", ucpo_plans_write("unwritten", "sol", NULL, plans, NULL));
    note("ucpo_plans_write", "set"); /* UCPO_E_MISMATCH: the plan has no instance */
    refused("ucpo_plans_write_bytes", "format",
            ucpo_plans_write_bytes(NULL, set, plans, &out, &length, &err));
    refused("ucpo_plans_write_bytes", "plans",
            ucpo_plans_write_bytes("sol", set, NULL, &out, &length, &err));
    refused("ucpo_plans_write_bytes", "bytes",
            ucpo_plans_write_bytes("sol", set, plans, NULL, &length, &err));
    refused("ucpo_plans_write_bytes", "size",
            ucpo_plans_write_bytes("sol", set, plans, &out, NULL, &err));
    silent("ucpo_plans_write_bytes",
           ucpo_plans_write_bytes("sol", NULL, plans, &out, &length, NULL));
    note("ucpo_plans_write_bytes", "set");
    for (size_t i = 0; ucpo_plan_format_at(i); i++) /* some formats need no instance */
        if (!ucpo_plans_write_bytes(ucpo_plan_format_at(i), NULL, plans, &out, &length, NULL))
            ucpo_bytes_free(out);
    ucpo_evaluation found;
    refused("ucpo_check", "inst", ucpo_check(NULL, order, 3, &found, NULL, 0, NULL, 0, &err));
    refused("ucpo_check", "nodes", ucpo_check(inst, NULL, 3, &found, NULL, 0, NULL, 0, &err));
    refused("ucpo_check", "out", ucpo_check(inst, order, 3, NULL, NULL, 0, NULL, 0, &err));
    silent("ucpo_check", ucpo_check(NULL, order, 3, &found, NULL, 0, NULL, 0, NULL));
    st = ucpo_check(inst, order, 3, &found, NULL, 9, NULL, 9, &err); /* room that is not there */
    taken("ucpo_check", "schedule", st);
    taken("ucpo_check", "missing", st);
    assert_int_not_equal(access("unwritten", F_OK), 0);
}

/* ---- 9 ---- */

static void loss(void **state)
{
    (void)state;
    ucpo_loss_config c = ucpo_loss_config_default();
    ucpo_loss_result r;
    ucpo_loss_config_init(NULL, sizeof c);
    neutral("ucpo_loss_config_init", "config", 1);
    refused("ucpo_loss_config_parse", "text", ucpo_loss_config_parse(NULL, &c, sizeof c, &err));
    refused("ucpo_loss_config_parse", "out", ucpo_loss_config_parse("ucpo", NULL, sizeof c, &err));
    silent("ucpo_loss_config_parse", ucpo_loss_config_parse("?", &c, sizeof c, NULL));
    neutral("ucpo_loss_config_text", "config", ucpo_loss_config_text(NULL, buf, sizeof buf) == 4);
    neutral("ucpo_loss_config_text", "buf", ucpo_loss_config_text(&c, NULL, 10) == 4);
    neutral("ucpo_loss_alpha", "config", ucpo_loss_alpha(NULL, 4) == 0.25);
    neutral("ucpo_compare", "config", ucpo_compare(NULL, 1.0, 0.0, 2.0, 0.0) == -1);
    taken("ucpo_rank", "config", ucpo_rank(NULL, 3, three, zeros, rank, &err));
    refused("ucpo_rank", "objective", ucpo_rank(&c, 3, NULL, zeros, rank, &err));
    refused("ucpo_rank", "violation", ucpo_rank(&c, 3, three, NULL, rank, &err));
    refused("ucpo_rank", "rank", ucpo_rank(&c, 3, three, zeros, NULL, &err));
    silent("ucpo_rank", ucpo_rank(&c, 0, three, zeros, rank, NULL));
    ucpo_status st = ucpo_loss(NULL, 3, three, zeros, zeros, &r, weight, NULL, &err);
    taken("ucpo_loss", "config", st);
    taken("ucpo_loss", "rank", st);
    refused("ucpo_loss", "objective", ucpo_loss(&c, 3, NULL, zeros, zeros, &r, weight, rank, &err));
    refused("ucpo_loss", "violation", ucpo_loss(&c, 3, three, NULL, zeros, &r, weight, rank, &err));
    refused("ucpo_loss", "score", ucpo_loss(&c, 3, three, zeros, NULL, &r, weight, rank, &err));
    refused("ucpo_loss", "result", ucpo_loss(&c, 3, three, zeros, zeros, NULL, weight, rank, &err));
    refused("ucpo_loss", "weight", ucpo_loss(&c, 3, three, zeros, zeros, &r, NULL, rank, &err));
    silent("ucpo_loss", ucpo_loss(&c, 3, NULL, zeros, zeros, &r, weight, rank, NULL));
    const char *f = "ucpo_loss_batch";
    st = ucpo_loss_batch(NULL, 1, 3, three, zeros, zeros, 1, &r, weight, NULL, &err);
    taken(f, "config", st);
    taken(f, "rank", st);
    st = ucpo_loss_batch(&c, 1, 3, NULL, zeros, zeros, 1, &r, weight, rank, &err);
    refused(f, "objective", st);
    st = ucpo_loss_batch(&c, 1, 3, three, NULL, zeros, 1, &r, weight, rank, &err);
    refused(f, "violation", st);
    st = ucpo_loss_batch(&c, 1, 3, three, zeros, NULL, 1, &r, weight, rank, &err);
    refused(f, "score", st);
    st = ucpo_loss_batch(&c, 1, 3, three, zeros, zeros, 1, NULL, weight, rank, &err);
    refused(f, "result", st);
    st = ucpo_loss_batch(&c, 1, 3, three, zeros, zeros, 1, &r, NULL, rank, &err);
    refused(f, "weight", st);
    silent(f, ucpo_loss_batch(&c, 1, 3, NULL, zeros, zeros, 1, &r, weight, rank, NULL));
}

/* ---- 10 ---- */

static void models(void **state)
{
    (void)state;
    ucpo_model *made = NULL;
    char *out = NULL;
    size_t length = 0;
    ucpo_model_config c = ucpo_model_config_default(NULL);
    neutral("ucpo_model_config_default", "problem", c.problem == NULL && c.width > 0);
    refused("ucpo_model_create", "config", ucpo_model_create(NULL, 1, &made, &err));
    refused("ucpo_model_create", "config", ucpo_model_create(&c, 1, &made, &err)); /* no problem */
    c.problem = "tsptw";
    refused("ucpo_model_create", "out", ucpo_model_create(&c, 1, NULL, &err));
    silent("ucpo_model_create", ucpo_model_create(NULL, 1, &made, NULL));
    ucpo_model_free(NULL);
    neutral("ucpo_model_free", "model", made == NULL);
    refused("ucpo_model_load", "path", ucpo_model_load(NULL, &made, &err));
    refused("ucpo_model_load", "out", ucpo_model_load("nowhere", NULL, &err));
    silent("ucpo_model_load", ucpo_model_load("nowhere", &made, NULL));
    assert_ok(ucpo_model_save_bytes(model, UCPO_DTYPE_F32, &out, &length, &err), &err);
    refused("ucpo_model_load_bytes", "bytes", ucpo_model_load_bytes(NULL, 99, "a", &made, &err));
    refused("ucpo_model_load_bytes", "out", ucpo_model_load_bytes(out, length, "a", NULL, &err));
    silent("ucpo_model_load_bytes", ucpo_model_load_bytes(NULL, 0, "a", &made, NULL));
    taken("ucpo_model_load_bytes", "label", ucpo_model_load_bytes(out, length, NULL, &made, &err));
    ucpo_model_free(made);
    ucpo_bytes_free(out);
    out = NULL, made = NULL;
    const char *f = "ucpo_model_import_bytes";
    refused(f, "bytes", ucpo_model_import_bytes(NULL, 99, "a", "tsptw", &made, &err));
    refused(f, "out", ucpo_model_import_bytes("PK", 2, "a", "tsptw", NULL, &err));
    silent(f, ucpo_model_import_bytes(NULL, 0, NULL, NULL, &made, NULL));
    note(f, "label"); /* both are optional */
    note(f, "problem");
    refused("ucpo_model_save", "model", ucpo_model_save(NULL, "unwritten", 0, &err));
    refused("ucpo_model_save", "path", ucpo_model_save(model, NULL, 0, &err));
    silent("ucpo_model_save", ucpo_model_save(NULL, "unwritten", 0, NULL));
    refused("ucpo_model_save_bytes", "model", ucpo_model_save_bytes(NULL, 0, &out, &length, &err));
    refused("ucpo_model_save_bytes", "bytes", ucpo_model_save_bytes(model, 0, NULL, &length, &err));
    refused("ucpo_model_save_bytes", "size", ucpo_model_save_bytes(model, 0, &out, NULL, &err));
    silent("ucpo_model_save_bytes", ucpo_model_save_bytes(NULL, 0, &out, &length, NULL));
    neutral("ucpo_model_describe", "model", is_empty(ucpo_model_describe(NULL).notes));
    neutral("ucpo_model_fact", "model", ucpo_model_fact(NULL, "notes") == NULL);
    neutral("ucpo_model_fact", "key", ucpo_model_fact(model, NULL) == NULL);
    refused("ucpo_model_set_fact", "model", ucpo_model_set_fact(NULL, "a", "b", &err));
    refused("ucpo_model_set_fact", "key", ucpo_model_set_fact(model, NULL, "b", &err));
    taken("ucpo_model_set_fact", "value", ucpo_model_set_fact(model, "a", NULL, &err));
    silent("ucpo_model_set_fact", ucpo_model_set_fact(model, "", "b", NULL));
    neutral("ucpo_model_fact_key", "model", ucpo_model_fact_key(NULL, 0) == NULL);
    neutral("ucpo_model_distance", "model", ucpo_model_distance(NULL, inst) == 0.0);
    neutral("ucpo_model_distance", "inst", ucpo_model_distance(model, NULL) == 0.0);
    refused("ucpo_model_find", "dir", ucpo_model_find(NULL, inst, buf, sizeof buf, &err));
    refused("ucpo_model_find", "inst", ucpo_model_find(".", NULL, buf, sizeof buf, &err));
    refused("ucpo_model_find", "path", ucpo_model_find(".", inst, NULL, sizeof buf, &err));
    silent("ucpo_model_find", ucpo_model_find(NULL, inst, buf, sizeof buf, NULL));
    assert_int_not_equal(access("unwritten", F_OK), 0);
}

/* ---- 11 ---- */

static void evaluation(void **state)
{
    (void)state;
    ucpo_eval_config e = ucpo_eval_config_default();
    ucpo_eval_record record;
    ucpo_eval_summary sum;
    e.greedy = 1, e.augment = 1, e.threads = 1;
    ucpo_eval_config_init(NULL, sizeof e);
    neutral("ucpo_eval_config_init", "config", 1);
    neutral("ucpo_eval_mask", "model", strcmp(ucpo_eval_mask(NULL, "auto"), "visited") == 0);
    neutral("ucpo_eval_mask", "mask", strcmp(ucpo_eval_mask(model, NULL), "visited") == 0);
    ucpo_status st = ucpo_evaluate(NULL, set, &e, &record, NULL, &err);
    taken("ucpo_evaluate", "model", st);
    taken("ucpo_evaluate", "plans", st);
    taken("ucpo_evaluate", "config", ucpo_evaluate(model, set, NULL, &record, NULL, &err));
    refused("ucpo_evaluate", "set", ucpo_evaluate(model, NULL, &e, &record, NULL, &err));
    refused("ucpo_evaluate", "records", ucpo_evaluate(model, set, &e, NULL, NULL, &err));
    silent("ucpo_evaluate", ucpo_evaluate(model, NULL, &e, &record, NULL, NULL));
    st = ucpo_eval_summarise(&record, 1, NULL, NULL, &sum, &err);
    taken("ucpo_eval_summarise", "reference", st);
    taken("ucpo_eval_summarise", "common", st);
    refused("ucpo_eval_summarise", "records",
            ucpo_eval_summarise(NULL, 1, three, NULL, &sum, &err));
    refused("ucpo_eval_summarise", "out", ucpo_eval_summarise(&record, 1, three, NULL, NULL, &err));
    silent("ucpo_eval_summarise", ucpo_eval_summarise(NULL, 1, three, NULL, &sum, NULL));
    double *costs = NULL;
    size_t count = 0;
    refused("ucpo_costs_read", "path", ucpo_costs_read(NULL, &costs, &count, &err));
    refused("ucpo_costs_read", "out", ucpo_costs_read("nowhere", NULL, &count, &err));
    refused("ucpo_costs_read", "count", ucpo_costs_read("nowhere", &costs, NULL, &err));
    silent("ucpo_costs_read", ucpo_costs_read("nowhere", &costs, &count, NULL));
    const char *f = "ucpo_costs_read_bytes";
    refused(f, "bytes", ucpo_costs_read_bytes(NULL, 3, "a", &costs, &count, &err));
    refused(f, "out", ucpo_costs_read_bytes("1\n2", 3, "a", NULL, &count, &err));
    refused(f, "count", ucpo_costs_read_bytes("1\n2", 3, "a", &costs, NULL, &err));
    silent(f, ucpo_costs_read_bytes(NULL, 0, "a", &costs, &count, NULL));
    taken(f, "label", ucpo_costs_read_bytes("1\n2", 3, NULL, &costs, &count, &err));
    ucpo_costs_free(costs);
    ucpo_costs_free(NULL);
    neutral("ucpo_costs_free", "costs", 1);
}

/* ---- 12 ---- */

static void solving(void **state)
{
    (void)state;
    ucpo_solve_config c = ucpo_solve_config_default();
    ucpo_refine_config quick = ucpo_refine_config_default();
    ucpo_solution *found = NULL;
    c.samples = 1, quick.moves = 100;
    ucpo_solve_config_init(NULL, sizeof c);
    neutral("ucpo_solve_config_init", "config", 1);
    refused("ucpo_solve", "inst", ucpo_solve(model, NULL, &c, &found, &err));
    refused("ucpo_solve", "out", ucpo_solve(model, inst, &c, NULL, &err));
    silent("ucpo_solve", ucpo_solve(model, NULL, &c, &found, NULL));
    ucpo_status st = ucpo_solve(NULL, inst, NULL, &found, &err);
    taken("ucpo_solve", "model", st);
    taken("ucpo_solve", "config", st);
    ucpo_solution_free(found);
    ucpo_solution_free(NULL);
    neutral("ucpo_solution_free", "solution", 1);
    ucpo_solver *solver = NULL;
    refused("ucpo_solver_create", "out", ucpo_solver_create(model, NULL, &err));
    silent("ucpo_solver_create", ucpo_solver_create(model, NULL, NULL));
    taken("ucpo_solver_create", "model", ucpo_solver_create(NULL, &solver, &err));
    const char *f = "ucpo_solver_solve";
    refused(f, "solver", ucpo_solver_solve(NULL, inst, &c, &found, &err));
    refused(f, "inst", ucpo_solver_solve(solver, NULL, &c, &found, &err));
    refused(f, "out", ucpo_solver_solve(solver, inst, &c, NULL, &err));
    silent(f, ucpo_solver_solve(solver, NULL, &c, &found, NULL));
    taken(f, "config", ucpo_solver_solve(solver, inst, NULL, &found, &err));
    ucpo_solution_free(found);
    ucpo_solver_free(solver);
    ucpo_solver_free(NULL);
    neutral("ucpo_solver_free", "solver", 1);
    ucpo_refine_config_init(NULL, sizeof quick);
    neutral("ucpo_refine_config_init", "config", 1);
    refused("ucpo_refine", "inst", ucpo_refine(NULL, order, 3, &quick, &found, &err));
    refused("ucpo_refine", "nodes", ucpo_refine(inst, NULL, 3, &quick, &found, &err));
    refused("ucpo_refine", "out", ucpo_refine(inst, order, 3, &quick, NULL, &err));
    silent("ucpo_refine", ucpo_refine(NULL, order, 3, &quick, &found, NULL));
    taken("ucpo_refine", "config", ucpo_refine(inst, order, 3, NULL, &found, &err));
    double bound = 0.0;
    refused("ucpo_bound", "inst", ucpo_bound(NULL, 1.0, &bound, &err));
    refused("ucpo_bound", "bound", ucpo_bound(inst, 1.0, NULL, &err));
    silent("ucpo_bound", ucpo_bound(NULL, 1.0, &bound, NULL));
    ucpo_solution_free(found);
}

/* ---- 13 ---- */

/* A run of a few seconds at most, for what may be NULL. */
static void train_without_hooks_and_summary(void)
{
    char dir[] = "/tmp/ucpo_null_XXXXXX", command[64];
    ucpo_train_config *tiny = NULL, *no_more = NULL;
    assert_non_null(mkdtemp(dir));
    assert_ok(ucpo_train_config_create(&tiny, &err), &err);
    const char *const keys[][2] = {{"problem", "tsptw"}, {"size", "5"},       {"level", "easy"},
                                   {"width", "8"},       {"heads", "1"},      {"hidden", "4"},
                                   {"layers", "1"},      {"batch", "4"},      {"samples", "4"},
                                   {"instances", "8"},   {"validate", "none"}};
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
        assert_ok(ucpo_train_config_set(tiny, keys[k][0], keys[k][1], &err), &err);
    ucpo_status st = ucpo_train(tiny, dir, NULL, NULL, &err);
    taken("ucpo_train", "hooks", st);
    taken("ucpo_train", "summary", st);
    st = ucpo_train_resume(dir, no_more, NULL, NULL, &err);
    taken("ucpo_train_resume", "changes", st);
    taken("ucpo_train_resume", "hooks", st);
    taken("ucpo_train_resume", "summary", st);
    ucpo_train_config_free(tiny);
    snprintf(command, sizeof command, "rm -r %s", dir);
    assert_int_equal(system(command), 0);
}

static void training(void **state)
{
    (void)state;
    char *out = NULL;
    size_t length = 0;
    ucpo_train_estimate cost;
    refused("ucpo_train_config_create", "out", ucpo_train_config_create(NULL, &err));
    silent("ucpo_train_config_create", ucpo_train_config_create(NULL, NULL));
    ucpo_train_config_free(NULL);
    neutral("ucpo_train_config_free", "config", 1);
    const char *f = "ucpo_train_config_set";
    refused(f, "config", ucpo_train_config_set(NULL, "size", "5", &err));
    refused(f, "key", ucpo_train_config_set(train, NULL, "5", &err));
    refused(f, "value", ucpo_train_config_set(train, "size", NULL, &err));
    silent(f, ucpo_train_config_set(train, "colour", "red", NULL));
    refused("ucpo_train_config_read", "config", ucpo_train_config_read(NULL, "/dev/null", &err));
    refused("ucpo_train_config_read", "path", ucpo_train_config_read(train, NULL, &err));
    silent("ucpo_train_config_read", ucpo_train_config_read(train, "nowhere", NULL));
    f = "ucpo_train_config_follow";
    refused(f, "config", ucpo_train_config_follow(NULL, model, &err));
    refused(f, "model", ucpo_train_config_follow(train, NULL, &err));
    silent(f, ucpo_train_config_follow(NULL, model, NULL));
    f = "ucpo_train_config_text";
    refused(f, "config", ucpo_train_config_text(NULL, &out, &length, &err));
    refused(f, "bytes", ucpo_train_config_text(train, NULL, &length, &err));
    refused(f, "size", ucpo_train_config_text(train, &out, NULL, &err));
    silent(f, ucpo_train_config_text(train, NULL, &length, NULL));
    refused("ucpo_train", "config", ucpo_train(NULL, "unwritten", NULL, NULL, &err));
    refused("ucpo_train", "dir", ucpo_train(train, NULL, NULL, NULL, &err));
    silent("ucpo_train", ucpo_train(NULL, "unwritten", NULL, NULL, NULL));
    refused("ucpo_train_resume", "dir", ucpo_train_resume(NULL, NULL, NULL, NULL, &err));
    silent("ucpo_train_resume", ucpo_train_resume("nowhere", NULL, NULL, NULL, NULL));
    refused("ucpo_train_dry_run", "config", ucpo_train_dry_run(NULL, &cost, &err));
    refused("ucpo_train_dry_run", "out", ucpo_train_dry_run(train, NULL, &err));
    silent("ucpo_train_dry_run", ucpo_train_dry_run(NULL, &cost, NULL));
    train_without_hooks_and_summary();
    assert_int_not_equal(access("unwritten", F_OK), 0);
}

/* ---- 14 to 16 ---- */

static void explaining(void **state)
{
    (void)state;
    ucpo_explanation *why = NULL;
    refused("ucpo_explain", "inst", ucpo_explain(NULL, order, 3, &why, &err));
    refused("ucpo_explain", "plan", ucpo_explain(inst, NULL, 3, &why, &err));
    refused("ucpo_explain", "out", ucpo_explain(inst, order, 3, NULL, &err));
    silent("ucpo_explain", ucpo_explain(NULL, order, 3, &why, NULL));
    assert_ok(ucpo_explain(inst, NULL, 0, &why, &err), &err);
    ucpo_explanation_free(why);
    ucpo_explanation_free(NULL);
    neutral("ucpo_explanation_free", "explanation", 1);
    neutral("ucpo_explanation_is_proof", "explanation", ucpo_explanation_is_proof(NULL) == 0);
    neutral("ucpo_explanation_count", "explanation", ucpo_explanation_count(NULL) == 0);
    neutral("ucpo_explanation_at", "explanation", ucpo_explanation_at(NULL, 0) == NULL);
}

static void pictures(void **state)
{
    (void)state;
    const char *const dirs[] = {"nowhere"}, *const unnamed[] = {NULL};
    char *out = NULL;
    size_t length = 0;
    ucpo_plot_config_init(NULL, sizeof(ucpo_plot_config));
    neutral("ucpo_plot_config_init", "config", 1);
    refused("ucpo_plot_runs", "dirs", ucpo_plot_runs(NULL, 1, NULL, &out, &length, &err));
    refused("ucpo_plot_runs", "dirs", ucpo_plot_runs(unnamed, 1, NULL, &out, &length, &err));
    refused("ucpo_plot_runs", "bytes", ucpo_plot_runs(dirs, 1, NULL, NULL, &length, &err));
    refused("ucpo_plot_runs", "size", ucpo_plot_runs(dirs, 1, NULL, &out, NULL, &err));
    silent("ucpo_plot_runs", ucpo_plot_runs(dirs, 1, NULL, &out, &length, NULL));
    note("ucpo_plot_runs", "config"); /* UCPO_E_IO: there is no such run */
    refused("ucpo_report_runs", "dirs", ucpo_report_runs(NULL, 1, NULL, &out, &length, &err));
    refused("ucpo_report_runs", "dirs", ucpo_report_runs(unnamed, 1, NULL, &out, &length, &err));
    refused("ucpo_report_runs", "bytes", ucpo_report_runs(dirs, 1, NULL, NULL, &length, &err));
    refused("ucpo_report_runs", "size", ucpo_report_runs(dirs, 1, NULL, &out, NULL, &err));
    silent("ucpo_report_runs", ucpo_report_runs(dirs, 1, NULL, &out, &length, NULL));
    note("ucpo_report_runs", "config");
    const char *f = "ucpo_plot_plan";
    refused(f, "inst", ucpo_plot_plan(NULL, order, 3, NULL, &out, &length, &err));
    refused(f, "nodes", ucpo_plot_plan(inst, NULL, 3, NULL, &out, &length, &err));
    refused(f, "bytes", ucpo_plot_plan(inst, order, 3, NULL, NULL, &length, &err));
    refused(f, "size", ucpo_plot_plan(inst, order, 3, NULL, &out, NULL, &err));
    silent(f, ucpo_plot_plan(NULL, order, 3, NULL, &out, &length, NULL));
    taken(f, "config", ucpo_plot_plan(inst, order, 3, NULL, &out, &length, &err));
    ucpo_bytes_free(out);
    const ucpo_cloud nothing = {.count = 3};
    ucpo_plot_config clouds = ucpo_plot_config_default();
    clouds.clouds = &nothing;
    refused(f, "config", ucpo_plot_plan(inst, order, 3, &clouds, &out, &length, &err));
    f = "ucpo_report_html";
    refused(f, "config", ucpo_report_html(set, plans, &clouds, &out, &length, &err));
    refused(f, "set", ucpo_report_html(NULL, plans, NULL, &out, &length, &err));
    refused(f, "plans", ucpo_report_html(set, NULL, NULL, &out, &length, &err));
    refused(f, "bytes", ucpo_report_html(set, plans, NULL, NULL, &length, &err));
    refused(f, "size", ucpo_report_html(set, plans, NULL, &out, NULL, &err));
    silent(f, ucpo_report_html(set, no_plans, NULL, &out, &length, NULL));
    const char *const no_label[] = {NULL};
    ucpo_plot_config labels = ucpo_plot_config_default();
    labels.labels = no_label;
    taken(f, "config", ucpo_report_html(set, plans, &labels, &out, &length, &err));
    ucpo_bytes_free(out);
    taken(f, "config", ucpo_report_html(set, plans, NULL, &out, &length, &err));
    ucpo_bytes_free(out);
}

static void facts(void **state)
{
    (void)state;
    const char *kernels = NULL, *precision = NULL;
    neutral("ucpo_build_info", "buf", is_empty(ucpo_build_info(NULL, 512)));
    ucpo_status st = ucpo_kernels(NULL, NULL, &kernels, &precision, &err);
    taken("ucpo_kernels", "kernels", st);
    taken("ucpo_kernels", "precision", st);
    st = ucpo_kernels("portable", "f32", NULL, NULL, &err);
    taken("ucpo_kernels", "kernels_used", st);
    taken("ucpo_kernels", "precision_used", st);
    silent("ucpo_kernels", ucpo_kernels("abacus", "f32", &kernels, &precision, NULL));
}

/* ---- the header ---- */

/* The name at the end of a declaration: "const double *x" gives x. */
static void last_word(const char *text, size_t length, char *out)
{
    while (length > 0 && strchr(" \n", text[length - 1])) length--;
    size_t from = length;
    while (from > 0 && !strchr(" \n*", text[from - 1])) from--;
    snprintf(out, NAME, "%.*s", (int)(length - from), text + from);
}

/* Arguments of one function that were not tried, by name; `count` grows by those that were. */
static int look_up(const char *function, const char *arguments, const char *end, size_t *count)
{
    int bad = 0;
    for (const char *at = arguments; at < end;) {
        size_t length = strcspn(at, ",)");
        char name[NAME];
        if (memchr(at, '*', length)) {
            last_word(at, length, name);
            int is_known = was_tried(function, name);
            if (!is_known) print_error("%s: nobody tried %s = NULL\n", function, name);
            bad += !is_known;
            *count += (size_t)is_known;
        }
        at += length + 1;
    }
    return bad;
}

static void every_pointer_of_the_header_was_tried(void **state)
{
    (void)state;
    char *header = test_read_file(UCPO_TEST_DATA "/../../include/ucpo.h", NULL);
    size_t functions = 0, pointers = 0;
    int bad = 0;
    assert_non_null(header);
    for (char *at = header; (at = strstr(at, "\nUCPO_API ")); functions++) {
        char name[NAME], *open = strchr(++at, '('), *close = strstr(at, ");");
        assert_true(open && close && open < close);
        last_word(at, (size_t)(open - at), name);
        bad += look_up(name, open + 1, close, &pointers);
    }
    free(header);
    assert_int_equal(bad, 0);
    assert_true(functions > 100 && pointers > 250);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_and_instances),
        cmocka_unit_test(sets),
        cmocka_unit_test(files),
        cmocka_unit_test(plans_of_a_set),
        cmocka_unit_test(loss),
        cmocka_unit_test(models),
        cmocka_unit_test(evaluation),
        cmocka_unit_test(solving),
        cmocka_unit_test(training),
        cmocka_unit_test(explaining),
        cmocka_unit_test(pictures),
        cmocka_unit_test(facts),
        cmocka_unit_test(every_pointer_of_the_header_was_tried),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
