/* Instances of a run: a batch depends on settings, seed and its number only. */
#include "support/same.h"
#include "support/support.h"
#include "train/keys.h"
#include "train/source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct bench {
    ucpo_train_config *config;
    struct train_plan *plan;
    struct source *source;
};

static void set(struct bench *b, const char *key, const char *value)
{
    ucpo_error err = {0};
    if (!b->config) assert_ok(ucpo_train_config_create(&b->config, &err), &err);
    assert_ok(ucpo_train_config_set(b->config, key, value, &err), &err);
}

static void open_source(struct bench *b)
{
    ucpo_error err = {0};
    b->plan = calloc(1, sizeof *b->plan);
    assert_ok(train_plan_make(b->config, b->plan, &err), &err);
    assert_ok(source_create(b->plan, &b->source, &err), &err);
}

static void release(struct bench *b)
{
    source_free(b->source);
    free(b->plan);
    ucpo_train_config_free(b->config);
}

/* A copy that outlives the next draw. */
static ucpo_dataset *draw(struct bench *b, int phase, uint64_t batch, uint64_t first, int begin,
                          int end)
{
    struct source_batch drawn;
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    assert_ok(source_draw(b->source, phase, batch, first, begin, end, &drawn, &err), &err);
    assert_ok(ucpo_dataset_create(&set, &err), &err);
    assert_int_equal(drawn.count, end - begin);
    assert_int_equal(drawn.n, source_nodes(b->source, phase, batch));
    for (int i = 0; i < drawn.count; i++) {
        ucpo_instance *copy = NULL;
        assert_int_equal(drawn.instance[i]->data.n, drawn.n);
        assert_ok(ucpo_instance_create(&drawn.instance[i]->data, &copy, &err), &err);
        assert_ok(ucpo_dataset_add(set, copy, &err), &err);
    }
    return set;
}

/* ---- own files ---- */

struct folder {
    char path[64];
};

static struct folder make_folder(void)
{
    struct folder f = {"/tmp/ucpo_source_XXXXXX"};
    assert_non_null(mkdtemp(f.path));
    return f;
}

static void remove_folder(const struct folder *f)
{
    char line[128];
    snprintf(line, sizeof line, "rm -rf %s", f->path);
    assert_int_equal(system(line), 0); /* NOLINT(cert-env33-c): the name is ours */
}

static void put_set(const char *folder, const char *name, const char *problem, int size,
                    size_t count, uint64_t seed)
{
    char path[160];
    ucpo_error err = {0};
    ucpo_dataset *set = NULL;
    ucpo_generate_config g = ucpo_generate_config_default();
    g.problem = problem, g.size = size, g.count = count, g.seed = seed;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_ok(ucpo_generate(&g, &set, &err), &err);
    ucpo_write_config options = ucpo_write_config_default();
    const char *ending = strrchr(name, '.') + 1;
    options.format = strcmp(ending, "tsptw") == 0 ? "tsplib" : ending;
    assert_ok(ucpo_write(path, set, &options, &err), &err);
    ucpo_dataset_free(set);
}

static void put_text(const char *folder, const char *name, const char *text)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* ---- generated ---- */

static void a_batch_depends_on_the_seed_and_its_number_only(void **state)
{
    (void)state;
    for (size_t p = 0; p < prob_registry_count; p++) {
        struct bench a = {0}, b = {0}, other = {0};
        struct bench *all[] = {&a, &b, &other};
        for (int k = 0; k < 3; k++) {
            set(all[k], "problem", prob_registry[p]->info.name);
            set(all[k], "size", "8:1,11:1");
            set(all[k], "batch", "12");
            set(all[k], "seed", k == 2 ? "8" : "7");
            set(all[k], "threads", k == 1 ? "2" : "1");
            open_source(all[k]);
        }
        ucpo_dataset *later[6];
        for (int i = 5; i >= 0; i--) later[i] = draw(&b, 0, (uint64_t)i, 12u * (uint64_t)i, 0, 12);
        for (int i = 0; i < 6; i++) {
            ucpo_dataset *now = draw(&a, 0, (uint64_t)i, 12u * (uint64_t)i, 0, 12);
            assert_same_set(now, later[i]);
            ucpo_dataset_free(now);
        }
        ucpo_dataset *different = draw(&other, 0, 0, 0, 0, 12);
        assert_string_not_equal(
            difference_of_instances(ucpo_dataset_at(different, 0), ucpo_dataset_at(later[0], 0)),
            "");
        assert_string_not_equal(
            difference_of_instances(ucpo_dataset_at(later[0], 0), ucpo_dataset_at(later[1], 0)),
            "");
        ucpo_dataset_free(different);
        for (int i = 0; i < 6; i++) ucpo_dataset_free(later[i]);
        for (int k = 0; k < 3; k++) release(all[k]);
    }
}

