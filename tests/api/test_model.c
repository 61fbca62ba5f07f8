/* Models: what is saved loads as the same model; what does not fit is refused, and named. */
#include "api/model.h"
#include "io/safetensors.h"
#include "math/half.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ucpo_model *tiny_model(const char *problem, int has_aux)
{
    ucpo_model_config c = ucpo_model_config_default(problem);
    c.width = 8, c.heads = 1, c.hidden = 3, c.layers = 1, c.has_aux = has_aux;
    c.decision = has_aux ? 4 : 0, c.decision_glimpse = has_aux;
    c.pair = has_aux;
    ucpo_model *model = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_model_create(&c, 7, &model, &err), &err);
    return model;
}

struct file {
    char *bytes;
    size_t size;
};

static struct file save(const ucpo_model *model, ucpo_dtype dtype)
{
    struct file file = {0};
    ucpo_error err = {0};
    assert_ok(ucpo_model_save_bytes(model, dtype, &file.bytes, &file.size, &err), &err);
    return file;
}

static ucpo_model *load(struct file file)
{
    ucpo_model *model = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_model_load_bytes(file.bytes, file.size, "back", &model, &err), &err);
    return model;
}

/* Expects an error whose text contains `part`. */
static void assert_refused(struct file file, ucpo_status code, const char *part)
{
    ucpo_model *model = NULL;
    ucpo_error err = {0};
    ucpo_status st = ucpo_model_load_bytes(file.bytes, file.size, "bad", &model, &err);
    if (st != code || !strstr(err.text, part))
        print_error("expected '%s', got %s: %s\n", part, ucpo_status_name(st), err.text);
    assert_int_equal(st, code);
    assert_int_equal(err.code, code);
    assert_string_equal(err.file, "bad");
    assert_non_null(strstr(err.text, part));
    assert_null(model);
}

static void assert_same_file(struct file a, struct file b)
{
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.bytes, b.bytes, a.size);
}

/* ---- creation and information ---- */

static void the_default_has_the_published_sizes(void **state)
{
    (void)state;
    for (int has_aux = 0; has_aux <= 1; has_aux++) {
        ucpo_model_config c = ucpo_model_config_default("tsptw");
        c.has_aux = has_aux;
        ucpo_model *model = NULL;
        ucpo_error err = {0};
        assert_ok(ucpo_model_create(&c, 1, &model, &err), &err);
        ucpo_model_info info = ucpo_model_describe(model);
        assert_int_equal(info.parameters, has_aux ? 1319552 : 1253760);
        assert_int_equal(info.tensors, has_aux ? 90 : 85);
        assert_string_equal(info.config.problem, "tsptw");
        assert_string_equal(info.config.norm, "instance");
        assert_int_equal(info.config.width, 128);
        assert_int_equal(info.config.has_aux, has_aux);
        assert_true(info.config.clip == 10.0);
        assert_int_equal(info.node_features, 4);
        assert_int_equal(info.depot_features, 0);
        assert_int_equal(info.state_features, 1);
        assert_int_equal(info.facts, 0);
        assert_string_equal(info.notes, "");
        assert_string_equal(info.version, ucpo_version());
        assert_true((uintptr_t)model->params % 64 == 0);
        ucpo_model_free(model);
    }
    ucpo_model_free(NULL);
}

static void creation_refuses_bad_sizes(void **state)
{
    (void)state;
    ucpo_model_config good = ucpo_model_config_default("tspdl");

    struct {
        ucpo_model_config config;
        const char *part;
    } cases[14];

    int count = 0;
    for (int k = 0; k < 14; k++) cases[k].config = good;
    cases[count].config.problem = "knapsack", cases[count++].part = "expected one of tsptw";
    cases[count].config.problem = NULL, cases[count++].part = "problem is ''";
    cases[count].config.norm = "batch", cases[count++].part = "norm is 'batch'";
    cases[count].config.norm = NULL, cases[count++].part = "norm is ''";
    cases[count].config.width = 0, cases[count++].part = "width is 0";
    cases[count].config.width = 132, cases[count++].part = "multiple of 8";
    cases[count].config.heads = 0, cases[count++].part = "heads is 0";
    cases[count].config.hidden = 0, cases[count++].part = "hidden is 0";
    cases[count].config.layers = 17, cases[count++].part = "layers is 17";
    cases[count].config.has_aux = 2, cases[count++].part = "has_aux is 2";
    cases[count].config.decision_glimpse = 1, cases[count++].part = "needs decision > 0";
    cases[count].config.decision = 6, cases[count++].part = "multiple of 4";
    cases[count].config.clip = (double)NAN, cases[count++].part = "clip is nan";
    cases[count].config.clip = -1.0, cases[count++].part = "clip is -1";
    for (int k = 0; k < count; k++) {
        ucpo_model *model = NULL;
        ucpo_error err = {0};
        assert_int_equal(ucpo_model_create(&cases[k].config, 0, &model, &err), UCPO_E_ARGUMENT);
        assert_non_null(strstr(err.text, cases[k].part));
        assert_null(model);
    }
}

