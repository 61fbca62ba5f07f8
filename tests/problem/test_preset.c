/* The ten published sets: checksums of all 10,000 instances, and known first rows. */
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "support/support.h"

static uint32_t set_crc(const char *name)
{
    ucpo_error err = {0};
    ucpo_dataset *set = NULL;
    assert_ok(ucpo_generate_preset(name, 0, 0, &set, &err), &err);
    assert_int_equal(ucpo_dataset_count(set), 10000);
    uLong crc = crc32(0, NULL, 0);
    for (size_t i = 0; i < 10000; i++) {
        const ucpo_instance_data *d = ucpo_instance_view(ucpo_dataset_at(set, i));
        float row[128][4];
        for (int j = 0; j < d->n; j++) {
            row[j][0] = (float)d->x[j];
            row[j][1] = (float)d->y[j];
            row[j][2] = (float)(d->ready ? d->ready[j] : d->demand[j]);
            row[j][3] = (float)(d->due ? d->due[j] : d->limit ? d->limit[j] : d->capacity);
        }
        crc = crc32(crc, (const Bytef *)row, (uInt)((size_t)d->n * sizeof row[0]));
    }
    ucpo_dataset_free(set);
    return (uint32_t)crc;
}

static void all_ten_published_sets_have_their_checksum(void **state)
{
    (void)state;

    static const struct {
        const char *name;
        uint32_t crc;
    } expected[] = {
        {"tsptw50_easy", 0x704514ff},    {"tsptw50_medium", 0x832ff5a7},
        {"tsptw50_hard", 0x94d631db},    {"tsptw100_easy", 0x2a205f1a},
        {"tsptw100_medium", 0x0e339f24}, {"tsptw100_hard", 0xdf9f219e},
        {"tspdl50_medium", 0x19e30d53},  {"tspdl50_hard", 0x6871166b},
        {"tspdl100_medium", 0x38fcba7d}, {"tspdl100_hard", 0x11b31b90},
    };

    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_string_equal(ucpo_preset_at(i), expected[i].name);
        uint32_t crc = set_crc(expected[i].name);
        if (crc != expected[i].crc) print_error("%s: %08x\n", expected[i].name, crc);
        assert_int_equal(crc, expected[i].crc);
    }
    assert_non_null(ucpo_preset_at(19));
    assert_null(ucpo_preset_at(20));
}

/* Ours must stay what they are, or results cannot be compared. */
static void our_own_sets_have_their_checksum(void **state)
{
    (void)state;

    static const struct {
        const char *name;
        uint32_t crc;
    } expected[] = {
        {"cvrptw50_cvrp", 0x3805a1f3},   {"cvrptw50_jampr", 0xa5d70a01},
        {"cvrptw100_cvrp", 0x4118020e},  {"cvrptw100_jampr", 0xc1cd6dea},
        {"cvrptwlv50_cvrp", 0x5ff7660e}, {"cvrptwlv100_cvrp", 0x27cd4f3e},
        {"cvrp50_uniform", 0xe418ef3b},  {"cvrp100_uniform", 0x1d4d2b85},
        {"cvrptw50_mvmoe", 0x41972b00},  {"cvrptw100_mvmoe", 0xbb783a16},
    };

    int wrong = 0;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_string_equal(ucpo_preset_at(10 + i), expected[i].name);
        uint32_t crc = set_crc(expected[i].name);
        if (crc != expected[i].crc) print_error("%s: %08x\n", expected[i].name, crc);
        wrong += crc != expected[i].crc;
    }
    assert_int_equal(wrong, 0);
    ucpo_error err = {0};
    ucpo_dataset *set = NULL;
    assert_ok(ucpo_generate_preset("cvrptwlv50_cvrp", 9990, 0, &set, &err), &err);
    assert_int_equal(ucpo_dataset_count(set), 10);
    assert_true(ucpo_instance_view(ucpo_dataset_at(set, 0))->vehicles > 0);
    ucpo_dataset_free(set);
}

static void a_part_of_a_set_equals_that_part_of_the_whole(void **state)
{
    (void)state;
    ucpo_error err = {0};
    ucpo_dataset *part = NULL;
    assert_ok(ucpo_generate_preset("tsptw50_medium", 0, 1, &part, &err), &err);
    const ucpo_instance_data *d = ucpo_instance_view(ucpo_dataset_at(part, 0));
    assert_true((float)d->x[1] == 93.26057f && (float)d->y[1] == 44.556816f);
    assert_true(d->ready[1] == 2308 && d->due[1] == 2690);
    assert_close(d->unit, 100, 0, 0);
    assert_close(d->tolerance, 1e-3, 0, 0);
    ucpo_dataset_free(part);
    part = NULL;
    assert_ok(ucpo_generate_preset("tspdl50_hard", 9999, 0, &part, &err), &err);
    assert_int_equal(ucpo_dataset_count(part), 1);
    ucpo_dataset_free(part);
}

static void asking_outside_a_set_is_an_error(void **state)
{
    (void)state;
    ucpo_error err = {0};
    ucpo_dataset *set = NULL;
    assert_int_equal(ucpo_generate_preset("tsptw50_hrd", 0, 1, &set, &err), UCPO_E_ARGUMENT);
    assert_non_null(strstr(err.text, "tsptw50_hrd"));
    assert_int_equal(ucpo_generate_preset("tsptw50_hard", 10000, 0, &set, &err), UCPO_E_ARGUMENT);
    assert_int_equal(ucpo_generate_preset("tsptw50_hard", 9999, 2, &set, &err), UCPO_E_ARGUMENT);
    assert_int_equal(ucpo_generate_preset(NULL, 0, 0, &set, &err), UCPO_E_ARGUMENT);
    assert_null(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ten_published_sets_have_their_checksum),
        cmocka_unit_test(our_own_sets_have_their_checksum),
        cmocka_unit_test(a_part_of_a_set_equals_that_part_of_the_whole),
        cmocka_unit_test(asking_outside_a_set_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
