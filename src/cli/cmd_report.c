/* ucpo report: plans as a web page. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cloud.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/target.h"

struct report_settings {
    ucpo_plot_config page;
    const char *output, *cloud;
};

#define AT(member) offsetof(struct report_settings, member)

static const struct opt_spec report_specs[] = {
    OPT("output", 'o', OPT_FILE, AT(output), "FILE", "-",
        "where to write the page (HTML), - for standard output"),
    OPT("show", 0, OPT_TEXT, AT(page.show), "PANELS", NULL,
        "which pictures, e.g. map,time [default: all the instance has data for]",
        .words = "map time load cloud"),
    OPT("names", 0, OPT_CHOICE, AT(page.names), "WHAT", "order",
        "what stands at the stops of the map: the order of visits, or the id or name that the "
        "instance gives them",
        .words = "order id name"),
    OPT("cloud", 0, OPT_FILE, AT(cloud), "FILE", NULL,
        "candidates written by 'ucpo solve --cloud', as one more picture of each plan"),
    OPT("title", 0, OPT_TEXT, AT(page.title), "TEXT", NULL,
        "head of the page [default: the name of the instance]"),
    OPT("most", 0, OPT_INTEGER, AT(page.most), "N", "50",
        "plans that get pictures and a table of stops; the others are listed", .low = 1,
        .high = 10000),
};

static const struct opt_group report_group = OPT_GROUP("Page", report_specs);

/* All instances with their plans, file after file. */
struct collection {
    ucpo_dataset *set;
    ucpo_plans *plans;
    const char **labels; /* of plans */
    size_t count;
};

static int add_pairs(struct collection *to, const ucpo_dataset *set, const ucpo_plans *plans,
                     const char *label)
{
    ucpo_error err = {0};
    ucpo_status status = UCPO_OK;
    size_t count = ucpo_plans_count(plans);
    const char **grown = realloc(to->labels, (to->count + count) * sizeof *grown);
    if (!grown) return no_memory();
    to->labels = grown;
    for (size_t i = 0; !status && i < count; i++) {
        ucpo_plan plan = ucpo_plans_at(plans, i);
        to->labels[to->count++] = label;
        status = ucpo_dataset_share(to->set, ucpo_dataset_at(set, i), &err);
        if (!status)
            status = ucpo_plans_add(to->plans, plan.nodes, plan.len, plan.stated_cost, &err);
    }
    return status ? message_failure(status, &err) : EXIT_DONE;
}

static int write_page(const struct report_settings *settings, size_t first, const ucpo_dataset *set,
                      const ucpo_plans *plans, const char *const *labels)
{
    ucpo_error err = {0};
    char *bytes = NULL;
    size_t size = 0, count = ucpo_plans_count(plans);
    ucpo_cloud *clouds = calloc(count + 1, sizeof *clouds);
    if (!clouds) return no_memory();
    int code = EXIT_DONE; /* the clouds of plans first, first + 1, ... */
    for (size_t i = 0; settings->cloud && !code && i < count; i++)
        code = cloud_read(settings->cloud, first + i, &clouds[i]);
    ucpo_plot_config page = settings->page;
    page.labels = labels;
    if (settings->cloud) page.clouds = clouds;
    if (!code) {
        ucpo_status status = ucpo_report_html(set, plans, &page, &bytes, &size, &err);
        code = output_made(settings->output, status, &err, bytes, size);
    }
    for (size_t i = 0; i < count; i++) cloud_free(&clouds[i]);
    free(clouds);
    return code ? code : judge_plans(set, plans);
}

/* Several solution files: the same instances with each of them, the file's name beside. A refused one is left
 * out; the instances are read once before, since what is wrong with them is wrong for all. */
static int report_many(const struct command *self, const struct report_settings *settings,
                       const struct plan_settings *plan, const struct read_settings *read,
                       const struct opt_parsed *parsed)
{
    struct collection all = {0};
    struct refused refused = {0};
    ucpo_error err = {0};
    size_t solutions = parsed->operand_count - 1;
    int code = read_set(parsed->operands[0], read, &all.set);
    ucpo_dataset_free(all.set);
    all.set = NULL;
    if (code) return code;
    ucpo_status status = ucpo_dataset_create(&all.set, &err);
    if (!status) status = ucpo_plans_create(&all.plans, &err);
    if (status) code = message_failure(status, &err);
    for (size_t i = 1; !code && i < parsed->operand_count; i++) {
        ucpo_dataset *set = NULL;
        ucpo_plans *plans = NULL;
        const char *path = parsed->operands[i], *slash = strrchr(path, '/');
        code = read_paired(self, plan, read, parsed->operands[0], path, &set, &plans);
        if (code)
            code = refused_note(&refused, path, code);
        else
            code = add_pairs(&all, set, plans, slash ? slash + 1 : path);
        ucpo_plans_free(plans);
        ucpo_dataset_free(set);
    }
    if (!code && refused.count == solutions) code = refused.code;
    if (!code) code = write_page(settings, 0, all.set, all.plans, all.labels);
    ucpo_plans_free(all.plans);
    ucpo_dataset_free(all.set);
    free(all.labels);
    return refused.count < solutions ? refused_end(&refused, solutions - refused.count, code)
                                     : code;
}

