/* The reference vectors of ../shared/data/loss_vectors.json (a copy is in tests/data): 39 cases x
 * 25 variants from an independent implementation, a batch, and the chain rule down to raw scores.
 */
#include "support/support.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_SAMPLES = 64 };

static const struct {
    const char *variant, *config;
} variants[] = {
    {"ucpo", "ucpo"},
    {"terms_M", "ucpo-margin"},
    {"terms_P", "ucpo-primal"},
    {"terms_D", "ucpo-dual"},
    {"ucpo_C", "ucpo-c"},
    {"ucpo_P", "ucpo-p"},
    {"ucpo_D", "ucpo-d"},
    {"ucpo_T", "ucpo-t"},
    {"ucpo_T_todo", "ucpo-t-plain"},
    {"beta_D", "ucpo-beta-d"},
    {"beta_P", "ucpo-beta-p"},
    {"beta_P_inv", "ucpo-beta-p-inverse"},
    {"beta_C", "ucpo-beta-c"},
    {"beta_C_100", "ucpo-beta-c,indicator=100"},
    {"subsets", "ucpo-subsets"},
    {"subsets_mean", "ucpo-subsets-mean"},
    {"best_worst", "ucpo-best-worst"},
    {"argmax", "ucpo-argmax"},
    {"density_k2", "ucpo,k=2"},
    {"density_k4", "ucpo,k=4"},
    {"bopo_s1", "bopo"},
    {"bopo_s2", "bopo,k=2"},
    {"poco_a005", "poco"},
    {"slim", "slim"},
    {"reinforce", "reinforce"},
};

enum { VARIANTS = sizeof variants / sizeof variants[0] };

static json_t *vectors;

static int load(void **state)
{
    char path[512];
    (void)state;
    vectors = json_load_file(test_data_path(path, sizeof path, "loss_vectors.json"), 0, NULL);
    return vectors ? 0 : -1;
}

static int unload(void **state)
{
    (void)state;
    json_decref(vectors);
    return 0;
}

static size_t numbers(const json_t *array, double *out)
{
    size_t count = json_array_size(array);
    assert_true(count <= MAX_SAMPLES);
    for (size_t i = 0; i < count; i++) out[i] = json_number_value(json_array_get(array, i));
    return count;
}

struct sample_case {
    size_t count;
    double f[MAX_SAMPLES], v[MAX_SAMPLES], l[MAX_SAMPLES];
};

static struct sample_case read_case(const json_t *entry)
{
    struct sample_case c;
    c.count = numbers(json_object_get(entry, "f"), c.f);
    assert_int_equal(numbers(json_object_get(entry, "v"), c.v), c.count);
    assert_int_equal(numbers(json_object_get(entry, "lp"), c.l), c.count);
    return c;
}

static ucpo_loss_config config_of(const char *text, const json_t *entry)
{
    ucpo_error err;
    ucpo_loss_config config;
    assert_ok(ucpo_loss_parse(text, &config, &err), &err);
    config.lambda = json_number_value(json_object_get(entry, "lambda"));
    config.tie = json_number_value(json_object_get(entry, "tie_alpha"));
    return config;
}

static void check_entry(const json_t *entry, const char *variant, const char *text)
{
    const json_t *expect = json_object_get(json_object_get(entry, "expect"), variant);
    assert_non_null(expect);
    struct sample_case c = read_case(entry);
    ucpo_loss_config config = config_of(text, entry);
    ucpo_loss_result result;
    ucpo_error err;
    double weight[MAX_SAMPLES], grad[MAX_SAMPLES];
    uint32_t rank[MAX_SAMPLES];
    assert_ok(ucpo_loss(&config, c.count, c.f, c.v, c.l, &result, weight, rank, &err), &err);
    assert_int_equal(numbers(json_object_get(expect, "grad"), grad), c.count);
    assert_close(result.loss, json_number_value(json_object_get(expect, "loss")), 1e-10, 1e-14);
    for (size_t i = 0; i < c.count; i++) assert_close(weight[i], grad[i], 1e-10, 1e-14);
    const json_t *terms = json_object_get(expect, "terms");
    if (!terms) return;
    assert_int_equal(result.pairs, json_integer_value(json_object_get(expect, "pairs")));
    assert_close(result.dual, json_number_value(json_object_get(terms, "dual")), 1e-10, 1e-14);
    assert_close(result.margin, json_number_value(json_object_get(terms, "margin")), 1e-10, 1e-14);
    assert_close(result.primal, json_number_value(json_object_get(terms, "primal")), 1e-10, 1e-14);
}

static void every_entry_of_the_reference_file_is_met(void **state)
{
    size_t checked = 0, index;
    json_t *entry;
    (void)state;
    json_array_foreach(json_object_get(vectors, "cases"), index, entry)
    {
        assert_int_equal(json_object_size(json_object_get(entry, "expect")), VARIANTS);
        for (size_t k = 0; k < VARIANTS; k++, checked++)
            check_entry(entry, variants[k].variant, variants[k].config);
    }
    assert_int_equal(checked, 975);
}

static const json_t *case_named(const char *name)
{
    size_t index;
    json_t *entry;
    json_array_foreach(json_object_get(vectors, "cases"), index, entry)
    {
        if (strcmp(json_string_value(json_object_get(entry, "name")), name) == 0) return entry;
    }
    fail_msg("no case '%s'", name);
    return NULL;
}

