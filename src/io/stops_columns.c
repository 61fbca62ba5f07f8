/* Names of the columns of a CSV of stops. */
#include "io/stops.h"

#include "core/text.h"
#include "io/left_out.h"

#include <stdio.h>
#include <string.h>

/* Lower case, without blanks, '_', '-', '.' and what stands in brackets. The first word is the column's
 * own name. docs/formats.md lists them. */
static const char *const names[STOPS_COLUMNS] = {
    [STOPS_ID] =
        "id nr no number stop stopid node customer customerid custno order orderid job jobid "
        "nummer kunde kundennummer kundennr auftrag stopp numero client commande",
    [STOPS_NAME] = "name label title description address customername company "
                   "bezeichnung adresse anschrift firma ort nom",
    [STOPS_X] = "x xcoord xcoordinate easting rechtswert",
    [STOPS_Y] = "y ycoord ycoordinate northing hochwert",
    [STOPS_LAT] = "lat latitude breite breitengrad",
    [STOPS_LON] = "lon lng long longitude länge laenge längengrad laengengrad",
    [STOPS_READY] = "ready readytime open opens opening start from earliest twstart windowstart "
                    "timewindowstart twopen windowopen opentime openingtime earliesttime starttime "
                    "begin von ab beginn frühestens fruehestens öffnet "
                    "ouverture début debut",
    [STOPS_DUE] = "due duedate duetime close closes closing end until to latest twend windowend "
                  "timewindowend twclose windowclose closetime closingtime latesttime endtime "
                  "deadline bis ende spätestens spaetestens schließt "
                  "fermeture fin",
    [STOPS_WINDOW] = "window timewindow tw openinghours hours zeitfenster öffnungszeiten créneau "
                     "creneau horaires",
    [STOPS_SERVICE] =
        "service servicetime servicemin serviceminutes servicemins duration stoptime handling "
        "handlingtime servicezeit standzeit dauer haltezeit durée duree",
    [STOPS_DEMAND] =
        "demand qty quantity load weight amount volume size pieces items parcels units "
        "volumen menge bedarf nachfrage gewicht ladung stück quantité quantite demande poids",
    [STOPS_KIND] = "kind type role art typ",
    [STOPS_CAPACITY] = "capacity vehiclecapacity kapazität kapazitaet capacité capacite",
    [STOPS_VEHICLES] = "vehicles fleet trucks vans fahrzeuge véhicules vehicules",
};

enum { WORD = 64 };

/* The head as the list has it; what stands in brackets goes to `unit`. */
static void simplify(const char *head, char word[WORD], char unit[WORD])
{
    size_t length = 0, unit_length = 0;
    int depth = 0;
    for (; *head; head++) {
        if (*head == '(' || *head == '[') {
            depth++;
        } else if (*head == ')' || *head == ']') {
            depth -= depth > 0;
        } else if (depth > 0) {
            if (*head != ' ' && unit_length + 1 < WORD) unit[unit_length++] = text_lower(*head);
        } else if (!strchr(" _-./", *head) && length + 1 < WORD) {
            /* capital umlauts and accents, which are two bytes from C3 80 to C3 9E */
            int is_capital = length > 0 && (unsigned char)word[length - 1] == 0xC3 &&
                             (unsigned char)*head >= 0x80 && (unsigned char)*head <= 0x9E;
            word[length++] = is_capital ? (char)((unsigned char)*head + 0x20) : text_lower(*head);
        }
    }
    word[length] = unit[unit_length] = '\0';
}

const char *stops_column_name(enum stops_column column)
{
    static const char *const own[STOPS_COLUMNS] = {
        "id",  "name",   "x",       "y",      "lat",  "lon",      "ready",
        "due", "window", "service", "demand", "kind", "capacity", "vehicles"};
    return own[column];
}

static int find_word(const char *word)
{
    for (int c = 0; *word && c < STOPS_COLUMNS; c++)
        if (text_word_index(names[c], word) >= 0) return c;
    return -1;
}

int stops_column_of(const char *head)
{
    char word[WORD], unit[WORD];
    simplify(head, word, unit);
    return find_word(word);
}

/* ---- --column demand=qty,id=Kunde ---- */

static ucpo_status map_one(const struct io_source *source, const struct io_table *table,
                           const char *item, size_t length, struct stops_head *out, ucpo_error *err)
{
    const char *equals = memchr(item, '=', length);
    char own[WORD] = "";
    if (equals && (size_t)(equals - item) < sizeof own)
        snprintf(own, sizeof own, "%.*s", (int)(equals - item), item);
    int column = 0;
    while (column < STOPS_COLUMNS && strcmp(own, stops_column_name((enum stops_column)column)) != 0)
        column++;
    if (!equals || column == STOPS_COLUMNS)
        return status_argument(
            err,
            "column mapping '%.*s', expected WHAT=HEAD with WHAT one of: id, name, x, y, lat, "
            "lon, ready, due, window, service, demand, kind, capacity, vehicles",
            (int)length, item);
    const char *head = equals + 1;
    size_t head_length = length - (size_t)(head - item);
    for (size_t k = 0; k < table->row[0].count; k++) {
        const char *cell = io_table_at(table, 0, (int)k);
        if (strlen(cell) != head_length || memcmp(cell, head, head_length) != 0) continue;
        out->place[column] = (int)k;
        return UCPO_OK;
    }
    return status_format(err, source->label, table->row[0].line,
                         "the head line has no column '%.*s', which shall be %s", (int)head_length,
                         head, own);
}

