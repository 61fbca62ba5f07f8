/* One table of options per command. The table feeds the parser, --help, the OPTIONS part of the
 * manual page and the shell completions, so that they cannot disagree. */
#ifndef UCPO_CLI_OPTIONS_H
#define UCPO_CLI_OPTIONS_H

#include <stddef.h>

#include "core/text.h"

enum opt_kind {
    OPT_FLAG,    /* int, no value */
    OPT_TEXT,    /* const char *; `choice` or `words`, if any, are suggestions */
    OPT_FILE,    /* const char * */
    OPT_CHOICE,  /* const char *, one of `choice` or `words` */
    OPT_INTEGER, /* long, int64_t or size_t */
    OPT_INT,     /* int or int32_t */
    OPT_SEED,    /* uint64_t */
    OPT_REAL,    /* double */
    OPT_TIME     /* struct opt_time */
};

/* A time above 0: 200ms, 2s, 2, 1.5m, 8h. */
struct opt_time {
    const char *text; /* as typed; NULL: not given */
    double seconds;   /* then 0 */
};

struct opt_spec {
    const char *name; /* long name, without dashes */
    char letter;      /* short name, or 0: the same in solve, eval and train */
    enum opt_kind kind;
    size_t offset;         /* of the member in the group's settings struct */
    const char *value;     /* placeholder in help: "FILE" */
    const char *preset;    /* default, as one would type it; NULL: the member stays as it was */
    const char *help;      /* what it does, without full stop */
    text_words choice;     /* the library's ..._at functions fit */
    const char *words;     /* separated by blanks, in place of `choice` */
    double low, high;      /* numbers: allowed range, both included; equal: unbounded above low */
    const char *minus_one; /* a word accepted in place of a number; stored as -1 */
    int is_low_excluded;   /* the range starts above `low` */
    int needs_unit;        /* a time must say its unit */
    int is_hidden;         /* parsed, but not shown */
    char old_letter;       /* short name of version 0.1, understood with a warning; not shown */
};

/* A row of a table: an option, bound to the member it sets; then what only some have, by name. */
#define OPT(name_, letter_, kind_, offset_, value_, preset_, help_, ...)                           \
    {                                                                                              \
        .name = name_, .letter = letter_, .kind = kind_, .offset = offset_, .value = value_,       \
        .preset = preset_, .help = help_, __VA_ARGS__                                              \
    }

struct opt_group {
    const char *title; /* heading in help: "Reading" */
    const struct opt_spec *specs;
    size_t count;
};

#define OPT_GROUP(title, specs)                                                                    \
    {                                                                                              \
        title, specs, sizeof(specs) / sizeof(specs)[0]                                             \
    }

struct opt_operand {
    const char *name; /* "INSTANCE" */
    const char *help;
    text_words choice; /* NULL: a file name */
    int is_optional;
    int is_repeated; /* the last one only */
};

/* A line of help: what the example shows, and the command. */
struct opt_example {
    const char *purpose, *line;
};

enum { OPT_MAX_GROUPS = 8, OPT_MAX_OPERANDS = 2, OPT_MAX_EXAMPLES = 10, OPT_MAX_GIVEN = 64 };

struct command {
    const char *name;
    const char *summary;    /* one line, without full stop */
    const char *usage[3];   /* without the leading "ucpo" */
    const char *details[6]; /* paragraphs after the options */
    struct opt_example examples[OPT_MAX_EXAMPLES];
    struct opt_operand operands[OPT_MAX_OPERANDS];
    const struct opt_group *groups[OPT_MAX_GROUPS];                /* NULL past the last */
    int (*run)(const struct command *self, int argc, char **argv); /* returns the exit code */
    int is_hidden;
};

struct opt_parsed {
    char **operands; /* operand_count of them, as typed */
    size_t operand_count;
    const struct opt_spec *given[OPT_MAX_GIVEN]; /* options seen on the command line */
    size_t given_count;
};

enum opt_outcome {
    OPT_GO,   /* run the command */
    OPT_HELP, /* --help was given */
    OPT_BAD   /* a message was printed */
};

/* Parses argv[0 .. argc-1] (command name not included) into targets[g], the settings struct of
 * group g. Options and operands may be mixed; "--" ends the options. */
enum opt_outcome opt_parse(const struct command *command, void *const targets[], int argc,
                           char **argv, struct opt_parsed *out);

/* Was the option typed (as opposed to its default)? */
int opt_is_given(const struct opt_parsed *parsed, const char *name);

/* The words of an option as "a, b, c"; returns buf. */
const char *opt_join_words(const struct opt_spec *spec, char *buf, size_t size);

/* Writes " (did you mean 'x'?)" for the word nearest to `word`, or "" if none is near. */
const char *opt_hint(text_words words, const char *word, char *buf, size_t size);

/* The word nearest to `word`: few edits for its length, or a common beginning. NULL: none. */
const char *opt_nearest(text_words words, const char *word);

#endif
