/* Messages on stderr, and Ctrl-C. What they remember is the state of the program; train_options.c fills its table once. */
#include "cli/cli.h"
#include "cli/output.h"
#include "core/clock.h"
#include "core/text.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct {
    int is_quiet, is_verbose;
    int rank;           /* among several processes */
    int progress_shown; /* a progress line is on screen and must be wiped before other text */
    double last_progress;
} state;

static volatile sig_atomic_t interrupted;

void message_setup(int is_quiet, int is_verbose)
{
    state.is_quiet = is_quiet;
    state.is_verbose = is_verbose;
}

void message_setup_rank(int rank)
{
    state.rank = rank;
    if (rank > 0) state.is_quiet = 1, state.is_verbose = 0;
}

int message_is_verbose(void)
{
    return state.is_verbose;
}

int message_is_quiet(void)
{
    return state.is_quiet;
}

static void wipe_progress(void)
{
    if (state.progress_shown) fputs("\r\033[K", stderr);
    state.progress_shown = 0;
}

static int is_silent(enum message_kind kind)
{
    if (kind == MESSAGE_ALARM) return state.rank > 0;
    if (kind == MESSAGE_NOTE) return !state.is_verbose;
    return kind != MESSAGE_ERROR && state.is_quiet;
}

/* Names of files and the like in it must not reach the terminal raw. In one piece, so that lines of several
 * processes do not mix. */
int message(enum message_kind kind, const char *format, ...)
{
    static const char *const words[] = {"error", "warning", "warning", "", "note"};
    char raw[2048], text[2 * 2048], rank[40] = "";
    if (is_silent(kind)) return EXIT_INPUT;
    va_list args;
    va_start(args, format);
    vsnprintf(raw, sizeof raw, format, args);
    va_end(args);
    size_t used = text_printable(raw, strlen(raw), "", text, sizeof text - 1);
    text[used < sizeof text - 1 ? used : sizeof text - 1] = '\0';
    if (state.rank > 0) snprintf(rank, sizeof rank, " in process %d", state.rank);
    wipe_progress();
    if (kind == MESSAGE_RESULT)
        fprintf(stderr, "ucpo: %s\n", text);
    else
        fprintf(stderr, "ucpo: %s%s: %s\n", words[kind], rank, text);
    return EXIT_INPUT;
}

int no_memory(void)
{
    message_error("out of memory");
    return EXIT_INTERNAL;
}

int usage_error(const struct command *command, const char *format, ...)
{
    char text[1200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return message_error("%s: %s; see 'ucpo help %s'", command->name, text, command->name);
}

static int exit_for(ucpo_status status)
{
    switch (status) {
    case UCPO_OK: return EXIT_DONE;
    case UCPO_E_CANCELLED: return EXIT_INTERRUPTED;
    case UCPO_E_DIVERGED: return EXIT_DIVERGED;
    case UCPO_E_MEMORY:
    case UCPO_E_INTERNAL: return EXIT_INTERNAL;
    default: return EXIT_INPUT;
    }
}

int message_failure(ucpo_status status, const ucpo_error *err)
{
    if (!interrupted) return message_trouble(status, err);
    message_error("interrupted, nothing was written");
    return EXIT_INTERRUPTED;
}

/* The library speaks of "option 'ignore_unsupported'", the program of --ignore-unsupported. Returns buf. */
static const char *message_own_words(const char *text, char *buf, size_t size)
{
    static const char *const renamed[][2] = {
        {"format", "input-format"}, {"columns", "column"}, {"rounding", "round"}};
    static const char mark[] = "option '";
    size_t used = 0;
    for (const char *at = text; *at && used + 1 < size;) {
        size_t name =
            strncmp(at, mark, sizeof mark - 1) == 0 ? strcspn(at + sizeof mark - 1, "'") : 0;
        const char *word = at + sizeof mark - 1;
        if (name == 0 || word[name] != '\'') {
            buf[used++] = *at++;
            continue;
        }
        char own[64];
        snprintf(own, sizeof own, "%.*s", (int)name, word);
        for (size_t i = 0; i < sizeof renamed / sizeof renamed[0]; i++)
            if (strcmp(own, renamed[i][0]) == 0) snprintf(own, sizeof own, "%s", renamed[i][1]);
        for (char *c = own; *c; c++)
            if (*c == '_') *c = '-';
        int more = snprintf(buf + used, size - used, "--%s", own);
        used += more > 0 ? (size_t)more : 0;
        at = word + name + 1;
    }
    buf[used < size ? used : size - 1] = '\0';
    return buf;
}

int message_trouble(ucpo_status status, const ucpo_error *err)
{
    char raw[1024], text[1200];
    message_own_words(ucpo_error_message(err, raw, sizeof raw), text, sizeof text);
    message_error("%s%s", status == UCPO_E_INTERNAL ? "internal error, please report: " : "",
                  text[0] ? text : ucpo_status_name(status));
    return exit_for(status);
}

/* ---- hooks ---- */

void message_log(void *user, ucpo_log_level level, const char *text)
{
    char own[1024];
    (void)user;
    message_own_words(text, own, sizeof own);
    if (level == UCPO_LOG_WARNING)
        message_warning("%s", own);
    else
        message_note("%s", own);
}

int message_shows_progress(void)
{
    return !state.is_quiet && isatty(STDERR_FILENO);
}

/* At most four lines a second, on a terminal only, and not in the first second. */
static int is_progress_due(void)
{
    if (!message_shows_progress()) return 0;
    double now = clock_seconds();
    if (now - state.last_progress < (state.progress_shown ? 0.25 : 1.0)) return 0;
    state.last_progress = now;
    return 1;
}

void message_progress(const char *format, ...)
{
    char text[200];
    if (!is_progress_due()) return;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "\r%s\033[K", text);
    state.progress_shown = 1;
}

static int on_progress(void *user, size_t done, size_t total)
{
    if (done >= total) {
        wipe_progress();
    } else if (user && is_progress_due()) {
        fprintf(stderr, "\r%s %zu/%zu", (const char *)user, done, total);
        state.progress_shown = 1;
    }
    return interrupted != 0;
}

ucpo_hooks message_hooks(const char *activity)
{
    state.last_progress = clock_seconds();
    return (ucpo_hooks){.log = message_log, .progress = on_progress, .user = (void *)activity};
}

/* ---- Ctrl-C ---- */

static void on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

int interrupt_is_pending(void)
{
    return interrupted != 0;
}

void interrupt_clear(void)
{
    interrupted = 0;
}

/* The handler is used up by the first Ctrl-C; the second one ends the program. A blocked read of
 * standard input is not restarted, so it ends as well. A closed pipe ends the program quietly. */
static struct sigaction handle_once(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_interrupt;
    action.sa_flags = (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    return action;
}

void interrupt_setup(void)
{
    struct sigaction action = handle_once(), before;
    if (sigaction(SIGINT, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        (void)sigaction(SIGINT, &action, NULL);
    action.sa_handler = SIG_DFL;
    action.sa_flags = 0;
    (void)sigaction(SIGPIPE, &action, NULL);
    action.sa_handler =
        SIG_IGN; /* a file beyond `ulimit -f` is an error of write, which cleans up */
    (void)sigaction(SIGXFSZ, &action, NULL);
}

void interrupt_also_terminate(void)
{
    struct sigaction action = handle_once(), before;
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGUSR1, &action, NULL);
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* nohup */
        (void)sigaction(SIGHUP, &action, NULL);
}