/* Draws [0, 12) whole and in pieces. */
static void assert_parts_make_the_whole(struct bench *b)
{
    static const int cut[] = {0, 1, 5, 5, 12};
    for (uint64_t batch = 0; batch < 4; batch++) {
        ucpo_dataset *whole = draw(b, 0, batch, 100 + 12 * batch, 0, 12);
        for (int part = 0; part < 4; part++) {
            if (cut[part] == cut[part + 1]) continue;
            ucpo_dataset *piece = draw(b, 0, batch, 100 + 12 * batch, cut[part], cut[part + 1]);
            for (int i = cut[part]; i < cut[part + 1]; i++)
                assert_string_equal(
                    difference_of_instances(ucpo_dataset_at(whole, (size_t)i),
                                            ucpo_dataset_at(piece, (size_t)(i - cut[part]))),
                    "");
            ucpo_dataset_free(piece);
        }
        ucpo_dataset_free(whole);
    }
}

static void parts_of_a_batch_make_the_whole(void **state)
{
    (void)state;
    struct bench b = {0};
    set(&b, "problem", "cvrptw");
    set(&b, "size", "6:1,9:2");
    set(&b, "batch", "12");
    open_source(&b);
    assert_parts_make_the_whole(&b);
    release(&b);

    struct folder f = make_folder();
    struct bench own = {0};
    put_set(f.path, "a.npy", "tsptw", 6, 5, 1);
    put_set(f.path, "b.npy", "tsptw", 9, 7, 2);
    set(&own, "problem", "tsptw");
    set(&own, "data", f.path);
    set(&own, "batch", "12");
    open_source(&own);
    assert_parts_make_the_whole(&own);
    release(&own);
    remove_folder(&f);
}

static void mixtures_come_in_their_proportions(void **state)
{
    (void)state;

    enum { BATCHES = 4000 };
    struct bench b = {0};
    set(&b, "problem", "tsptw");
    set(&b, "size", "6:1,8:3,10:4");
    set(&b, "level", "easy:1,hard:3");
    set(&b, "batch", "1");
    open_source(&b);
    int count[3] = {0};
    for (uint64_t i = 0; i < BATCHES; i++) count[(source_nodes(b.source, 0, i) - 6) / 2]++;
    for (int k = 0; k < 3; k++) {
        double share = (k == 0 ? 1 : k == 1 ? 3 : 4) / 8.0;
        double bound = 4.0 * sqrt(share * (1 - share) / BATCHES);
        assert_close((double)count[k] / BATCHES, share, 0, bound);
    }
    int nodes[8], sizes = source_sizes(b.source, 0, nodes, 8);
    assert_int_equal(sizes, 3);
    assert_true(nodes[0] == 10 && nodes[1] == 8 && nodes[2] == 6);
    assert_int_equal(source_sizes(b.source, 0, nodes, 1), 3);
    struct source_share share[SOURCE_SHARES];
    assert_int_equal(source_shares(b.source, 0, share), 3);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(share[k].n, 6 + 2 * k);
        assert_int_equal(source_nodes(b.source, 0, (uint64_t)share[k].batch), share[k].n);
        assert_close(share[k].weight, (k == 0 ? 1 : k == 1 ? 3 : 4) / 8.0, 0, 0.07);
    }
    assert_close(share[0].weight + share[1].weight + share[2].weight, 1.0, 1e-12, 0);

    /* levels: the draws are those of the generator at one of the two levels */
    int hard = 0, drawn = 400;
    for (int i = 0; i < drawn; i++) {
        ucpo_generate_config g = ucpo_generate_config_default();
        g.problem = "tsptw", g.level = "hard", g.count = 1, g.seed = 1, g.first = (size_t)i;
        g.size = source_nodes(b.source, 0, (uint64_t)i);
        ucpo_dataset *expected = NULL, *got = draw(&b, 0, (uint64_t)i, (uint64_t)i, 0, 1);
        assert_int_equal(ucpo_generate(&g, &expected, NULL), UCPO_OK);
        hard +=
            difference_of_instances(ucpo_dataset_at(expected, 0), ucpo_dataset_at(got, 0))[0] == 0;
        ucpo_dataset_free(expected);
        ucpo_dataset_free(got);
    }
    assert_close((double)hard / drawn, 0.75, 0, 0.09);
    release(&b);
}

