/* ucpo.h - routing under hard constraints: instances, files, an independent checker, generators.
 *
 * This header is the whole public interface and reads as its manual, top to bottom:
 *
 *   1  status and errors        5  data sets              9  the preference loss
 *   2  callbacks                6  files                 10  the model
 *   3  problems                 7  solutions             11  evaluation
 *   4  instances                8  checking a plan       12  solving
 *                                                        13  training
 *                                                        14  explaining
 *                                                        15  pictures, 16 build facts
 *
 * Rules that hold everywhere
 * - A function that can fail returns ucpo_status and takes a trailing `ucpo_error *err` (may be
 *   NULL). Outputs are written on success only; on failure handles stay as they were.
 * - The library never prints, exits, aborts, reads the environment, installs signal handlers, keeps global
 *   state or leaves anything behind in the process: threads live for one call. (One thing cannot be taken
 *   back: who asks for the kernels amx with bf16 has Linux's permission to use tiles from then on. A BLAS that
 *   was built in keeps the threads it is told to have, best one: OPENBLAS_NUM_THREADS.) Handles may be used
 *   from many threads as long as nobody modifies the same one.
 * - Every ..._free accepts NULL. Strings and arrays handed in are copied.
 * - A pointer may be NULL where that is documented. Elsewhere functions that return a status answer
 *   UCPO_E_ARGUMENT, and the others with what there is nothing of: 0, NULL, an empty text.
 * - Node 0 is the depot. `n` counts all nodes, the depot included. Matrices are row-major n x n,
 *   entry [i * n + j] is the leg from i to j; they may be asymmetric.
 * - A time window bounds the START of service, both ends included. Arriving early means waiting.
 *
 * Settings
 * - What a call can be told stands in a plain struct ucpo_..._config, passed by pointer; NULL stands for the
 *   default. Begin with ucpo_..._config_default() and change members. (Only training takes its settings as
 *   text, key by key: they are stored with the run and may differ between its phases.)
 * - Such a struct begins with `struct_size`, which ..._default() sets to what your compiler knew. So members can be
 *   added at its end: a program that was compiled before is understood, and one that is newer than the library
 *   too, unless it uses what the library lacks (UCPO_E_UNSUPPORTED). A member that is added changes nothing
 *   while it is 0. We prefer this to setters since settings can be copied, compared and read at a glance, and
 *   since it takes one member instead of a function for each.
 *
 * What version 1.0 will promise, until 2.0
 * - No function, constant, member of a struct or documented meaning goes away or changes; a program compiled for
 *   1.0 runs with every later 1.x (same SONAME).
 * - Structs with `struct_size`, and those that you only get a pointer to (ucpo_solution, ucpo_reason, ...), may grow at
 *   their end. All other structs and the order of their members stay as they are.
 * - Files that a version has written are read by every later one. Text of messages, numbers of statistics and
 *   plans found at a fixed seed may differ between versions.
 * Before, with major version 0, anything may change between minor versions; the SONAME changes with it.
 */
#ifndef UCPO_H
#define UCPO_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define UCPO_API __attribute__((visibility("default")))
#else
#define UCPO_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define UCPO_VERSION_MAJOR 0
#define UCPO_VERSION_MINOR 1
#define UCPO_VERSION_PATCH 0

/* ---- 1 status and errors ------------------------------------------------------------------- */

typedef enum ucpo_status {
    UCPO_OK = 0,
    UCPO_E_ARGUMENT = -1,     /* an argument is out of its documented range */
    UCPO_E_MEMORY = -2,       /* allocation failed */
    UCPO_E_IO = -3,           /* a file cannot be opened, read or written */
    UCPO_E_FORMAT = -10,      /* a file's content is malformed */
    UCPO_E_UNSUPPORTED = -11, /* well-formed, but asks for something ucpo does not model */
    UCPO_E_MISMATCH = -12,    /* two inputs do not belong together (plan and instance, ...) */
    UCPO_E_CANCELLED = -20,   /* a callback asked to stop */
    UCPO_E_DIVERGED = -21,    /* training met a loss or gradient that is not finite */
    UCPO_E_INTERNAL = -99     /* a bug of ours */
} ucpo_status;

typedef struct ucpo_error {
    ucpo_status code;
    long line;      /* line in `file`, counted from 1; 0 if it does not apply */
    char file[256]; /* input the error is about; "" if it does not apply */
    char text[512]; /* one sentence: field, value, what was expected; printable */
} ucpo_error;

/* Name of a status code, e.g. "UCPO_E_FORMAT". Never NULL. */
UCPO_API const char *ucpo_status_name(ucpo_status code);

/* Writes "file:line: text" (without the parts that do not apply) into buf; returns buf. */
UCPO_API const char *ucpo_error_message(const ucpo_error *err, char *buf, size_t size);

/* ---- 2 callbacks ---------------------------------------------------------------------------- */

typedef enum ucpo_log_level { UCPO_LOG_INFO = 0, UCPO_LOG_WARNING = 1 } ucpo_log_level;

/* All members are optional. `log` receives one line of text without newline; for long parallel
 * work it is called from the calling thread only. `progress` is called between chunks of work;
 * a non-zero return stops the call cleanly with UCPO_E_CANCELLED. */
typedef struct ucpo_hooks {
    void (*log)(void *user, ucpo_log_level level, const char *text);
    int (*progress)(void *user, size_t done, size_t total);
    void *user;
} ucpo_hooks;

/* ---- 3 problems -----------------------------------------------------------------------------
 *
 *   name       vehicles     constraints
 *   tsptw      one          time windows
 *   tspdl      one          draft limits (load on board at each port)
 *   cvrptw     any number   capacity, time windows, return before the depot closes
 *   cvrptwlv   at most K    the same
 *   cvrp       any number   capacity
 *
 * The objective is always the travel cost, the way back to the depot included.
 */

typedef struct ucpo_problem_info {
    const char *name;
    const char *title;  /* one line for people */
    const char *levels; /* generator levels, separated by blanks, the default first */
    int depot_is_extra; /* "size 50" means 50 customers plus depot (1) or 50 nodes in all (0) */
} ucpo_problem_info;

UCPO_API size_t ucpo_problem_count(void);

/* Facts about problem `index`, or NULL past the end. Static storage. */
UCPO_API const ucpo_problem_info *ucpo_problem_at(size_t index);

/* ---- 4 instances ------------------------------------------------------------------------------
 */

/* How a leg's length follows from coordinates. */
typedef enum ucpo_metric {
    UCPO_METRIC_EUCLID = 0,
    UCPO_METRIC_MANHATTAN = 1, /* TSPLIB MAN_2D */
    UCPO_METRIC_MAXIMUM = 2,   /* TSPLIB MAX_2D */
    UCPO_METRIC_GEO = 3,       /* TSPLIB GEO: degrees.minutes, kilometres, integers */
    UCPO_METRIC_ATT = 4,       /* TSPLIB ATT: pseudo-Euclidean, integers */
    UCPO_METRIC_HAVERSINE = 5  /* x latitude, y longitude in decimal degrees: great circle, km */
} ucpo_metric;

/* What is done to a length computed from coordinates. Matrices are never rounded. */
typedef enum ucpo_rounding {
    UCPO_ROUND_DECLARED = 0, /* read option only: whatever the file declares */
    UCPO_ROUND_NONE = 1,
    UCPO_ROUND_NEAREST = 2, /* floor(d + 0.5): TSPLIB EUC_2D */
    UCPO_ROUND_UP = 3,      /* CEIL_2D */
    UCPO_ROUND_DOWN = 4,    /* FLOOR_2D */
    UCPO_ROUND_DIMACS = 5,  /* floor(10 d), then / 10: one decimal, truncated */
    UCPO_ROUND_EXACT = 6    /* floor(1000 d + 0.5); times are not scaled */
} ucpo_rounding;

/* When the draft of a tspdl tour is measured. One is the other with the tour reversed. */
typedef enum ucpo_draft {
    UCPO_DRAFT_LOAD = 0,  /* ship starts empty, picks up; load AFTER pick-up <= limit (PIP) */
    UCPO_DRAFT_UNLOAD = 1 /* ship starts full, delivers; load ON ARRIVAL <= limit (LKH, Rakke) */
} ucpo_draft;

/* What a file says besides the instance, kept so that plans and files can be translated back. Data of your
 * own needs none of it. */
typedef struct ucpo_file_notes {
    int32_t depot;          /* place of the depot in the file's own order, from 0; see below */
    double service_in_cost; /* total service time already contained in the matrix (plain TSPTW) */
} ucpo_file_notes;

/* What a reader left out of a file, or took otherwise than it stands there (`ignore_unsupported`), and what that
 * makes of the instance. Bits, which add up over all that was left out. */
typedef enum ucpo_reading {
    UCPO_READ_WHOLE = 0,  /* the instance is the file's problem */
    UCPO_READ_EASIER = 1, /* it may have plans that the file forbids */
    UCPO_READ_HARDER = 2, /* it may lack plans that the file allows */
    UCPO_READ_EITHER = 3, /* both */
    UCPO_READ_COST = 4    /* plans cost something else than in the file */
} ucpo_reading;

typedef struct ucpo_left_out {
    ucpo_reading way;
    const char *text; /* what, for people */
} ucpo_left_out;

/* An instance as plain data. Which arrays a problem needs:
 *   every problem   coordinates x, y (both) or `cost`, or both kinds
 *   tsptw           ready, due; optional service, setup (with `place`)
 *   tspdl           demand, limit
 *   cvrptw(lv)      ready, due, demand, capacity; optional service, setup; `vehicles` for cvrptwlv
 *   cvrp            demand, capacity
 * All arrays have n entries unless said otherwise and must be finite (due may be +infinity). */
