/* --help in all its forms, rendered from the command tables. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/output.h"

enum { WIDTH = 80, HELP_COLUMN = 28 };

/* Prints words from column `indent` on, breaking lines at WIDTH; `column` is where we are. */
static void print_wrapped(FILE *out, const char *text, int indent, int column)
{
    int is_line_start = 1;
    while (column < indent) fputc(' ', out), column++;
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (!is_line_start && column + 1 + length > WIDTH) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
            is_line_start = 1;
        }
        column += fprintf(out, "%s%.*s", is_line_start ? "" : " ", length, text);
        is_line_start = 0;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

/* A label, then the text in its column (on the next line if the label is long). */
static void print_entry(FILE *out, const char *label, const char *text)
{
    int column = fprintf(out, "  %s", label);
    if (column > HELP_COLUMN - 2) {
        fputc('\n', out);
        column = 0;
    }
    print_wrapped(out, text, HELP_COLUMN, column);
}

const char *help_describe(const struct opt_spec *spec, char *buf, size_t size)
{
    char words[400] = "";
    int has_words = spec->kind == OPT_CHOICE;
    if (has_words) opt_join_words(spec, words, sizeof words);
    snprintf(buf, size, "%s%s%s%s%s%s", spec->help, has_words ? "; one of: " : "", words,
             spec->preset ? " [default: " : "", spec->preset ? spec->preset : "",
             spec->preset ? "]" : "");
    return buf;
}

static void print_option(FILE *out, const struct opt_spec *spec)
{
    char label[80], letter[8] = "    ", text[800];
    if (spec->letter) snprintf(letter, sizeof letter, "-%c, ", spec->letter);
    snprintf(label, sizeof label, "%s--%s%s%s", letter, spec->name, spec->value ? " " : "",
             spec->value ? spec->value : "");
    print_entry(out, label, help_describe(spec, text, sizeof text));
}

static void print_operands(FILE *out, const struct command *command)
{
    for (size_t i = 0; i < OPT_MAX_OPERANDS && command->operands[i].name; i++) {
        const struct opt_operand *operand = &command->operands[i];
        char words[200], text[400];
        snprintf(text, sizeof text, "%s%s%s", operand->help, operand->choice ? "; one of: " : "",
                 operand->choice ? text_join(operand->choice, ", ", words, sizeof words) : "");
        if (i == 0) fprintf(out, "\nArguments:\n");
        print_entry(out, operand->name, text);
    }
}

static void print_options(FILE *out, const struct command *command)
{
    for (size_t g = 0; g < OPT_MAX_GROUPS && command->groups[g]; g++) {
        const struct opt_group *group = command->groups[g];
        if (group->specs[0].is_hidden) continue;
        fprintf(out, "\n%s:\n", group->title);
        for (size_t i = 0; i < group->count; i++)
            if (!group->specs[i].is_hidden) print_option(out, &group->specs[i]);
    }
}

int help_command(const struct command *command)
{
    struct output out;
    if (output_begin(&out)) return EXIT_INTERNAL;
    fprintf(out.stream, "ucpo %s - %s\n\nExamples:\n", command->name, command->summary);
    for (size_t i = 0; i < OPT_MAX_EXAMPLES && command->examples[i].line; i++)
        fprintf(out.stream, "  # %s\n  %s\n", command->examples[i].purpose,
                command->examples[i].line);
    fprintf(out.stream, "\nUsage:\n");
    for (size_t i = 0; i < 3 && command->usage[i]; i++)
        fprintf(out.stream, "  ucpo %s\n", command->usage[i]);
    print_operands(out.stream, command);
    print_options(out.stream, command);
    for (size_t i = 0; i < sizeof command->details / sizeof command->details[0]; i++) {
        if (!command->details[i]) break;
        fputc('\n', out.stream);
        print_wrapped(out.stream, command->details[i], 0, 0);
    }
    return output_finish(&out, NULL);
}

static void print_commands(FILE *out)
{
    for (size_t i = 0; command_at(i); i++)
        if (!command_at(i)->is_hidden)
            fprintf(out, "  %-12s %s\n", command_at(i)->name, command_at(i)->summary);
}

int help_overview(void)
{
    struct output out;
    if (output_begin(&out)) return EXIT_INTERNAL;
    fprintf(out.stream,
            "ucpo - routing under hard constraints: instances, plans, an independent checker\n"
            "\n"
            "Start here:\n"
            "  # make an instance, then look at it\n"
            "  ucpo generate tsptw -n 10 -l hard -o a.json\n"
            "  ucpo info a.json\n"
            "  # write down an order of visits and let it be checked, stop by stop\n"
            "  echo 3 1 4 5 9 2 6 8 7 | ucpo check a.json -\n"
            "  # a good order of visits\n"
            "  ucpo solve a.json\n"
            "  # the same instance for another solver\n"
            "  ucpo convert a.json -o a.tsptw\n"
            "\n"
            "Usage:\n"
            "  ucpo COMMAND [options]\n"
            "\n"
            "Commands:\n");
    print_commands(out.stream);
    fprintf(out.stream,
            "\n"
            "'ucpo help COMMAND' explains a command; 'ucpo --version' shows how it was built.\n"
            "\n"
            "Results go to standard output, messages to standard error; - is standard input or\n"
            "output. Exit status: 0 done (plans feasible), 1 internal error, 2 usage or input\n"
            "error, 3 finished but a plan is infeasible, 4 an instance is proved infeasible,\n"
            "5 the model is for another problem, 6 training diverged, 130 interrupted.\n");
    return output_finish(&out, NULL);
}

void help_brief(void)
{
    fprintf(stderr, "usage: ucpo COMMAND [options]\n");
    print_commands(stderr);
    fprintf(stderr, "see 'ucpo --help'\n");
}