static ucpo_status map_columns(const struct io_source *source, const struct io_table *table,
                               struct stops_head *out, ucpo_error *err)
{
    const char *at = source->options->columns;
    while (at && *at) {
        size_t length = strcspn(at, ",");
        ucpo_status st = map_one(source, table, at, length, out, err);
        if (st) return st;
        at += length + (at[length] == ',');
    }
    return UCPO_OK;
}

/* ---- the head line ---- */

/* Whether a column is there, or another that says the same. */
static int is_said(const struct stops_head *head, int column)
{
    if (head->place[column] >= 0) return 1;
    if (column == STOPS_READY || column == STOPS_DUE) return head->place[STOPS_WINDOW] >= 0;
    return column == STOPS_WINDOW && head->place[STOPS_READY] >= 0 && head->place[STOPS_DUE] >= 0;
}

/* Whether `word` is `name` with one letter written twice. */
static int is_doubled(const char *word, const char *name)
{
    size_t same = 0;
    while (name[same] && word[same] == name[same]) same++;
    return same > 0 && word[same] == word[same - 1] && strcmp(word + same + 1, name + same) == 0;
}

/* One edit away; words of four letters differ from too many others, there only a doubled letter counts.
 * A singular ("parcel", "unit") and a height mean something else. */
static int is_slip(const char *word, const char *name)
{
    size_t length = strlen(word);
    if (length < 5) return is_doubled(word, name);
    int is_singular = strncmp(word, name, length) == 0 && strcmp(name + length, "s") == 0;
    return !is_singular && strcmp(word, "height") != 0 && text_distance(word, name) == 1;
}

static int find_slip(const char *word, int column, char name[WORD])
{
    const char *list = names[column];
    while (text_next(&list, name, WORD))
        if (is_slip(word, name)) return 1;
    return 0;
}

/* A column that looks like a misspelt one and would leave that one out. */
static int is_misspelt(const char *word, const struct stops_head *head, char name[WORD])
{
    static const char watched[] = "ready due deadline window timewindow service demand quantity "
                                  "capacity vehicles";
    static const int columns[] = {STOPS_READY,  STOPS_DUE,      STOPS_WINDOW,  STOPS_SERVICE,
                                  STOPS_DEMAND, STOPS_CAPACITY, STOPS_VEHICLES};
    for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++)
        if (!is_said(head, columns[k]) && find_slip(word, columns[k], name)) return 1;
    if (strlen(word) < 5) return 0;
    char room[sizeof watched];
    const char *near = text_nearest_in(watched, word, room, sizeof room);
    int column = near ? find_word(near) : -1;
    if (column < 0 || is_said(head, column)) return 0;
    snprintf(name, WORD, "%s", near);
    return 1;
}

/* Beside columns that mean nothing: what they may have been meant for. */
static void list_unsaid(const struct stops_head *head, char *out, size_t size)
{
    static const int columns[] = {STOPS_READY, STOPS_DUE, STOPS_SERVICE, STOPS_DEMAND};
    out[0] = '\0';
    for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++)
        if (!is_said(head, columns[k]))
            text_append(out, size, ", ", "%s%s", out[0] ? "" : "; nothing says ",
                        stops_column_name((enum stops_column)columns[k]));
    if (out[0]) text_append(out, size, "", " (option 'columns' WHAT=HEAD does)");
}

/* Minutes of a unit of the service column: its head may say (min), (s) or (h). */
static ucpo_status judge_service(const struct io_source *source, const struct io_table *table,
                                 struct stops_head *head, ucpo_error *err)
{
    static const char *const known[] = {"min mins minute minutes minuten",
                                        "s sec secs second seconds sek sekunden",
                                        "h hour hours hr hrs std stunden heures"};
    static const double worth[] = {1.0, 1.0 / 60.0, 60.0};
    const char *cell = io_table_at(table, 0, head->place[STOPS_SERVICE]);
    char word[WORD], unit[WORD];
    simplify(cell, word, unit);
    for (int k = 0; unit[0] && k < 3; k++) {
        if (text_word_index(known[k], unit) < 0) continue;
        head->minutes = worth[k];
        return UCPO_OK;
    }
    if (!unit[0]) return UCPO_OK;
    return status_format(err, source->label, table->row[0].line,
                         "column '%s' is in '%s', expected (min), (s) or (h)", cell, unit);
}