static void fleets_count_their_depot(void **state)
{
    (void)state;
    struct bench b = {0};
    set(&b, "problem", "cvrptw");
    set(&b, "size", "10");
    open_source(&b);
    assert_int_equal(source_nodes(b.source, 0, 0), 11);
    release(&b);
}

/* ---- own ---- */

static void many_sizes_are_represented_by_quantiles(void **state)
{
    (void)state;
    struct folder f = make_folder();
    struct bench b = {0};
    for (int n = 5; n < 45; n++) {
        char name[16];
        snprintf(name, sizeof name, "%d.npy", n);
        put_set(f.path, name, "tsptw", n, 1, 1);
    }
    set(&b, "problem", "tsptw");
    set(&b, "data", f.path);
    set(&b, "validate", "same");
    open_source(&b);
    struct source_share share[SOURCE_SHARES];
    double mean = 0, sum = 0;
    int nodes[4], shares = source_shares(b.source, 0, share);
    assert_true(shares > 4 && shares <= SOURCE_SHARES);
    for (int k = 0; k < shares; k++) mean += share[k].weight * share[k].n, sum += share[k].weight;
    assert_close(sum, 1.0, 1e-12, 0);
    assert_close(mean, 24.5, 0, 2.0);
    assert_int_equal(source_sizes(b.source, 0, nodes, 4), 40);
    assert_true(nodes[0] == 44 && nodes[3] == 41);
    release(&b);
    remove_folder(&f);
}

static void own_files_are_grouped_by_size_and_drawn_by_their_number(void **state)
{
    (void)state;
    struct folder f = make_folder();
    struct bench b = {0};
    put_set(f.path, "z.npy", "tsptw", 6, 30, 1);
    put_set(f.path, "a.json", "tsptw", 9, 10, 2);
    put_set(f.path, "m.tsptw", "tsptw", 6, 1, 3);
    put_text(f.path, ".hidden", "not an instance");
    set(&b, "problem", "tsptw");
    char phases[200];
    snprintf(phases, sizeof phases, "size=5; batch=4 data=%s", f.path);
    set(&b, "phases", phases);
    set(&b, "validate", "same");
    open_source(&b);
    int nodes[8], small = 0, batches = 2000;
    assert_int_equal(source_sizes(b.source, 0, nodes, 8), 1);
    assert_int_equal(source_sizes(b.source, 1, nodes, 8), 2);
    assert_true(nodes[0] == 9 && nodes[1] == 6);
    for (int i = 0; i < batches; i++) {
        int n = source_nodes(b.source, 1, (uint64_t)i);
        assert_true(n == 6 || n == 9);
        small += n == 6;
    }
    assert_close((double)small / batches, 31.0 / 41.0, 0, 0.04);

    ucpo_dataset *set = NULL; /* everything that is there is shown sooner or later */
    ucpo_error err = {0};
    assert_ok(source_read(b.plan->ops, f.path, &set, NULL, &err), &err);
    assert_int_equal(ucpo_dataset_count(set), 41);
    assert_int_equal(ucpo_instance_view(ucpo_dataset_at(set, 0))->n, 9); /* a.json comes first */
    int seen[41] = {0};
    for (int i = 0; i < 300; i++) {
        ucpo_dataset *got = draw(&b, 1, (uint64_t)i, 4u * (uint64_t)i, 0, 4);
        for (size_t k = 0; k < 4; k++)
            for (size_t j = 0; j < 41; j++)
                seen[j] |= difference_of_instances(ucpo_dataset_at(got, k),
                                                   ucpo_dataset_at(set, j))[0] == 0;
        ucpo_dataset_free(got);
    }
    for (int j = 0; j < 41; j++) assert_true(seen[j]);
    ucpo_dataset_free(set);
    release(&b);
    remove_folder(&f);
}