typedef struct ucpo_instance_data {
    size_t struct_size; /* see "Settings" above */
    const char *problem;
    const char *name; /* may be NULL; at most 127 characters are kept */
    int32_t n;
    const double *x, *y;
    const double *cost;     /* n x n or NULL: from coordinates by metric and rounding */
    const double *duration; /* n x n travel times or NULL: equal to the cost */
    const double *ready, *due, *service;
    const double *demand, *limit;
    double capacity;
    int32_t vehicles; /* fleet limit; 0 = unlimited */
    ucpo_metric metric;
    ucpo_rounding rounding; /* UCPO_ROUND_DECLARED is read as UCPO_ROUND_NONE */
    ucpo_draft draft;
    double unit;              /* length that counts as 1 in normalised values; 0: derived (below) */
    double tolerance;         /* absolute, instance units; negative: derived (below) */
    double best_known;        /* cost of the best plan anybody knows, or NaN */
    double speed;             /* without `duration`: a leg of cost c takes c / speed; 0: c */
    double no_way;            /* entries from here on are no ways, see below; 0: all are ways */
    const char *const *id;    /* n words by which the file calls its nodes, or NULL */
    const char *const *label; /* n names for people, or NULL */
    double clock;      /* times are times of the day, counted from midnight in units of so many
                          seconds: shown as 08:30. 0: plain numbers */
    int32_t clock_day; /* that midnight's date in days since 1970-01-01; 0: no date */
    const ucpo_file_notes *file;   /* NULL: nothing of the kind; in ucpo_instance_view never NULL */
    const ucpo_left_out *left_out; /* left_outs of them, or NULL; see ucpo_instance_reading */
    size_t left_outs;
    const char *
        cost_unit; /* what costs are counted in: "km", "m", "s", ...; at most 15 bytes are kept. NULL:
                              not known, or by the metric ("km" of degrees) */
    const double *
        setup; /* time it takes to get started at a stop, unless the vehicle comes from the same place */
    const int32_t *
        place; /* numbers of places: nodes with the same one are at the same place. NULL: all differ */
} ucpo_instance_data;

/* Node 0 is always the depot. A TSPLIB file may name another one (DEPOT_SECTION 3): that node then
 * becomes node 0, and the nodes before it move up by one. `file->depot` remembers where it was
 * (2), so that formats that speak in the file's ids (tsplib, tour, mtsp) translate them back and forth.
 * It is 0 if nothing moved, which is what data of your own needs.
 *
 * An infinite entry of a matrix means that there is no way from i to j. The instance keeps a finite
 * number in its place, larger than the cost and the time of any plan, in both matrices, and says in
 * `no_way` from where on an entry is one. A plan that uses such a leg is infeasible; the leg counts
 * neither cost nor time.
 *
 * Ids and labels are cut to 127 bytes each; control characters become blanks. */

typedef struct ucpo_instance ucpo_instance;

/* All members zero or NULL, tolerance -1, best_known NaN, rounding NONE. */
UCPO_API void ucpo_instance_data_init(ucpo_instance_data *data, size_t size);

static inline ucpo_instance_data ucpo_instance_data_default(void)
{
    ucpo_instance_data data;
    ucpo_instance_data_init(&data, sizeof data);
    return data;
}

/* Checks and copies `data`. The error text names the field, the node and the value. Magnitudes are
 * limited to 1e12, matrix entries to 1e15.
 *
 * Derived unit: the larger side of the coordinates' bounding box (of degrees in km); without
 * coordinates, or with degrees beside a matrix, the largest matrix entry divided by sqrt(2); 1 if
 * that is 0. Derived tolerance: if all times (tspdl: loads) are
 * whole numbers 1e-6, which is as good as 0, since lateness is then at least 1; otherwise 1e-5 of the
 * unit (or of the largest duration / sqrt(2), if smaller), at most 1e-3; a unit that is not derived
 * can raise it up to ucpo_instance_tolerance_cap only. Loads of whole numbers are always compared
 * exactly, others within min(1e-9 x largest load, 1e-6). */
UCPO_API ucpo_status ucpo_instance_create(const ucpo_instance_data *data, ucpo_instance **out,
                                          ucpo_error *err);
UCPO_API void ucpo_instance_free(ucpo_instance *inst);

/* The data, with every default filled in. Valid as long as the instance. */
UCPO_API const ucpo_instance_data *ucpo_instance_view(const ucpo_instance *inst);

/* Cost and travel time of a leg; from the matrix if there is one, else from the coordinates. */
UCPO_API double ucpo_instance_cost(const ucpo_instance *inst, int32_t from, int32_t to);
UCPO_API double ucpo_instance_duration(const ucpo_instance *inst, int32_t from, int32_t to);

/* The largest tolerance that a file may ask for: 1e-4 of the median travel time between the depot
 * and a customer (the longer way), or what is derived from the instance's own numbers if that is more. ucpo_read refuses
 * more, unless its options set the tolerance; ucpo_instance_create takes any. */
UCPO_API double ucpo_instance_tolerance_cap(const ucpo_instance *inst);

/* Is there a way? Yes, unless the matrix says no. */
UCPO_API int ucpo_instance_has_way(const ucpo_instance *inst, int32_t from, int32_t to);

/* What people call a node: its id if the file had one, else its number. Returns buf. */
UCPO_API const char *ucpo_node_text(const ucpo_instance *inst, int32_t node, char *buf,
                                    size_t size);

/* A time of an instance with a clock, to the second: "08:30", "08:30:15", "00:10+1" on the next day;
 * with_date: "2026-03-01T08:30:15" if the instance has a date. "" without a clock, "-" for an infinite
 * time. Returns buf (32 bytes are plenty). */
UCPO_API const char *ucpo_clock_text(const ucpo_instance *inst, double time, int with_date,
                                     char *buf, size_t size);

/* What was left out when the instance was read, all ways together: a verdict about the instance is one about the
 * file only as far as this allows. */
UCPO_API ucpo_reading ucpo_instance_reading(const ucpo_instance *inst);

/* The name of one: "whole", "easier", "harder", "either", each of the last four also with ", other cost", which
 * stands alone if it is all. Never NULL. */
UCPO_API const char *ucpo_reading_name(ucpo_reading reading);

/* What can be said about an instance. */
typedef enum ucpo_claim {
    UCPO_CLAIM_FEASIBLE =
        0, /* a plan is feasible: true of the file unless the instance is easier */
    UCPO_CLAIM_INFEASIBLE = 1, /* a plan is not, or none is: unless it is harder */
    UCPO_CLAIM_OPTIMAL = 2     /* none is cheaper, a bound: unless anything was left out */
} ucpo_claim;

/* What must stand beside such a verdict: "" if it is true of the file, else words such as
 * "of the instance as read, which is easier than the file's problem". Never NULL, static. */
UCPO_API const char *ucpo_claim_note(const ucpo_instance *inst, ucpo_claim claim);

/* The mirror image: matrices transposed, draft convention swapped. A tour of one, reversed, is a
 * tour of the other with the same cost and the same violations. tspdl only. */
UCPO_API ucpo_status ucpo_instance_mirror(const ucpo_instance *inst, ucpo_instance **out,
                                          ucpo_error *err);

/* ---- 5 data sets -------------------------------------------------------------------------------
 */

typedef struct ucpo_dataset ucpo_dataset;

UCPO_API ucpo_status ucpo_dataset_create(ucpo_dataset **out, ucpo_error *err);
UCPO_API void ucpo_dataset_free(ucpo_dataset *set);

/* Appends and takes ownership of `inst` (on success only). */
UCPO_API ucpo_status ucpo_dataset_add(ucpo_dataset *set, ucpo_instance *inst, ucpo_error *err);

/* The same without handing it over, for an instance of another set: nothing is copied, and it is freed when
 * neither set has it any more. */
UCPO_API ucpo_status ucpo_dataset_share(ucpo_dataset *set, const ucpo_instance *inst,
                                        ucpo_error *err);

/* A set of instances first .. first + count - 1 of another one, shared like that. */
UCPO_API ucpo_status ucpo_dataset_slice(const ucpo_dataset *set, size_t first, size_t count,
                                        ucpo_dataset **out, ucpo_error *err);
UCPO_API size_t ucpo_dataset_count(const ucpo_dataset *set);
UCPO_API const ucpo_instance *ucpo_dataset_at(const ucpo_dataset *set, size_t index);

/* Random instances. Instance i depends on (problem, level, size, seed, i) only: not on count,
 * threads or order. Sizes: see depot_is_extra. */
typedef struct ucpo_generate_config {
    size_t struct_size; /* see "Settings" above */
    const char *problem;
    const char *level; /* NULL: the problem's first level */
    int32_t size;
    size_t first, count; /* instances first .. first + count - 1 */
    uint64_t seed;
    double capacity; /* fleets: overrides the level's capacity; 0: keep */
    int threads;     /* 0: all */
    ucpo_hooks hooks;
} ucpo_generate_config;

UCPO_API void ucpo_generate_config_init(ucpo_generate_config *config, size_t size);

static inline ucpo_generate_config ucpo_generate_config_default(void)
{
    ucpo_generate_config config;
    ucpo_generate_config_init(&config, sizeof config);
    return config;
}

UCPO_API ucpo_status ucpo_generate(const ucpo_generate_config *config, ucpo_dataset **out,
                                   ucpo_error *err);

/* The ten published validation sets (10,000 instances each), bit for bit: "tsptw50_easy", ...; and six
 * of our own for the problems that have none: "cvrptw50_cvrp", ... (docs/generators.md).
 * Keeps instances first .. first + count - 1 (count 0: all the rest). */
UCPO_API ucpo_status ucpo_generate_preset(const char *preset, size_t first, size_t count,
                                          ucpo_dataset **out, ucpo_error *err);

/* Name of preset `index`, or NULL past the end. */
UCPO_API const char *ucpo_preset_at(size_t index);

/* ---- 6 files ----------------------------------------------------------------------------------
 *
 * format     content                                                  read  write  many instances
 * json       our own, "schema": "ucpo.instance/1" (docs/formats.md)   yes   yes    yes
 * npy        NumPy array, one row of numbers per node                 yes   yes    yes
 * tsplib     LKH TSPTW, LKH TSPDL, VRPLIB / LKH CVRPTW                yes   yes    no
 * plain      TSPTW: n, matrix, windows (Lopez-Ibanez and Blum)        yes   yes    no
 * silva      TSPTW: "!!" header, coordinate rows (da Silva, Urrutia)  yes   yes    no
 * rakke      TSPDL: n, matrix, demands, limits, optimum               yes   yes    no
 * solomon    CVRPTW: Solomon, Gehring-Homberger; also bare rows       yes   yes    no
 * csv        one row per stop, columns found by name                  yes   yes    no
 *
 * json also reads VROOM problems, OR-Tools data dictionaries and OSRM or openrouteservice matrices.
 */