static void weights_follow_from_the_seed(void **state)
{
    (void)state;
    ucpo_model *a = tiny_model("cvrptwlv", 1), *b = tiny_model("cvrptwlv", 1), *c = NULL;
    ucpo_model_config config = ucpo_model_describe(a).config;
    ucpo_error err = {0};
    assert_ok(ucpo_model_create(&config, 8, &c, &err), &err);
    assert_memory_equal(a->params, b->params, a->net.total * sizeof(real));
    assert_memory_not_equal(a->params, c->params, a->net.total * sizeof(real));
    ucpo_model_free(a);
    ucpo_model_free(b);
    ucpo_model_free(c);
}

/* docs/model.md lists every tensor: "encoder.layers.i.Wq.weight" stands for all layers. */
static void every_tensor_is_documented(void **state)
{
    (void)state;
    char path[512], name[128];
    char *text = test_read_file(test_data_path(path, sizeof path, "../../docs/model.md"), NULL);
    assert_non_null(text);
    ucpo_model *model = tiny_model("cvrptw", 1); /* has all there are */
    for (int k = 0; k < model->net.tensors; k++) {
        snprintf(name, sizeof name, "| `%s` |", model->net.tensor[k].name);
        char *layer = strstr(name, ".layers.0.");
        if (layer) layer[8] = 'i';
        if (!strstr(text, name)) print_error("%s is not in docs/model.md\n", name);
        assert_non_null(strstr(text, name));
    }
    assert_non_null(strstr(text, "load/(capacity or total), fleet left/limit"));
    ucpo_model_free(model);
    free(text);
}

/* ---- round trips ---- */

static void assert_same_model(const ucpo_model *a, const ucpo_model *b)
{
    ucpo_model_info p = ucpo_model_describe(a), q = ucpo_model_describe(b);
    assert_string_equal(p.config.problem, q.config.problem);
    assert_string_equal(p.config.norm, q.config.norm);
    assert_int_equal(p.config.width, q.config.width);
    assert_int_equal(p.config.heads, q.config.heads);
    assert_int_equal(p.config.hidden, q.config.hidden);
    assert_int_equal(p.config.layers, q.config.layers);
    assert_int_equal(p.config.has_aux, q.config.has_aux);
    assert_int_equal(p.config.decision, q.config.decision);
    assert_int_equal(p.config.decision_glimpse, q.config.decision_glimpse);
    assert_int_equal(p.config.pair, q.config.pair);
    assert_true(p.config.clip == q.config.clip);
    assert_int_equal(p.node_features, q.node_features);
    assert_int_equal(p.depot_features, q.depot_features);
    assert_int_equal(p.state_features, q.state_features);
    assert_int_equal(p.parameters, q.parameters);
    assert_string_equal(p.version, q.version);
    assert_int_equal(p.facts, q.facts);
    for (size_t i = 0; i < p.facts; i++) {
        const char *key = ucpo_model_fact_key(a, i);
        assert_string_equal(key, ucpo_model_fact_key(b, i));
        assert_string_equal(ucpo_model_fact(a, key), ucpo_model_fact(b, key));
    }
}

static void check_round_trips(const ucpo_model_config *config)
{
    ucpo_model *model = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_model_create(config, 99, &model, &err), &err);
    assert_ok(ucpo_model_set_fact(model, "train.sizes", "20 50", &err), &err);
    assert_ok(ucpo_model_set_fact(model, "notes", "caf\xC3\xA9, \"quoted\"\n\\", &err), &err);
    for (int dtype = 0; dtype <= 1; dtype++) {
        struct file first = save(model, (ucpo_dtype)dtype);
        ucpo_model *back = load(first);
        assert_same_model(model, back);
        for (size_t i = 0; i < model->net.total; i++) {
            float had = (float)model->params[i];
            if (dtype == UCPO_DTYPE_F16) had = half_to_float(half_from_float(had));
            assert_true((float)back->params[i] == had);
        }
        struct file second = save(back, (ucpo_dtype)dtype);
        assert_same_file(first, second);
        ucpo_model_free(back);
        ucpo_bytes_free(first.bytes);
        ucpo_bytes_free(second.bytes);
    }
    ucpo_model_free(model);
}

