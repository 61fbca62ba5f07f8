/* When the auxiliary decoder learns, when its frozen copy is renewed, and which snapshot is the best: by hand, apart
 * from a run. */
#include "support/support.h"
#include "train/pipd.h"

#include <math.h>
#include <string.h>

enum { TOTAL = 5 };

/* Numbers that are exact in binary: open until 1/8, four blocks, update in the last quarter of each, close from 7/8. */
static struct train_phase phase(void)
{
    struct train_phase p = {.aux_open = 0.125,
                            .aux_blocks = 4,
                            .aux_update = 0.25,
                            .aux_close = 0.03125,
                            .aux_recall = 0.5};
    return p;
}

static void the_decoder_learns_at_the_ends_and_at_the_end_of_every_block(void **state)
{
    struct train_phase p = phase();
    (void)state;
    for (int i = 0; i < 256; i++) {
        double done = i / 256.0;
        int expected = i < 32 || i >= 248 || i % 64 >= 48;
        assert_int_equal(pipd_learns(&p, done), expected);
    }
    p.aux_close = 0.5; /* ends of blocks or not */
    for (int i = 0; i < 256; i++)
        assert_int_equal(pipd_learns(&p, i / 256.0), i < 32 || i >= 128 || i % 64 >= 48);
    p.aux_open = 0.0, p.aux_close = 0.0, p.aux_update = 0.0;
    for (int i = 0; i < 256; i++) assert_int_equal(pipd_learns(&p, i / 256.0), 0);
    p.aux_update = 1.0;
    for (int i = 0; i < 256; i++) assert_int_equal(pipd_learns(&p, i / 256.0), 1);
}

struct copies {
    real frozen[TOTAL], snapshot[TOTAL];
    struct pipd pipd;
};

static void begin(struct copies *c)
{
    memset(c, 0, sizeof *c);
    for (int i = 0; i < TOTAL; i++) c->frozen[i] = -1, c->snapshot[i] = (real)(10 + i);
    c->pipd = (struct pipd){.block = -1, .frozen = c->frozen, .snapshot = c->snapshot};
}

static void assert_frozen(const struct copies *c, int from)
{
    for (int i = 0; i < TOTAL; i++) assert_true(c->frozen[i] == (real)(from < 0 ? -1 : from + i));
}

static void the_copy_is_renewed_at_the_opening_and_with_every_block(void **state)
{
    struct train_phase p = phase();
    struct copies c;
    (void)state;
    begin(&c);
    pipd_renew(&c.pipd, &p, 0.5, TOTAL); /* there is no snapshot */
    assert_false(c.pipd.has_frozen);
    assert_int_equal(c.pipd.block, -1);
    assert_frozen(&c, -1);
    c.pipd.has_best = 1;
    pipd_renew(&c.pipd, &p, 0.1249, TOTAL); /* not yet */
    assert_false(c.pipd.has_frozen);
    assert_frozen(&c, -1);
    pipd_renew(&c.pipd, &p, 0.125, TOTAL);
    assert_true(c.pipd.has_frozen);
    assert_int_equal(c.pipd.block, 0);
    assert_frozen(&c, 10);
    for (int i = 0; i < TOTAL; i++) c.snapshot[i] = (real)(20 + i);
    pipd_renew(&c.pipd, &p, 0.2499, TOTAL); /* the same block */
    assert_frozen(&c, 10);
    pipd_renew(&c.pipd, &p, 0.25, TOTAL);
    assert_int_equal(c.pipd.block, 1);
    assert_frozen(&c, 20);
    for (int i = 0; i < TOTAL; i++) c.snapshot[i] = (real)(30 + i);
    pipd_renew(&c.pipd, &p, 0.74, TOTAL); /* a block may be passed over */
    assert_int_equal(c.pipd.block, 2);
    assert_frozen(&c, 30);
    begin(&c); /* the first snapshot comes in the middle of a block */
    c.pipd.block = 2, c.pipd.has_best = 1;
    pipd_renew(&c.pipd, &p, 0.7, TOTAL);
    assert_true(c.pipd.has_frozen);
    assert_frozen(&c, 10);
}

static void judge(struct copies *c, const struct train_phase *p, double recall0, double recall1,
                  int mark)
{
    real params[TOTAL];
    struct step_labels labels = {.nodes = {1000, 500},
                                 .right = {(int64_t)(1000 * recall0), (int64_t)(500 * recall1)}};
    for (int i = 0; i < TOTAL; i++) params[i] = (real)(mark + i);
    pipd_judge(&c->pipd, p, &labels, params, TOTAL);
}

