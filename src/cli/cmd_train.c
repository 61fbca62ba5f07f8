/* ucpo train and ucpo finetune: learn a model in a run directory. */
#include <string.h>

#include "cli/cli.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/train.h"

struct run_settings {
    const char *output, *config, *resume, *phases;
    int is_dry, prints_config;
};

#define AT(member) offsetof(struct run_settings, member)

static const struct opt_spec run_specs[] = {
    OPT("output", 'o', OPT_FILE, AT(output), "RUN", NULL,
        "directory for the run: settings, metrics, checkpoints"),
    OPT("resume", 0, OPT_FILE, AT(resume), "RUN", NULL,
        "go on with a run exactly where its last checkpoint stands; with --instances to another "
        "end than it was begun with"),
    OPT("config", 0, OPT_FILE, AT(config), "FILE", NULL,
        "settings from a file (TOML; RUN/config.toml is one); options given here win",
        .old_letter = 'c'),
    OPT("phases", 0, OPT_TEXT, AT(phases), "TEXT", NULL,
        "several phases, for example \"instances=50k loss=reinforce-norm; instances=150k "
        "loss=ucpo,alpha=2/n size=50\"; each inherits the other options"),
    OPT("dry-run", 0, OPT_FLAG, AT(is_dry), NULL, NULL,
        "print parameters, memory and time per 10,000 instances, and stop"),
    OPT("print-config", 0, OPT_FLAG, AT(prints_config), NULL, NULL,
        "print the effective settings as a file, and stop"),
};

static const struct opt_group run_group = OPT_GROUP("This call", run_specs);

/* ---- work ---- */

static int wants_stop(void *user)
{
    (void)user;
    return interrupt_is_pending();
}

static int print_config(const ucpo_train_config *config)
{
    ucpo_error err = {0};
    char *bytes = NULL;
    size_t size = 0;
    ucpo_status status = ucpo_train_config_text(config, &bytes, &size, &err);
    return output_made(NULL, status, &err, bytes, size);
}

static int dry_run(const ucpo_train_config *config)
{
    ucpo_error err = {0};
    ucpo_train_estimate e;
    struct output out;
    ucpo_status status = ucpo_train_dry_run(config, &e, &err);
    if (status) return message_failure(status, &err);
    if (output_begin(&out)) return EXIT_INTERNAL;
    report_line(out.stream, "parameters", "%zu", e.parameters);
    report_line(out.stream, "memory", "%.0f MB", (double)e.bytes / 1e6);
    report_line(out.stream, "kernels", "%s, products %s", e.kernels, e.precision);
    report_line(out.stream, "time", "%.1f s for 10,000 instances", e.seconds);
    report_line(out.stream, "in all", "%.0f s, validation not included", e.total_seconds);
    return output_finish(&out, NULL);
}

/* What became of the run, in words and as an exit code. */
static int conclude(const ucpo_train_summary *summary, const char *dir)
{
    if (summary->end == UCPO_TRAIN_STOPPED) {
        message_warning("stopped and saved; go on with: ucpo train --resume %s", dir);
        return EXIT_INTERRUPTED;
    }
    if (summary->end == UCPO_TRAIN_LIMIT)
        message_warning("limit reached, saved; go on with: ucpo train --resume %s", dir);
    else if (summary->after[1].kind && summary->after[1].infeasible_instances >= 1.0)
        message_warning(
            "no validation instance is solved yet: try --mask pip, an opening phase with "
            "loss=reinforce-norm, or more instances");
    return train_display_table(summary, dir);
}

static int learn(const ucpo_train_config *config, const struct run_settings *settings, int is_warm)
{
    ucpo_error err = {0};
    ucpo_train_summary summary;
    struct train_display display = train_display_begin(message_is_quiet());
    ucpo_train_hooks hooks = {.report = train_display_report,
                              .log = message_log,
                              .stop = wants_stop,
                              .user = &display,
                              .comm = cluster_comm()};
    const char *dir = settings->resume ? settings->resume : settings->output;
    interrupt_also_terminate();
    ucpo_status status = settings->resume ? ucpo_train_resume(dir, config, &hooks, &summary, &err)
                                          : ucpo_train(config, dir, &hooks, &summary, &err);
    train_display_end(&display);
    if (status) { /* also after Ctrl-C */
        int code = message_trouble(status, &err);
        return status == UCPO_E_MISMATCH && is_warm && !settings->resume ? EXIT_MISFIT : code;
    }
    if (!cluster_is_first()) return EXIT_DONE;
    if (summary.end != UCPO_TRAIN_STOPPED)
        interrupt_clear(); /* too late: the run has ended and is saved */
    return conclude(&summary, dir);
}