static void every_kind_of_model_survives_its_file(void **state)
{
    (void)state;
    for (size_t p = 0; p < ucpo_problem_count(); p++) {
        for (int kind = 0; kind < 4; kind++) {
            ucpo_model_config c = ucpo_model_config_default(ucpo_problem_at(p)->name);
            c.width = 16, c.heads = 2, c.hidden = 5, c.layers = 1 + kind;
            c.norm = kind & 1 ? "layer" : "instance";
            c.has_aux = kind >> 1;
            c.clip = 10.0 / (kind + 2.9);
            check_round_trips(&c);
        }
    }
    ucpo_model_config big = ucpo_model_config_default("cvrptw");
    check_round_trips(&big);
}

static void special_weights_keep_their_bits(void **state)
{
    (void)state;
    static const float special[] = {0.0f,     -0.0f,     1.0f,   65504.0f, -65504.0f,
                                    5.96e-8f, -6.10e-5f, 1e-45f, 3.4e38f};

    enum { COUNT = sizeof special / sizeof special[0] };

    ucpo_model *model = tiny_model("tsptw", 0);
    for (int i = 0; i < COUNT; i++) model->params[i] = (real)special[i];
    struct file file = save(model, UCPO_DTYPE_F32);
    ucpo_model *back = load(file);
    assert_memory_equal(model->params, back->params, COUNT * sizeof(real));
    ucpo_bytes_free(file.bytes);
    ucpo_model_free(back);
    ucpo_model_free(model);
}

/* ---- facts ---- */

static void facts_are_set_replaced_removed_and_sorted(void **state)
{
    (void)state;
    ucpo_model *m = tiny_model("tsptw", 0);
    ucpo_error err = {0};
    assert_null(ucpo_model_fact(m, "train.seed"));
    assert_null(ucpo_model_fact_key(m, 0));
    assert_ok(ucpo_model_set_fact(m, "train.seed", "1", &err), &err);
    assert_ok(ucpo_model_set_fact(m, "notes", "x", &err), &err);
    assert_ok(ucpo_model_set_fact(m, "train.level", "hard", &err), &err);
    assert_ok(ucpo_model_set_fact(m, "train.seed", "22", &err), &err);
    assert_string_equal(ucpo_model_fact_key(m, 0), "notes");
    assert_string_equal(ucpo_model_fact_key(m, 1), "train.level");
    assert_string_equal(ucpo_model_fact_key(m, 2), "train.seed");
    assert_string_equal(ucpo_model_fact(m, "train.seed"), "22");
    assert_string_equal(ucpo_model_describe(m).notes, "x");
    /* a fact set to its own text */
    assert_ok(ucpo_model_set_fact(m, "notes", ucpo_model_fact(m, "notes"), &err), &err);
    assert_ok(ucpo_model_set_fact(m, "notes", NULL, &err), &err);
    assert_ok(ucpo_model_set_fact(m, "never.there", NULL, &err), &err);
    assert_int_equal(ucpo_model_describe(m).facts, 2);
    assert_string_equal(ucpo_model_fact(m, "train.level"), "hard");
    ucpo_model_free(m);
}

static void facts_that_cannot_be_saved_are_refused(void **state)
{
    (void)state;
    static const char *const keys[] = {"",     "two words", "caf\xC3\xA9", "tab\t",        "format",
                                       "arch", "problem",   "version",     "normalisation"};
    ucpo_model *m = tiny_model("tsptw", 0);
    ucpo_error err = {0};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        assert_int_equal(ucpo_model_set_fact(m, keys[i], "x", &err), UCPO_E_ARGUMENT);
    char text[MODEL_MAX_VALUE + 2];
    memset(text, 'a', sizeof text);
    text[MODEL_MAX_KEY + 1] = '\0';
    assert_int_equal(ucpo_model_set_fact(m, text, "x", &err), UCPO_E_ARGUMENT);
    text[MODEL_MAX_KEY] = '\0';
    assert_ok(ucpo_model_set_fact(m, text, "x", &err), &err);
    text[MODEL_MAX_KEY] = text[MODEL_MAX_KEY + 1] = 'a';
    text[MODEL_MAX_VALUE + 1] = '\0';
    assert_int_equal(ucpo_model_set_fact(m, "long", text, &err), UCPO_E_ARGUMENT);
    text[MODEL_MAX_VALUE] = '\0';
    assert_ok(ucpo_model_set_fact(m, "long", text, &err), &err);
    assert_int_equal(ucpo_model_set_fact(m, "bytes", "\xC3(", &err), UCPO_E_ARGUMENT);
    for (int i = 2; i < MODEL_MAX_FACTS; i++) {
        snprintf(text, sizeof text, "fact.%d", i);
        assert_ok(ucpo_model_set_fact(m, text, text, &err), &err);
    }
    assert_int_equal(ucpo_model_set_fact(m, "one.more", "x", &err), UCPO_E_ARGUMENT);
    assert_ok(ucpo_model_set_fact(m, "fact.2", "changed", &err), &err);
    struct file file = save(m, UCPO_DTYPE_F32); /* as full as can be */
    ucpo_model *back = load(file);
    assert_same_model(m, back);
    ucpo_bytes_free(file.bytes);
    ucpo_model_free(back);
    ucpo_model_free(m);
}

