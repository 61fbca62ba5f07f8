/* The manual page: hand-written prose with the option tables in mdoc put in at a marker line. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/output.h"

/* A line of text in mdoc: backslashes are doubled, a leading dot or quote is protected. */
static void mdoc_text(FILE *out, const char *text)
{
    if (*text == '.' || *text == '\'') fputs("\\&", out);
    for (; *text; text++) fputs(*text == '\\' ? "\\e" : (const char[2]){*text, '\0'}, out);
    fputc('\n', out);
}

static void mdoc_option(FILE *out, const struct opt_spec *spec)
{
    char words[400];
    fputs(".It ", out);
    if (spec->letter) fprintf(out, "Fl %c , ", spec->letter);
    fprintf(out, "Fl -%s", spec->name);
    if (spec->value) fprintf(out, " Ar %s", spec->value);
    fputc('\n', out);
    mdoc_text(out, spec->help);
    if (spec->kind == OPT_CHOICE) {
        fputs("One of: ", out);
        mdoc_text(out, opt_join(spec->choice, ", ", words, sizeof words));
    }
    if (spec->preset) fprintf(out, "Default: %s\n", spec->preset);
}

static void mdoc_group(FILE *out, const struct opt_group *group)
{
    if (group->specs[0].is_hidden) return;
    fprintf(out, ".Pp\n%s:\n.Bl -tag -width Ds\n", group->title);
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
    for (size_t g = 0; g < OPT_MAX_GROUPS && command->groups[g]; g++)
        if (command->groups[g] != &common_options) mdoc_group(out, command->groups[g]);
    for (size_t i = 0; i < sizeof command->details / sizeof command->details[0]; i++) {
        if (!command->details[i]) break;
        fputs(".Pp\n", out);
        mdoc_text(out, command->details[i]);
    }
}

static void mdoc_tables(FILE *out)
{
    for (size_t i = 0; command_at(i); i++) mdoc_command(out, command_at(i));
    fputs(".Ss All commands\n", out);
    mdoc_group(out, &common_options);
}

static const char marker[] = ".\\\" @OPTIONS@";

static void fill_in(FILE *in, FILE *out)
{
    char line[1024];
    while (fgets(line, sizeof line, in)) {
        if (strncmp(line, marker, sizeof marker - 1) == 0)
            mdoc_tables(out);
        else
            fputs(line, out);
    }
}

int man_print(const char *path)
{
    FILE *in = fopen(path, "r");
    if (!in) {
        message_error("%s: cannot be opened", path);
        return EXIT_INPUT;
    }
    struct output out;
    if (!output_begin(&out)) {
        fclose(in);
        return EXIT_INTERNAL;
    }
    fill_in(in, out.stream);
    int is_good = !ferror(in);
    fclose(in);
    if (is_good) return output_finish(&out, NULL);
    output_discard(&out);
    message_error("%s: cannot be read", path);
    return EXIT_INPUT;
}