/* ---- the two commands ---- */

#define FREE                                                                                       \
    "its length (--instances, --epochs or --time), --threads, --kernels, --max-time, "             \
    "--max-instances, --save-every, --keep-every and --log-every can be given"

static int set_or_say(const struct command *self, ucpo_train_config *config, const char *key,
                      const char *value)
{
    ucpo_error err = {0};
    if (!ucpo_train_config_set(config, key, value, &err)) return EXIT_DONE;
    return usage_error(self, "%s", err.text);
}

/* finetune: the model names the problem and, unless a file of settings or an option does, what it was
 * trained on. */
static int use_model(const char *path, ucpo_train_config *config, const struct command *self,
                     int takes_settings)
{
    static const char *const fact[][2] = {
        {"mask", "train.mask"}, {"size", "train.sizes"}, {"level", "train.level"}};
    ucpo_error err = {0};
    ucpo_model *model = NULL;
    ucpo_status status = ucpo_model_load(path, &model, &err);
    if (status) return message_failure(status, &err);
    int code = set_or_say(self, config, "problem", ucpo_model_describe(model).config.problem);
    if (!code) code = set_or_say(self, config, "start", path);
    for (size_t i = 0; !code && takes_settings && i < sizeof fact / sizeof fact[0]; i++) {
        const char *value = ucpo_model_fact(model, fact[i][1]);
        if (value) code = set_or_say(self, config, fact[i][0], value);
    }
    ucpo_model_free(model);
    return code;
}

/* finetune: as the run will be, whose network is the model's whatever options say. */
static int print_warm_config(const char *path, ucpo_train_config *config)
{
    ucpo_error err = {0};
    ucpo_model *model = NULL;
    ucpo_status status = ucpo_model_load(path, &model, &err);
    if (!status) status = ucpo_train_config_follow(config, model, &err);
    ucpo_model_free(model);
    return status ? message_failure(status, &err) : print_config(config);
}

static int go(const struct command *self, const struct opt_parsed *parsed,
              const struct run_settings *settings, const struct train_settings *values, int is_warm,
              ucpo_train_config *config)
{
    const char *operand = parsed->operand_count ? parsed->operands[0] : NULL;
    int code = EXIT_DONE;
    char path[1200];
    if (is_warm && operand) {
        operand = model_path(operand, path, sizeof path);
        code = use_model(operand, config, self, 1);
    }
    ucpo_error err = {0};
    if (!code && settings->config && ucpo_train_config_read(config, settings->config, &err))
        code = message_failure(err.code, &err);
    if (!code && is_warm && operand) code = use_model(operand, config, self, 0);
    if (!code && !is_warm && operand) code = set_or_say(self, config, "problem", operand);
    if (!code) code = train_options_apply(self, parsed, values, config);
    if (!code && opt_is_given(parsed, "epochs") && opt_is_given(parsed, "instances"))
        code = usage_error(self, "--epochs and --instances exclude each other");
    if (!code && settings->phases) code = set_or_say(self, config, "phases", settings->phases);
    if (code) return code;
    int is_question = settings->prints_config || settings->is_dry;
    if (is_question && !cluster_is_first()) return EXIT_DONE;
    if (settings->prints_config)
        return is_warm ? print_warm_config(operand, config) : print_config(config);
    if (settings->is_dry) return dry_run(config);
    return learn(config, settings, is_warm);
}

static int check_use(const struct command *self, const struct opt_parsed *parsed,
                     const struct run_settings *s, int is_warm)
{
    int is_new = s->prints_config || s->is_dry || s->output;
    int asks = s->prints_config || s->is_dry;
    if (s->resume && (parsed->operand_count > 0 || s->output || s->config || s->phases || asks))
        return usage_error(self, "--resume RUN goes on with the run's own settings; only %s", FREE);
    if (!s->resume && !is_new)
        return usage_error(self, "-o RUN is missing: where the run should be kept");
    if (!s->resume && is_warm && parsed->operand_count == 0)
        return usage_error(self, "MODEL is missing");
    if (!s->resume && !is_warm && parsed->operand_count == 0 && !s->config)
        return usage_error(self, "PROBLEM is missing");
    return EXIT_DONE;
}