/* ---- edited files ---- */

/* The parts of a file, open for change; no more than one tensor and one key may be added. */
struct parts {
    struct file file;
    struct io_tensors read;
    struct io_tensor *tensor;
    struct io_meta *meta;
    size_t count, metas;
};

static struct parts take_apart(ucpo_dtype dtype)
{
    struct parts p = {0};
    ucpo_error err = {0};
    ucpo_model *model = tiny_model("tsptw", 0);
    p.file = save(model, dtype);
    ucpo_model_free(model);
    assert_ok(io_safetensors_read(p.file.bytes, p.file.size, "", &p.read, &err), &err);
    p.count = p.read.count, p.metas = p.read.metas;
    p.tensor = calloc(p.count + 1, sizeof *p.tensor);
    p.meta = calloc(p.metas + 1, sizeof *p.meta);
    memcpy(p.tensor, p.read.tensor, p.count * sizeof *p.tensor);
    size_t kept = 0; /* without the checksum, as files of older versions are */
    for (size_t i = 0; i < p.metas; i++)
        if (strcmp(p.read.meta[i].key, "checksum") != 0) p.meta[kept++] = p.read.meta[i];
    p.metas = kept;
    return p;
}

/* Writes the parts as a file, expects its loading to fail, and releases everything. */
static void assert_parts_refused(struct parts p, ucpo_status code, const char *text)
{
    struct io_buffer out = {0};
    ucpo_error err = {0};
    assert_ok(io_safetensors_write(&out, p.meta, p.metas, p.tensor, p.count, &err), &err);
    assert_refused((struct file){out.bytes, out.size}, code, text);
    io_buffer_free(&out);
    io_tensors_free(&p.read);
    ucpo_bytes_free(p.file.bytes);
    free(p.tensor);
    free(p.meta);
}

static struct io_tensor *part(struct parts *p, const char *name)
{
    for (size_t i = 0; i < p->count; i++)
        if (strcmp(p->tensor[i].name, name) == 0) return &p->tensor[i];
    fail();
    return NULL;
}

static void refuse_meta(const char *key, const char *value, ucpo_status code, const char *text)
{
    struct parts p = take_apart(UCPO_DTYPE_F32);
    size_t i = 0;
    while (i < p.metas && strcmp(p.meta[i].key, key) != 0) i++;
    if (!value) {
        assert_true(i < p.metas);
        p.meta[i] = p.meta[--p.metas];
    } else {
        p.meta[i] = (struct io_meta){key, value};
        if (i == p.metas) p.metas++;
    }
    assert_parts_refused(p, code, text);
}

static void metadata_is_required_and_checked(void **state)
{
    (void)state;
    refuse_meta("format", NULL, UCPO_E_FORMAT, "metadata 'format' is missing");
    refuse_meta("format", "pt", UCPO_E_FORMAT, "format is 'pt', expected ucpo.model/1");
    refuse_meta("format", "ucpo.model/2", UCPO_E_UNSUPPORTED, "newer than ucpo.model/1");
    refuse_meta("format", "ucpo.model/99999999999999999999", UCPO_E_UNSUPPORTED, "newer");
    refuse_meta("format", "ucpo.model/0", UCPO_E_FORMAT, "expected ucpo.model/1");
    refuse_meta("format", "ucpo.model/1x", UCPO_E_FORMAT, "expected ucpo.model/1");
    refuse_meta("format", "ucpo.model/", UCPO_E_FORMAT, "expected ucpo.model/1");
    refuse_meta("version", NULL, UCPO_E_FORMAT, "metadata 'version' is missing");
    refuse_meta("problem", NULL, UCPO_E_FORMAT, "metadata 'problem' is missing");
    refuse_meta("problem", "knapsack", UCPO_E_UNSUPPORTED, "expected one of tsptw");
    refuse_meta("problem", "cvrptw", UCPO_E_MISMATCH, "but problem cvrptw has 5, 2 and 2");
    refuse_meta("normalisation", NULL, UCPO_E_FORMAT, "metadata 'normalisation' is missing");
    refuse_meta("normalisation", "other", UCPO_E_UNSUPPORTED, "normalisation is 'other'");
    refuse_meta("two words", "x", UCPO_E_FORMAT, "metadata: a fact's key");
}

