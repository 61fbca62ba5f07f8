#include "cli/model_info.h"

#include <string.h>
#include <sys/stat.h>

#include "cli/output.h"

int model_looks_like(const char *bytes, size_t size)
{
    if (size < 10 || bytes[8] != '{') return 0;
    uint64_t header = 0;
    for (int k = 7; k >= 0; k--) header = header << 8 | (unsigned char)bytes[k];
    return header <= size - 8;
}

const char *model_path(const char *path, char *buf, size_t size)
{
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode)) return path;
    snprintf(buf, size, "%s/best.safetensors", path);
    if (stat(buf, &about) == 0) return buf;
    snprintf(buf, size, "%s/last.safetensors", path);
    return stat(buf, &about) == 0 ? buf : path;
}

static void print_text(FILE *out, const char *label, const ucpo_model *model)
{
    ucpo_model_info info = ucpo_model_describe(model);
    const ucpo_model_config *c = &info.config;
    report_line(out, "file", "%s", label);
    report_line(out, "format", "model (safetensors), written by ucpo %s", info.version);
    report_line(out, "problem", "%s", c->problem);
    report_line(
        out, "network", "%zu parameters; width %d, heads %d, hidden %d, layers %d, %s norm%s%s",
        info.parameters, (int)c->width, (int)c->heads, (int)c->hidden, (int)c->layers, c->norm,
        c->has_aux ? ", auxiliary decoder" : "", c->decision ? ", features of the decision" : "");
    for (size_t i = 0; ucpo_model_fact_key(model, i); i++) {
        const char *key = ucpo_model_fact_key(model, i);
        if (strncmp(key, "run.", 4) != 0) /* counters of a checkpoint */
            report_line(out, key, "%s", ucpo_model_fact(model, key));
    }
}

static void print_json(FILE *out, const char *label, const ucpo_model *model, int is_first_file)
{
    ucpo_model_info info = ucpo_model_describe(model);
    int is_first = 1, is_first_fact = 1;
    fputs(is_first_file ? "\n  {" : ",\n  {", out);
    put_json_key(out, &is_first, "file");
    put_json_string(out, label);
    put_json_key(out, &is_first, "format");
    put_json_string(out, "safetensors");
    put_json_key(out, &is_first, "problem");
    put_json_string(out, info.config.problem);
    put_json_key(out, &is_first, "parameters");
    fprintf(out, "%zu", info.parameters);
    put_json_key(out, &is_first, "width");
    fprintf(out, "%d", (int)info.config.width);
    put_json_key(out, &is_first, "heads");
    fprintf(out, "%d", (int)info.config.heads);
    put_json_key(out, &is_first, "hidden");
    fprintf(out, "%d", (int)info.config.hidden);
    put_json_key(out, &is_first, "layers");
    fprintf(out, "%d", (int)info.config.layers);
    put_json_key(out, &is_first, "norm");
    put_json_string(out, info.config.norm);
    put_json_key(out, &is_first, "has_aux");
    fputs(info.config.has_aux ? "true" : "false", out);
    put_json_key(out, &is_first, "decision");
    fprintf(out, "%d", (int)info.config.decision);
    put_json_key(out, &is_first, "facts");
    fputc('{', out);
    for (size_t i = 0; ucpo_model_fact_key(model, i); i++) {
        put_json_key(out, &is_first_fact, ucpo_model_fact_key(model, i));
        put_json_string(out, ucpo_model_fact(model, ucpo_model_fact_key(model, i)));
    }
    fputs("}}", out);
}

int model_info_print(FILE *out, const char *format, const char *label, const char *bytes,
                     size_t size, int is_first_file)
{
    ucpo_error err = {0};
    ucpo_model *model = NULL;
    if (strcmp(format, "csv") == 0) {
        message_error("%s: a model does not fit the columns of --format csv", label);
        return EXIT_INPUT;
    }
    ucpo_status status = ucpo_model_load_bytes(bytes, size, label, &model, &err);
    if (status) return message_failure(status, &err);
    if (strcmp(format, "json") == 0) {
        print_json(out, label, model, is_first_file);
    } else {
        if (!is_first_file) fputc('\n', out);
        print_text(out, label, model);
    }
    ucpo_model_free(model);
    return EXIT_DONE;
}
