/* Large tables are made some rows at a time: nothing but the questions whether to stop may notice. */
#include "core/rng.h"
#include "nn/nn.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>

enum { N = 2 * NN_STOP_ROWS + 37, MOST_ASKED = 1000000 };

struct net {
    struct nn_model model;
    struct nn_encoder enc;
    struct nn_decoder dec;
    struct arena arena;
    real *params;
};

static void layout(struct net *t)
{
    nn_encoder_layout(&t->enc, &t->arena);
    nn_decoder_layout(&t->dec, &t->arena);
    t->params = arena_take(&t->arena, t->model.total, sizeof(real));
}

static void build(struct net *t)
{
    ucpo_error err = {0};
    struct nn_config c = nn_config_default();
    c.width = 32, c.heads = 4, c.hidden = 16, c.layers = 2;
    c.node_features = 2, c.depot_features = 0, c.state_features = 1;
    assert_ok(nn_model_init(&t->model, &c, &err), &err);
    t->enc = (struct nn_encoder){.model = &t->model, .kern = kern_best(), .B = 1, .n = N};
    t->dec = (struct nn_decoder){.model = &t->model, .kern = kern_best(), .B = 1, .n = N};
    layout(t);
    assert_ok(arena_reserve(&t->arena, &err), &err);
    layout(t);
    nn_params_init(&t->model, 3, t->params);
}

static void run(struct net *t, int is_reversed)
{
    for (int i = 0; i < N; i++) {
        struct rng rng = rng_at(5, RNG_TEST, (uint64_t)i);
        real *to = t->enc.node + 2 * (size_t)(is_reversed ? N - 1 - i : i);
        to[0] = (real)rng_uniform(&rng);
        to[1] = (real)rng_uniform(&rng);
    }
    nn_encoder_forward(&t->enc, t->params, 1);
    nn_decoder_forward(&t->dec, t->params, t->enc.h[t->model.config.layers], 1);
}

static void nodes_in_reverse_give_tables_in_reverse(void **state)
{
    (void)state;
    struct net t = {0};
    build(&t);
    run(&t, 0);
    size_t lanes = (size_t)t.dec.table->lanes, cells = (size_t)N * N * lanes;
    real *first = malloc(cells * sizeof *first);
    assert_non_null(first);
    for (size_t i = 0; i < cells; i++) first[i] = t.dec.table->score[i];
    run(&t, 1);
    double worst = 0, largest = 0;
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < N; j++) {
            for (size_t a = 0; a < 4; a++) {
                double here = (double)first[(i * N + j) * lanes + a];
                double there =
                    (double)t.dec.table->score[((N - 1 - i) * N + (N - 1 - j)) * lanes + a];
                worst = fmax(worst, fabs(here - there));
                largest = fmax(largest, fabs(here));
            }
        }
    }
    assert_true(largest > 0.01);
    assert_true(worst < 1e-4 * largest);
    free(first);
    arena_free(&t.arena);
}

struct counting {
    int asked, until;
};

static int count(void *user)
{
    struct counting *c = user;
    return ++c->asked > c->until;
}

static void large_tables_ask_more_than_once_per_head_and_end_at_once(void **state)
{
    (void)state;
    struct net t = {0};
    build(&t);
    struct counting c = {0, MOST_ASKED};
    struct stop stop = {.ask = count, .user = &c};
    t.enc.stop = &stop;
    run(&t, 0);
    int all = c.asked, heads = 4, layers = 2, blocks = 3;
    assert_true(all >= heads * layers * blocks);
    for (int until = 0; until < all; until += 3) { /* after the first yes: a few more, no work */
        c = (struct counting){0, until};
        run(&t, 0);
        assert_true(c.asked <= until + 6);
    }
    arena_free(&t.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_in_reverse_give_tables_in_reverse),
        cmocka_unit_test(large_tables_ask_more_than_once_per_head_and_end_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