#define ARCH(width, more)                                                                          \
    "{\"node_features\":4,\"depot_features\":0,\"state_features\":1,\"width\":" width              \
    ",\"heads\":1,\"hidden\":3,\"layers\":1,\"clip\":10" more "}"
#define REST ",\"norm\":\"instance\",\"has_aux\":false"

static void the_architecture_is_checked(void **state)
{
    (void)state;
    refuse_meta("arch", NULL, UCPO_E_FORMAT, "metadata 'arch' is missing");
    refuse_meta("arch", "", UCPO_E_FORMAT, "arch: not valid JSON");
    refuse_meta("arch", "[]", UCPO_E_FORMAT, "arch: the file is an array");
    refuse_meta("arch", "{}", UCPO_E_FORMAT, "arch: node_features is missing");
    refuse_meta("arch", ARCH("8.5", REST), UCPO_E_FORMAT, "arch: width is 8.5");
    refuse_meta("arch", ARCH("-8", REST), UCPO_E_FORMAT, "arch: width is -8");
    refuse_meta("arch", ARCH("\"8\"", REST), UCPO_E_FORMAT, "arch: width is \"8\"");
    refuse_meta("arch", ARCH("1e300", REST), UCPO_E_FORMAT, "arch: width is 1e+300");
    refuse_meta("arch", ARCH("4096", REST), UCPO_E_FORMAT, "arch: network width is 4096");
    refuse_meta("arch", ARCH("12", REST), UCPO_E_FORMAT, "multiple of 8");
    refuse_meta("arch", ARCH("8", ",\"norm\":\"instance\""), UCPO_E_FORMAT, "has_aux is missing");
    refuse_meta("arch", ARCH("8", ",\"has_aux\":1,\"norm\":\"layer\""), UCPO_E_FORMAT,
                "has_aux is 1");
    refuse_meta("arch", ARCH("8", ",\"has_aux\":true,\"norm\":\"batch\""), UCPO_E_FORMAT,
                "norm is \"batch\"");
    refuse_meta("arch", ARCH("8", REST ",\"rotary\":true"), UCPO_E_UNSUPPORTED, "newer version?");
    refuse_meta("arch", ARCH("8", REST ",\"width\":8"), UCPO_E_FORMAT, "duplicate");
    /* a legal architecture that is not the one stored: nothing of 340 million weights is allocated
     */
    refuse_meta("arch",
                "{\"node_features\":4,\"depot_features\":0,\"state_features\":1,\"width\":1024,"
                "\"heads\":8,\"hidden\":8192,\"layers\":16,\"clip\":10" REST "}",
                UCPO_E_MISMATCH, "; and ");
    refuse_meta("arch", ARCH("8", ",\"norm\":\"layer\",\"has_aux\":true"), UCPO_E_MISMATCH,
                "5 tensors are not as the architecture asks: decoder.Wq_last_sl.weight [8, 9] is "
                "missing");
}

static void every_kind_of_mismatch_is_named(void **state)
{
    (void)state;
    static const unsigned char zeros[1024] = {0};
    struct parts p = take_apart(UCPO_DTYPE_F32);
    p.tensor[3] = p.tensor[--p.count];
    assert_parts_refused(p, UCPO_E_MISMATCH,
                         "1 tensor is not as the architecture asks: encoder.layers.0.Wk.weight "
                         "[8, 8] is missing");
    p = take_apart(UCPO_DTYPE_F32);
    p.tensor[p.count++] = (struct io_tensor){
        .name = "step", .dtype = IO_I64, .rank = 1, .shape = {1}, .count = 1, .data = zeros};
    assert_parts_refused(p, UCPO_E_MISMATCH, "'step' is unexpected");
    p = take_apart(UCPO_DTYPE_F32);
    part(&p, "encoder.embedding_node.weight")->shape[0] = 4;
    part(&p, "encoder.embedding_node.weight")->shape[1] = 8;
    assert_parts_refused(p, UCPO_E_MISMATCH,
                         "encoder.embedding_node.weight is [4, 8], expected [8, 4]");
    p = take_apart(UCPO_DTYPE_F32);
    part(&p, "encoder.embedding_node.bias")->rank = 2;
    part(&p, "encoder.embedding_node.bias")->shape[1] = 1;
    assert_parts_refused(p, UCPO_E_MISMATCH, "embedding_node.bias is [8, 1], expected [8]");
    p = take_apart(UCPO_DTYPE_F16);
    part(&p, "decoder.Wk.weight")->dtype = IO_BF16;
    assert_parts_refused(p, UCPO_E_MISMATCH, "decoder.Wk.weight is BF16, expected F32 or F16");
}