typedef struct ucpo_read_config {
    size_t struct_size;     /* see "Settings" above */
    const char *format;     /* NULL: detect by content */
    const char *problem;    /* NULL: what the file says; otherwise must agree or decides */
    ucpo_rounding rounding; /* overrides the declared rounding of coordinate distances */
    double capacity;        /* > 0: replaces or supplies the capacity */
    int32_t vehicles;       /* > 0: replaces or supplies the fleet limit; -1: drop the limit */
    int strict;             /* unknown keys are errors instead of warnings */
    int ignore_unsupported; /* what ucpo has not is left out instead of an error; the instance says so
                               (ucpo_instance_reading) */
    double tolerance;       /* >= 0: replaces the tolerance, whatever the file says; negative: the
                               file's, up to ucpo_instance_tolerance_cap, or the derived one */
    const char
        *columns; /* csv: which column is what, "demand=qty,id=Kunde"; NULL: by known names */
    double speed; /* csv, VROOM: km/h between degrees or beside clock times (0: 40); csv of plain
                               numbers: length per unit of time (0: times are the lengths) */
    const char *matrix; /* csv: file with a matrix of its places, in their order; or NULL */
    ucpo_hooks hooks;   /* log receives the warnings */
} ucpo_read_config;

typedef struct ucpo_write_config {
    size_t struct_size; /* see "Settings" above */
    const char *format; /* required */
    double scale;       /* 1e-6 .. 1e12: lengths and times x scale, rounded to whole numbers (LKH);
                           0: off */
    int strict;         /* fail if the format cannot carry something instead of warning */
    ucpo_hooks hooks;
} ucpo_write_config;

UCPO_API void ucpo_read_config_init(ucpo_read_config *config, size_t size);

static inline ucpo_read_config ucpo_read_config_default(void)
{
    ucpo_read_config config;
    ucpo_read_config_init(&config, sizeof config);
    return config;
}

UCPO_API void ucpo_write_config_init(ucpo_write_config *config, size_t size);

static inline ucpo_write_config ucpo_write_config_default(void)
{
    ucpo_write_config config;
    ucpo_write_config_init(&config, sizeof config);
    return config;
}

/* Reads one instance or a whole set. config NULL: default. The bytes form takes the content and a
 * label used in messages. */
UCPO_API ucpo_status ucpo_read(const char *path, const ucpo_read_config *config, ucpo_dataset **out,
                               ucpo_error *err);
UCPO_API ucpo_status ucpo_read_bytes(const void *bytes, size_t size, const char *label,
                                     const ucpo_read_config *config, ucpo_dataset **out,
                                     ucpo_error *err);

/* Writes a set (one instance where the format holds one), see ucpo_file_write. What the format
 * cannot carry is logged as a warning. */
UCPO_API ucpo_status ucpo_write(const char *path, const ucpo_dataset *set,
                                const ucpo_write_config *config, ucpo_error *err);
UCPO_API ucpo_status ucpo_write_bytes(const ucpo_dataset *set, const ucpo_write_config *config,
                                      char **bytes, size_t *size, ucpo_error *err);

/* Frees what a ..._bytes function or ucpo_file_read returned. */
UCPO_API void ucpo_bytes_free(char *bytes);

/* Any file. All functions that take a path read it like the first ("-" is standard input; pipes and
 * devices, which may have no end, up to 1 GiB) and write
 * it like the second: it appears complete or not at all (temporary name beside it, flush, rename; a
 * symbolic link stays, what it points to is replaced). Devices, pipes and names of open files such
 * as /dev/stdout are written straight through. */
UCPO_API ucpo_status ucpo_file_read(const char *path, char **bytes, size_t *size, ucpo_error *err);
UCPO_API ucpo_status ucpo_file_write(const char *path, const void *bytes, size_t size,
                                     ucpo_error *err);

/* Name of file format `index` ("json", ...), or NULL past the end. */
UCPO_API const char *ucpo_format_at(size_t index);

/* Name of the format the content looks like: what ucpo_read would take it for. NULL: none. */
UCPO_API const char *ucpo_format_detect(const void *bytes, size_t size);

/* ---- 7 solutions --------------------------------------------------------------------------------
 *
 * A plan is a sequence of node numbers. 0 is the depot and separates routes; a leading or closing 0
 * and empty routes change nothing. tspdl plans run in the direction of the instance's convention.
 *
 * format   content                                                            read  write
 * json     our own, "schema": "ucpo.solution/1", with schedule and violations yes   yes
 * sol      VRPLIB: "Route #1: 1 2", "Cost 32"                                  yes   yes
 * tour     TSPLIB TOUR (LKH): ids from 1, ids above n are copies of the depot  yes   yes
 * csv      one row per stop with the schedule                                  yes   yes
 * npy      integers, one plan per row, without depot                           yes   yes
 * list     bare customer numbers, one plan per line                            yes   no
 * mtsp     LKH MTSP solution file                                              yes   no
 */

typedef struct ucpo_plan {
    const int32_t *nodes;
    size_t len;
    double stated_cost; /* as written in the file; NaN if not stated */
    int is_placeholder; /* the identity order, which LKH scripts store when LKH found no tour */
} ucpo_plan;

typedef struct ucpo_plans ucpo_plans;

UCPO_API ucpo_status ucpo_plans_create(ucpo_plans **out, ucpo_error *err);
UCPO_API void ucpo_plans_free(ucpo_plans *plans);
UCPO_API ucpo_status ucpo_plans_add(ucpo_plans *plans, const int32_t *nodes, size_t len,
                                    double stated_cost, ucpo_error *err);
UCPO_API size_t ucpo_plans_count(const ucpo_plans *plans);
UCPO_API ucpo_plan ucpo_plans_at(const ucpo_plans *plans, size_t index);

/* Plans for the instances of `set`, in order. The number of plans may be smaller or larger than the
 * number of instances; ids outside the instance are kept so that the checker can name them. */
UCPO_API ucpo_status ucpo_plans_read(const char *path, const char *format, const ucpo_dataset *set,
                                     ucpo_plans **out, ucpo_error *err);
UCPO_API ucpo_status ucpo_plans_read_bytes(const void *bytes, size_t size, const char *label,
                                           const char *format, const ucpo_dataset *set,
                                           ucpo_plans **out, ucpo_error *err);
UCPO_API ucpo_status ucpo_plans_write(const char *path, const char *format, const ucpo_dataset *set,
                                      const ucpo_plans *plans, ucpo_error *err);
UCPO_API ucpo_status ucpo_plans_write_bytes(const char *format, const ucpo_dataset *set,
                                            const ucpo_plans *plans, char **bytes, size_t *size,
                                            ucpo_error *err);

/* Name of plan format `index` ("json", ...), or NULL past the end. */
UCPO_API const char *ucpo_plan_format_at(size_t index);

/* ---- 8 checking a plan --------------------------------------------------------------------------
 *
 * Written from the problem definition in float64, independent of the environments used for
 * learning. A route leaves the depot at its opening time; times are as early as possible.
 *   late   start - due at a customer, return - due[0] at a route's end, if beyond the tolerance
 *   over   tspdl: draft above the limit; the depot sees the full load (on return when loading, on
 *          departure when unloading). cvrptw: the part of a customer's demand that does not fit
 * An excess within the instance's tolerance (loads: see ucpo_instance_create) is no violation, but
 * it is reported: late_max, over_max.
 */

/* One row of the schedule: every stop of every route, then the return to the depot (node 0). */
typedef struct ucpo_stop {
    int32_t route; /* from 1 */
    int32_t node;
    double arrive, wait, start, leave;
    double slack; /* due - start; tspdl: limit - draft; negative if violated */
    double load;  /* cvrptw: demand served so far on this route; tspdl: draft at this port */
    double late, over;
    int is_duplicate; /* this customer was visited before */
    int is_unknown;   /* no such node; the stop is skipped in schedule and cost */
    int is_blocked;   /* there is no way to this stop from the one before */
} ucpo_stop;

typedef struct ucpo_evaluation {
    int is_feasible;
    double cost;     /* sum of leg costs, returns included; of the legs that exist */
    double duration; /* time of the last return */
    double wait;
    int32_t routes;
    double late_sum, over_sum;
    int32_t late_count, over_count;
    double late_max, over_max; /* largest excess at a stop, tolerated or not; 0: there is none */
    double tolerance, load_tolerance; /* that were granted */
    int is_tolerated;                 /* feasible, but not without the tolerances */
    int32_t vehicles_over;            /* routes beyond the limit (tsp*: beyond 1) */
    int32_t missing, duplicates, unknown;
    int32_t blocked; /* legs without a way; they count neither cost nor time */
    double
        violation; /* normalised: late/unit + over/capacity (tspdl: /total demand) + all counts */
    size_t stops;  /* number of rows a full schedule has */
} ucpo_evaluation;

/* Evaluates a plan. `schedule` (may be NULL) receives min(capacity, stops) rows; `missing` (may be
 * NULL) receives the first customers not visited, at most missing_capacity of them. */
UCPO_API ucpo_status ucpo_check(const ucpo_instance *inst, const int32_t *nodes, size_t len,
                                ucpo_evaluation *out, ucpo_stop *schedule, size_t schedule_capacity,
                                int32_t *missing, size_t missing_capacity, ucpo_error *err);

