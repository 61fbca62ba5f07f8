/* Random numbers, workspace, parallel chunks, errors. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/par.h"
#include "core/rng.h"
#include "core/sort.h"
#include "support/support.h"

static void philox_gives_the_published_answers(void **state)
{
    (void)state;

    static const struct {
        uint32_t counter[4], key[2], out[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };

    for (size_t i = 0; i < 3; i++) {
        uint32_t out[4];
        philox4x32(known[i].counter, known[i].key, out);
        assert_memory_equal(out, known[i].out, sizeof out);
    }
}

static void random_numbers_have_the_right_moments(void **state)
{
    (void)state;
    struct rng rng = rng_at(7, RNG_TEST, 0);
    double sum = 0, square = 0, uniform = 0;
    int below[7] = {0};
    for (int i = 0; i < 70000; i++) {
        double z = rng_normal(&rng);
        sum += z;
        square += z * z;
        double u = rng_uniform(&rng);
        assert_true(u >= 0.0 && u < 1.0);
        uniform += u;
        below[rng_below(&rng, 7)]++;
    }
    assert_close(sum / 70000, 0, 0, 0.02);
    assert_close(square / 70000, 1, 0, 0.03);
    assert_close(uniform / 70000, 0.5, 0, 0.01);
    for (int k = 0; k < 7; k++) assert_close(below[k], 10000, 0.05, 0);
}

static void streams_and_indices_are_unrelated_and_repeatable(void **state)
{
    (void)state;
    struct rng a = rng_at(1, RNG_TEST, 5), again = rng_at(1, RNG_TEST, 5);
    struct rng b = rng_at(1, RNG_TEST, 6), c = rng_at(1, RNG_SAMPLE, 5), d = rng_at(2, RNG_TEST, 5);
    for (int i = 0; i < 100; i++) {
        uint32_t value = rng_u32(&a);
        assert_int_equal(value, rng_u32(&again));
        assert_int_not_equal(value, rng_u32(&b));
        assert_int_not_equal(value, rng_u32(&c));
        assert_int_not_equal(value, rng_u32(&d));
    }
}

static void an_arena_places_what_it_measured(void **state)
{
    (void)state;
    struct arena arena = {0};
    ucpo_error err = {0};
    for (int pass = 0; pass < 2; pass++) {
        double *a = arena_take(&arena, 3, sizeof(double));
        char *b = arena_take(&arena, 1, 1);
        if (pass == 0) {
            assert_null(a);
            assert_ok(arena_reserve(&arena, &err), &err);
        } else {
            assert_int_equal((uintptr_t)a % 64, 0);
            assert_int_equal((uintptr_t)b % 64, 0);
            a[2] = 1.0;
            b[0] = 1;
            assert_true(arena.used <= arena.size);
        }
    }
    arena_free(&arena);
    arena_take(&arena, SIZE_MAX, 8);
    assert_int_equal(arena_reserve(&arena, &err), UCPO_E_MEMORY);
}

static ucpo_status square(void *context, size_t begin, size_t end, int thread, ucpo_error *err)
{
    size_t *out = context;
    (void)thread;
    for (size_t i = begin; i < end; i++) {
        if (i == 500 || i == 900) return status_fail(err, UCPO_E_ARGUMENT, "item %zu", i);
        out[i] = i * i;
    }
    return UCPO_OK;
}

static void what_is_appended_comes_in_order(void **state)
{
    (void)state;
    double *list = NULL;
    size_t count = 0, capacity = 0;
    for (int i = 0; i < 100; i++) {
        double value = i;
        assert_int_equal(mem_append(&list, &count, &capacity, &value, sizeof value, NULL), UCPO_OK);
    }
    assert_int_equal(count, 100);
    assert_true(capacity >= count);
    for (int i = 0; i < 100; i++) assert_true(list[i] == i);
    free(list);
}

static void a_pool_gives_zeros_and_refuses_what_cannot_be(void **state)
{
    (void)state;
    struct mem_pool pool = {0};
    ucpo_error err = {0};
    for (size_t size = 0; size < 50; size++) {
        unsigned char *block = mem_take(&pool, size, 3, &err);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % sizeof(double), 0);
        for (size_t i = 0; i < 3 * size; i++) assert_int_equal(block[i]++, 0);
    }
    assert_null(mem_take(&pool, SIZE_MAX / 2, 3, &err));
    assert_int_equal(err.code, UCPO_E_MEMORY);
    mem_pool_free(&pool);
    mem_pool_free(&pool); /* empty by now */
}