static void all_mismatches_are_listed_at_once(void **state)
{
    (void)state;
    static const unsigned char zeros[1024] = {0};
    struct parts p = take_apart(UCPO_DTYPE_F32);
    *part(&p, "encoder.embedding_node.bias") = (struct io_tensor){
        .name = "surplus", .dtype = IO_F32, .rank = 0, .count = 1, .data = zeros};
    *part(&p, "decoder.Wv.weight") = (struct io_tensor){.name = "decoder.Wv.weight",
                                                        .dtype = IO_F64,
                                                        .rank = 3,
                                                        .shape = {8, 2, 4},
                                                        .count = 64,
                                                        .data = zeros};
    assert_parts_refused(p, UCPO_E_MISMATCH,
                         "4 tensors are not as the architecture asks: "
                         "encoder.embedding_node.bias [8] is missing; "
                         "decoder.Wv.weight is [8, 2, 4], expected [8, 8]; "
                         "decoder.Wv.weight is F64, expected F32 or F16; "
                         "'surplus' is unexpected");
    /* a file without tensors lacks all; those that do not fit are counted */
    p = take_apart(UCPO_DTYPE_F32);
    size_t all = p.count;
    p.count = 0;
    char part_of_text[64];
    snprintf(part_of_text, sizeof part_of_text, "%zu tensors are not", all);
    assert_parts_refused(p, UCPO_E_MISMATCH, part_of_text);
    p = take_apart(UCPO_DTYPE_F32);
    p.count = 0;
    assert_parts_refused(p, UCPO_E_MISMATCH, " more");
}

static void stored_order_and_mixed_types_do_not_matter(void **state)
{
    (void)state;
    struct parts p = take_apart(UCPO_DTYPE_F32);
    for (size_t i = 0; i < p.count / 2; i++) {
        struct io_tensor t = p.tensor[i];
        p.tensor[i] = p.tensor[p.count - 1 - i];
        p.tensor[p.count - 1 - i] = t;
    }
    static const unsigned char halves[2 * 64] = {0x00, 0x3C}; /* 1, then zeros */
    part(&p, "decoder.Wk.weight")->dtype = IO_F16;
    part(&p, "decoder.Wk.weight")->data = halves;
    struct io_buffer out = {0};
    ucpo_error err = {0};
    assert_ok(io_safetensors_write(&out, p.meta, p.metas, p.tensor, p.count, &err), &err);
    ucpo_model *model = tiny_model("tsptw", 0);
    ucpo_model *back = load((struct file){out.bytes, out.size});
    for (int k = 0; k < model->net.tensors; k++) {
        const struct nn_tensor *t = &model->net.tensor[k];
        if (strcmp(t->name, "decoder.Wk.weight") == 0) {
            assert_true(back->params[t->offset] == 1 && back->params[t->offset + 1] == 0);
            continue;
        }
        for (size_t i = t->offset; i < t->offset + t->count; i++)
            assert_true((float)back->params[i] == (float)model->params[i]);
    }
    ucpo_model_free(model);
    ucpo_model_free(back);
    io_buffer_free(&out);
    io_tensors_free(&p.read);
    ucpo_bytes_free(p.file.bytes);
    free(p.tensor);
    free(p.meta);
}

/* ---- weights that are no numbers ---- */

static void weights_that_are_not_finite_are_named(void **state)
{
    (void)state;
    static const unsigned char nan32[4] = {0, 0, 0xC0, 0x7F}, inf16[2] = {0, 0x7C};
    struct parts p = take_apart(UCPO_DTYPE_F32);
    memcpy((unsigned char *)part(&p, "decoder.Wv.weight")->data + 4 * (8 * 3 + 5), nan32, 4);
    assert_parts_refused(p, UCPO_E_FORMAT, "decoder.Wv.weight[3, 5] is nan");
    p = take_apart(UCPO_DTYPE_F16);
    memcpy((unsigned char *)part(&p, "encoder.embedding_node.bias")->data + 2 * 7, inf16, 2);
    assert_parts_refused(p, UCPO_E_FORMAT, "encoder.embedding_node.bias[7] is inf");
}

static void weights_that_cannot_be_stored_are_named(void **state)
{
    (void)state;
    ucpo_model *model = tiny_model("tsptw", 0);
    struct file file = {0};
    ucpo_error err = {0};
    model->params[5] = (real)65520.0;
    assert_int_equal(ucpo_model_save_bytes(model, UCPO_DTYPE_F16, &file.bytes, &file.size, &err),
                     UCPO_E_ARGUMENT);
    assert_non_null(strstr(err.text, "encoder.embedding_node.weight[1, 1] is 65520, too large"));
    model->params[5] = (real)-INFINITY;
    assert_int_equal(ucpo_model_save_bytes(model, UCPO_DTYPE_F32, &file.bytes, &file.size, &err),
                     UCPO_E_ARGUMENT);
    assert_non_null(strstr(err.text, "encoder.embedding_node.weight[1, 1] is -inf"));
    assert_int_equal(ucpo_model_save_bytes(model, (ucpo_dtype)2, &file.bytes, &file.size, &err),
                     UCPO_E_ARGUMENT);
    assert_null(file.bytes);
    ucpo_model_free(model);
}