/* ---- 9 the preference loss --------------------------------------------------------------------
 *
 * A policy draws N trajectories of one instance. Each has an objective f, a violation v >= 0 (0 =
 * feasible) and a score l = alpha x log-likelihood. From these three arrays alone the loss says how
 * much each trajectory should become more or less likely: weight[i] = d loss / d score[i]. Whoever
 * owns the network multiplies by d score[i] / d parameters, in any framework. docs/loss.md derives
 * every line; examples/loss_only.c is a complete program.
 *
 * With T = {v = 0}, F = the rest, L = f + lambda v, * the best of T, o the best of F, and one pair
 *   [a > b; beta] = -log sigma( beta (l_a - l_b) )
 * the canonical loss (UCPO, arXiv 2511.10148, eq. 1 to 4) is the sum of
 *   dual    if T is empty    mean over F \ {o} of [o > t; L_t / L_o]
 *   margin  if T, F are not  mean over F       of [* > t; L_t / f_*]
 *   primal  if |T| >= 2      mean over T \ {*} of [* > t; f_t / f_*]
 * Equal ones are ordered by index. A beta whose numerator is not positive or whose denominator is
 * at most 1e-12 is 1. One trajectory alone gives loss 0 and weight 0.
 *
 * The functions are pure: no state, no allocation, no randomness, safe from any number of threads.
 * Everything is computed in double. Costs: O(N); subsets and poco O(N^2); rank or k > 1 O(N log N).
 */

/* What is minimised. */
typedef enum ucpo_loss_family {
    UCPO_LOSS_PAIRS = 0,         /* preference pairs, shaped by relation, pairing and scaling */
    UCPO_LOSS_SLIM = 1,          /* -score of the best trajectory */
    UCPO_LOSS_REINFORCE = 2,     /* sum (L_i - mean L) score_i / N */
    UCPO_LOSS_REINFORCE_NORM = 3 /* the same, the advantage divided by its standard deviation */
} ucpo_loss_family;

/* Which of two trajectories is better. */
typedef enum ucpo_relation {
    UCPO_RELATION_CANONICAL = 0,  /* feasible first; feasible ones by f, the others by L */
    UCPO_RELATION_CONSTRAINT = 1, /* UCPO-C: infeasible ones by lambda v */
    UCPO_RELATION_PRIMAL = 2,     /* UCPO-P: infeasible ones by f */
    UCPO_RELATION_DUAL = 3,       /* UCPO-D: all by L, as if all were infeasible */
    UCPO_RELATION_TIES = 4,       /* UCPO-T: canonical; |L_a - L_b| <= tie is a tie */
    UCPO_RELATION_OBJECTIVE = 5   /* all by f, as if all were feasible (BOPO) */
} ucpo_relation;

/* Who is paired with whom inside a term, and what a pair counts. */
typedef enum ucpo_pairing {
    UCPO_PAIRING_ANCHOR = 0,       /* the best against all others, mean (the paper's main form) */
    UCPO_PAIRING_SUBSETS = 1,      /* all strict pairs; margin over |T||F| / 2 as printed */
    UCPO_PAIRING_SUBSETS_MEAN = 2, /* the same; margin over |T||F| */
    UCPO_PAIRING_BEST_WORST = 3,   /* one pair an instance */
    UCPO_PAIRING_ARGMAX = 4,       /* all others against the worst, mean */
    UCPO_PAIRING_ALL = 5           /* all strict pairs, each counts 1 / N^2 (POCO) */
} ucpo_pairing;

/* beta of a pair (winner a, loser b). */
typedef enum ucpo_scaling {
    UCPO_SCALING_LAGRANGIAN = 0,        /* L_b / L_a, L_b / f_a, f_b / f_a in the three terms */
    UCPO_SCALING_VIOLATION = 1,         /* beta_D: dual term v_b / v_a (1 if lambda is 0) */
    UCPO_SCALING_OBJECTIVE = 2,         /* beta_P as printed: f_a / f_b in every term */
    UCPO_SCALING_OBJECTIVE_INVERSE = 3, /* f_b / f_a in every term */
    UCPO_SCALING_INDICATOR = 4,         /* beta_C: dual 1, margin f_a / indicator */
    UCPO_SCALING_CONSTANT = 5           /* `beta` for every pair (POCO) */
} ucpo_scaling;

enum { UCPO_TERM_DUAL = 1, UCPO_TERM_MARGIN = 2, UCPO_TERM_PRIMAL = 4 };

typedef struct ucpo_loss_config {
    size_t struct_size; /* see "Settings" above */
    ucpo_loss_family family;
    ucpo_relation relation;
    ucpo_pairing pairing;
    ucpo_scaling scaling;
    unsigned terms;        /* sum of UCPO_TERM_... that take part */
    uint32_t k;            /* density: keep ranks 1, 1 + k, 1 + 2k, ...; 1 keeps all */
    double lambda;         /* multiplier of the violation, 0 .. 1e100 */
    double tie;            /* threshold of UCPO_RELATION_TIES on L, and its margin on the score */
    int tie_is_plain;      /* loss of a tie: 0 -log sigma(log P) as printed, 1 -log P */
    double indicator;      /* C of beta_C; infinity: infeasible pairs weigh nothing */
    double beta;           /* value of UCPO_SCALING_CONSTANT */
    double beta_min;       /* beta is raised to this; 0: off */
    double beta_max;       /* beta is cut to this; 0: off */
    int skip_equal;        /* drop pairs that the relation leaves equal; divisors stay */
    double alpha;          /* score scale, see ucpo_loss_alpha; ucpo_loss does not read it */
    int alpha_is_per_node; /* alpha counts in units of 1 / n: alpha 1 is the mean over nodes */
} ucpo_loss_config;

/* The preset "ucpo": canonical order, anchor pairs, all terms, lambda 1, k 1, tie 0.1, alpha 1/n.
 */
UCPO_API void ucpo_loss_config_init(ucpo_loss_config *config, size_t size);

static inline ucpo_loss_config ucpo_loss_config_default(void)
{
    ucpo_loss_config config;
    ucpo_loss_config_init(&config, sizeof config);
    return config;
}

/* Name of preset `index`, or NULL past the end: "ucpo", the paper's ablations "ucpo-c", "ucpo-p",
 * "ucpo-d", "ucpo-t", "ucpo-t-plain", "ucpo-beta-d", "ucpo-beta-p", "ucpo-beta-p-inverse",
 * "ucpo-beta-c", "ucpo-subsets", "ucpo-subsets-mean", "ucpo-best-worst", "ucpo-argmax",
 * "ucpo-dual", "ucpo-margin", "ucpo-primal", and the neighbours "bopo", "poco", "slim",
 * "reinforce", "reinforce-norm". */
UCPO_API const char *ucpo_loss_preset_at(size_t index);

/* Reads settings: a preset, then key=value items, separated by commas; a later item overrides.
 *   "ucpo"    "ucpo,k=2,lambda=0.5"    "bopo,k=4"    "poco,beta=0.03"    "ucpo-c,alpha=3/n"
 * Without a preset in front the default is meant. Keys and values:
 *   family     pairs slim reinforce reinforce-norm
 *   relation   canonical constraint primal dual ties objective
 *   pairing    anchor subsets subsets-mean best-worst argmax all
 *   scaling    lagrangian violation objective objective-inverse indicator constant
 *   terms      names joined by '+': dual+margin+primal
 *   alpha      mean (= 1/n), sum (= 1), a number, or a number of n-ths: 3/n
 *   skip-equal, tie-is-plain   yes or no
 *   k, lambda, tie, indicator (also inf), beta, beta-min, beta-max   numbers
 * An unknown word is an error that suggests the nearest one. */
UCPO_API ucpo_status ucpo_loss_config_parse(const char *text, ucpo_loss_config *out, size_t size,
                                            ucpo_error *err);

static inline ucpo_status ucpo_loss_parse(const char *text, ucpo_loss_config *out, ucpo_error *err)
{
    return ucpo_loss_config_parse(text, out, sizeof *out, err);
}

/* The inverse: the shortest text that reads back to `config` (NULL: default). Writes at most size
 * bytes with the closing NUL and returns the length of the full text, as snprintf does. */
UCPO_API size_t ucpo_loss_config_text(const ucpo_loss_config *config, char *buf, size_t size);

/* Score scale for an instance of n nodes: score = ucpo_loss_alpha(config, n) x sum of the log
 * probabilities. 1 / n (default) is BOPO's mean; 1 the plain log-likelihood of POMO and PIP. The
 * gradient with respect to the log-likelihood is weight x alpha. All trajectories of an instance
 * share one alpha, whatever their length. */
UCPO_API double ucpo_loss_alpha(const ucpo_loss_config *config, int32_t n);

/* The partial order. -1: a is strictly better, 1: b is, 0: neither. config NULL: default. Only
 * relation, lambda and tie are read. UCPO_RELATION_TIES answers 0 within its threshold (which makes
 * it intransitive); rankings under it are canonical. Arguments are not checked: objectives must be
 * finite, violations >= 0 (ucpo_rank and ucpo_loss do check). */
UCPO_API int ucpo_compare(const ucpo_loss_config *config, double objective_a, double violation_a,
                          double objective_b, double violation_b);

/* Best first: rank[0] is the index of the best of `samples` trajectories. Equal ones by index. */
UCPO_API ucpo_status ucpo_rank(const ucpo_loss_config *config, size_t samples,
                               const double *objective, const double *violation, uint32_t *rank,
                               ucpo_error *err);

/* For a batch: values are means over its instances, counts are sums. */
typedef struct ucpo_loss_result {
    double loss;
    double dual, margin, primal; /* the terms; their sum is the loss (all 0 for slim, reinforce*) */
    size_t pairs;                /* pairs in the sums */
    size_t feasible;             /* trajectories with violation 0 */
    size_t dual_active, margin_active, primal_active; /* instances where the term has a pair */
} ucpo_loss_result;

/* One instance of `samples` trajectories. config NULL: default. weight receives d loss / d score.
 * rank may be NULL; otherwise it receives the ranking (ucpo_rank). k > 1 needs it as working space.
 * Arrays must not overlap.
 *
 * Errors (UCPO_E_ARGUMENT; nothing is written): samples 0 or above 2^32 - 1; a NULL array; a
 * setting out of range; an objective, Lagrangian or score that is not finite or above 1e100 in
 * magnitude; a violation that is negative or not finite. The text names the index and the value. */