static int report_one(const struct command *self, const struct report_settings *settings,
                      const struct plan_settings *plan, const struct read_settings *read,
                      const struct opt_parsed *parsed)
{
    ucpo_dataset *set = NULL;
    ucpo_plans *plans = NULL;
    if (!inputs_are_distinct(self, parsed->operands[0], parsed->operands[1])) return EXIT_INPUT;
    int code =
        read_paired(self, plan, read, parsed->operands[0], parsed->operands[1], &set, &plans);
    if (!code)
        code = write_page(settings, plan->index > 0 ? (size_t)plan->index : 0, set, plans, NULL);
    ucpo_plans_free(plans);
    ucpo_dataset_free(set);
    return code;
}

static int report_runs(const struct command *self, const struct report_settings *settings,
                       const struct opt_parsed *parsed)
{
    static const char *const plans_only[] = {"show", "cloud", "names", "most", "index"};
    ucpo_error err = {0};
    char *bytes = NULL;
    struct refused refused = {0};
    size_t size = 0, count = parsed->operand_count;
    for (size_t k = 0; k < sizeof plans_only / sizeof plans_only[0]; k++)
        if (opt_is_given(parsed, plans_only[k]))
            return usage_error(self, "--%s is for plans, '%s' is a training run", plans_only[k],
                               parsed->operands[0]);
    int code = refused_runs(parsed->operands, &count, &refused);
    if (code) return code;
    ucpo_status status = ucpo_report_runs((const char *const *)parsed->operands, count,
                                          &settings->page, &bytes, &size, &err);
    code = output_made(settings->output, status, &err, bytes, size);
    return refused_end(&refused, count, code);
}

static int run(const struct command *self, int argc, char **argv)
{
    struct report_settings settings = {.page = ucpo_plot_config_default()};
    struct plan_settings plan = {.index = -1};
    struct read_settings read = {0};
    void *targets[OPT_MAX_GROUPS] = {&settings, &plan, &read};
    struct opt_parsed parsed;
    int code = EXIT_DONE;
    if (!command_begin(self, targets, argc, argv, &parsed, &code)) return code;
    if (!output_accepts(settings.output, "svg")) return EXIT_INPUT;
    code = target_check(self, settings.output, &parsed, ".html", ".htm");
    if (code) return code;
    if (input_is_folder(parsed.operands[0])) return report_runs(self, &settings, &parsed);
    if (parsed.operand_count < 2) return usage_error(self, "SOLUTION is missing");
    if (settings.cloud && parsed.operand_count > 2)
        return usage_error(self, "--cloud is for one SOLUTION, %zu are given",
                           parsed.operand_count - 1);
    if (parsed.operand_count == 2) return report_one(self, &settings, &plan, &read, &parsed);
    for (size_t i = 0; i < parsed.operand_count; i++)
        if (strcmp(parsed.operands[i], "-") == 0)
            return usage_error(self, "'-' is possible with one SOLUTION only");
    return report_many(self, &settings, &plan, &read, &parsed);
}

const struct command command_report = {
    .name = "report",
    .summary = "make a web page about plans or training runs (one HTML file)",
    .usage = {"report INSTANCE SOLUTION... [options]", "report RUN... [options]"},
    .examples =
        {
            {"a page about one plan, to be opened in a browser or mailed",
             "ucpo report c101.txt c101.sol -o report.html"},
            {"two plans for the same instance, one below the other",
             "ucpo report c101.txt mine.sol theirs.sol -o report.html"},
            {"the plans of a set: a table of all, then a section for each of the first 20",
             "ucpo report val.npy plans.npy --most 20 -o report.html"},
            {"a training run: curves, validations, settings", "ucpo report runs/a -o run.html"},
        },
    .operands =
        {{"INSTANCE|RUN",
          "instance or data set, any format, - for standard input; or the folder of a training run",
          NULL, 0, 0},
         {"SOLUTION|RUN",
          "plan or plans, any plan format, several files are compared; or more runs", NULL, 1, 1}},
    .groups = {&report_group, &plan_options, &read_options, &common_options},
    .details =
        {"The page is one file that works offline: it loads nothing, and shows light or dark as "
         "the reader prefers. Click a vehicle or a stop, on the map, in the timeline or in the "
         "table, and it stands out everywhere; arrow keys go from stop to stop, Esc clears. "
         "Customers are found by number, id or name, vehicles can be hidden, the map zooms "
         "(buttons, Ctrl and "
         "wheel) and is moved by dragging. Columns of tables are sorted by a click on their heads.",
         "All numbers are those of 'ucpo check'; they stand in the page as JSON, too. If a plan is "
         "infeasible, the page says so at the top, in words.",
         "Exit status: 0 all plans feasible, 3 at least one is not (the page is written), 2 usage "
         "or input error."},
    .run = run,
};