static int run_either(const struct command *self, int argc, char **argv, int is_warm)
{
    struct run_settings settings = {0};
    struct train_settings values = {{0}};
    void *targets[OPT_MAX_GROUPS] = {&settings, &values, &values, &values, &values, NULL};
    struct opt_parsed parsed;
    int code = EXIT_DONE;
    if (!command_begin(self, targets, argc, argv, &parsed, &code)) return code;
    code = check_use(self, &parsed, &settings, is_warm);
    if (code) return code;
    (void)cluster_comm(); /* from here on, messages know their process */
    ucpo_error err = {0};
    ucpo_train_config *config = NULL;
    ucpo_status status = ucpo_train_config_create(&config, &err);
    if (status) return message_failure(status, &err);
    code = go(self, &parsed, &settings, &values, is_warm, config);
    ucpo_train_config_free(config);
    return code;
}

static int run_train(const struct command *self, int argc, char **argv)
{
    return run_either(self, argc, argv, 0);
}

static int run_finetune(const struct command *self, int argc, char **argv)
{
    return run_either(self, argc, argv, 1);
}

#define STOPS                                                                                      \
    "Ctrl-C, SIGTERM and SIGHUP finish the step, save and exit with 130; --max-time and "          \
    "--max-instances "                                                                             \
    "do the same with exit status 0. A validation is left to --resume by the former, finished by " \
    "the latter. A run that was killed goes on with --resume from its last checkpoint, bit for "   \
    "bit as if nothing had happened. A loss or gradient that is not finite ends the run with "     \
    "exit status 6 and keeps the instances in RUN/diverged.json.",                                 \
        "--resume RUN --instances N goes on until the whole run has learned from N instances, "    \
        "also if it was finished (a run measured in time: --time). What moves over the last "      \
        "phase, as --lr does, then moves until N as in a run that was begun with N; without such " \
        "settings the weights are those of that run. Fewer than the run has learned from: exit "   \
        "status 2."

const struct command command_train = {
    .name = "train",
    .summary = "learn a model from nothing",
    .usage = {"train PROBLEM -o RUN [options]", "train --config FILE -o RUN [options]",
              "train --resume RUN [--instances N]"},
    .examples =
        {
            {"a model for 50 nodes with hard time windows",
             "ucpo train tsptw -n 50 -l hard --mask pip -o runs/hard"},
            {"a REINFORCE opening, then UCPO",
             "ucpo train tsptw -n 50 --mask pip --phases \"instances=80k loss=reinforce-norm; "
             "instances=120k loss=ucpo,alpha=5/n\" -o runs/two"},
            {"the paper's cold start, 10 of its 10,000 epochs",
             "ucpo train tsptw -n 50 -l medium --protocol paper --epochs 10 -o runs/paper"},
            {"from 20 to 50 nodes in one run",
             "ucpo train cvrptw --phases \"size=20; size=50\" -o runs/grow"},
            {"what it would cost", "ucpo train tsptw -n 100 --dry-run"},
            {"go on after an interruption", "ucpo train --resume runs/hard"},
            {"go on for longer", "ucpo train --resume runs/hard --instances 400k"},
            {"look at it", "ucpo plot runs/hard -o curves.svg"},
        },
    .operands = {{"PROBLEM", "what the model should solve", problem_name_at, 1, 0}},
    .groups = {&run_group, &train_groups[0], &train_groups[1], &train_groups[2], &train_groups[3],
               &common_options},
    .details =
        {"RUN gets config.toml (reusable with --config), metrics.jsonl and metrics.csv, "
         "TensorBoard events, and two checkpoints: last.safetensors and best.safetensors (the "
         "one with the fewest infeasible validation instances, then the lowest cost).",
         STOPS},
    .run = run_train,
};

const struct command command_finetune = {
    .name = "finetune",
    .summary = "adapt a model to other instances or another loss",
    .usage = {"finetune MODEL -o RUN [options]", "finetune --resume RUN [--instances N]"},
    .examples =
        {
            {"to your own instances, shown under eight symmetries",
             "ucpo finetune model.safetensors --data my/instances --instances 20k -o runs/mine"},
            {"with the preference loss, as the paper's warm start",
             "ucpo finetune runs/pomo/last.safetensors --protocol paper -o runs/ucpo"},
        },
    .operands = {{"MODEL", "model file or checkpoint to begin with; it is never overwritten", NULL,
                  1, 0}},
    .groups = {&run_group, &warm_groups[0], &warm_groups[1], &warm_groups[3], &common_options},
    .details =
        {"The architecture stays; --size, --level and --mask are by default what the model was "
         "trained with. At the end the validation before and after is shown, on the same instances "
         "and samples. --optimiser carry goes on with the moments of a checkpoint (last, best or "
         "at-N of a run); the learning rate is always --lr. Instances of another problem than the "
         "model's: exit status 5.",
         STOPS},
    .run = run_finetune,
};