UCPO_API ucpo_status ucpo_loss(const ucpo_loss_config *config, size_t samples,
                               const double *objective, const double *violation,
                               const double *score, ucpo_loss_result *result, double *weight,
                               uint32_t *rank, ucpo_error *err);

/* `batch` instances of `samples` trajectories, arrays row-major batch x samples. The loss is the
 * mean over all instances (those without an active term count), weight its derivative; rank is per
 * instance. threads: 0 all; the result is the same to the last bit for any number. */
UCPO_API ucpo_status ucpo_loss_batch(const ucpo_loss_config *config, size_t batch, size_t samples,
                                     const double *objective, const double *violation,
                                     const double *score, int threads, ucpo_loss_result *result,
                                     double *weight, uint32_t *rank, ucpo_error *err);

/* ---- 10 the model -------------------------------------------------------------------------------
 *
 * A policy network for one problem: architecture, weights, and facts about its training. A file is
 * a safetensors container (docs/model.md): any library that reads safetensors reads the weights.
 * A model may be used from many threads as long as nobody changes it.
 */

typedef struct ucpo_model ucpo_model;

typedef struct ucpo_model_config {
    const char *problem;
    int32_t width;    /* of an embedding, 8 .. 1024 */
    int32_t heads;    /* of attention; width / heads must be a multiple of 8 */
    int32_t hidden;   /* width of the feed-forward layers, 1 .. 8192 */
    int32_t layers;   /* of the encoder, 0 .. 16 */
    const char *norm; /* "instance": over the nodes, per channel; "layer": over the channels;
                         "fixed": by statistics that came with a checkpoint, not for new models */
    double clip;      /* logits are clip x tanh(.), up to 1000; 0: not clipped */
    int has_aux;      /* with the auxiliary decoder that predicts masks (PIP-D) */
    int32_t decision; /* hidden units of the pointer's side network, which sees what going to a node
                         now would mean: a multiple of 4, at most 64; 0: none, as published */
    int decision_glimpse; /* it is heard in the scores of the decoder's glimpse, too, not only in the
                             logits; 0 where `decision` is 0 */
    int pair; /* the encoder's attention hears features of every pair of nodes: legs both ways, windows,
                 loads; 0: none, as published, and where the problem has none */
} ucpo_model_config;

/* How weights are stored in a file. In memory they are float32. */
typedef enum ucpo_dtype {
    UCPO_DTYPE_F32 = 0,
    UCPO_DTYPE_F16 = 1 /* half the size; nearest half, so a second save loses nothing more */
} ucpo_dtype;

/* Pointers are valid as long as the model is not changed or freed. */
typedef struct ucpo_model_info {
    ucpo_model_config config;
    int32_t node_features, depot_features, state_features; /* what the problem shows the network */
    size_t parameters, tensors, facts;
    const char *version;       /* library that wrote the file or created the model */
    const char *normalisation; /* how an instance becomes numbers the network sees */
    const char *notes;         /* the fact "notes", "" if there is none */
} ucpo_model_info;

/* The published network: 128 wide, 8 heads, 512 hidden, 6 layers, instance norm, clip 10, no
 * auxiliary decoder, no side network, no features of pairs. */
UCPO_API ucpo_model_config ucpo_model_config_default(const char *problem);

/* A new model with random weights, a function of config and seed only. */
UCPO_API ucpo_status ucpo_model_create(const ucpo_model_config *config, uint64_t seed,
                                       ucpo_model **out, ucpo_error *err);
UCPO_API void ucpo_model_free(ucpo_model *model);

/* Loads a file that ucpo_model_save wrote, of either dtype. Every name, shape and dtype is checked;
 * UCPO_E_MISMATCH lists all tensors that are missing, unexpected or different, as far as the text
 * has room. Weights that are not finite, or a checksum that does not fit, are UCPO_E_FORMAT; a file of a newer format, or tensors
 * without our metadata, are errors that say so. The label is used in messages. */
UCPO_API ucpo_status ucpo_model_load(const char *path, ucpo_model **out, ucpo_error *err);
UCPO_API ucpo_status ucpo_model_load_bytes(const void *bytes, size_t size, const char *label,
                                           ucpo_model **out, ucpo_error *err);

/* From a PyTorch checkpoint of the published POMO, PIP or PIP-D networks, or of AM with running statistics
 * (torch.save's zip archive). Nothing in it is executed: the pickle is read by a closed list of opcodes and
 * names, anything else is UCPO_E_UNSUPPORTED. problem NULL: by the shapes, where they fit one only (tsptw and
 * tspdl do not); AM: tsptw. Heads are taken to be 16 wide (AM tells them) and the clip 10, as published. */
UCPO_API ucpo_status ucpo_model_import_bytes(const void *bytes, size_t size, const char *label,
                                             const char *problem, ucpo_model **out,
                                             ucpo_error *err);

/* Same model, same bytes. The file appears complete or not at all. A weight that is not finite, or
 * too large for float16 (65520), is an error: what was saved can be loaded. Release bytes with
 * ucpo_bytes_free. */
UCPO_API ucpo_status ucpo_model_save(const ucpo_model *model, const char *path, ucpo_dtype dtype,
                                     ucpo_error *err);
UCPO_API ucpo_status ucpo_model_save_bytes(const ucpo_model *model, ucpo_dtype dtype, char **bytes,
                                           size_t *size, ucpo_error *err);

UCPO_API ucpo_model_info ucpo_model_describe(const ucpo_model *model);

/* Facts: short texts under a key, kept in the file's metadata. By convention "train.sizes",
 * "train.level", "train.loss", "train.instances", "train.seed", ... and "notes". Keys are 1 .. 64
 * printable ASCII characters without blanks, not "format", "version", "problem", "arch" or
 * "normalisation"; values are UTF-8, at most 65535 bytes; at most 256 facts. */
UCPO_API const char *ucpo_model_fact(const ucpo_model *model, const char *key); /* NULL: none */

/* Replaces or adds a fact; value NULL removes it. */
UCPO_API ucpo_status ucpo_model_set_fact(ucpo_model *model, const char *key, const char *value,
                                         ucpo_error *err);

/* Key of fact `index` (sorted), or NULL past the end. */
UCPO_API const char *ucpo_model_fact_key(const ucpo_model *model, size_t index);

/* ---- 11 evaluation ------------------------------------------------------------------------------
 *
 * A model decodes every instance of a set: `augment` images of it (symmetries of the square; its
 * windows, demands and limits stay) times `samples` trajectories. Each is a candidate; number k is
 * sample k mod samples of image k / samples. The best candidate (feasible first, ucpo_compare) is
 * the answer. It may be improved by local search. It is checked with ucpo_check: a plan that the
 * checker rejects counts as infeasible. Without a model constructive rules give the candidates. */

/* Processes that work together, each with the same arguments but its own rank. `sum` replaces `count`
 * numbers by their sum over all processes, the same bits everywhere. `gather` is given `size` bytes, of which
 * this process knows begin .. end - 1; the parts of all processes together are the whole, and afterwards every
 * process has it. All call both equally often with the same counts and sizes. Any transport will do; the
 * program brings MPI (docs/cluster.md). */
typedef struct ucpo_comm {
    int rank, ranks;
    ucpo_status (*sum)(void *user, float *values, size_t count, ucpo_error *err);
    ucpo_status (*gather)(void *user, void *bytes, size_t size, size_t begin, size_t end,
                          ucpo_error *err);
    void *user;
    int threads; /* of this process where the settings say 0; 0: all processors */
    /* Or NULL. Does not wait: is_over non-zero tells the other processes that they need not go on until the
     * next `gather`; non-zero is returned if one of them has told so since the last */
    int (*over)(void *user, int is_over);
} ucpo_comm;

typedef struct ucpo_eval_config {
    size_t struct_size; /* see "Settings" above */
    int32_t samples;    /* trajectories per image; 0: as many as the instance's size (50 for size
                           50, depot_is_extra or not) */
    int32_t augment;    /* images, 1 .. 8 */
    int greedy;         /* always the most probable node: one trajectory per image */
    int32_t
        backtrack;    /* greedy: a trajectory that becomes infeasible steps back and goes on, for so
                           many decisions per node; 0: never */
    int multi_start;  /* sample s of an image begins with customer s (POMO); greedy: one trajectory
                           per customer */
    const char *mask; /* what the policy may not choose: ucpo_mask_at. NULL or "auto": the model's
                           fact "train.mask" (pip for one trained with pip-d), else "visited" */
    double temperature; /* of sampling; 1: as trained */
    uint64_t seed;
    size_t first; /* number of the first instance. Candidates depend on (seed, number) only */
    int threads;  /* 0: all; same bits for any number */
    const char *kernels, *precision; /* ucpo_kernels; NULL or "auto": the best there are, f32 */
    int64_t
        refine_moves; /* the answer is improved by local search until so many moves are priced: */
    double
        refine_seconds; /* the same result everywhere; or for so much processor time. Both 0: not */
    int partial; /* non-zero: a stop (hooks.progress) is no error. Instances that were not reached
                    have a record without candidates and an empty plan */
    ucpo_hooks hooks;
    const ucpo_comm *comm; /* NULL: alone. Otherwise each process solves a part of the set, and all
                              get all records and plans, the same bits as alone */
    double mask_tolerance; /* lateness, in the instance's units, that a look-ahead lets pass; 0: the
                              instance's tolerance, by which candidates are judged in any case */
    int32_t rounds; /* the samples are drawn in so many rounds, at most 1000: the best plans take
                              over parts of other samples that are better there, a fleet's
                              are also put together of all routes drawn, and the last rounds
                              go over one of the best again and decide a part of it anew.
                              0 or 1, or one sample per image: independent. Not with greedy or
                              multi_start */
} ucpo_eval_config;

/* Samples 0, augment 8, sampling, mask "auto", temperature 1, seed 1. */
UCPO_API void ucpo_eval_config_init(ucpo_eval_config *config, size_t size);

static inline ucpo_eval_config ucpo_eval_config_default(void)
{
    ucpo_eval_config config;
    ucpo_eval_config_init(&config, sizeof config);
    return config;
}