static void chunks_cover_everything_once(void **state)
{
    (void)state;
    size_t out[457] = {0};
    for (int threads = 1; threads <= 3; threads++) {
        memset(out, 0, sizeof out);
        assert_int_equal(par_run(457, 10, threads, NULL, square, out, NULL), UCPO_OK);
        for (size_t i = 0; i < 457; i++) assert_int_equal(out[i], i * i);
    }
}

static void the_earliest_failing_chunk_is_reported(void **state)
{
    (void)state;
    size_t out[1000] = {0};
    for (int repeat = 0; repeat < 20; repeat++) {
        ucpo_error err = {0};
        assert_int_equal(par_run(1000, 10, 2, NULL, square, out, &err), UCPO_E_ARGUMENT);
        assert_string_equal(err.text, "item 500");
    }
}

static int stop_at_once(void *user, size_t done, size_t total)
{
    (void)total;
    *(size_t *)user = done;
    return 1;
}

static void a_progress_callback_can_stop_the_work(void **state)
{
    (void)state;
    size_t out[400] = {0}, done = 0;
    ucpo_hooks hooks = {.progress = stop_at_once, .user = &done};
    ucpo_error err = {0};
    assert_int_equal(par_run(400, 1, 1, &hooks, square, out, &err), UCPO_E_CANCELLED);
    assert_int_equal(done, 1);
    assert_int_equal(out[399], 0);
}

static int remember(void *user, size_t done, size_t total)
{
    (void)total;
    *(size_t *)user = done;
    return 0;
}

static void progress_ends_with_everything_done(void **state)
{
    (void)state;
    size_t out[400] = {0};
    for (int threads = 1; threads <= 3; threads++) {
        size_t done = 0;
        ucpo_hooks hooks = {.progress = remember, .user = &done};
        assert_int_equal(par_run(400, 1, threads, &hooks, square, out, NULL), UCPO_OK);
        assert_int_equal(done, 400);
    }
}

static void an_error_message_names_file_and_line(void **state)
{
    (void)state;
    ucpo_error err = {0};
    char text[128];
    assert_int_equal(status_fail_at(&err, UCPO_E_FORMAT, "a.txt", 7, "x is %d", 3), UCPO_E_FORMAT);
    assert_string_equal(ucpo_error_message(&err, text, sizeof text), "a.txt:7: x is 3");
    status_fail(&err, UCPO_E_ARGUMENT, "plain");
    assert_string_equal(ucpo_error_message(&err, text, sizeof text), "plain");
    assert_string_equal(ucpo_status_name(UCPO_E_FORMAT), "UCPO_E_FORMAT");
    assert_string_equal(ucpo_status_name((ucpo_status)-1234), "UCPO_E_UNKNOWN");
}

static void the_kth_value_is_that_of_the_sorted(void **state)
{
    (void)state;
    struct rng rng = rng_at(3, RNG_SEARCH, 0);
    for (int32_t count = 1; count < 60; count++)
        for (int32_t k = 0; k < count; k++) {
            double value[60];
            int32_t below = 0, not_above = 0, kinds = 1 + (count + k) % 40; /* many equal ones */
            for (int32_t i = 0; i < count; i++) value[i] = rng_below(&rng, (uint32_t)kinds);
            double found = sort_kth(value, count, k);
            for (int32_t i = 0; i < count; i++)
                below += value[i] < found, not_above += value[i] <= found;
            assert_true(below <= k && k < not_above);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_the_published_answers),
        cmocka_unit_test(random_numbers_have_the_right_moments),
        cmocka_unit_test(streams_and_indices_are_unrelated_and_repeatable),
        cmocka_unit_test(an_arena_places_what_it_measured),
        cmocka_unit_test(what_is_appended_comes_in_order),
        cmocka_unit_test(a_pool_gives_zeros_and_refuses_what_cannot_be),
        cmocka_unit_test(chunks_cover_everything_once),
        cmocka_unit_test(the_earliest_failing_chunk_is_reported),
        cmocka_unit_test(a_progress_callback_can_stop_the_work),
        cmocka_unit_test(progress_ends_with_everything_done),
        cmocka_unit_test(the_kth_value_is_that_of_the_sorted),
        cmocka_unit_test(an_error_message_names_file_and_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
