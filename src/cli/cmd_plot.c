/* ucpo plot: the curves of training runs, or a plan, as a picture. */
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/cloud.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/target.h"

struct plot_settings {
    ucpo_plot_config picture;
    const char *output, *cloud;
};

#define AT(member) offsetof(struct plot_settings, member)

static const struct opt_spec plot_specs[] = {
    OPT("show", 0, OPT_TEXT, AT(picture.show), "PANELS", NULL,
        "plans: which panels, e.g. map,time [default: all the instance has data for]",
        .words = "map time load cloud"),
    OPT("cloud", 0, OPT_FILE, AT(cloud), "FILE", NULL,
        "plans: candidates written by 'ucpo solve --cloud', as one more panel"),
    OPT("names", 0, OPT_CHOICE, AT(picture.names), "WHAT", "order",
        "plans: what stands at the stops of the map, the order of visits, or the id or name that "
        "the instance gives them",
        .words = "order id name"),
    OPT("x", 'x', OPT_CHOICE, AT(picture.x), "WHAT", "instances",
        "runs: what is along the x axis, instances learned from, or time elapsed",
        .words = "instances time"),
    OPT("output", 'o', OPT_FILE, AT(output), "FILE", "-",
        "where to write the picture (SVG), - for standard output"),
};

static const struct opt_group plot_group = OPT_GROUP("Picture", plot_specs);

static int plot_runs(const struct plot_settings *settings, const struct opt_parsed *parsed)
{
    ucpo_error err = {0};
    struct refused refused = {0};
    char *bytes = NULL;
    size_t size = 0, count = parsed->operand_count;
    int code = refused_runs(parsed->operands, &count, &refused);
    if (code) return code;
    ucpo_status status = ucpo_plot_runs((const char *const *)parsed->operands, count,
                                        &settings->picture, &bytes, &size, &err);
    code = output_made(settings->output, status, &err, bytes, size);
    return refused_end(&refused, count, code);
}

static int plot_plan(const struct plot_settings *settings, size_t index, const ucpo_dataset *set,
                     const ucpo_plans *plans)
{
    ucpo_error err = {0};
    ucpo_cloud cloud = {0};
    char *bytes = NULL;
    size_t size = 0;
    ucpo_plot_config picture = settings->picture;
    ucpo_plan plan = ucpo_plans_at(plans, 0);
    int code = settings->cloud ? cloud_read(settings->cloud, index, &cloud) : EXIT_DONE;
    if (code) return code;
    picture.clouds = &cloud;
    ucpo_status status = ucpo_plot_plan(ucpo_dataset_at(set, 0), plan.nodes, plan.len, &picture,
                                        &bytes, &size, &err);
    cloud_free(&cloud);
    code = output_made(settings->output, status, &err, bytes, size);
    return code ? code : judge_plans(set, plans);
}

/* Training runs are folders; two names that are none are an instance and a plan. */
static int is_about_runs(const struct opt_parsed *parsed)
{
    struct stat facts;
    size_t files = 0;
    for (size_t i = 0; i < parsed->operand_count; i++) {
        if (input_is_folder(parsed->operands[i])) return 1;
        files += strcmp(parsed->operands[i], "-") == 0 || stat(parsed->operands[i], &facts) == 0;
    }
    return files == 0 && parsed->operand_count != 2;
}

static int run(const struct command *self, int argc, char **argv)
{
    struct plot_settings settings = {.picture = ucpo_plot_config_default()};
    struct plan_settings plan = {.index = -1};
    struct read_settings read = {0};
    void *targets[OPT_MAX_GROUPS] = {&settings, &plan, &read};
    struct opt_parsed parsed;
    int code = EXIT_DONE;
    if (!command_begin(self, targets, argc, argv, &parsed, &code)) return code;
    if (!output_accepts(settings.output, "svg")) return EXIT_INPUT;
    code = target_spares(self, settings.output, settings.cloud);
    if (!code) code = target_check(self, settings.output, &parsed, ".svg", NULL);
    if (code) return code;
    if (is_about_runs(&parsed)) {
        if (settings.picture.show || settings.cloud)
            return usage_error(self, "--%s is for plans, '%s' is a training run",
                               settings.picture.show ? "show" : "cloud", parsed.operands[0]);
        return plot_runs(&settings, &parsed);
    }
    if (parsed.operand_count != 2)
        return usage_error(self,
                           "'%s' is a file: a plan is drawn from two, INSTANCE and SOLUTION; a "
                           "training run is a folder",
                           parsed.operands[0]);
    if (opt_is_given(&parsed, "x"))
        return usage_error(self, "--x is for training runs, '%s' is none", parsed.operands[0]);
    if (!inputs_are_distinct(self, parsed.operands[0], parsed.operands[1])) return EXIT_INPUT;

    ucpo_dataset *set = NULL;
    ucpo_plans *plans = NULL;
    code = read_paired(self, &plan, &read, parsed.operands[0], parsed.operands[1], &set, &plans);
    if (!code && ucpo_dataset_count(set) > 1)
        code = usage_error(self,
                           "%s holds %zu instances: choose one with --index I, or make a page of "
                           "them with 'ucpo report'",
                           parsed.operands[0], ucpo_dataset_count(set));
    if (!code) code = plot_plan(&settings, plan.index > 0 ? (size_t)plan.index : 0, set, plans);
    ucpo_plans_free(plans);
    ucpo_dataset_free(set);
    return code;
}

const struct command command_plot = {
    .name = "plot",
    .summary = "draw a plan, or the curves of training runs, as a picture (SVG)",
    .usage = {"plot INSTANCE SOLUTION [options]", "plot RUN... [options]"},
    .examples =
        {
            {"the routes on a map, the timeline of every vehicle, and its load",
             "ucpo plot c101.txt c101.sol -o plan.svg"},
            {"with the cloud of candidates that were looked at",
             "ucpo solve a.json -o a.sol --cloud a.csv; ucpo plot a.json a.sol --cloud a.csv -o "
             "a.svg"},
            {"only the timeline of the plan for instance 17 of a set",
             "ucpo plot val.npy plans.npy --index 17 --show time -o plan.svg"},
            {"how a run is doing, also while it is running", "ucpo plot runs/a -o curves.svg"},
            {"three runs in one picture, by the time they took",
             "ucpo plot runs/a runs/b runs/c --x time -o compare.svg"},
        },
    .operands = {{"INSTANCE|RUN",
                  "instance of the plan, any format; or the folder of a training run", NULL, 0, 0},
                 {"SOLUTION|RUN",
                  "plan, any plan format; or more runs, up to 8 are compared by colour", NULL, 1,
                  1}},
    .groups = {&plot_group, &plan_options, &read_options, &common_options},
    .details =
        {"A plan: numbers on the map are the order of visits on a route, arrows its direction, the "
         "square is the depot. In the timeline every vehicle has a row and every stop a lane in "
         "it: pale bars are time windows, hatched ones waiting, solid ones service. Below, the "
         "load against the capacity, or the draft against the limit of every port. What is "
         "violated is red and has the shape of a diamond; a customer that no route visits is a "
         "crossed circle. The picture says in words whether the plan is feasible. An instance "
         "without coordinates has no map.",
         "All numbers are those of 'ucpo check', and so is the exit status: 3 if the plan is "
         "infeasible (the picture is written), 0 if it is feasible.",
         "A run is a directory with a metrics.csv, as training writes it. One run gives four "
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