/* Name of mask `index`, or NULL past the end.
 *   visited   customers already served and, for fleets, demands that no longer fit
 *   pip       also those that leave another customer no chance (PIP); fleets: windows, return; limited
 *             fleets: also the depot while the vehicles left could not carry the rest, and customers
 *             after which this vehicle could not be filled enough for that
 *   pip-own   also those that come too late or too heavy themselves
 *   pip-d     what the model's auxiliary decoder takes for pip: models trained with pip-d only */
UCPO_API const char *ucpo_mask_at(size_t index);

/* The mask that a setting of ucpo_eval_config.mask stands for with this model; NULL: no such name.
 */
UCPO_API const char *ucpo_eval_mask(const ucpo_model *model, const char *mask);

/* What was found for one instance. Objectives are normalised: cost / unit. */
typedef struct ucpo_eval_record {
    int32_t candidates, feasible; /* how many, and how many of them satisfy every constraint */
    int is_feasible;              /* the answer does */
    int32_t best;                 /* number of the candidate that is the answer, or completed it */
    double cost;                  /* of the answer, instance units, as the checker has it */
    double objective;             /* cost / unit */
    double violation;             /* of the answer, as the checker has it; 0: feasible */
    double late_max, over_max;    /* of the answer: largest excess, tolerated or not */
    int is_tolerated;             /* it is feasible, but not without the tolerances */
    double mean_objective;        /* of the feasible candidates; NaN if there is none */
    int first_is_feasible;        /* candidate 0 alone: without augmentation */
    double first_objective;
    int is_disputed;         /* environment and checker disagree about the answer: a bug of ours */
    int decoded_is_feasible; /* the answer before local search */
    double decoded_objective, decoded_violation;
    double decode_seconds, refine_seconds; /* processor time */
} ucpo_eval_record;

/* A set of records in numbers. A mean over nothing is NaN. */
typedef struct ucpo_eval_summary {
    size_t instances, feasible_instances;
    size_t candidates, feasible_candidates;
    size_t disputed;
    size_t tolerated;            /* feasible instances whose answer needs the tolerances */
    double late_max, over_max;   /* largest excess in an answer that counts as feasible */
    double infeasible_instances; /* share without a feasible candidate, 0 .. 1 */
    double infeasible_solutions; /* share of candidates that are infeasible, 0 .. 1 */
    double mean_objective;       /* of the answers of feasible instances */
    double mean_cost;
    double first_infeasible; /* share of instances whose candidate 0 is infeasible */
    double first_objective;  /* mean over the others */
    /* Gaps against references in percent, NaN without them. f: objective, r: reference. */
    double mean_reference; /* over all instances */
    double gap_mean;       /* mean over feasible instances of 100 (f - r) / r: PIP's gap */
    double gap_ratio;      /* 100 (mean f over feasible / mean r over all - 1): the UCPO paper's */
    size_t common;         /* instances in the next two lines */
    double common_objective; /* mean f over the commonly solved ones */
    double gap_common;       /* 100 (mean f / mean r - 1), both over the commonly solved ones */
    double cpu_seconds;      /* processor time of an instance, mean */
} ucpo_eval_summary;

/* Records without candidates (see ucpo_eval_config.partial) do not count.
 * reference: `count` normalised costs (> 0; NaN: none for this instance, which then counts in no gap)
 * or NULL. common: `count` flags, which instances all
 * compared models solved, or NULL: those that these records solve. */
UCPO_API ucpo_status ucpo_eval_summarise(const ucpo_eval_record *records, size_t count,
                                         const double *reference, const uint8_t *common,
                                         ucpo_eval_summary *out, ucpo_error *err);

/* Runs a model over a set. model NULL: constructive rules. config NULL: default. records: one per instance. plans (may be NULL)
 * receives the answers, one per instance, to be freed; also infeasible ones.
 *
 * Instances without coordinates are shown to the network by an embedding of their matrix.
 *
 * Errors: UCPO_E_MISMATCH if an instance is of another problem than the model; UCPO_E_ARGUMENT for an
 * empty set. */
UCPO_API ucpo_status ucpo_evaluate(const ucpo_model *model, const ucpo_dataset *set,
                                   const ucpo_eval_config *config, ucpo_eval_record *records,
                                   ucpo_plans **plans, ucpo_error *err);

/* Costs to compare with, one per instance: an NPY vector; CSV with a column `cost`, or one number a
 * line; a pickle that holds a list of numbers or of (cost, tour) pairs, as the PIP repository
 * stores LKH's results (read by a closed list of opcodes, nothing is executed). The content
 * decides. Release with ucpo_costs_free. */
UCPO_API ucpo_status ucpo_costs_read(const char *path, double **out, size_t *count,
                                     ucpo_error *err);
UCPO_API ucpo_status ucpo_costs_read_bytes(const void *bytes, size_t size, const char *label,
                                           double **out, size_t *count, ucpo_error *err);
UCPO_API void ucpo_costs_free(double *costs);

/* ---- 12 solving ---------------------------------------------------------------------------------
 *
 * One instance, as long as you like: candidates come in one fixed order and the best is kept. First
 * the plan you bring (if any), then constructive rules, which need no model; then, with a model,
 * greedy decoding of every image and samples in rounds; then local searches that start from the best
 * of these. An answer is always there, it is the checker's verdict that counts, and an infeasible
 * answer is the least bad plan, never called feasible. docs/solve.md says how. */

/* The best plan so far, as ucpo_check sees it. Pointers are valid during the call. */
typedef struct ucpo_solve_progress {
    double seconds;
    int64_t candidates;
    int is_feasible;
    double cost, violation;
    const int32_t *nodes;
    size_t len;
    double bound; /* no plan costs less; 0: not known (yet) */
} ucpo_solve_progress;

typedef struct ucpo_solve_config {
    size_t struct_size; /* see "Settings" above */
    double time_limit;  /* seconds from the call, 0: none; obeyed within 50 ms */
    int64_t samples; /* per image; 0: as many as the instance's size (with a time limit and without
                        refine: no limit) */
    int32_t augment; /* images, 1 .. 8; large instances (above 1365 nodes) get fewer */
    int greedy;      /* nothing is sampled: one candidate per image */
    int refine; /* local searches follow, for the rest of the time (sampling gets at most half);
                        without a time limit for a fixed effort */
    int prove; /* up to 9 customers: the best plan, or that none is feasible, by looking at all orders,
                  whatever the limits are. With refine, up to 400 nodes: once there is a feasible plan a
                  lower bound, and for tours the proof that nothing is cheaper, if there are few enough
                  orders; docs/solve.md says how much of a time limit it takes (of less than 50 ms none) */
    int first_feasible; /* end with the first feasible plan (other than `initial`) */
    const char *mask;   /* as in ucpo_eval_config */
    double temperature;
    uint64_t seed;
    uint64_t number;                 /* of the instance in its set: another number, other samples */
    int threads;                     /* 0: all; same candidates for any number */
    const char *kernels, *precision; /* as in ucpo_eval_config */
    const int32_t *initial; /* a plan to start from, or NULL; may be infeasible or incomplete. The
                               answer is never worse */
    size_t initial_len;
    /* A better plan, of any thread, also while searches are under way; or NULL. On the calling thread, at most ten
     * times a second: plans between are passed over, the last one never */
    void (*improved)(void *user, const ucpo_solve_progress *best);
    /* Every candidate, in order; or NULL. In the instance's unit, normalised; violation 0: feasible */
    void (*candidate)(void *user, double cost, double violation);
    void *user;       /* of these two, and of watch */
    ucpo_hooks hooks; /* progress: candidates, or milliseconds if only time is limited. It is asked
                         every 10 ms or so; non-zero ends the call with the best plan so far */
    const ucpo_comm *comm; /* NULL: alone. Otherwise, with a time limit, all processes search the
                              instance, and all get the best plan */
    /* How the search stands, better or not, ten times a second; or NULL */
    void (*watch)(void *user, const ucpo_solve_progress *now);
} ucpo_solve_config;

/* No time limit, samples 0, augment 8, refine 1, prove 1, mask "auto", temperature 1, seed 1. */
UCPO_API void ucpo_solve_config_init(ucpo_solve_config *config, size_t size);

static inline ucpo_solve_config ucpo_solve_config_default(void)
{
    ucpo_solve_config config;
    ucpo_solve_config_init(&config, sizeof config);
    return config;
}

/* What ended the search. */
typedef enum ucpo_solve_end {
    UCPO_SOLVE_FINISHED = 0, /* all candidates there were to draw */
    UCPO_SOLVE_TIME = 1,
    UCPO_SOLVE_FEASIBLE = 2,  /* first_feasible */
    UCPO_SOLVE_STOPPED = 3,   /* the progress hook */
    UCPO_SOLVE_OPTIMAL = 4,   /* nothing is cheaper: proved */
    UCPO_SOLVE_INFEASIBLE = 5 /* no plan is feasible: proved, up to 9 customers. Of larger ones see
                                 ucpo_explain */
} ucpo_solve_end;

typedef struct ucpo_solution {
    const int32_t *nodes; /* a plan as ucpo_check takes it */
    size_t len;
    ucpo_evaluation evaluation; /* what ucpo_check says about it */
    int64_t candidates;         /* looked at, `initial` included */
    int64_t distinct;           /* exact up to 3 million, then an upper bound */
    int64_t feasible;           /* of the candidates */
    int64_t rounds;             /* of decoding that were finished; the greedy one counts */
    int64_t searches;           /* local searches */
    double start_cost;          /* of the best feasible plan before them; NaN: there was none */
    int32_t images;   /* decoded by the model; 0: no model, no time for it, or too large for one */
    int64_t disputed; /* environment and checker disagree: a bug of ours */
    double seconds;
    ucpo_solve_end end;
    double bound; /* no plan costs less (to nine digits); 0: not known. The plan's cost if `end` is
                     UCPO_SOLVE_OPTIMAL */
} ucpo_solution;

