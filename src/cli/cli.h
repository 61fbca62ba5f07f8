/* What the commands share: the list of commands, messages, exit codes, interruption. */
#ifndef UCPO_CLI_CLI_H
#define UCPO_CLI_CLI_H

#include "cli/options.h"
#include "core/status.h"
#include "ucpo.h"

enum exit_code {
    EXIT_DONE = 0,         /* finished; every plan checked is feasible */
    EXIT_INTERNAL = 1,     /* a bug of ours, or out of memory */
    EXIT_INPUT = 2,        /* usage, or an input or output that does not work */
    EXIT_INFEASIBLE = 3,   /* finished, but a plan breaks a constraint */
    EXIT_PROVED = 4,       /* an instance is proved to have no feasible plan */
    EXIT_MISFIT = 5,       /* the model is for another problem than the instances */
    EXIT_DIVERGED = 6,     /* training met a number that is not finite */
    EXIT_INTERRUPTED = 130 /* Ctrl-C */
};

/* ---- commands (main.c) ---- */

extern const struct command command_generate, command_check, command_explain, command_convert,
    command_info, command_solve, command_train, command_finetune, command_eval, command_plot,
    command_report, command_help, command_completion;

/* Command `index` in the order of the overview, or NULL past the end. */
const struct command *command_at(size_t index);
const char *command_name_at(size_t index);
const struct command *command_find(const char *name); /* NULL: no such command */

/* ---- processes that work together (cluster.c; with MPI in cluster_mpi.c) ---- */

/* NULL: alone. The first call starts MPI. */
const ucpo_comm *cluster_comm(void);

/* The processes that give the same number; all must call it, once and after cluster_comm has said that there
 * are several. NULL: it failed. */
const ucpo_comm *cluster_group(int number);

/* Whether this process prints results. */
int cluster_is_first(void);

/* The end of a command: waits for the other processes, or ends them if this one failed and they do
 * not come. Returns the code. */
int cluster_end(int exit_code);

/* The name of the library behind it, into buf or not. */
const char *cluster_library(char *buf, size_t size);

/* The model file meant by `path`: a run directory stands for its best model (model_choice.c). */
const char *model_path(const char *path, char *buf, size_t size);

/* ---- help (help.c) and manual page (man.c) ---- */

int help_overview(void);
int help_command(const struct command *command);

/* "help text; one of: a, b [default: a]" into buf; returns buf. */
const char *help_describe(const struct opt_spec *spec, char *buf, size_t size);

/* Facts about the library's build and the program's, a line each, into buf; returns buf. */
const char *build_facts(char *buf, size_t size);

/* One paragraph for usage errors without any command, on stderr. */
void help_brief(void);

/* Prints the manual page whose hand-written part is in `path`, with the option tables put in. */
int man_print(const char *path);

/* ---- options of every command ---- */

struct common_settings {
    int is_quiet, is_verbose, wants_help;
};

extern const struct opt_group common_options;

/* Parses with the common options as the last group and applies them. Returns 1 if the command
 * should go on, otherwise 0 with the exit code to return. */
int command_begin(const struct command *command, void *const targets[], int argc, char **argv,
                  struct opt_parsed *parsed, int *exit_code);

/* ---- messages (message.c): stderr, one line each ---- */

void message_setup(int is_quiet, int is_verbose);

/* Number of this process among several: only 0 says more than errors. */
void message_setup_rank(int rank);
int message_is_verbose(void);
int message_is_quiet(void);

enum message_kind {
    MESSAGE_ERROR,
    MESSAGE_WARNING, /* not with -q */
    MESSAGE_ALARM,   /* a warning that -q does not silence: the result is not what was asked for */
    MESSAGE_RESULT,  /* what was done, in a line; not with -q */
    MESSAGE_NOTE     /* with -v only */
};

/* Returns EXIT_INPUT, for errors. */
int message(enum message_kind kind, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* NOLINTBEGIN(readability-identifier-naming) */
#define message_error(...)   message(MESSAGE_ERROR, __VA_ARGS__)
#define message_warning(...) message(MESSAGE_WARNING, __VA_ARGS__)
#define message_alarm(...)   message(MESSAGE_ALARM, __VA_ARGS__)
#define message_result(...)  message(MESSAGE_RESULT, __VA_ARGS__)
#define message_note(...)    message(MESSAGE_NOTE, __VA_ARGS__)
/* NOLINTEND(readability-identifier-naming) */

/* Says so; returns EXIT_INTERNAL. */
int no_memory(void);

/* A usage error of a command: the message, and where to read on. Returns EXIT_INPUT. */
int usage_error(const struct command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints the library's error and returns the exit code it stands for. After Ctrl-C the interruption
 * is the reason; message_trouble prints the error all the same. */
int message_failure(ucpo_status status, const ucpo_error *err);
int message_trouble(ucpo_status status, const ucpo_error *err);

/* A log hook: warnings to stderr, the rest with -v. */
void message_log(void *user, ucpo_log_level level, const char *text);

/* Hooks for library calls: warnings to stderr, a progress line on terminals, Ctrl-C stops. activity NULL: the line
 * is the caller's own. */
ucpo_hooks message_hooks(const char *activity);

/* Whether there is somebody to see such a line. */
int message_shows_progress(void);

/* That line: as often as such lines are due, on terminals only. Any message wipes it. */
void message_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Ctrl-C sets a flag that the progress hook returns. Calls without a hook end on a second one. */
void interrupt_setup(void);
int interrupt_is_pending(void);

/* From now on as if nothing had happened: what was found so far is to be written. */
void interrupt_clear(void);

/* SIGTERM and SIGHUP (unless it is ignored: nohup) are handled like Ctrl-C from now on, and SIGUSR1,
 * which mpirun passes on. */
void interrupt_also_terminate(void);

#endif
