/* ucpo plot: the curves of training runs as a picture. */
#include "cli/cli.h"
#include "cli/output.h"

struct plot_settings {
    const char *x, *output;
};

static const char *x_at(size_t index)
{
    static const char *const words[] = {"instances", "time"};
    return index < sizeof words / sizeof words[0] ? words[index] : NULL;
}

static const struct opt_spec plot_specs[] = {
    {.name = "x",
     .letter = 'x',
     .kind = OPT_CHOICE,
     .offset = offsetof(struct plot_settings, x),
     .value = "WHAT",
     .preset = "instances",
     .choice = x_at,
     .help = "what runs along the x axis: instances learned from, or time elapsed"},
    {.name = "output",
     .letter = 'o',
     .kind = OPT_FILE,
     .offset = offsetof(struct plot_settings, output),
     .value = "FILE",
     .preset = "-",
     .help = "where to write the picture (SVG), - for standard output"},
};

static const struct opt_group plot_group = {"Picture", plot_specs,
                                            sizeof plot_specs / sizeof plot_specs[0]};

static int run(const struct command *self, int argc, char **argv)
{
    struct plot_settings settings = {0};
    void *targets[OPT_MAX_GROUPS] = {&settings};
    struct opt_parsed parsed;
    int code = EXIT_DONE;
    if (!command_begin(self, targets, argc, argv, &parsed, &code)) return code;
    if (!output_accepts(settings.output, "svg")) return EXIT_INPUT;

    ucpo_error err = {0};
    char *bytes = NULL;
    size_t size = 0;
    ucpo_plot_options options = ucpo_plot_options_default();
    options.x = settings.x;
    ucpo_status status = ucpo_plot_runs((const char *const *)parsed.operands, parsed.operand_count,
                                        &options, &bytes, &size, &err);
    if (status) return message_failure(status, &err);
    code = output_emit(settings.output, bytes, size);
    ucpo_bytes_free(bytes);
    return code;
}

const struct command command_plot = {
    .name = "plot",
    .summary = "draw the curves of training runs as a picture (SVG)",
    .usage = {"plot RUN... [options]"},
    .examples =
        {
            {"how a run is doing, also while it is running", "ucpo plot runs/a -o curves.svg"},
            {"three runs in one picture, by the time they took",
             "ucpo plot runs/a runs/b runs/c --x time -o compare.svg"},
        },
    .operands = {{"RUN", "directory of a training run; up to 8 are compared by colour", NULL, 0,
                  1}},
    .groups = {&plot_group, &common_options},
    .details =
        {"A run is a directory with a metrics.csv, as training writes it. One run gives four "
         "panels: infeasible instances and samples, objective, gap to the reference (if there "
         "is one), and the loss with its terms and the share of instances that have each term. "
         "Several runs are drawn in the same panels, one colour each.",
         "Lines are training, running means with the raw values faint behind; filled dots are "
         "validation with greedy decoding, open dots with sampling. The picture is one file of "
         "880 pixels width that every browser shows, light or dark as the reader prefers. "
         "Rates of infeasibility are the first thing to look at: a low objective of infeasible "
         "plans means nothing."},
    .run = run,
};