/* Every tenth instance is validated on and never learned from. */
static void a_tenth_of_own_data_is_held_back(void **state)
{
    (void)state;
    struct folder f = make_folder();
    struct bench b = {0};
    put_set(f.path, "a.npy", "tsptw", 6, 25, 1);
    set(&b, "problem", "tsptw");
    set(&b, "data", f.path);
    open_source(&b);
    ucpo_dataset *set_of_all = NULL;
    ucpo_error err = {0};
    assert_ok(source_read(b.plan->ops, f.path, &set_of_all, NULL, &err), &err);
    int seen[25] = {0};
    for (int i = 0; i < 300; i++) {
        ucpo_dataset *got = draw(&b, 0, (uint64_t)i, 4u * (uint64_t)i, 0, 4);
        for (size_t k = 0; k < 4; k++)
            for (size_t j = 0; j < 25; j++)
                seen[j] |= difference_of_instances(ucpo_dataset_at(got, k),
                                                   ucpo_dataset_at(set_of_all, j))[0] == 0;
        ucpo_dataset_free(got);
    }
    for (size_t j = 0; j < 25; j++) assert_int_equal(seen[j], !source_is_held(j, 25));
    assert_true(source_is_held(9, 25) && source_is_held(19, 25) && !source_is_held(24, 25));
    assert_true(source_is_held(6, 7) && !source_is_held(3, 4));
    ucpo_dataset_free(set_of_all);
    release(&b);
    remove_folder(&f);
}

static void matrices_get_coordinates_and_other_files_are_skipped(void **state)
{
    (void)state;
    struct folder f = make_folder();
    struct source_skips skips = {0};
    ucpo_dataset *set_of_all = NULL;
    ucpo_error err = {0};
    put_text(f.path, "README.md", "these are my instances\n");
    put_text(f.path, "matrix.json",
             "{\"schema\":\"ucpo.instance/1\",\"problem\":\"tsptw\",\"n\":4,"
             "\"cost\":[[0,1,2,3],[1,0,1,2],[2,1,0,1],[3,2,null,0]],"
             "\"time_windows\":[[0,100],[0,100],[0,100],[0,100]]}");
    assert_ok(source_read(prob_find("tsptw"), f.path, &set_of_all, &skips, &err), &err);
    assert_int_equal(skips.count, 1);
    assert_non_null(strstr(skips.first, "README.md"));
    assert_int_equal(ucpo_dataset_count(set_of_all), 1);
    const ucpo_instance_data *d = ucpo_instance_view(ucpo_dataset_at(set_of_all, 0));
    assert_non_null(d->x);
    assert_true(d->cost[1] == 1 && d->no_way > 0 && d->cost[14] == d->no_way);
    for (int i = 0; i < 4; i++) assert_true(d->x[i] >= 0 && d->x[i] <= d->unit * 1.0001);
    ucpo_dataset_free(set_of_all);
    remove_folder(&f);
}

static void assert_refused(const char *problem, const char *path, ucpo_status code,
                           const char *file, const char *part)
{
    struct bench b = {0};
    ucpo_error err = {0};
    set(&b, "problem", problem);
    set(&b, "data", path);
    b.plan = calloc(1, sizeof *b.plan);
    assert_ok(train_plan_make(b.config, b.plan, &err), &err);
    ucpo_status st = source_create(b.plan, &b.source, &err);
    if (st != code || !strstr(err.text, part))
        print_error("expected '%s', got %s: %s\n", part, ucpo_status_name(st), err.text);
    assert_int_equal(st, code);
    assert_non_null(strstr(err.text, part));
    assert_non_null(strstr(err.file, file));
    assert_null(b.source);
    release(&b);
}

static void what_cannot_be_learned_from_is_refused(void **state)
{
    (void)state;
    struct folder f = make_folder();
    char path[200];
    assert_refused("tsptw", f.path, UCPO_E_FORMAT, f.path, "holds no instance");
    assert_refused("tsptw", "/nowhere/at/all.npy", UCPO_E_IO, "/nowhere/at/all.npy", "cannot be");
    put_set(f.path, "good.npy", "tsptw", 6, 3, 1);
    put_set(f.path, "other.json", "tspdl", 6, 1, 1);
    assert_refused("tsptw", f.path, UCPO_E_MISMATCH, "other.json", "tspdl");
    snprintf(path, sizeof path, "%s/other.json", f.path);
    unlink(path);
    put_text(f.path, "bad.json", "{\"schema\":\"ucpo.instance/1\"}");
    assert_refused("tsptw", f.path, UCPO_E_FORMAT, "bad.json", "");
    remove_folder(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_depends_on_the_seed_and_its_number_only),
        cmocka_unit_test(parts_of_a_batch_make_the_whole),
        cmocka_unit_test(mixtures_come_in_their_proportions),
        cmocka_unit_test(fleets_count_their_depot),
        cmocka_unit_test(own_files_are_grouped_by_size_and_drawn_by_their_number),
        cmocka_unit_test(many_sizes_are_represented_by_quantiles),
        cmocka_unit_test(a_tenth_of_own_data_is_held_back),
        cmocka_unit_test(matrices_get_coordinates_and_other_files_are_skipped),
        cmocka_unit_test(what_cannot_be_learned_from_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
