/* The manual page: hand-written prose with the option tables in mdoc put in at a marker line. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/output.h"

enum { LINE_MAX_LENGTH = 78 };

/* A word in mdoc: backslashes are doubled, a dot or quote that begins a line is protected. */
static void mdoc_word(FILE *out, const char *word, int length, int is_line_start)
{
    if (is_line_start && (*word == '.' || *word == '\'')) fputs("\\&", out);
    for (int i = 0; i < length; i++) {
        if (word[i] == '\\')
            fputs("\\e", out);
        else
            fputc(word[i], out);
    }
}

/* Running text: short lines, and a new one after each sentence, as mdoc wants it. */
static void mdoc_text(FILE *out, const char *text)
{
    int column = 0;
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (column > 0 && column + length >= LINE_MAX_LENGTH) {
            fputc('\n', out);
            column = 0;
        }
        if (column > 0) fputc(' ', out);
        mdoc_word(out, text, length, column == 0);
        column += length + 1;
        int is_sentence_end =
            length > 1 && text[length - 1] == '.' && text[length - 2] != '.' && text[length];
        if (is_sentence_end) {
            fputc('\n', out);
            column = 0;
        }
        text += length;
        text += strspn(text, " ");
    }
    if (column > 0) fputc('\n', out);
}

static void mdoc_option(FILE *out, const struct opt_spec *spec)
{
    char text[800];
    fputs(".It ", out);
    if (spec->letter) fprintf(out, "Fl %c , ", spec->letter);
    fprintf(out, "Fl -%s", spec->name);
    if (spec->value) fprintf(out, " Ar %s", spec->value);
    fputc('\n', out);
    mdoc_text(out, help_describe(spec, text, sizeof text));
}

static void mdoc_group(FILE *out, const struct opt_group *group)
{
    fprintf(out, "%s:\n.Bl -tag -width Ds\n", group->title);
    for (size_t i = 0; i < group->count; i++)
        if (!group->specs[i].is_hidden) mdoc_option(out, &group->specs[i]);
    fputs(".El\n", out);
}

static void mdoc_command(FILE *out, const struct command *command)
{
    fprintf(out, ".Ss ucpo %s\n", command->name);
    mdoc_text(out, command->summary);
    fputs(".Pp\n", out);
    for (size_t i = 0; i < 3 && command->usage[i]; i++)
        fprintf(out, ".Dl ucpo %s\n", command->usage[i]);
    for (size_t i = 0; i < OPT_MAX_OPERANDS && command->operands[i].name; i++) {
        fprintf(out, ".Pp\n.Ar %s :\n", command->operands[i].name);
        mdoc_text(out, command->operands[i].help);
    }
    for (size_t g = 0; g < OPT_MAX_GROUPS && command->groups[g]; g++) {
        const struct opt_group *group = command->groups[g];
        if (group == &common_options || group->specs[0].is_hidden) continue;
        fputs(".Pp\n", out);
        mdoc_group(out, group);
    }
    for (size_t i = 0; i < sizeof command->details / sizeof command->details[0]; i++) {
        if (!command->details[i]) break;
        fputs(".Pp\n", out);
        mdoc_text(out, command->details[i]);
    }
}

static const char marker[] = ".\\\" @OPTIONS@";

static void fill_in(FILE *in, FILE *out)
{
    char line[1024];
    while (fgets(line, sizeof line, in)) {
        if (strncmp(line, marker, sizeof marker - 1) != 0) {
            fputs(line, out);
            continue;
        }
        for (size_t i = 0; command_at(i); i++) mdoc_command(out, command_at(i));
        fputs(".Ss All commands\n", out);
        mdoc_group(out, &common_options);
    }
}

int man_print(const char *path)
{
    FILE *in = fopen(path, "r");
    if (!in) return message_error("%s: cannot be opened", path);
    struct output out;
    if (output_begin(&out)) {
        fclose(in);
        return EXIT_INTERNAL;
    }
    fill_in(in, out.stream);
    int code = ferror(in) ? message_error("%s: cannot be read", path) : EXIT_DONE;
    fclose(in);
    return output_end(&out, NULL, code);
}