/* Solves `inst`. model may be NULL; config NULL: default. With a sample limit the answer is a
 * function of model, instance, seed and number; with a time limit only the number of candidates
 * varies. A model is used up to 2000 nodes, beyond that a warning is logged and only the rules run.
 * Instances without coordinates are shown to the network by an embedding of their matrix. Finding
 * nothing feasible is no error: see evaluation.is_feasible.
 *
 * Errors: UCPO_E_MISMATCH the model is for another problem; UCPO_E_ARGUMENT a setting out of range. */
UCPO_API ucpo_status ucpo_solve(const ucpo_model *model, const ucpo_instance *inst,
                                const ucpo_solve_config *config, ucpo_solution **out,
                                ucpo_error *err);
UCPO_API void ucpo_solution_free(ucpo_solution *solution);

/* The same for one instance after the other, or again and again for one whose data change (an instance does not
 * change: make the next one from a changed copy of ucpo_instance_view, and hand the last plan over as
 * `initial`). What a search needs besides the instance - the network's workspaces, those of the local searches -
 * is set up by the first call and stays as long as settings and sizes allow. Answers are those of ucpo_solve.
 * The model (may be NULL) must outlive the solver. One thread at a time. */
typedef struct ucpo_solver ucpo_solver;

UCPO_API ucpo_status ucpo_solver_create(const ucpo_model *model, ucpo_solver **out,
                                        ucpo_error *err);
UCPO_API ucpo_status ucpo_solver_solve(ucpo_solver *solver, const ucpo_instance *inst,
                                       const ucpo_solve_config *config, ucpo_solution **out,
                                       ucpo_error *err);
UCPO_API void ucpo_solver_free(ucpo_solver *solver);

typedef struct ucpo_refine_config {
    size_t struct_size; /* see "Settings" above */
    int64_t moves; /* ends when so many are priced: the same result everywhere; 0: no such limit */
    double
        time_limit; /* or after so many seconds; 0: none. Both 0: 640 n^2 moves, at most 80 million */
    uint64_t seed;
    ucpo_hooks hooks; /* progress: milliseconds. A stop ends the call with the best plan so far */
} ucpo_refine_config;

/* Seed 1, no limits of its own. */
UCPO_API void ucpo_refine_config_init(ucpo_refine_config *config, size_t size);

static inline ucpo_refine_config ucpo_refine_config_default(void)
{
    ucpo_refine_config config;
    ucpo_refine_config_init(&config, sizeof config);
    return config;
}

/* Local search alone, one of them on the calling thread, from a plan of yours, which may be infeasible or
 * incomplete. The answer is never worse. */
UCPO_API ucpo_status ucpo_refine(const ucpo_instance *inst, const int32_t *nodes, size_t len,
                                 const ucpo_refine_config *config, ucpo_solution **out,
                                 ucpo_error *err);

/* A cost that no plan of the instance is below; 0: nothing is known, as above 400 nodes. `upper` is the cost of a
 * known plan, or one that somebody claims: *bound >= upper says that no plan costs less. With narrow windows and one
 * vehicle that is the least cost itself, else it may lie well below. At most some tenths of a second. */
UCPO_API ucpo_status ucpo_bound(const ucpo_instance *inst, double upper, double *bound,
                                ucpo_error *err);

/* The model file of folder `dir` (*.safetensors) that was trained for the instance's problem and what
 * is nearest to it in size, width of windows, demand and draft limits (facts "train.sizes" and
 * "train.level"; files without them come last; among those about as near the smallest file), into path; ""
 * if there is none. Only the headers are read; files that are no models are passed over. UCPO_E_IO: no such
 * folder. */
UCPO_API ucpo_status ucpo_model_find(const char *dir, const ucpo_instance *inst, char *path,
                                     size_t size, ucpo_error *err);

/* How many times larger or smaller the instance is than anything the model was trained on: 1 within
 * its sizes, 0 if the model does not say (fact "train.sizes"). */
UCPO_API double ucpo_model_distance(const ucpo_model *model, const ucpo_instance *inst);

/* ---- 13 training --------------------------------------------------------------------------------
 *
 * A run learns a model from generated instances or your own, in one or several phases, and lives in
 * a directory: configuration, metrics, checkpoints (docs/training.md). Settings are keys with
 * values as text, the same in files (TOML), on the command line and here.
 */

typedef struct ucpo_train_config ucpo_train_config;

/* A key, for tools that show or complete settings. name NULL: past the end. */
typedef struct ucpo_train_key {
    const char *name;
    const char *preset; /* default, as one would type it */
    const char *words;  /* allowed words separated by blanks, or NULL */
    const char *help;
    int is_phase; /* may differ between the phases of a run */
} ucpo_train_key;

UCPO_API ucpo_train_key ucpo_train_key_at(size_t index);

UCPO_API ucpo_status ucpo_train_config_create(ucpo_train_config **out, ucpo_error *err);
UCPO_API void ucpo_train_config_free(ucpo_train_config *config);

/* Sets a key; "phases" takes a list such as
 *   "instances=50k loss=reinforce-norm; instances=150k loss=ucpo,alpha=2/n lr=5e-5"
 * where each phase inherits what the run says. A key set later for the run replaces what phases
 * said before. Values are checked at once. */
UCPO_API ucpo_status ucpo_train_config_set(ucpo_train_config *config, const char *key,
                                           const char *value, ucpo_error *err);

/* Reads a TOML file: the keys at the top, phases as [[phase]] sections. Settings made before are
 * replaced where the file names them. */
UCPO_API ucpo_status ucpo_train_config_read(ucpo_train_config *config, const char *path,
                                            ucpo_error *err);

/* Sets width, heads, hidden, layers, logit-clip, decision, decision-in, pair and norm to what `model` has, as a run that
 * starts from it does. `network`, a word for other keys' defaults, stays. */
UCPO_API ucpo_status ucpo_train_config_follow(ucpo_train_config *config, const ucpo_model *model,
                                              ucpo_error *err);

/* The effective settings, defaults included, as such a file, a zero byte behind its end; free with
 * ucpo_bytes_free. */
UCPO_API ucpo_status ucpo_train_config_text(const ucpo_train_config *config, char **bytes,
                                            size_t *size, ucpo_error *err);

/* One line of metrics. Values that do not apply are NaN, counts 0. Rates are shares 0 .. 1, gaps
 * percent, objectives normalised. A "train" line sums up the steps since the one before; "greedy" and
 * "sampled" are validations; "step" is every single step and is not written to a file. */
typedef struct ucpo_train_report {
    const char *kind;
    int64_t step, instances, total; /* so far, of the whole run */
    int32_t phase, n, samples;      /* phase counts from 1 */
    double loss, dual, margin, primal;
    double dual_share, margin_share, primal_share; /* instances with a pair in the term */
    double infeasible_samples, infeasible_instances;
    double objective; /* mean of the best feasible one of each instance */
    double gap, gap_of_means;
    double lr, alpha, grad_norm;
    double replayed; /* share of trajectories with a weight that mattered */
    double aux_loss, recall_feasible, recall_infeasible;
    double anchor_share, anchor_masked; /* instances with a refined trajectory; with one the mask
                                           forbids */
    double anchor_gain;              /* percent it is cheaper than the best sample, both feasible */
    double anchor_log_prob;          /* its mean log-probability per decision */
    double anchor_time;              /* share of the step spent in local search; in no file */
    double instances_per_s, elapsed; /* seconds, of all sessions of the run */
} ucpo_train_report;

/* All members are optional. `report` is called for every step and every line of metrics; `stop` after
 * each step: non-zero saves the run and ends the call. `comm`: NULL for a process of its own; otherwise one sum
 * per step and per validation, and rank 0 writes the files. */
typedef struct ucpo_train_hooks {
    void (*report)(void *user, const ucpo_train_report *report);
    void (*log)(void *user, ucpo_log_level level, const char *text);
    int (*stop)(void *user);
    void *user;
    const ucpo_comm *comm;
} ucpo_train_hooks;

typedef enum ucpo_train_end {
    UCPO_TRAIN_FINISHED = 0, /* all phases are done */
    UCPO_TRAIN_STOPPED = 1,  /* the stop hook */
    UCPO_TRAIN_LIMIT = 2     /* max-time or max-instances */
} ucpo_train_end;

typedef struct ucpo_train_summary {
    ucpo_train_end end;
    int64_t step, instances;
    double elapsed;
    int64_t best; /* instances after which best.safetensors was kept; -1: never */
    ucpo_train_report before[2], after[2]; /* greedy and sampled validation at the start and the end
                                              of the run; kind NULL: none */
} ucpo_train_summary;

/* A new run in `dir`, which must not hold one; missing directories are made. With the key "start" it begins with that
 * model (warm start), whose architecture then counts. The directory gets
 *   config.toml                 effective settings
 *   metrics.jsonl, metrics.csv  one line per report; events.out.tfevents.* for TensorBoard
 *   last.safetensors            checkpoint: weights, optimiser, counters; also a model file
 *   best.safetensors            the same of the best validation: fewest infeasible instances, then cost
 *   at-N.safetensors            the same after N instances, with keep-every
 * A run that was stopped, killed or cut off goes on exactly where its last checkpoint stands. */
UCPO_API ucpo_status ucpo_train(const ucpo_train_config *config, const char *dir,
                                const ucpo_train_hooks *hooks, ucpo_train_summary *summary,
                                ucpo_error *err);

/* Goes on with the run in `dir`. `changes` (may be NULL): of its keys only threads, kernels,
 * max-time, max-instances, save-every, keep-every and log-every may differ from the run's, and "from" (the
 * checkpoint to go on from: "last", "best", "at-N") and "allow-changes" (see below) be given. Limits are
 * those of a call: without changes there are none.
 *
 * The length may differ, too: "instances" (or "epochs") of the whole run, "time" of one measured in time. The run
 * goes on until then, also if it was finished; its last phase becomes longer or shorter, what moves over that
 * phase moves until the new end, config.toml and the fact "train.changed" say so. UCPO_E_ARGUMENT: it has
 * learned from more already. A finished run without a new length: UCPO_OK, nothing is learned, a warning says so.
 *
 * UCPO_E_MISMATCH: settings or data that decide the result are not those of the checkpoint, unless
 * "allow-changes" names them; the fact "train.changed" then says so. UCPO_E_IO: the checkpoint is
 * missing though the run has learned before. */
