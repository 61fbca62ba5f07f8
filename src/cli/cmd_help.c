/* ucpo help: the overview, one command, or (hidden) the manual page. */
#include "cli/cli.h"

struct help_settings {
    const char *man;
};

#define AT(member) offsetof(struct help_settings, member)

static const struct opt_spec specs[] = {
    OPT("man", 0, OPT_FILE, AT(man), "FILE", NULL,
        "print the manual page, with the option tables put into the text of FILE", .is_hidden = 1),
};

static const struct opt_group group = OPT_GROUP("Help", specs);

static int run(const struct command *self, int argc, char **argv)
{
    struct help_settings settings = {0};
    void *targets[OPT_MAX_GROUPS] = {NULL, &settings};
    struct opt_parsed parsed;
    int code = EXIT_DONE;
    if (!command_begin(self, targets, argc, argv, &parsed, &code)) return code;
    if (settings.man) return man_print(settings.man);
    if (parsed.operand_count == 0) return help_overview();
    const struct command *command = command_find(parsed.operands[0]);
    char hint[80];
    if (!command)
        return usage_error(self, "no command '%s'%s", parsed.operands[0],
                           opt_hint(command_name_at, parsed.operands[0], hint, sizeof hint));
    return help_command(command);
}

const struct command command_help = {
    .name = "help",
    .summary = "explain a command",
    .usage = {"help [COMMAND]"},
    .examples = {{"all commands", "ucpo help"}, {"one of them, examples first", "ucpo help check"}},
    .operands = {{"COMMAND", "the command to explain", command_name_at, 1, 0}},
    .groups = {&common_options, &group},
    .run = run,
};
