/* The published instances under ../shared: every file is read (format found by content) and
 * survives a round trip. Skipped where the material is absent. */
#include "support/text_case.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Calls `use` for every file of the folder whose name ends with `ending`; returns their number. */
static int for_each_file(const char *folder, const char *ending,
                         void (*use)(const char *path, const char *name))
{
    char path[768];
    DIR *dir = opendir(test_shared_path(path, sizeof path, folder));
    assert_non_null(dir);
    int count = 0;
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        size_t length = strlen(entry->d_name), size = strlen(ending);
        if (length < size || strcmp(entry->d_name + length - size, ending) != 0) continue;
        char full[1024];
        snprintf(full, sizeof full, "%s/%s/%s", UCPO_SHARED, folder, entry->d_name);
        use(full, entry->d_name);
        count++;
    }
    closedir(dir);
    return count;
}

static ucpo_dataset *read_one(const char *path, const ucpo_read_config *options)
{
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_read(path, options, &set, &err), &err);
    assert_int_equal(ucpo_dataset_count(set), 1);
    return set;
}

static void assert_round_trip(const ucpo_dataset *set, const char *format,
                              const ucpo_read_config *options)
{
    char *text = test_write_text(set, format, NULL);
    ucpo_dataset *again = test_read_text(text, options);
    assert_same_instance(test_view(again), test_view(set));
    ucpo_dataset_free(again);
    free(text);
}

static void use_tsptw(const char *path, const char *name)
{
    ucpo_dataset *set = read_one(path, NULL);
    const ucpo_instance_data *d = test_view(set);
    assert_string_equal(d->problem, "tsptw");
    assert_true(d->n > 1);
    assert_non_null(d->cost);
    assert_true(name[0] != '\0' && d->name[0] != '\0');
    assert_round_trip(set, "tsplib", NULL);
    ucpo_dataset_free(set);
}

static void test_reads_all_45_tsptw_files(void **state)
{
    (void)state;
    test_need_shared();
    static const char *const families[] = {"Ascheuer", "Dumas",  "Gendreau", "Langevin",
                                           "Ohlmann",  "Pesant", "Potvin",   "Silva"};
    int count = 0;
    for (size_t k = 0; k < sizeof families / sizeof families[0]; k++) {
        char folder[128];
        snprintf(folder, sizeof folder, "data/benchmarks/tsptw/%s", families[k]);
        count += for_each_file(folder, ".tsptw", use_tsptw);
    }
    assert_int_equal(count, 45);
}

static void use_tspdl(const char *path, const char *name)
{
    (void)name;
    ucpo_dataset *set = read_one(path, NULL);
    const ucpo_instance_data *d = test_view(set);
    assert_string_equal(d->problem, "tspdl");
    assert_int_equal(d->draft, UCPO_DRAFT_UNLOAD);
    assert_true(d->best_known > 0.0);
    assert_round_trip(set, "rakke", NULL);
    ucpo_dataset_free(set);
}

static void test_reads_all_240_tspdl_files(void **state)
{
    (void)state;
    test_need_shared();
    assert_int_equal(for_each_file("data/benchmarks/tspdl_rakke", ".txt", use_tspdl), 240);
}

/* Lines `class:series:capacity` of capacities.txt: RC208 is class RC, series 200. */
static double capacity_of(const char *name)
{
    char path[768], key[32];
    size_t size;
    char *text = test_read_file(
        test_shared_path(path, sizeof path, "data/benchmarks/solomon_vrptw/capacities.txt"), &size);
    assert_non_null(text);
    size_t letters = strspn(name, "CR");
    snprintf(key, sizeof key, "%.*s:%c00:", (int)letters, name, name[letters]);
    const char *found = strstr(text, key);
    while (found && found > text && found[-1] != '\n') found = strstr(found + 1, key);
    assert_non_null(found);
    double capacity = strtod(found + strlen(key), NULL);
    free(text);
    return capacity;
}

static void use_solomon(const char *path, const char *name)
{
    if (strcmp(name, "capacities.txt") == 0) return;
    ucpo_read_config options = ucpo_read_config_default();
    options.capacity = capacity_of(name);
    assert_true(options.capacity >= 200.0);
    ucpo_dataset *set = read_one(path, &options);
    const ucpo_instance_data *d = test_view(set);
    assert_string_equal(d->problem, "cvrptw");
    assert_int_equal(d->n, 101);
    assert_round_trip(set, "tsplib", NULL);
    options.vehicles = -1;
    assert_round_trip(set, "solomon", &options);
    ucpo_dataset_free(set);
}

static void test_reads_all_56_solomon_files(void **state)
{
    (void)state;
    test_need_shared();
    /* 56 instances and the list of capacities */
    assert_int_equal(for_each_file("data/benchmarks/solomon_vrptw", ".txt", use_solomon), 57);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_all_45_tsptw_files),
        cmocka_unit_test(test_reads_all_240_tspdl_files),
        cmocka_unit_test(test_reads_all_56_solomon_files),
    };
    return cmocka_run_group_tests_name("shared_benchmarks", tests, NULL, NULL);
}