static void assert_best(const struct copies *c, int mark, double recall)
{
    assert_true(c->pipd.has_best);
    for (int i = 0; i < TOTAL; i++) assert_true(c->snapshot[i] == (real)(mark + i));
    assert_close(c->pipd.best, recall, 1e-14, 0);
}

static void recall_is_the_mean_of_what_was_seen_and_then_a_running_one(void **state)
{
    struct train_phase p = phase();
    struct copies c;
    double sum[2] = {0, 0}, running[2];
    (void)state;
    begin(&c);
    for (int step = 1; step <= 50; step++) { /* up to fifty: the plain mean */
        double recall[2] = {(step % 5) / 5.0, (step % 4) / 4.0};
        judge(&c, &p, recall[0], recall[1], 100);
        for (int y = 0; y < 2; y++) {
            sum[y] += recall[y];
            assert_close(c.pipd.recall[y], sum[y] / step, 1e-12, 0);
            running[y] = c.pipd.recall[y];
        }
        assert_int_equal(c.pipd.judged, step);
    }
    for (int step = 51; step <= 80; step++) { /* then a fiftieth of each */
        judge(&c, &p, 1.0, 0.25, 100);
        running[0] = 0.98 * running[0] + 0.02 * 1.0;
        running[1] = 0.98 * running[1] + 0.02 * 0.25;
        for (int y = 0; y < 2; y++) assert_close(c.pipd.recall[y], running[y], 1e-12, 0);
    }
}

static void the_best_snapshot_finds_enough_and_masks_least(void **state)
{
    struct train_phase p = phase();
    struct copies c;
    (void)state;
    begin(&c);
    judge(&c, &p, 0.9, 0.498, 100); /* finds too few */
    assert_false(c.pipd.has_best);
    assert_int_equal(c.pipd.judged, 1);
    begin(&c);
    judge(&c, &p, 0.75, 0.5, 200); /* as many as asked for */
    assert_best(&c, 200, 0.75);
    c.pipd.judged = 0;
    judge(&c, &p, 0.75, 0.9, 300); /* not better on feasible nodes */
    assert_best(&c, 200, 0.75);
    c.pipd.judged = 0;
    judge(&c, &p, 0.751, 0.9, 400);
    assert_best(&c, 400, 0.751);
    c.pipd.judged = 0;
    judge(&c, &p, 1.0, 0.4, 500); /* better there and too few */
    assert_best(&c, 400, 0.751);
    begin(&c);
    judge(&c, &p, 0.0, 0.5, 600); /* the first is taken whatever it masks */
    assert_best(&c, 600, 0.0);
}

static void a_step_with_one_class_only_says_nothing(void **state)
{
    static const int64_t nodes[3][2] = {{0, 10}, {10, 0}, {0, 0}};
    struct train_phase p = phase();
    (void)state;
    for (int k = 0; k < 3; k++) {
        struct copies c;
        real params[TOTAL] = {0};
        struct step_labels labels = {.nodes = {nodes[k][0], nodes[k][1]},
                                     .right = {nodes[k][0], nodes[k][1]}};
        begin(&c);
        c.pipd.recall[0] = 0.5, c.pipd.recall[1] = 0.75, c.pipd.judged = 3;
        pipd_judge(&c.pipd, &p, &labels, params, TOTAL);
        assert_int_equal(c.pipd.judged, 3);
        assert_true(c.pipd.recall[0] == 0.5 && c.pipd.recall[1] == 0.75);
        assert_false(c.pipd.has_best);
    }
    struct copies c; /* one node of a class is enough */
    real params[TOTAL] = {0};
    struct step_labels one = {.nodes = {1, 1}, .right = {1, 1}};
    begin(&c);
    pipd_judge(&c.pipd, &p, &one, params, TOTAL);
    assert_true(c.pipd.has_best && c.pipd.judged == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_decoder_learns_at_the_ends_and_at_the_end_of_every_block),
        cmocka_unit_test(the_copy_is_renewed_at_the_opening_and_with_every_block),
        cmocka_unit_test(recall_is_the_mean_of_what_was_seen_and_then_a_running_one),
        cmocka_unit_test(the_best_snapshot_finds_enough_and_masks_least),
        cmocka_unit_test(a_step_with_one_class_only_says_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
