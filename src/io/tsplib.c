/* The TSPLIB family: LKH TSPTW, LKH TSPDL, VRPLIB / LKH CVRPTW. Tables and detection. */
#include "io/tsplib.h"

/* The first entry that fits an instance is the one written. */
const struct io_tsplib_weight io_tsplib_weights[] = {
    {"EXPLICIT", 1, UCPO_METRIC_EUCLID, UCPO_ROUND_NONE},
    {"EUC_2D", 0, UCPO_METRIC_EUCLID, UCPO_ROUND_NEAREST},
    {"CEIL_2D", 0, UCPO_METRIC_EUCLID, UCPO_ROUND_UP},
    {"FLOOR_2D", 0, UCPO_METRIC_EUCLID, UCPO_ROUND_DOWN},
    {"EXACT_2D", 0, UCPO_METRIC_EUCLID, UCPO_ROUND_NEAREST}, /* with SCALE 1000, if none is given */
    {"MAN_2D", 0, UCPO_METRIC_MANHATTAN, UCPO_ROUND_NEAREST},
    {"MAX_2D", 0, UCPO_METRIC_MAXIMUM, UCPO_ROUND_NEAREST},
    {"GEO", 0, UCPO_METRIC_GEO, UCPO_ROUND_NONE},
    {"ATT", 0, UCPO_METRIC_ATT, UCPO_ROUND_NONE},
};

const size_t io_tsplib_weight_count = sizeof io_tsplib_weights / sizeof io_tsplib_weights[0];

static int is_keyword_char(char c)
{
    return text_is_letter(c) || text_is_digit(c) || c == '_';
}

/* 1: only this family starts a line so, 0: it may be, -1: it is not. */
static int judge_line(const struct io_text *line)
{
    static const char *const sure[] = {"TYPE", "DIMENSION", "EDGE_WEIGHT_TYPE",
                                       "EDGE_WEIGHT_FORMAT"};
    size_t size = 0;
    while (size < io_left(line) && is_keyword_char(line->at[size])) size++;
    if (size == 0 || text_is_digit(line->at[0])) return -1;
    if (size > 8 && io_word_is(line->at + size - 8, 8, "_SECTION")) return 1;
    for (size_t k = 0; k < sizeof sure / sizeof sure[0]; k++)
        if (io_word_is(line->at, size, sure[k])) return 1;
    return io_is(line, "VEHICLE") ? -1 : 0;
}

static int detect(const char *bytes, size_t size)
{
    struct io_text text = io_text_open(bytes, size, ""), line;
    int verdict = 0;
    while (verdict == 0 && io_content_line(&text, &line)) verdict = judge_line(&line);
    if (verdict <= 0) return 0;
    /* a Solomon file may be called TYPE */
    return !(io_content_line(&text, &line) && io_is(&line, "VEHICLE"));
}

const struct io_format io_format_tsplib = {"tsplib",       0,    detect,
                                           io_tsplib_read, NULL, &io_tsplib_writer};
