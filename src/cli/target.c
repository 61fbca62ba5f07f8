#define _XOPEN_SOURCE 700 /* NOLINT(readability-identifier-naming): for realpath */
#include "cli/target.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/output.h"

/* ---- inputs ---- */

int target_spares(const struct command *self, const char *output, const char *input)
{
    struct stat a, b;
    if (!output || !input || output_is_stdout(output) || strcmp(input, "-") == 0) return EXIT_DONE;
    if (stat(output, &a) != 0 || stat(input, &b) != 0 || !S_ISREG(a.st_mode)) return EXIT_DONE;
    if (a.st_dev != b.st_dev || a.st_ino != b.st_ino) return EXIT_DONE;
    return usage_error(self, "the output %s would replace the input %s", output, input);
}

int target_spares_all(const struct command *self, const char *output, char *const *inputs,
                      size_t count)
{
    int code = EXIT_DONE;
    for (size_t i = 0; !code && i < count; i++) code = target_spares(self, output, inputs[i]);
    return code;
}

/* ---- what can be written ---- */

static int cannot_write(const char *path, int reason)
{
    char text[128];
    return message_error("%s: cannot be written: %s", path,
                         status_errno_text(reason, text, sizeof text));
}

/* Whether files can be made beside `path`; 0 with errno if not. */
static int folder_is_open(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash) return access(".", W_OK | X_OK) == 0;
    if (slash == path) return access("/", W_OK | X_OK) == 0;
    char *folder = strndup(path, (size_t)(slash - path));
    struct stat facts;
    int is_open = folder && stat(folder, &facts) == 0;
    if (is_open && !S_ISDIR(facts.st_mode)) {
        is_open = 0;
        errno = ENOTDIR;
    }
    is_open = is_open && access(folder, W_OK | X_OK) == 0;
    int reason = errno;
    free(folder);
    errno = reason;
    return is_open;
}

/* `path` is no link. */
static int check_place(const char *path)
{
    struct stat facts;
    if (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode)) {
        if (S_ISDIR(facts.st_mode)) return cannot_write(path, EISDIR);
        return access(path, W_OK) == 0 ? EXIT_DONE : cannot_write(path, errno);
    }
    return folder_is_open(path) ? EXIT_DONE : cannot_write(path, errno);
}

int target_is_possible(const char *path)
{
    struct stat facts;
    if (!path || output_is_stdout(path)) return EXIT_DONE;
    if (lstat(path, &facts) != 0 || !S_ISLNK(facts.st_mode)) return check_place(path);
    char *real = realpath(path, NULL);
    int code = real ? check_place(real) : EXIT_DONE; /* a link to nothing: writing follows it */
    free(real);
    return code;
}

int target_check(const struct command *self, const char *output, const struct opt_parsed *parsed,
                 const char *known, const char *also)
{
    const char *ending = target_ending(output);
    int code = target_spares_all(self, output, parsed->operands, parsed->operand_count);
    if (code) return code;
    if (ending && strcmp(ending, known) != 0 && !(also && strcmp(ending, also) == 0))
        return usage_error(self, "the ending '%s' is of another kind of file, expected %s%s%s",
                           ending, known, also ? " or " : "", also ? also : "");
    return target_is_possible(output);
}

/* ---- folders ---- */

int target_is_folder(const char *path)
{
    struct stat facts;
    size_t length = strlen(path);
    return (length > 0 && path[length - 1] == '/') ||
           (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode));
}

int target_make_folder(const char *path)
{
    struct stat facts;
    if (mkdir(path, 0777) == 0) return EXIT_DONE;
    int reason = errno;
    if (stat(path, &facts) != 0) return cannot_write(path, reason);
    if (!S_ISDIR(facts.st_mode)) return cannot_write(path, ENOTDIR);
    return access(path, W_OK | X_OK) == 0 ? EXIT_DONE : cannot_write(path, errno);
}

const char *target_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int target_in_folder(const char *folder, const char *input, const char *format, char *buf,
                     size_t size)
{
    const char *name = strcmp(input, "-") == 0 ? "stdin" : target_name(input);
    const char *ending = target_ending(name);
    size_t used = strlen(folder), length = ending ? (size_t)(ending - name) : strlen(name);
    const char *between = used > 0 && folder[used - 1] == '/' ? "" : "/";
    if (length > INT_MAX) return 0;
    int need = snprintf(buf, size, "%s%s%.*s.%s", folder, between, (int)length, name, format);
    return need >= 0 && (size_t)need < size;
}

const char *target_ending(const char *path)
{
    const char *name = target_name(path), *dot = strrchr(name, '.');
    return dot && dot != name && dot[1] ? dot : NULL;
}
