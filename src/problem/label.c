/* What people call the nodes and the times of an instance. */
#include "problem/problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_BYTES = 127 };

/* Length of `text` up to MOST_BYTES, without cutting a UTF-8 character. */
static size_t kept_length(const char *text)
{
    size_t length = 0;
    while (length <= MOST_BYTES && text[length]) length++;
    if (length <= MOST_BYTES) return length;
    length = MOST_BYTES;
    while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80) length--;
    return length;
}

static size_t bytes_of(const char *const *text, size_t n)
{
    size_t bytes = 0;
    for (size_t i = 0; text && i < n; i++) bytes += (text[i] ? kept_length(text[i]) : 0) + 1;
    return bytes;
}

static const char *const *copy_list(const char *const *text, size_t n, char **pointers, char **at)
{
    if (!text) return NULL;
    const char **list = (const char **)(void *)*pointers;
    for (size_t i = 0; i < n; i++) {
        size_t length = text[i] ? kept_length(text[i]) : 0;
        list[i] = *at;
        for (size_t k = 0; k < length; k++) {
            unsigned char c = (unsigned char)text[i][k];
            *(*at)++ = c < 0x20 || c == 0x7F ? ' ' : (char)c;
        }
        *(*at)++ = '\0';
    }
    *pointers += n * sizeof *list;
    return list;
}

ucpo_status label_copy(struct ucpo_instance *inst, ucpo_error *err)
{
    ucpo_instance_data *d = &inst->data;
    const char *const *id = d->id, *const *label = d->label;
    d->id = d->label = NULL;
    if (!id && !label) return UCPO_OK;
    size_t n = (size_t)d->n, lists = (id ? 1u : 0u) + (label ? 1u : 0u);
    size_t head = lists * n * sizeof(char *), bytes = head + bytes_of(id, n) + bytes_of(label, n);
    inst->labels = mem_zeroed(bytes, 1);
    if (!inst->labels) return status_no_memory(err, bytes);
    char *pointers = inst->labels, *at = inst->labels + head;
    d->id = copy_list(id, n, &pointers, &at);
    d->label = copy_list(label, n, &pointers, &at);
    return UCPO_OK;
}

const char *ucpo_node_text(const ucpo_instance *inst, int32_t node, char *buf, size_t size)
{
    const ucpo_instance_data *d = ucpo_instance_view(inst);
    if (!buf || size == 0) return buf ? buf : "";
    if (d && d->id && node >= 0 && node < d->n && d->id[node][0])
        snprintf(buf, size, "%s", d->id[node]);
    else
        snprintf(buf, size, "%d", (int)node);
    return buf;
}

/* The proleptic Gregorian calendar, after H. Hinnant, "chrono-compatible low-level date algorithms". */
void label_date(long day, long *year, int *month, int *day_of_month)
{
    day += 719468;
    long era = (day >= 0 ? day : day - 146096) / 146097, of_era = day - era * 146097;
    long of_age = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    long of_year = of_era - (365 * of_age + of_age / 4 - of_age / 100);
    int shifted = (int)((5 * of_year + 2) / 153);
    *day_of_month = (int)(of_year - (153 * shifted + 2) / 5 + 1);
    *month = shifted < 10 ? shifted + 3 : shifted - 9;
    *year = of_age + era * 400 + (*month <= 2);
}

const char *ucpo_clock_text(const ucpo_instance *inst, double time, int with_date, char *buf,
                            size_t size)
{
    const ucpo_instance_data *d = ucpo_instance_view(inst);
    if (!buf || size == 0) return buf ? buf : "";
    buf[0] = '\0';
    if (!d || d->clock <= 0.0) return buf;
    double all = floor(time * d->clock + 0.5), days = floor(all / 86400.0);
    if (!(fabs(days) <= 1e6)) {
        snprintf(buf, size, "-");
        return buf;
    }
    int seconds = (int)(all - 86400.0 * days), day = (int)days;
    char date[40] = "", clock[24], shift[16] = "";
    if (with_date && d->clock_day != 0) {
        long year;
        int month, of_month;
        label_date((long)d->clock_day + day, &year, &month, &of_month);
        snprintf(date, sizeof date, "%04ld-%02d-%02dT", year, month, of_month);
    } else if (day != 0) {
        snprintf(shift, sizeof shift, "%+d", day);
    }
    int minutes = seconds / 60;
    if (seconds % 60)
        snprintf(clock, sizeof clock, "%02d:%02d:%02d", minutes / 60, minutes % 60, seconds % 60);
    else
        snprintf(clock, sizeof clock, "%02d:%02d", minutes / 60, minutes % 60);
    snprintf(buf, size, "%s%s%s", date, clock, shift);
    return buf;
}