/* The record mixes sizes, so it is put together from batches of one. */
static void batch_record_is_the_mean_over_instances(void **state)
{
    const json_t *batch = json_object_get(vectors, "batch");
    const json_t *names = json_object_get(batch, "cases");
    size_t count = json_array_size(names), index;
    double mean = 0.0;
    json_t *name;
    (void)state;
    json_array_foreach(names, index, name)
    {
        const json_t *entry = case_named(json_string_value(name));
        struct sample_case c = read_case(entry);
        ucpo_loss_config config = config_of("ucpo", entry);
        ucpo_loss_result result;
        ucpo_error err;
        double weight[MAX_SAMPLES], grad[MAX_SAMPLES];
        assert_ok(
            ucpo_loss_batch(&config, 1, c.count, c.f, c.v, c.l, 1, &result, weight, NULL, &err),
            &err);
        mean += result.loss / (double)count;
        numbers(json_array_get(json_object_get(batch, "ucpo_grad"), index), grad);
        for (size_t i = 0; i < c.count; i++)
            assert_close(weight[i] / (double)count, grad[i], 1e-10, 1e-14);
    }
    assert_close(mean, json_number_value(json_object_get(batch, "ucpo_loss")), 1e-10, 0);
}

/* ---- chain: scores -> clip -> mask -> softmax -> score -> weights -> gradient on the scores ----
 */

enum { CHAIN = 3, NODES = 4 };

static double cell(const json_t *table, size_t i, size_t t, size_t j)
{
    return json_number_value(json_array_get(json_array_get(json_array_get(table, i), t), j));
}

/* Probabilities of step t of trajectory i: 10 tanh(s), visited nodes and the depot masked. */
static void step_probabilities(const json_t *scores, const size_t actions[CHAIN], size_t i,
                               size_t t, double p[NODES])
{
    int is_masked[NODES] = {1};
    double sum = 0.0;
    for (size_t s = 0; s < t; s++) is_masked[actions[s]] = 1;
    for (size_t j = 0; j < NODES; j++) {
        p[j] = is_masked[j] ? 0.0 : exp(10.0 * tanh(cell(scores, i, t, j)));
        sum += p[j];
    }
    for (size_t j = 0; j < NODES; j++) p[j] /= sum;
}

static void check_chain(const json_t *chain, const char *mode, const char *config_text)
{
    const json_t *record = json_object_get(chain, mode), *scores = json_object_get(chain, "scores");
    double f[CHAIN], v[CHAIN], l[CHAIN] = {0}, expected[CHAIN], weight[CHAIN];
    size_t actions[CHAIN][CHAIN];
    ucpo_loss_config config;
    ucpo_loss_result result;
    ucpo_error err;
    numbers(json_object_get(chain, "f"), f);
    numbers(json_object_get(chain, "v"), v);
    assert_ok(ucpo_loss_parse(config_text, &config, &err), &err);
    double alpha = ucpo_loss_alpha(&config, CHAIN);
    assert_close(alpha, json_number_value(json_object_get(record, "scale")), 1e-15, 0);
    for (size_t i = 0; i < CHAIN; i++) {
        const json_t *row = json_array_get(json_object_get(chain, "actions"), i);
        for (size_t t = 0; t < CHAIN; t++) {
            double p[NODES];
            actions[i][t] = (size_t)json_integer_value(json_array_get(row, t));
            step_probabilities(scores, actions[i], i, t, p);
            l[i] += alpha * log(p[actions[i][t]]);
        }
    }
    numbers(json_object_get(record, "lp"), expected);
    for (size_t i = 0; i < CHAIN; i++) assert_close(l[i], expected[i], 1e-10, 0);
    assert_ok(ucpo_loss(&config, CHAIN, f, v, l, &result, weight, NULL, &err), &err);
    assert_close(result.loss, json_number_value(json_object_get(record, "loss")), 1e-10, 0);
    numbers(json_object_get(record, "w"), expected);
    for (size_t i = 0; i < CHAIN; i++) assert_close(weight[i], expected[i], 1e-10, 0);
    for (size_t i = 0; i < CHAIN; i++)
        for (size_t t = 0; t < CHAIN; t++) {
            double p[NODES];
            step_probabilities(scores, actions[i], i, t, p);
            for (size_t j = 0; j < NODES; j++) {
                double clip = tanh(cell(scores, i, t, j));
                double d_logit = weight[i] * alpha * ((j == actions[i][t]) - p[j]);
                double d_score = p[j] > 0.0 ? d_logit * 10.0 * (1.0 - clip * clip) : 0.0;
                assert_close(d_score, cell(json_object_get(record, "dscores"), i, t, j), 1e-10,
                             1e-13);
            }
        }
}

static void chain_rule_reaches_the_raw_scores(void **state)
{
    (void)state;
    check_chain(json_object_get(vectors, "chain"), "sum", "ucpo,alpha=sum");
    check_chain(json_object_get(vectors, "chain"), "mean", "ucpo,alpha=mean");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_entry_of_the_reference_file_is_met),
        cmocka_unit_test(batch_record_is_the_mean_over_instances),
        cmocka_unit_test(chain_rule_reaches_the_raw_scores),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