static int is_taken(const struct stops_head *head, int place)
{
    for (int c = 0; c < STOPS_COLUMNS; c++)
        if (head->place[c] == place) return 1;
    return 0;
}

/* Ids and names are words for people: where a column has the very name, others that mean the same (an address
 * beside a name, an order beside an id) are remarks. The first column with that name, or -1. */
static int find_own(const struct io_table *table, int column)
{
    if (column != STOPS_ID && column != STOPS_NAME) return -1;
    for (int k = 0; k < (int)table->row[0].count; k++) {
        char word[WORD], unit[WORD];
        simplify(io_table_at(table, 0, k), word, unit);
        if (strcmp(word, stops_column_name((enum stops_column)column)) == 0) return k;
    }
    return -1;
}

static int is_remark(const struct io_table *table, int k)
{
    char word[WORD], unit[WORD];
    simplify(io_table_at(table, 0, k), word, unit);
    int column = find_word(word);
    if (column < 0 || find_own(table, column) < 0) return 0;
    return strcmp(word, stops_column_name((enum stops_column)column)) != 0;
}

/* What --column did not say follows from the names. */
static ucpo_status place_known(const struct io_source *source, const struct io_table *table,
                               struct stops_head *head, ucpo_error *err)
{
    const struct stops_head mapped = *head;
    for (int k = 0; k < (int)table->row[0].count; k++) {
        const char *cell = io_table_at(table, 0, k);
        int column = stops_column_of(cell);
        if (column < 0 || mapped.place[column] >= 0 || is_taken(&mapped, k)) continue;
        const char *own = stops_column_name((enum stops_column)column);
        if (is_remark(table, k)) continue;
        if (head->place[column] >= 0)
            return status_format(
                err, source->label, table->row[0].line,
                "columns '%s' and '%s' both mean %s: choose with option 'columns' %s=HEAD",
                io_table_at(table, 0, head->place[column]), cell, own, own);
        head->place[column] = k;
    }
    return UCPO_OK;
}

/* Whether some row says something in column k: neither nothing nor 0. */
static int says_something(const struct io_table *table, int k)
{
    for (size_t r = 1; r < table->rows; r++) {
        const char *cell = io_table_at(table, r, k);
        double number;
        if (cell[0] && !(io_parse_number(cell, strlen(cell), &number) && number == 0.0)) return 1;
    }
    return 0;
}

/* A column that restricts plans as a key of VROOM's does, and that we do not model. */
static ucpo_status refuse_restriction(const struct io_source *source, const struct io_table *table,
                                      int k, int *is_one, ucpo_error *err)
{
    ucpo_reading way;
    const char *cell = io_table_at(table, 0, k);
    *is_one = io_restricts(cell, &way);
    if (!*is_one || !says_something(table, k)) return UCPO_OK;
    return io_leave_out(way, source, table->row[0].line, err,
                        "column '%.60s': ucpo has no counterpart (option 'ignore_unsupported' "
                        "reads the file without it)",
                        cell);
}

static ucpo_status name_others(const struct io_source *source, const struct io_table *table,
                               const struct stops_head *head, ucpo_error *err)
{
    char list[200] = "";
    long line = table->row[0].line;
    for (int k = 0; k < (int)table->row[0].count; k++) {
        const char *cell = io_table_at(table, 0, k);
        char word[WORD], unit[WORD];
        simplify(cell, word, unit);
        if (!word[0] || is_taken(head, k) || is_remark(table, k)) continue;
        char near[WORD];
        int is_restriction;
        ucpo_status st = refuse_restriction(source, table, k, &is_restriction, err);
        if (st) return st;
        if (is_restriction) continue;
        if (is_misspelt(word, head, near)) {
            st = io_object_to(IO_MISSPELT, source, line, err,
                              "unknown column '%.60s', did you mean '%s'? (option "
                              "'columns' says which column is what, "
                              "option 'ignore_unsupported' reads the file without it)",
                              cell, near);
            if (st) return st;
        }
        if (strlen(list) + strlen(cell) + 3 < sizeof list)
            text_append(list, sizeof list, ", ", "%s", cell);
    }
    if (!list[0]) return UCPO_OK;
    char unsaid[120];
    list_unsaid(head, unsaid, sizeof unsaid);
    return io_object_to(IO_UNKNOWN, source, line, err, "columns that mean nothing here: %s%s", list,
                        unsaid);
}

ucpo_status stops_find_columns(const struct io_source *source, const struct io_table *table,
                               struct stops_head *out, ucpo_error *err)
{
    struct stops_head head = {.minutes = 1.0};
    for (int c = 0; c < STOPS_COLUMNS; c++) head.place[c] = -1;
    ucpo_status st = map_columns(source, table, &head, err);
    if (!st) st = place_known(source, table, &head, err);
    if (!st) st = judge_service(source, table, &head, err);
    if (!st) st = name_others(source, table, &head, err);
    if (!st) *out = head;
    return st;
}
