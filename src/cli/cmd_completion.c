/* ucpo completion: completions for bash, zsh and fish, from the option tables. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/output.h"

static const char *shell_at(size_t index)
{
    static const char *const names[] = {"bash", "zsh", "fish"};
    return index < 3 ? names[index] : NULL;
}

static void print_words(FILE *out, text_words words)
{
    char text[600];
    fputs(text_join(words, " ", text, sizeof text), out);
}

static int has_words(const struct opt_spec *spec)
{
    return spec->choice || spec->words;
}

static void print_option_words(FILE *out, const struct opt_spec *spec)
{
    if (spec->choice)
        print_words(out, spec->choice);
    else
        fputs(spec->words, out);
}

typedef void (*option_printer)(FILE *out, const struct command *command,
                               const struct opt_spec *spec);

static void each_option(FILE *out, const struct command *command, option_printer print)
{
    for (size_t g = 0; g < OPT_MAX_GROUPS && command->groups[g]; g++)
        for (size_t i = 0; i < command->groups[g]->count; i++)
            if (!command->groups[g]->specs[i].is_hidden)
                print(out, command, &command->groups[g]->specs[i]);
}

/* ---- bash ---- */

static void bash_value(FILE *out, const struct command *command, const struct opt_spec *spec)
{
    if (spec->kind == OPT_FLAG) return;
    fprintf(out, "    %s,--%s", command->name, spec->name);
    if (spec->letter) fprintf(out, "|%s,-%c", command->name, spec->letter);
    if (has_words(spec)) {
        fprintf(out, ") words=\"");
        print_option_words(out, spec);
        fprintf(out, "\" ;;\n");
    } else {
        fprintf(out, ") %s ;;\n", spec->kind == OPT_FILE ? "files=1" : "none=1");
    }
}

static void bash_name(FILE *out, const struct command *command, const struct opt_spec *spec)
{
    (void)command;
    fprintf(out, "--%s ", spec->name);
}

static void bash_operands(FILE *out, const struct command *command)
{
    fprintf(out, "    %s,*) words=\"", command->name);
    text_words words = command->operands[0].name ? command->operands[0].choice : NULL;
    if (words) print_words(out, words);
    fprintf(out, "\"%s; options=\"", command->operands[0].name && !words ? "; files=1" : "");
    each_option(out, command, bash_name);
    fprintf(out, "\" ;;\n");
}

static void print_bash(FILE *out)
{
    fprintf(out, "# bash completion for ucpo, made by 'ucpo completion bash'\n"
                 "_ucpo()\n"
                 "{\n"
                 "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
                 "  local command=${COMP_WORDS[1]} words=\"\" options=\"\" files=\"\" none=\"\"\n"
                 "  COMPREPLY=()\n"
                 "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                 "    mapfile -t COMPREPLY < <(compgen -W \"");
    print_words(out, command_name_at);
    fprintf(out, " --help --version\" -- \"$current\")\n"
                 "    return\n"
                 "  fi\n"
                 "  case $command,$previous in\n");
    for (size_t i = 0; command_at(i); i++) each_option(out, command_at(i), bash_value);
    for (size_t i = 0; command_at(i); i++) bash_operands(out, command_at(i));
    fprintf(out, "  esac\n"
                 "  [ -n \"$none\" ] && return\n"
                 "  [[ $current == -* ]] && words=$options files=\"\"\n"
                 "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
                 "  if [ -n \"$files\" ]; then\n"
                 "    compopt -o filenames 2>/dev/null\n"
                 "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
                 "  fi\n"
                 "}\n"
                 "complete -F _ucpo ucpo\n");
}

/* ---- zsh ---- */

/* Help text inside '...[text]': brackets, colons and quotes have a meaning there. */
static void zsh_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else if (strchr("[]:\\", *text))
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
    }
}

static void zsh_value(FILE *out, const char *name, text_words words, int is_file)
{
    fprintf(out, ":%s:", name);
    if (words) {
        fputc('(', out);
        print_words(out, words);
        fputc(')', out);
    } else if (is_file) {
        fputs("_files", out);
    }
}

static void zsh_form(FILE *out, const struct opt_spec *spec, const char *name)
{
    fprintf(out, "        '%s%s[", name, spec->kind == OPT_FLAG ? "" : name[1] == '-' ? "=" : "+");
    zsh_text(out, spec->help);
    fputc(']', out);
    if (spec->words)
        fprintf(out, ":%s:(%s)", spec->name, spec->words);
    else if (spec->kind != OPT_FLAG)
        zsh_value(out, spec->name, spec->choice, spec->kind == OPT_FILE);
    fputs("' \\\n", out);
}

static void zsh_option(FILE *out, const struct command *command, const struct opt_spec *spec)
{
    char name[40];
    (void)command;
    snprintf(name, sizeof name, "--%s", spec->name);
    zsh_form(out, spec, name);
    if (!spec->letter) return;
    snprintf(name, sizeof name, "-%c", spec->letter);
    zsh_form(out, spec, name);
}