UCPO_API ucpo_status ucpo_train_resume(const char *dir, const ucpo_train_config *changes,
                                       const ucpo_train_hooks *hooks, ucpo_train_summary *summary,
                                       ucpo_error *err);

typedef struct ucpo_train_estimate {
    size_t parameters, bytes; /* memory of weights, optimiser and the largest workspace */
    double seconds;           /* for 10,000 instances of each phase in turn, measured on one step */
    double total_seconds;     /* for the run, without validation */
    const char *kernels, *precision; /* that would be used */
} ucpo_train_estimate;

/* What a run would cost: sets everything up and times a step of each phase; writes nothing. */
UCPO_API ucpo_status ucpo_train_dry_run(const ucpo_train_config *config, ucpo_train_estimate *out,
                                        ucpo_error *err);

/* ---- 14 explaining ------------------------------------------------------------------------------
 *
 * Why an instance has no feasible plan, or why a given plan is not one. A proof is never wrong: no
 * triangle inequality is assumed, and what ucpo_check tolerates is tolerated here. The converse does
 * not hold: an instance without a proof may still be infeasible. docs/explain.md has the arguments.
 */

typedef enum ucpo_reason_kind {
    /* proofs that no plan is feasible                    value / bound; excess = value - bound */
    UCPO_REASON_REACH = 0, /* a customer cannot be reached in time     earliest start / due */
    UCPO_REASON_RETURN,    /* nor the depot after serving it           earliest return / due */
    UCPO_REASON_PAIR,      /* two customers exclude each other         earliest start / due */
    UCPO_REASON_CYCLE,     /* each must come before the next           customers / 0 */
    UCPO_REASON_CHAIN,     /* forced predecessors leave no time        earliest start / due */
    UCPO_REASON_CROWD,     /* too much work in a span of time          least work / time there is */
    UCPO_REASON_SET,       /* no order (no routes) for these customers: all were tried. value: how
                                much later all deadlines would have to be; 0: not known */
    UCPO_REASON_LIMIT,     /* a port is too shallow for its own cargo  least draft / limit */
    UCPO_REASON_LIMITS,    /* ports too shallow for their joint cargo  least draft / limit */
    UCPO_REASON_DEMAND,    /* a demand above the capacity              demand / capacity */
    UCPO_REASON_FLEET_LOAD,  /* total demand above all vehicles' room    least vehicles / fleet */
    UCPO_REASON_FLEET_PACK,  /* demands cannot be packed                 least vehicles / fleet */
    UCPO_REASON_FLEET_APART, /* too many customers need their own route  least vehicles / fleet */
    /* without a proof: where it is tight; excess is minus the slack */
    UCPO_REASON_TIGHT_WINDOW, /* earliest start / latest start */
    UCPO_REASON_TIGHT_LOAD,   /* draft or demand that must be carried / limit or capacity */
    UCPO_REASON_TIGHT_FLEET,  /* least vehicles / fleet */
    /* about the plan: it becomes feasible if `bound` is changed to `value` */
    UCPO_REASON_RELAX_DUE,      /* a due time (customer 0: the depot closes later) */
    UCPO_REASON_RELAX_READY,    /* an opening time (customer 0: the vehicles leave earlier) */
    UCPO_REASON_RELAX_LIMIT,    /* a draft limit */
    UCPO_REASON_RELAX_CAPACITY, /* the capacity */
    UCPO_REASON_RELAX_FLEET,    /* the number of vehicles */
    UCPO_REASON_PLAN_BROKEN     /* customers left out, repeated or unknown: no change mends that */
} ucpo_reason_kind;

/* One finding. Customers of a PAIR, CYCLE or CHAIN are in the order of the argument, others in
 * ascending order. `is_joint`: this relaxation alone is not enough, all joint ones together are. */
typedef struct ucpo_reason {
    ucpo_reason_kind kind;
    int is_proof, is_joint;
    const int32_t *customers;
    size_t customer_count;
    double value, bound, excess;
    const char *text; /* one sentence */
} ucpo_reason;

typedef struct ucpo_explanation ucpo_explanation;

/* Searches for proofs; without one lists the tightest stops. With a plan (NULL: none) also finds the
 * smallest single changes that make it feasible, each confirmed by ucpo_check on the changed
 * instance. Work grows with n squared; the cubic parts are left out above 300 nodes. */
UCPO_API ucpo_status ucpo_explain(const ucpo_instance *inst, const int32_t *plan, size_t len,
                                  ucpo_explanation **out, ucpo_error *err);
UCPO_API void ucpo_explanation_free(ucpo_explanation *explanation);

/* Is there a proof? Proofs come first, simple ones before others; at most 20 of a kind. */
UCPO_API int ucpo_explanation_is_proof(const ucpo_explanation *explanation);
UCPO_API size_t ucpo_explanation_count(const ucpo_explanation *explanation);

/* Finding `index`, or NULL past the end. Valid as long as the explanation. */
UCPO_API const ucpo_reason *ucpo_explanation_at(const ucpo_explanation *explanation, size_t index);

/* The kind as a word for files: "reach", "fleet_load", "relax_due", ... Never NULL. */
UCPO_API const char *ucpo_reason_name(ucpo_reason_kind kind);

/* ---- 15 pictures --------------------------------------------------------------------------------
 */

/* Sampled tours to compare a plan with; violation 0: feasible. */
typedef struct ucpo_cloud {
    const double *cost, *violation;
    size_t count;
} ucpo_cloud;

/* What a picture or a page shows. Members that a call has no use for are not looked at. */
typedef struct ucpo_plot_config {
    size_t struct_size; /* see "Settings" above */
    const char *x;      /* runs: what runs along the x axis: "instances" (also NULL) or "time" */
    const char *show;  /* plans: panels: "map,time,load,cloud"; NULL: all that there are data for */
    const char *names; /* plans: what stands at the stops of the map: "order" of visits (also NULL),
                          "id" or "name" */
    const char *title; /* NULL: the instance's name, or one of our own */
    const ucpo_cloud *clouds; /* plans: one for each, or NULL */
    const char *const
        *labels; /* pages: what to call each plan beside its instance's name, or NULL */
    size_t most; /* pages: plans that get a section; 0: 50 */
} ucpo_plot_config;

UCPO_API void ucpo_plot_config_init(ucpo_plot_config *config, size_t size);

static inline ucpo_plot_config ucpo_plot_config_default(void)
{
    ucpo_plot_config config;
    ucpo_plot_config_init(&config, sizeof config);
    return config;
}

/* Draws the curves of 1 to 8 training runs (directories with a metrics.csv, docs/formats.md) as one
 * SVG of 880 pixels width that needs no other file: rates of infeasible instances and samples,
 * objective, gap if there is one, loss; of a single run also the terms of the loss and the share of
 * instances that have them. Training curves are running means, of a single run with the raw values
 * behind. Long runs are thinned out: the picture stays below 500 kB. config NULL: default. Errors:
 * UCPO_E_IO no directory or no metrics.csv in it; UCPO_E_FORMAT no row, no column `kind` or
 * `instances`, a cell that is no number, an x axis without values; UCPO_E_UNSUPPORTED a file in place
 * of a directory. Release bytes with ucpo_bytes_free. */
UCPO_API ucpo_status ucpo_plot_runs(const char *const *dirs, size_t count,
                                    const ucpo_plot_config *config, char **bytes, size_t *size,
                                    ucpo_error *err);

/* Draws a plan, feasible or not, as one SVG of 880 pixels width: map, timeline, load or draft
 * (docs/pictures.md). All numbers are those of ucpo_check. Without coordinates a sentence stands in
 * place of the map. config NULL: default. UCPO_E_ARGUMENT: an unknown panel, a cloud that is not
 * finite. Release bytes with ucpo_bytes_free. */
UCPO_API ucpo_status ucpo_plot_plan(const ucpo_instance *inst, const int32_t *nodes, size_t len,
                                    const ucpo_plot_config *config, char **bytes, size_t *size,
                                    ucpo_error *err);

/* A page about plans, one HTML file that works offline. Plan i belongs to instance i; instances
 * without a plan count as unsolved. UCPO_E_MISMATCH: no plan, or more plans than instances. */
UCPO_API ucpo_status ucpo_report_html(const ucpo_dataset *set, const ucpo_plans *plans,
                                      const ucpo_plot_config *config, char **bytes, size_t *size,
                                      ucpo_error *err);

/* The same for 1 to 8 training runs: curves (ucpo_plot_runs), validation, settings. Of the settings only
 * the title counts. */
UCPO_API ucpo_status ucpo_report_runs(const char *const *dirs, size_t count,
                                      const ucpo_plot_config *config, char **bytes, size_t *size,
                                      ucpo_error *err);

/* ---- 16 build facts -----------------------------------------------------------------------------
 */

UCPO_API const char *ucpo_version(void);

/* Writes lines "key: value" about the build and the machine into buf (512 bytes are plenty) and
 * returns it: compiler, threads, kernels and how products are made. */
UCPO_API const char *ucpo_build_info(char *buf, size_t size);

/* The kernels that two settings stand for on this machine; the names that are written live for ever.
 *
 *   kernels     portable, avx2, avx512, amx: instructions of the processor. NULL or "auto": the best
 *               that processor and operating system allow. Results of different kernels differ in
 *               the last bits; those of one are the same for any number of threads
 *   precision   of the factors in matrix products; sums, weights, norms and the optimiser are
 *               float32 in any case. f32: float32. bf16: rounded to bf16, fast with amx only,
 *               elsewhere a slow imitation for studies. NULL or "auto": f32 (docs/speed.md says why)
 *
 * With f32 the kernels of amx are those of avx512. UCPO_E_ARGUMENT: no such name, or this machine
 * lacks it; the message says what it has. */
UCPO_API ucpo_status ucpo_kernels(const char *kernels, const char *precision,
                                  const char **kernels_used, const char **precision_used,
                                  ucpo_error *err);

#ifdef __cplusplus
}
#endif
#endif /* UCPO_H */
