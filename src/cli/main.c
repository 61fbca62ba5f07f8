/* ucpo, the program: finds the command and runs it. */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

#include "cli/output.h"
#include "cli/train.h"

static const struct command *const commands[] = {
    &command_solve, &command_explain,  &command_check,     &command_report,   &command_plot,
    &command_train, &command_finetune, &command_eval,      &command_generate, &command_convert,
    &command_info,  &command_help,     &command_completion};

const struct command *command_at(size_t index)
{
    return index < sizeof commands / sizeof commands[0] ? commands[index] : NULL;
}

const char *command_name_at(size_t index)
{
    const struct command *command = command_at(index);
    return command ? command->name : NULL;
}

const struct command *command_find(const char *name)
{
    for (size_t i = 0; command_at(i); i++)
        if (strcmp(command_at(i)->name, name) == 0) return command_at(i);
    return NULL;
}

/* ---- options of every command ---- */

#define AT(member) offsetof(struct common_settings, member)

static const struct opt_spec common_specs[] = {
    OPT("quiet", 'q', OPT_FLAG, AT(is_quiet), NULL, NULL, "no warnings"),
    OPT("verbose", 'v', OPT_FLAG, AT(is_verbose), NULL, NULL, "more detail"),
    OPT("help", 'h', OPT_FLAG, AT(wants_help), NULL, NULL, "this text"),
};

const struct opt_group common_options = OPT_GROUP("General", common_specs);

int command_begin(const struct command *command, void *const targets[], int argc, char **argv,
                  struct opt_parsed *parsed, int *exit_code)
{
    struct common_settings common = {0};
    void *all[OPT_MAX_GROUPS] = {0};
    for (size_t g = 0; g < OPT_MAX_GROUPS && command->groups[g]; g++)
        all[g] = command->groups[g] == &common_options ? &common : targets[g];
    enum opt_outcome outcome = opt_parse(command, all, argc, argv, parsed);
    message_setup(common.is_quiet, common.is_verbose);
    if (outcome == OPT_HELP) *exit_code = help_command(command);
    if (outcome == OPT_BAD) *exit_code = EXIT_INPUT;
    return outcome == OPT_GO;
}

/* ---- the top level ---- */

const char *build_facts(char *buf, size_t size)
{
    char name[160];
    ucpo_build_info(buf, size);
    text_append(buf, size, "", "mpi: %s\n", cluster_library(name, sizeof name));
    return buf;
}

static int print_version(void)
{
    struct output out;
    if (output_begin(&out)) return EXIT_INTERNAL;
    char facts[512];
    fprintf(out.stream, "ucpo %s\n%s", ucpo_version(), build_facts(facts, sizeof facts));
    return output_finish(&out, NULL);
}

static const char *top_option_at(size_t index)
{
    static const char *const names[] = {"--help", "--version"};
    return index < sizeof names / sizeof names[0] ? names[index] : NULL;
}

static int unknown_word(const char *word)
{
    char hint[80];
    if (word[0] == '-')
        return message_error(
            "unknown option '%s'%s; options go after the command, see 'ucpo --help'", word,
            opt_hint(top_option_at, word, hint, sizeof hint));
    return message_error("unknown command '%s'%s; see 'ucpo --help'", word,
                         opt_hint(command_name_at, word, hint, sizeof hint));
}

int main(int argc, char **argv)
{
    interrupt_setup();
    train_options_setup();
    if (argc < 2) {
        help_brief();
        return EXIT_INPUT;
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return help_overview();
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) return print_version();
    const struct command *command = command_find(word);
    if (!command) return unknown_word(word);
    return cluster_end(command->run(command, argc - 2, argv + 2));
}
