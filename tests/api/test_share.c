/* Exchange between processes: a second process is played by the gather callback. */
#include "api/share.h"

#include <stdio.h>
#include <string.h>

#include "support/support.h"

/* What the other process knows and says. */
struct other {
    const unsigned char *bytes;
    size_t begin, end;
    int32_t status; /* what it says of itself, in the first call */
    ucpo_status st; /* of the transport */
    size_t calls;
};

static ucpo_status play_gather(void *user, void *bytes, size_t size, size_t begin, size_t end,
                               ucpo_error *err)
{
    struct other *o = user;
    if (o->st && err) snprintf(err->text, sizeof err->text, "line is dead");
    if (o->st) return o->st;
    if (o->calls++ == 0) {
        assert_int_equal(size, 2 * sizeof o->status);
        assert_int_equal(end - begin, sizeof o->status);
        memcpy((unsigned char *)bytes + (begin ? 0 : end), &o->status, sizeof o->status);
        return UCPO_OK;
    }
    assert_true(begin <= end && end <= size && (o->begin >= end || o->end <= begin));
    memcpy((unsigned char *)bytes + o->begin, o->bytes + o->begin, o->end - o->begin);
    return UCPO_OK;
}

static void all_bytes_arrive_exactly(void **state)
{
    (void)state;
    static unsigned char whole[100000], mine[100000];
    for (size_t i = 0; i < sizeof whole; i++) whole[i] = (unsigned char)(i * 2654435761u >> 13);
    memset(whole, 0xff, 64); /* NaNs, the largest words */
    for (size_t cut = 0; cut <= sizeof whole; cut += 25000) {
        struct other o = {.bytes = whole, .begin = cut, .end = sizeof whole};
        ucpo_comm comm = {.rank = 0, .ranks = 2, .gather = play_gather, .user = &o};
        memset(mine, 0xaa, sizeof mine);
        memcpy(mine, whole, cut);
        assert_int_equal(share_bytes(&comm, mine, sizeof mine, 0, cut, UCPO_OK, NULL), UCPO_OK);
        assert_memory_equal(mine, whole, sizeof whole);
    }
}

static void a_failure_is_heard_and_said(void **state)
{
    (void)state;
    unsigned char bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    ucpo_error err = {0};
    struct other o = {.bytes = bytes, .status = UCPO_E_MEMORY};
    ucpo_comm comm = {.ranks = 2, .gather = play_gather, .user = &o};
    assert_int_equal(share_bytes(&comm, bytes, 8, 0, 8, UCPO_OK, &err), UCPO_E_IO);
    assert_non_null(strstr(err.text, "process 1 failed"));
    assert_int_equal(bytes[7], 8);

    o = (struct other){.bytes = bytes, .status = UCPO_E_CANCELLED};
    assert_int_equal(share_bytes(&comm, bytes, 8, 0, 8, UCPO_OK, &err), UCPO_E_CANCELLED);
    assert_non_null(strstr(err.text, "process 1 was asked to stop"));

    o = (struct other){.bytes = bytes};
    snprintf(err.text, sizeof err.text, "my own");
    assert_int_equal(share_bytes(&comm, NULL, 8, 0, 8, UCPO_E_MEMORY, &err), UCPO_E_MEMORY);
    assert_string_equal(err.text, "my own");
    assert_int_equal(o.calls, 1); /* the other one is not left waiting */

    o = (struct other){.st = UCPO_E_IO};
    assert_int_equal(share_bytes(&comm, bytes, 8, 0, 8, UCPO_OK, &err), UCPO_E_IO);
    assert_string_equal(err.text, "line is dead");

    o = (struct other){.status = UCPO_E_IO};
    assert_int_equal(share_bytes(&comm, bytes, 0, 0, 0, UCPO_OK, &err), UCPO_E_IO);
}

/* Two others: the first was asked to stop, the second failed. */
static ucpo_status play_two(void *user, void *bytes, size_t size, size_t begin, size_t end,
                            ucpo_error *err)
{
    int32_t *all = bytes;
    (void)user, (void)err;
    assert_int_equal(size, 3 * sizeof *all);
    assert_true(begin == 0 && end == sizeof *all);
    all[1] = UCPO_E_CANCELLED, all[2] = UCPO_E_FORMAT;
    return UCPO_OK;
}

static void a_failure_counts_for_more_than_a_wish_to_stop(void **state)
{
    (void)state;
    ucpo_error err = {0};
    ucpo_comm comm = {.ranks = 3, .gather = play_two};
    assert_int_equal(share_bytes(&comm, NULL, 0, 0, 0, UCPO_OK, &err), UCPO_E_IO);
    assert_non_null(strstr(err.text, "process 2 failed"));
    assert_int_equal(share_bytes(&comm, NULL, 0, 0, 0, UCPO_E_CANCELLED, &err), UCPO_E_CANCELLED);
}

static void alone_nothing_is_sent(void **state)
{
    (void)state;
    struct other o = {0};
    ucpo_comm comm = {.ranks = 1, .gather = play_gather, .user = &o, .threads = 3};
    assert_int_equal(share_bytes(NULL, NULL, 8, 0, 8, UCPO_E_MEMORY, NULL), UCPO_E_MEMORY);
    assert_int_equal(share_bytes(&comm, NULL, 8, 0, 8, UCPO_OK, NULL), UCPO_OK);
    assert_int_equal(o.calls, 0);
    assert_int_equal(share_threads(NULL, 0), 0);
    assert_int_equal(share_threads(&comm, 0), 3);
    assert_int_equal(share_threads(&comm, 2), 2);
}

static void parts_are_even_and_complete(void **state)
{
    (void)state;
    for (int ranks = 1; ranks < 9; ranks++) {
        for (size_t count = 0; count < 30; count++) {
            size_t next = 0;
            for (int rank = 0; rank < ranks; rank++) {
                ucpo_comm comm = {.rank = rank, .ranks = ranks};
                size_t begin, end;
                share_part(&comm, count, &begin, &end);
                assert_int_equal(begin, next);
                assert_in_range(end - begin, count / ranks, count / ranks + 1);
                next = end;
            }
            assert_int_equal(next, count);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_bytes_arrive_exactly),
        cmocka_unit_test(a_failure_is_heard_and_said),
        cmocka_unit_test(a_failure_counts_for_more_than_a_wish_to_stop),
        cmocka_unit_test(alone_nothing_is_sent),
        cmocka_unit_test(parts_are_even_and_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