/* ---- damage ---- */

static void a_file_cut_anywhere_is_an_error(void **state)
{
    (void)state;
    ucpo_model *model = tiny_model("tsptw", 0);
    for (int dtype = 0; dtype <= 1; dtype++) {
        struct file file = save(model, (ucpo_dtype)dtype);
        for (size_t cut = 0; cut < file.size; cut++) {
            char *copy = malloc(cut ? cut : 1);
            memcpy(copy, file.bytes, cut);
            assert_refused((struct file){copy, cut}, UCPO_E_FORMAT, "");
            free(copy);
        }
        char *longer = malloc(file.size + 1);
        memcpy(longer, file.bytes, file.size);
        longer[file.size] = 0;
        assert_refused((struct file){longer, file.size + 1}, UCPO_E_FORMAT, "which has");
        free(longer);
        ucpo_bytes_free(file.bytes);
    }
    ucpo_model_free(model);
}

/* Any bit of the file may be wrong: an error. Only the word "checksum" itself guards nothing: without
 * it the file is one of an older version. */
static void a_flipped_bit_is_refused(void **state)
{
    (void)state;
    ucpo_model *model = tiny_model("tsptw", 0);
    ucpo_error err = {0};
    assert_ok(ucpo_model_set_fact(model, "run.step", "1000", &err), &err);
    struct file file = save(model, UCPO_DTYPE_F16);
    const char *word = strstr(file.bytes + 8, "\"checksum\":\"");
    assert_non_null(word);
    size_t first = (size_t)(word - file.bytes), header = file.size - model->net.total * 2;
    for (size_t i = 0; i < file.size; i += i < header ? 1 : 7) {
        for (int bit = 0; bit < 8; bit++) {
            ucpo_model *back = NULL;
            file.bytes[i] = (char)(file.bytes[i] ^ (1 << bit));
            ucpo_status st = ucpo_model_load_bytes(file.bytes, file.size, "x", &back, &err);
            if (st == UCPO_OK) {
                assert_true(i >= first && i < first + 12);
                struct file again = save(back, UCPO_DTYPE_F16);
                ucpo_bytes_free(again.bytes);
            } else {
                assert_true(err.text[0] != '\0');
            }
            ucpo_model_free(back);
            file.bytes[i] = (char)(file.bytes[i] ^ (1 << bit));
        }
    }
    ucpo_bytes_free(file.bytes);
    ucpo_model_free(model);
}

static void a_model_with_an_unknown_mask_is_refused(void **state)
{
    (void)state;
    ucpo_model *model = tiny_model("tsptw", 0);
    ucpo_error err = {0};
    for (int is_known = 0; is_known < 2; is_known++) {
        assert_ok(ucpo_model_set_fact(model, "train.mask", is_known ? "pip" : "pip-2", &err), &err);
        struct file file = save(model, UCPO_DTYPE_F32);
        if (is_known)
            ucpo_model_free(load(file));
        else
            assert_refused(file, UCPO_E_UNSUPPORTED, "train.mask is 'pip-2', expected visited");
        ucpo_bytes_free(file.bytes);
    }
    ucpo_model_free(model);
}

/* ---- on disk ---- */

static const char *scratch_path(char *buf, size_t size)
{
    snprintf(buf, size, "test_model_%ld.safetensors", (long)getpid());
    return buf;
}

static void a_saved_file_loads_and_replaces_the_old_one(void **state)
{
    (void)state;
    char path[128], temporary[160];
    scratch_path(path, sizeof path);
    ucpo_model *model = tiny_model("tspdl", 1), *back = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_model_save(model, path, UCPO_DTYPE_F32, &err), &err);
    assert_ok(ucpo_model_save(model, path, UCPO_DTYPE_F16, &err), &err);
    assert_ok(ucpo_model_load(path, &back, &err), &err);
    struct file first = save(model, UCPO_DTYPE_F16), second = save(back, UCPO_DTYPE_F16);
    assert_same_file(first, second);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_size, first.size);
    snprintf(temporary, sizeof temporary, "%s.tmp.%ld", path, (long)getpid());
    assert_int_not_equal(stat(temporary, &info), 0);
    /* a failed save leaves the old file alone */
    model->params[0] = (real)NAN;
    assert_int_equal(ucpo_model_save(model, path, UCPO_DTYPE_F32, &err), UCPO_E_ARGUMENT);
    ucpo_model_free(back);
    assert_ok(ucpo_model_load(path, &back, &err), &err);
    unlink(path);
    assert_int_equal(ucpo_model_load(path, &back, &err), UCPO_E_IO);
    assert_string_equal(err.file, path);
    assert_int_equal(ucpo_model_save(back, "no/such/folder/x", UCPO_DTYPE_F32, &err), UCPO_E_IO);
    ucpo_bytes_free(first.bytes);
    ucpo_bytes_free(second.bytes);
    ucpo_model_free(back);
    ucpo_model_free(model);
}