static void zsh_command(FILE *out, const struct command *command)
{
    fprintf(out, "    %s)\n      _arguments -s -S \\\n", command->name);
    each_option(out, command, zsh_option);
    for (size_t i = 0; i < OPT_MAX_OPERANDS && command->operands[i].name; i++) {
        const struct opt_operand *operand = &command->operands[i];
        fprintf(out, "        '%s", operand->is_repeated ? "*" : operand->is_optional ? ":" : "");
        zsh_value(out, operand->name, operand->choice, 1);
        fputs("' \\\n", out);
    }
    fprintf(out, "        && return\n      ;;\n");
}

static void print_zsh(FILE *out)
{
    fprintf(out, "#compdef ucpo\n"
                 "# zsh completion for ucpo, made by 'ucpo completion zsh'\n"
                 "_ucpo() {\n"
                 "  local -a commands\n"
                 "  commands=(\n");
    for (size_t i = 0; command_at(i); i++) {
        fprintf(out, "    '%s:", command_at(i)->name);
        zsh_text(out, command_at(i)->summary);
        fprintf(out, "'\n");
    }
    fprintf(out, "  )\n"
                 "  if (( CURRENT == 2 )); then\n"
                 "    _describe command commands\n"
                 "    return\n"
                 "  fi\n"
                 "  local command=$words[2]\n"
                 "  shift words\n"
                 "  (( CURRENT-- ))\n"
                 "  case $command in\n");
    for (size_t i = 0; command_at(i); i++) zsh_command(out, command_at(i));
    fprintf(out,
            "  esac\n"
            "}\n"
            "if [ \"$funcstack[1]\" = _ucpo ]; then _ucpo \"$@\"; else compdef _ucpo ucpo; fi\n");
}

/* ---- fish ---- */

static void fish_text(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') fputc('\\', out);
        fputc(*text, out);
    }
    fputc('\'', out);
}

static void fish_option(FILE *out, const struct command *command, const struct opt_spec *spec)
{
    fprintf(out, "complete -c ucpo -n '__fish_seen_subcommand_from %s' -l %s", command->name,
            spec->name);
    if (spec->letter) fprintf(out, " -s %c", spec->letter);
    if (has_words(spec)) {
        fprintf(out, " -x -a '");
        print_option_words(out, spec);
        fputc('\'', out);
    } else if (spec->kind == OPT_FILE) {
        fputs(" -r -F", out);
    } else if (spec->kind != OPT_FLAG) {
        fputs(" -x", out);
    }
    fputs(" -d ", out);
    fish_text(out, spec->help);
    fputc('\n', out);
}

static void fish_operands(FILE *out, const struct command *command)
{
    const struct opt_operand *operand = &command->operands[0];
    if (!operand->name) return;
    fprintf(out, "complete -c ucpo -n '__fish_seen_subcommand_from %s' ", command->name);
    if (operand->choice) {
        fputs("-f -a '", out);
        print_words(out, operand->choice);
        fputs("'\n", out);
    } else {
        fputs("-F\n", out);
    }
}

static void print_fish(FILE *out)
{
    fprintf(out, "# fish completion for ucpo, made by 'ucpo completion fish'\n"
                 "complete -c ucpo -f\n");
    for (size_t i = 0; command_at(i); i++) {
        fprintf(out, "complete -c ucpo -n __fish_use_subcommand -a %s -d ", command_at(i)->name);
        fish_text(out, command_at(i)->summary);
        fputc('\n', out);
    }
    for (size_t i = 0; command_at(i); i++) {
        fish_operands(out, command_at(i));
        each_option(out, command_at(i), fish_option);
    }
}

/* ---- command ---- */

static int run(const struct command *self, int argc, char **argv)
{
    void *targets[OPT_MAX_GROUPS] = {0};
    struct opt_parsed parsed;
    int code = EXIT_DONE;
    if (!command_begin(self, targets, argc, argv, &parsed, &code)) return code;
    const char *shell = parsed.operands[0];
    char hint[80];
    if (text_find(shell_at, shell) < 0)
        return usage_error(self, "no completion for '%s', expected one of: bash, zsh, fish%s",
                           shell, opt_hint(shell_at, shell, hint, sizeof hint));
    struct output out;
    if (output_begin(&out)) return EXIT_INTERNAL;
    if (strcmp(shell, "bash") == 0)
        print_bash(out.stream);
    else if (strcmp(shell, "zsh") == 0)
        print_zsh(out.stream);
    else
        print_fish(out.stream);
    return output_finish(&out, NULL);
}

const struct command command_completion = {
    .name = "completion",
    .summary = "print a completion script for bash, zsh or fish",
    .usage = {"completion SHELL"},
    .examples =
        {
            {"try it in this shell", "eval \"$(ucpo completion bash)\""},
            {"keep it (fish)", "ucpo completion fish > ~/.config/fish/completions/ucpo.fish"},
        },
    .operands = {{"SHELL", "which shell", shell_at, 0, 0}},
    .groups = {&common_options},
    .run = run,
};