static void compare_line(const ucpo_model *model, int k, int dtype, const char *line)
{
    const struct nn_tensor *t = &model->net.tensor[k];
    char name[64], type[8], shape[32], expected[32];
    double first, last, sum, ours = 0.0;
    assert_int_equal(
        sscanf(line, "%63s %7s %31s %lf %lf %lf", name, type, shape, &first, &last, &sum), 6);
    assert_string_equal(name, t->name);
    assert_string_equal(type, dtype == UCPO_DTYPE_F16 ? "F16" : "F32");
    snprintf(expected, sizeof expected, t->rank == 2 ? "%dx%d" : "%d", t->shape[0], t->shape[1]);
    assert_string_equal(shape, expected);
    for (size_t i = 0; i < t->count; i++) {
        float value = (float)model->params[t->offset + i];
        if (dtype == UCPO_DTYPE_F16) value = half_to_float(half_from_float(value));
        if (i == 0) assert_true(first == (double)value);
        if (i == t->count - 1) assert_true(last == (double)value);
        ours += (double)value;
    }
    assert_close(sum, ours, 1e-12, 1e-12);
}

static void a_stranger_with_numpy_reads_the_file(void **state)
{
    (void)state;
    char path[128], command[1024], line[512];
    scratch_path(path, sizeof path);
    if (access("/usr/bin/python3", X_OK) != 0) skip();
    ucpo_model *model = tiny_model("cvrptw", 1);
    ucpo_error err = {0};
    assert_ok(ucpo_model_set_fact(model, "train.sizes", "50", &err), &err);
    for (int dtype = 0; dtype <= 1; dtype++) {
        assert_ok(ucpo_model_save(model, path, (ucpo_dtype)dtype, &err), &err);
        snprintf(command, sizeof command, "/usr/bin/python3 '%s/read_model.py' '%s'",
                 UCPO_TEST_DATA, path);
        FILE *pipe = popen(command, "r");
        assert_non_null(pipe);
        int lines = 0;
        while (fgets(line, sizeof line, pipe)) {
            if (lines == 0)
                assert_string_equal(line, "meta ucpo.model/1 cvrptw 8 instance 50\n");
            else
                compare_line(model, lines - 1, dtype, line);
            lines++;
        }
        int code = pclose(pipe);
        unlink(path);
        if (code == 77 << 8) {
            print_message("skipped: numpy is absent\n");
            ucpo_model_free(model);
            skip();
        }
        assert_int_equal(code, 0);
        assert_int_equal(lines, 1 + model->net.tensors);
    }
    ucpo_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_has_the_published_sizes),
        cmocka_unit_test(creation_refuses_bad_sizes),
        cmocka_unit_test(weights_follow_from_the_seed),
        cmocka_unit_test(every_tensor_is_documented),
        cmocka_unit_test(every_kind_of_model_survives_its_file),
        cmocka_unit_test(special_weights_keep_their_bits),
        cmocka_unit_test(facts_are_set_replaced_removed_and_sorted),
        cmocka_unit_test(facts_that_cannot_be_saved_are_refused),
        cmocka_unit_test(metadata_is_required_and_checked),
        cmocka_unit_test(the_architecture_is_checked),
        cmocka_unit_test(every_kind_of_mismatch_is_named),
        cmocka_unit_test(all_mismatches_are_listed_at_once),
        cmocka_unit_test(stored_order_and_mixed_types_do_not_matter),
        cmocka_unit_test(weights_that_are_not_finite_are_named),
        cmocka_unit_test(weights_that_cannot_be_stored_are_named),
        cmocka_unit_test(a_file_cut_anywhere_is_an_error),
        cmocka_unit_test(a_flipped_bit_is_refused),
        cmocka_unit_test(a_model_with_an_unknown_mask_is_refused),
        cmocka_unit_test(a_saved_file_loads_and_replaces_the_old_one),
        cmocka_unit_test(a_stranger_with_numpy_reads_the_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
