"""Made by bindings/python/tools/make_abi.py from include/ucpo.h; do not edit."""
import ctypes as C

from . import _values


# ucpo_status
UCPO_OK = 0
UCPO_E_ARGUMENT = -1
UCPO_E_MEMORY = -2
UCPO_E_IO = -3
UCPO_E_FORMAT = -10
UCPO_E_UNSUPPORTED = -11
UCPO_E_MISMATCH = -12
UCPO_E_CANCELLED = -20
UCPO_E_DIVERGED = -21
UCPO_E_INTERNAL = -99

# ucpo_log_level
UCPO_LOG_INFO = 0
UCPO_LOG_WARNING = 1

# ucpo_metric
UCPO_METRIC_EUCLID = 0
UCPO_METRIC_MANHATTAN = 1
UCPO_METRIC_MAXIMUM = 2
UCPO_METRIC_GEO = 3
UCPO_METRIC_ATT = 4
UCPO_METRIC_HAVERSINE = 5

# ucpo_rounding
UCPO_ROUND_DECLARED = 0
UCPO_ROUND_NONE = 1
UCPO_ROUND_NEAREST = 2
UCPO_ROUND_UP = 3
UCPO_ROUND_DOWN = 4
UCPO_ROUND_DIMACS = 5
UCPO_ROUND_EXACT = 6

# ucpo_draft
UCPO_DRAFT_LOAD = 0
UCPO_DRAFT_UNLOAD = 1

# ucpo_reading
UCPO_READ_WHOLE = 0
UCPO_READ_EASIER = 1
UCPO_READ_HARDER = 2
UCPO_READ_EITHER = 3
UCPO_READ_COST = 4

# ucpo_claim
UCPO_CLAIM_FEASIBLE = 0
UCPO_CLAIM_INFEASIBLE = 1
UCPO_CLAIM_OPTIMAL = 2

# ucpo_loss_family
UCPO_LOSS_PAIRS = 0
UCPO_LOSS_SLIM = 1
UCPO_LOSS_REINFORCE = 2
UCPO_LOSS_REINFORCE_NORM = 3

# ucpo_relation
UCPO_RELATION_CANONICAL = 0
UCPO_RELATION_CONSTRAINT = 1
UCPO_RELATION_PRIMAL = 2
UCPO_RELATION_DUAL = 3
UCPO_RELATION_TIES = 4
UCPO_RELATION_OBJECTIVE = 5

# ucpo_pairing
UCPO_PAIRING_ANCHOR = 0
UCPO_PAIRING_SUBSETS = 1
UCPO_PAIRING_SUBSETS_MEAN = 2
UCPO_PAIRING_BEST_WORST = 3
UCPO_PAIRING_ARGMAX = 4
UCPO_PAIRING_ALL = 5

# ucpo_scaling
UCPO_SCALING_LAGRANGIAN = 0
UCPO_SCALING_VIOLATION = 1
UCPO_SCALING_OBJECTIVE = 2
UCPO_SCALING_OBJECTIVE_INVERSE = 3
UCPO_SCALING_INDICATOR = 4
UCPO_SCALING_CONSTANT = 5

# ucpo_term_dual
UCPO_TERM_DUAL = 1
UCPO_TERM_MARGIN = 2
UCPO_TERM_PRIMAL = 4

# ucpo_dtype
UCPO_DTYPE_F32 = 0
UCPO_DTYPE_F16 = 1

# ucpo_solve_end
UCPO_SOLVE_FINISHED = 0
UCPO_SOLVE_TIME = 1
UCPO_SOLVE_FEASIBLE = 2
UCPO_SOLVE_STOPPED = 3
UCPO_SOLVE_OPTIMAL = 4
UCPO_SOLVE_INFEASIBLE = 5

# ucpo_train_end
UCPO_TRAIN_FINISHED = 0
UCPO_TRAIN_STOPPED = 1
UCPO_TRAIN_LIMIT = 2

# ucpo_reason_kind
UCPO_REASON_REACH = 0
UCPO_REASON_RETURN = 1
UCPO_REASON_PAIR = 2
UCPO_REASON_CYCLE = 3
UCPO_REASON_CHAIN = 4
UCPO_REASON_CROWD = 5
UCPO_REASON_SET = 6
UCPO_REASON_LIMIT = 7
UCPO_REASON_LIMITS = 8
UCPO_REASON_DEMAND = 9
UCPO_REASON_FLEET_LOAD = 10
UCPO_REASON_FLEET_PACK = 11
UCPO_REASON_FLEET_APART = 12
UCPO_REASON_TIGHT_WINDOW = 13
UCPO_REASON_TIGHT_LOAD = 14
UCPO_REASON_TIGHT_FLEET = 15
UCPO_REASON_RELAX_DUE = 16
UCPO_REASON_RELAX_READY = 17
UCPO_REASON_RELAX_LIMIT = 18
UCPO_REASON_RELAX_CAPACITY = 19
UCPO_REASON_RELAX_FLEET = 20
UCPO_REASON_PLAN_BROKEN = 21


class ucpo_error(_values.Struct):
    _fields_ = [
        ("code", C.c_int),
        ("line", C.c_long),
        ("file", C.c_char * 256),
        ("text", C.c_char * 512),
    ]


class ucpo_hooks(_values.Struct):
    _fields_ = [
        ("log", C.CFUNCTYPE(None, C.c_void_p, C.c_int, C.c_char_p)),
        ("progress", C.CFUNCTYPE(C.c_int, C.c_void_p, C.c_size_t, C.c_size_t)),
        ("user", C.c_void_p),
    ]


class ucpo_problem_info(_values.Struct):
    _fields_ = [
        ("name", C.c_char_p),
        ("title", C.c_char_p),
        ("levels", C.c_char_p),
        ("depot_is_extra", C.c_int),
    ]
    _flags_ = ("depot_is_extra",)


class ucpo_file_notes(_values.Struct):
    _fields_ = [
        ("depot", C.c_int32),
        ("service_in_cost", C.c_double),
    ]


class ucpo_left_out(_values.Struct):
    _fields_ = [
        ("way", C.c_int),
        ("text", C.c_char_p),
    ]


class ucpo_instance_data(_values.Struct):
    _fields_ = [
        ("struct_size", C.c_size_t),
        ("problem", C.c_char_p),
        ("name", C.c_char_p),
        ("n", C.c_int32),
        ("x", C.POINTER(C.c_double)),
        ("y", C.POINTER(C.c_double)),
        ("cost", C.POINTER(C.c_double)),
        ("duration", C.POINTER(C.c_double)),
        ("ready", C.POINTER(C.c_double)),
        ("due", C.POINTER(C.c_double)),
        ("service", C.POINTER(C.c_double)),
        ("demand", C.POINTER(C.c_double)),
        ("limit", C.POINTER(C.c_double)),
        ("capacity", C.c_double),
        ("vehicles", C.c_int32),
        ("metric", C.c_int),
        ("rounding", C.c_int),
        ("draft", C.c_int),
        ("unit", C.c_double),
        ("tolerance", C.c_double),
        ("best_known", C.c_double),
        ("speed", C.c_double),
        ("no_way", C.c_double),
        ("id", C.POINTER(C.c_char_p)),
        ("label", C.POINTER(C.c_char_p)),
        ("clock", C.c_double),
        ("clock_day", C.c_int32),
        ("file", C.POINTER(ucpo_file_notes)),
        ("left_out", C.POINTER(ucpo_left_out)),
        ("left_outs", C.c_size_t),
        ("cost_unit", C.c_char_p),
        ("setup", C.POINTER(C.c_double)),
        ("place", C.POINTER(C.c_int32)),
    ]


class ucpo_generate_config(_values.Struct):
    _fields_ = [
        ("struct_size", C.c_size_t),
        ("problem", C.c_char_p),
        ("level", C.c_char_p),
        ("size", C.c_int32),
        ("first", C.c_size_t),
        ("count", C.c_size_t),
        ("seed", C.c_uint64),
        ("capacity", C.c_double),
        ("threads", C.c_int),
        ("hooks", ucpo_hooks),
    ]


class ucpo_read_config(_values.Struct):
    _fields_ = [
        ("struct_size", C.c_size_t),
        ("format", C.c_char_p),
        ("problem", C.c_char_p),
        ("rounding", C.c_int),
        ("capacity", C.c_double),
        ("vehicles", C.c_int32),
        ("strict", C.c_int),
        ("ignore_unsupported", C.c_int),
        ("tolerance", C.c_double),
        ("columns", C.c_char_p),
        ("speed", C.c_double),
        ("matrix", C.c_char_p),
        ("hooks", ucpo_hooks),
    ]
    _flags_ = ("strict", "ignore_unsupported",)


class ucpo_write_config(_values.Struct):
    _fields_ = [
        ("struct_size", C.c_size_t),
        ("format", C.c_char_p),
        ("scale", C.c_double),
        ("strict", C.c_int),
        ("hooks", ucpo_hooks),
    ]
    _flags_ = ("strict",)


class ucpo_plan(_values.Struct):
    _fields_ = [
        ("nodes", C.POINTER(C.c_int32)),
        ("len", C.c_size_t),
        ("stated_cost", C.c_double),
        ("is_placeholder", C.c_int),
    ]
    _flags_ = ("is_placeholder",)


class ucpo_stop(_values.Struct):
    _fields_ = [
        ("route", C.c_int32),
        ("node", C.c_int32),
        ("arrive", C.c_double),
        ("wait", C.c_double),
        ("start", C.c_double),
        ("leave", C.c_double),
        ("slack", C.c_double),
        ("load", C.c_double),
        ("late", C.c_double),
        ("over", C.c_double),
        ("is_duplicate", C.c_int),
        ("is_unknown", C.c_int),
        ("is_blocked", C.c_int),
    ]
    _flags_ = ("is_duplicate", "is_unknown", "is_blocked",)


class ucpo_evaluation(_values.Struct):
    _fields_ = [
        ("is_feasible", C.c_int),
        ("cost", C.c_double),
        ("duration", C.c_double),
        ("wait", C.c_double),
        ("routes", C.c_int32),
        ("late_sum", C.c_double),
        ("over_sum", C.c_double),
        ("late_count", C.c_int32),
        ("over_count", C.c_int32),
        ("late_max", C.c_double),
        ("over_max", C.c_double),
        ("tolerance", C.c_double),
        ("load_tolerance", C.c_double),
        ("is_tolerated", C.c_int),
        ("vehicles_over", C.c_int32),
        ("missing", C.c_int32),
        ("duplicates", C.c_int32),
        ("unknown", C.c_int32),
        ("blocked", C.c_int32),
        ("violation", C.c_double),
        ("stops", C.c_size_t),
    ]
    _flags_ = ("is_feasible", "is_tolerated",)


class ucpo_loss_config(_values.Struct):
    _fields_ = [
        ("struct_size", C.c_size_t),
        ("family", C.c_int),
        ("relation", C.c_int),
        ("pairing", C.c_int),
        ("scaling", C.c_int),
        ("terms", C.c_uint),
        ("k", C.c_uint32),
        ("lambda", C.c_double),
        ("tie", C.c_double),
        ("tie_is_plain", C.c_int),
        ("indicator", C.c_double),
        ("beta", C.c_double),
        ("beta_min", C.c_double),
        ("beta_max", C.c_double),
        ("skip_equal", C.c_int),
        ("alpha", C.c_double),
        ("alpha_is_per_node", C.c_int),
    ]
    _flags_ = ("tie_is_plain", "skip_equal", "alpha_is_per_node",)


class ucpo_loss_result(_values.Struct):
    _fields_ = [
        ("loss", C.c_double),
        ("dual", C.c_double),
        ("margin", C.c_double),
        ("primal", C.c_double),
        ("pairs", C.c_size_t),
        ("feasible", C.c_size_t),
        ("dual_active", C.c_size_t),
        ("margin_active", C.c_size_t),
        ("primal_active", C.c_size_t),
    ]


class ucpo_model_config(_values.Struct):
    _fields_ = [
        ("problem", C.c_char_p),
        ("width", C.c_int32),
        ("heads", C.c_int32),
        ("hidden", C.c_int32),
        ("layers", C.c_int32),
        ("norm", C.c_char_p),
        ("clip", C.c_double),
        ("has_aux", C.c_int),
        ("decision", C.c_int32),
        ("decision_glimpse", C.c_int),
        ("pair", C.c_int),
    ]
    _flags_ = ("has_aux", "decision_glimpse", "pair",)


class ucpo_model_info(_values.Struct):
    _fields_ = [
        ("config", ucpo_model_config),
        ("node_features", C.c_int32),
        ("depot_features", C.c_int32),
        ("state_features", C.c_int32),
        ("parameters", C.c_size_t),
        ("tensors", C.c_size_t),
        ("facts", C.c_size_t),
        ("version", C.c_char_p),
        ("normalisation", C.c_char_p),
        ("notes", C.c_char_p),
    ]


class ucpo_comm(_values.Struct):
    _fields_ = [
        ("rank", C.c_int),
        ("ranks", C.c_int),
        ("sum", C.CFUNCTYPE(C.c_int, C.c_void_p, C.c_void_p, C.c_size_t, C.POINTER(ucpo_error))),
        ("gather", C.CFUNCTYPE(C.c_int, C.c_void_p, C.c_void_p, C.c_size_t, C.c_size_t, C.c_size_t, C.POINTER(ucpo_error))),
        ("user", C.c_void_p),
        ("threads", C.c_int),
        ("over", C.CFUNCTYPE(C.c_int, C.c_void_p, C.c_int)),
    ]


class ucpo_eval_config(_values.Struct):
    _fields_ = [
        ("struct_size", C.c_size_t),
        ("samples", C.c_int32),
        ("augment", C.c_int32),
        ("greedy", C.c_int),
        ("backtrack", C.c_int32),
        ("multi_start", C.c_int),
        ("mask", C.c_char_p),
        ("temperature", C.c_double),
        ("seed", C.c_uint64),
        ("first", C.c_size_t),
        ("threads", C.c_int),
        ("kernels", C.c_char_p),
        ("precision", C.c_char_p),
        ("refine_moves", C.c_int64),
        ("refine_seconds", C.c_double),
        ("partial", C.c_int),
        ("hooks", ucpo_hooks),
        ("comm", C.POINTER(ucpo_comm)),
        ("mask_tolerance", C.c_double),
        ("rounds", C.c_int32),
    ]
    _flags_ = ("greedy", "multi_start", "partial",)


class ucpo_eval_record(_values.Struct):
    _fields_ = [
        ("candidates", C.c_int32),
        ("feasible", C.c_int32),
        ("is_feasible", C.c_int),
        ("best", C.c_int32),
        ("cost", C.c_double),
        ("objective", C.c_double),
        ("violation", C.c_double),
        ("late_max", C.c_double),
        ("over_max", C.c_double),
        ("is_tolerated", C.c_int),
        ("mean_objective", C.c_double),
        ("first_is_feasible", C.c_int),
        ("first_objective", C.c_double),
        ("is_disputed", C.c_int),
        ("decoded_is_feasible", C.c_int),
        ("decoded_objective", C.c_double),
        ("decoded_violation", C.c_double),
        ("decode_seconds", C.c_double),
        ("refine_seconds", C.c_double),
    ]
    _flags_ = ("is_feasible", "is_tolerated", "first_is_feasible", "is_disputed", "decoded_is_feasible",)


class ucpo_eval_summary(_values.Struct):
    _fields_ = [
        ("instances", C.c_size_t),
        ("feasible_instances", C.c_size_t),
        ("candidates", C.c_size_t),
        ("feasible_candidates", C.c_size_t),
        ("disputed", C.c_size_t),
        ("tolerated", C.c_size_t),
        ("late_max", C.c_double),
        ("over_max", C.c_double),
        ("infeasible_instances", C.c_double),
        ("infeasible_solutions", C.c_double),
        ("mean_objective", C.c_double),
        ("mean_cost", C.c_double),
        ("first_infeasible", C.c_double),
        ("first_objective", C.c_double),
        ("mean_reference", C.c_double),
        ("gap_mean", C.c_double),
        ("gap_ratio", C.c_double),
        ("common", C.c_size_t),
        ("common_objective", C.c_double),
        ("gap_common", C.c_double),
        ("cpu_seconds", C.c_double),
    ]


class ucpo_solve_progress(_values.Struct):
    _fields_ = [
        ("seconds", C.c_double),
        ("candidates", C.c_int64),
        ("is_feasible", C.c_int),
        ("cost", C.c_double),
        ("violation", C.c_double),
        ("nodes", C.POINTER(C.c_int32)),
        ("len", C.c_size_t),
        ("bound", C.c_double),
    ]
    _flags_ = ("is_feasible",)


class ucpo_solve_config(_values.Struct):
    _fields_ = [
        ("struct_size", C.c_size_t),
        ("time_limit", C.c_double),
        ("samples", C.c_int64),
        ("augment", C.c_int32),
        ("greedy", C.c_int),
        ("refine", C.c_int),
        ("prove", C.c_int),
        ("first_feasible", C.c_int),
        ("mask", C.c_char_p),
        ("temperature", C.c_double),
        ("seed", C.c_uint64),
        ("number", C.c_uint64),
        ("threads", C.c_int),
        ("kernels", C.c_char_p),
        ("precision", C.c_char_p),
        ("initial", C.POINTER(C.c_int32)),
        ("initial_len", C.c_size_t),
        ("improved", C.CFUNCTYPE(None, C.c_void_p, C.POINTER(ucpo_solve_progress))),
        ("candidate", C.CFUNCTYPE(None, C.c_void_p, C.c_double, C.c_double)),
        ("user", C.c_void_p),
        ("hooks", ucpo_hooks),
        ("comm", C.POINTER(ucpo_comm)),
        ("watch", C.CFUNCTYPE(None, C.c_void_p, C.POINTER(ucpo_solve_progress))),
    ]
    _flags_ = ("greedy", "refine", "prove", "first_feasible",)


class ucpo_solution(_values.Struct):
    _fields_ = [
        ("nodes", C.POINTER(C.c_int32)),
        ("len", C.c_size_t),
        ("evaluation", ucpo_evaluation),
        ("candidates", C.c_int64),
        ("distinct", C.c_int64),
        ("feasible", C.c_int64),
        ("rounds", C.c_int64),
        ("searches", C.c_int64),
        ("start_cost", C.c_double),
        ("images", C.c_int32),
        ("disputed", C.c_int64),
        ("seconds", C.c_double),
        ("end", C.c_int),
        ("bound", C.c_double),
    ]


class ucpo_refine_config(_values.Struct):
    _fields_ = [
        ("struct_size", C.c_size_t),
        ("moves", C.c_int64),
        ("time_limit", C.c_double),
        ("seed", C.c_uint64),
        ("hooks", ucpo_hooks),
    ]


class ucpo_train_key(_values.Struct):
    _fields_ = [
        ("name", C.c_char_p),
        ("preset", C.c_char_p),
        ("words", C.c_char_p),
        ("help", C.c_char_p),
        ("is_phase", C.c_int),
    ]
    _flags_ = ("is_phase",)


class ucpo_train_report(_values.Struct):
    _fields_ = [
        ("kind", C.c_char_p),
        ("step", C.c_int64),
        ("instances", C.c_int64),
        ("total", C.c_int64),
        ("phase", C.c_int32),
        ("n", C.c_int32),
        ("samples", C.c_int32),
        ("loss", C.c_double),
        ("dual", C.c_double),
        ("margin", C.c_double),
        ("primal", C.c_double),
        ("dual_share", C.c_double),
        ("margin_share", C.c_double),
        ("primal_share", C.c_double),
        ("infeasible_samples", C.c_double),
        ("infeasible_instances", C.c_double),
        ("objective", C.c_double),
        ("gap", C.c_double),
        ("gap_of_means", C.c_double),
        ("lr", C.c_double),
        ("alpha", C.c_double),
        ("grad_norm", C.c_double),
        ("replayed", C.c_double),
        ("aux_loss", C.c_double),
        ("recall_feasible", C.c_double),
        ("recall_infeasible", C.c_double),
        ("anchor_share", C.c_double),
        ("anchor_masked", C.c_double),
        ("anchor_gain", C.c_double),
        ("anchor_log_prob", C.c_double),
        ("anchor_time", C.c_double),
        ("instances_per_s", C.c_double),
        ("elapsed", C.c_double),
    ]


class ucpo_train_hooks(_values.Struct):
    _fields_ = [
        ("report", C.CFUNCTYPE(None, C.c_void_p, C.POINTER(ucpo_train_report))),
        ("log", C.CFUNCTYPE(None, C.c_void_p, C.c_int, C.c_char_p)),
        ("stop", C.CFUNCTYPE(C.c_int, C.c_void_p)),
        ("user", C.c_void_p),
        ("comm", C.POINTER(ucpo_comm)),
    ]


class ucpo_train_summary(_values.Struct):
    _fields_ = [
        ("end", C.c_int),
        ("step", C.c_int64),
        ("instances", C.c_int64),
        ("elapsed", C.c_double),
        ("best", C.c_int64),
        ("before", ucpo_train_report * 2),
        ("after", ucpo_train_report * 2),
    ]


class ucpo_train_estimate(_values.Struct):
    _fields_ = [
        ("parameters", C.c_size_t),
        ("bytes", C.c_size_t),
        ("seconds", C.c_double),
        ("total_seconds", C.c_double),
        ("kernels", C.c_char_p),
        ("precision", C.c_char_p),
    ]


class ucpo_reason(_values.Struct):
    _fields_ = [
        ("kind", C.c_int),
        ("is_proof", C.c_int),
        ("is_joint", C.c_int),
        ("customers", C.POINTER(C.c_int32)),
        ("customer_count", C.c_size_t),
        ("value", C.c_double),
        ("bound", C.c_double),
        ("excess", C.c_double),
        ("text", C.c_char_p),
    ]
    _flags_ = ("is_proof", "is_joint",)


class ucpo_cloud(_values.Struct):
    _fields_ = [
        ("cost", C.POINTER(C.c_double)),
        ("violation", C.POINTER(C.c_double)),
        ("count", C.c_size_t),
    ]


class ucpo_plot_config(_values.Struct):
    _fields_ = [
        ("struct_size", C.c_size_t),
        ("x", C.c_char_p),
        ("show", C.c_char_p),
        ("names", C.c_char_p),
        ("title", C.c_char_p),
        ("clouds", C.POINTER(ucpo_cloud)),
        ("labels", C.POINTER(C.c_char_p)),
        ("most", C.c_size_t),
    ]


FUNCTIONS = {
    "ucpo_status_name": (C.c_char_p, [("code", C.c_int)]),
    "ucpo_error_message": (C.c_char_p, [("err", C.c_void_p), ("buf", C.c_void_p), ("size", C.c_size_t)]),
    "ucpo_problem_count": (C.c_size_t, []),
    "ucpo_problem_at": (C.POINTER(ucpo_problem_info), [("index", C.c_size_t)]),
    "ucpo_instance_data_init": (None, [("data", C.c_void_p), ("size", C.c_size_t)]),
    "ucpo_instance_create": (C.c_int, [("data", C.c_void_p), ("out", C.POINTER(C.c_void_p)), ("err", C.c_void_p)]),
    "ucpo_instance_free": (None, [("inst", C.c_void_p)]),
    "ucpo_instance_view": (C.POINTER(ucpo_instance_data), [("inst", C.c_void_p)]),
    "ucpo_instance_cost": (C.c_double, [("inst", C.c_void_p), ("from", C.c_int32), ("to", C.c_int32)]),
    "ucpo_instance_duration": (C.c_double, [("inst", C.c_void_p), ("from", C.c_int32), ("to", C.c_int32)]),
    "ucpo_instance_tolerance_cap": (C.c_double, [("inst", C.c_void_p)]),
    "ucpo_instance_has_way": (C.c_int, [("inst", C.c_void_p), ("from", C.c_int32), ("to", C.c_int32)]),
    "ucpo_node_text": (C.c_char_p, [("inst", C.c_void_p), ("node", C.c_int32), ("buf", C.c_void_p), ("size", C.c_size_t)]),
    "ucpo_clock_text": (C.c_char_p, [("inst", C.c_void_p), ("time", C.c_double), ("with_date", C.c_int), ("buf", C.c_void_p), ("size", C.c_size_t)]),
    "ucpo_instance_reading": (C.c_int, [("inst", C.c_void_p)]),
    "ucpo_reading_name": (C.c_char_p, [("reading", C.c_int)]),
    "ucpo_claim_note": (C.c_char_p, [("inst", C.c_void_p), ("claim", C.c_int)]),
    "ucpo_instance_mirror": (C.c_int, [("inst", C.c_void_p), ("out", C.POINTER(C.c_void_p)), ("err", C.c_void_p)]),
    "ucpo_dataset_create": (C.c_int, [("out", C.POINTER(C.c_void_p)), ("err", C.c_void_p)]),
    "ucpo_dataset_free": (None, [("set", C.c_void_p)]),
    "ucpo_dataset_add": (C.c_int, [("set", C.c_void_p), ("inst", C.c_void_p), ("err", C.c_void_p)]),
    "ucpo_dataset_share": (C.c_int, [("set", C.c_void_p), ("inst", C.c_void_p), ("err", C.c_void_p)]),
    "ucpo_dataset_slice": (C.c_int, [("set", C.c_void_p), ("first", C.c_size_t), ("count", C.c_size_t), ("out", C.POINTER(C.c_void_p)), ("err", C.c_void_p)]),
    "ucpo_dataset_count": (C.c_size_t, [("set", C.c_void_p)]),
    "ucpo_dataset_at": (C.c_void_p, [("set", C.c_void_p), ("index", C.c_size_t)]),
    "ucpo_generate_config_init": (None, [("config", C.c_void_p), ("size", C.c_size_t)]),
    "ucpo_generate": (C.c_int, [("config", C.c_void_p), ("out", C.POINTER(C.c_void_p)), ("err", C.c_void_p)]),
    "ucpo_generate_preset": (C.c_int, [("preset", C.c_char_p), ("first", C.c_size_t), ("count", C.c_size_t), ("out", C.POINTER(C.c_void_p)), ("err", C.c_void_p)]),
    "ucpo_preset_at": (C.c_char_p, [("index", C.c_size_t)]),
    "ucpo_read_config_init": (None, [("config", C.c_void_p), ("size", C.c_size_t)]),
    "ucpo_write_config_init": (None, [("config", C.c_void_p), ("size", C.c_size_t)]),
    "ucpo_read": (C.c_int, [("path", C.c_char_p), ("config", C.c_void_p), ("out", C.POINTER(C.c_void_p)), ("err", C.c_void_p)]),
    "ucpo_read_bytes": (C.c_int, [("bytes", C.c_void_p), ("size", C.c_size_t), ("label", C.c_char_p), ("config", C.c_void_p), ("out", C.POINTER(C.c_void_p)), ("err", C.c_void_p)]),
    "ucpo_write": (C.c_int, [("path", C.c_char_p), ("set", C.c_void_p), ("config", C.c_void_p), ("err", C.c_void_p)]),
    "ucpo_write_bytes": (C.c_int, [("set", C.c_void_p), ("config", C.c_void_p), ("bytes", C.POINTER(C.c_void_p)), ("size", C.POINTER(C.c_size_t)), ("err", C.c_void_p)]),
    "ucpo_bytes_free": (None, [("bytes", C.c_void_p)]),
    "ucpo_file_read": (C.c_int, [("path", C.c_char_p), ("bytes", C.POINTER(C.c_void_p)), ("size", C.POINTER(C.c_size_t)), ("err", C.c_void_p)]),
    "ucpo_file_write": (C.c_int, [("path", C.c_char_p), ("bytes", C.c_void_p), ("size", C.c_size_t), ("err", C.c_void_p)]),
    "ucpo_format_at": (C.c_char_p, [("index", C.c_size_t)]),
    "ucpo_format_detect": (C.c_char_p, [("bytes", C.c_void_p), ("size", C.c_size_t)]),
    "ucpo_plans_create": (C.c_int, [("out", C.POINTER(C.c_void_p)), ("err", C.c_void_p)]),
    "ucpo_plans_free": (None, [("plans", C.c_void_p)]),
    "ucpo_plans_add": (C.c_int, [("plans", C.c_void_p), ("nodes", C.c_void_p), ("len", C.c_size_t), ("stated_cost", C.c_double), ("err", C.c_void_p)]),
    "ucpo_plans_count": (C.c_size_t, [("plans", C.c_void_p)]),
    "ucpo_plans_at": (ucpo_plan, [("plans", C.c_void_p), ("index", C.c_size_t)]),
    "ucpo_plans_read": (C.c_int, [("path", C.c_char_p), ("format", C.c_char_p), ("set", C.c_void_p), ("out", C.POINTER(C.c_void_p)), ("err", C.c_void_p)]),
    "ucpo_plans_read_bytes": (C.c_int, [("bytes", C.c_void_p), ("size", C.c_size_t), ("label", C.c_char_p), ("format", C.c_char_p), ("set", C.c_void_p), ("out", C.POINTER(C.c_void_p)), ("err", C.c_void_p)]),
    "ucpo_plans_write": (C.c_int, [("path", C.c_char_p), ("format", C.c_char_p), ("set", C.c_void_p), ("plans", C.c_void_p), ("err", C.c_void_p)]),
    "ucpo_plans_write_bytes": (C.c_int, [("format", C.c_char_p), ("set", C.c_void_p), ("plans", C.c_void_p), ("bytes", C.POINTER(C.c_void_p)), ("size", C.POINTER(C.c_size_t)), ("err", C.c_void_p)]),
    "ucpo_plan_format_at": (C.c_char_p, [("index", C.c_size_t)]),
    "ucpo_check": (C.c_int, [("inst", C.c_void_p), ("nodes", C.c_void_p), ("len", C.c_size_t), ("out", C.c_void_p), ("schedule", C.c_void_p), ("schedule_capacity", C.c_size_t), ("missing", C.c_void_p), ("missing_capacity", C.c_size_t), ("err", C.c_void_p)]),
    "ucpo_loss_config_init": (None, [("config", C.c_void_p), ("size", C.c_size_t)]),
    "ucpo_loss_preset_at": (C.c_char_p, [("index", C.c_size_t)]),
    "ucpo_loss_config_parse": (C.c_int, [("text", C.c_char_p), ("out", C.c_void_p), ("size", C.c_size_t), ("err", C.c_void_p)]),
    "ucpo_loss_config_text": (C.c_size_t, [("config", C.c_void_p), ("buf", C.c_void_p), ("size", C.c_size_t)]),
    "ucpo_loss_alpha": (C.c_double, [("config", C.c_void_p), ("n", C.c_int32)]),
    "ucpo_compare": (C.c_int, [("config", C.c_void_p), ("objective_a", C.c_double), ("violation_a", C.c_double), ("objective_b", C.c_double), ("violation_b", C.c_double)]),
    "ucpo_rank": (C.c_int, [("config", C.c_void_p), ("samples", C.c_size_t), ("objective", C.c_void_p), ("violation", C.c_void_p), ("rank", C.c_void_p), ("err", C.c_void_p)]),
    "ucpo_loss": (C.c_int, [("config", C.c_void_p), ("samples", C.c_size_t), ("objective", C.c_void_p), ("violation", C.c_void_p), ("score", C.c_void_p), ("result", C.c_void_p), ("weight", C.c_void_p), ("rank", C.c_void_p), ("err", C.c_void_p)]),
    "ucpo_loss_batch": (C.c_int, [("config", C.c_void_p), ("batch", C.c_size_t), ("samples", C.c_size_t), ("objective", C.c_void_p), ("violation", C.c_void_p), ("score", C.c_void_p), ("threads", C.c_int), ("result", C.c_void_p), ("weight", C.c_void_p), ("rank", C.c_void_p), ("err", C.c_void_p)]),
    "ucpo_model_config_default": (ucpo_model_config, [("problem", C.c_char_p)]),
    "ucpo_model_create": (C.c_int, [("config", C.c_void_p), ("seed", C.c_uint64), ("out", C.POINTER(C.c_void_p)), ("err", C.c_void_p)]),
    "ucpo_model_free": (None, [("model", C.c_void_p)]),
    "ucpo_model_load": (C.c_int, [("path", C.c_char_p), ("out", C.POINTER(C.c_void_p)), ("err", C.c_void_p)]),
    "ucpo_model_load_bytes": (C.c_int, [("bytes", C.c_void_p), ("size", C.c_size_t), ("label", C.c_char_p), ("out", C.POINTER(C.c_void_p)), ("err", C.c_void_p)]),
    "ucpo_model_import_bytes": (C.c_int, [("bytes", C.c_void_p), ("size", C.c_size_t), ("label", C.c_char_p), ("problem", C.c_char_p), ("out", C.POINTER(C.c_void_p)), ("err", C.c_void_p)]),
    "ucpo_model_save": (C.c_int, [("model", C.c_void_p), ("path", C.c_char_p), ("dtype", C.c_int), ("err", C.c_void_p)]),
    "ucpo_model_save_bytes": (C.c_int, [("model", C.c_void_p), ("dtype", C.c_int), ("bytes", C.POINTER(C.c_void_p)), ("size", C.POINTER(C.c_size_t)), ("err", C.c_void_p)]),
    "ucpo_model_describe": (ucpo_model_info, [("model", C.c_void_p)]),
    "ucpo_model_fact": (C.c_char_p, [("model", C.c_void_p), ("key", C.c_char_p)]),
    "ucpo_model_set_fact": (C.c_int, [("model", C.c_void_p), ("key", C.c_char_p), ("value", C.c_char_p), ("err", C.c_void_p)]),
    "ucpo_model_fact_key": (C.c_char_p, [("model", C.c_void_p), ("index", C.c_size_t)]),
    "ucpo_eval_config_init": (None, [("config", C.c_void_p), ("size", C.c_size_t)]),
    "ucpo_mask_at": (C.c_char_p, [("index", C.c_size_t)]),
    "ucpo_eval_mask": (C.c_char_p, [("model", C.c_void_p), ("mask", C.c_char_p)]),
    "ucpo_eval_summarise": (C.c_int, [("records", C.c_void_p), ("count", C.c_size_t), ("reference", C.c_void_p), ("common", C.c_void_p), ("out", C.c_void_p), ("err", C.c_void_p)]),
    "ucpo_evaluate": (C.c_int, [("model", C.c_void_p), ("set", C.c_void_p), ("config", C.c_void_p), ("records", C.c_void_p), ("plans", C.POINTER(C.c_void_p)), ("err", C.c_void_p)]),
    "ucpo_costs_read": (C.c_int, [("path", C.c_char_p), ("out", C.POINTER(C.POINTER(C.c_double))), ("count", C.POINTER(C.c_size_t)), ("err", C.c_void_p)]),
    "ucpo_costs_read_bytes": (C.c_int, [("bytes", C.c_void_p), ("size", C.c_size_t), ("label", C.c_char_p), ("out", C.POINTER(C.POINTER(C.c_double))), ("count", C.POINTER(C.c_size_t)), ("err", C.c_void_p)]),
    "ucpo_costs_free": (None, [("costs", C.c_void_p)]),
    "ucpo_solve_config_init": (None, [("config", C.c_void_p), ("size", C.c_size_t)]),
    "ucpo_solve": (C.c_int, [("model", C.c_void_p), ("inst", C.c_void_p), ("config", C.c_void_p), ("out", C.POINTER(C.POINTER(ucpo_solution))), ("err", C.c_void_p)]),
    "ucpo_solution_free": (None, [("solution", C.c_void_p)]),
    "ucpo_solver_create": (C.c_int, [("model", C.c_void_p), ("out", C.POINTER(C.c_void_p)), ("err", C.c_void_p)]),
    "ucpo_solver_solve": (C.c_int, [("solver", C.c_void_p), ("inst", C.c_void_p), ("config", C.c_void_p), ("out", C.POINTER(C.POINTER(ucpo_solution))), ("err", C.c_void_p)]),
    "ucpo_solver_free": (None, [("solver", C.c_void_p)]),
    "ucpo_refine_config_init": (None, [("config", C.c_void_p), ("size", C.c_size_t)]),
    "ucpo_refine": (C.c_int, [("inst", C.c_void_p), ("nodes", C.c_void_p), ("len", C.c_size_t), ("config", C.c_void_p), ("out", C.POINTER(C.POINTER(ucpo_solution))), ("err", C.c_void_p)]),
    "ucpo_bound": (C.c_int, [("inst", C.c_void_p), ("upper", C.c_double), ("bound", C.c_void_p), ("err", C.c_void_p)]),
    "ucpo_model_find": (C.c_int, [("dir", C.c_char_p), ("inst", C.c_void_p), ("path", C.c_void_p), ("size", C.c_size_t), ("err", C.c_void_p)]),
    "ucpo_model_distance": (C.c_double, [("model", C.c_void_p), ("inst", C.c_void_p)]),
    "ucpo_train_key_at": (ucpo_train_key, [("index", C.c_size_t)]),
    "ucpo_train_config_create": (C.c_int, [("out", C.POINTER(C.c_void_p)), ("err", C.c_void_p)]),
    "ucpo_train_config_free": (None, [("config", C.c_void_p)]),
    "ucpo_train_config_set": (C.c_int, [("config", C.c_void_p), ("key", C.c_char_p), ("value", C.c_char_p), ("err", C.c_void_p)]),
    "ucpo_train_config_read": (C.c_int, [("config", C.c_void_p), ("path", C.c_char_p), ("err", C.c_void_p)]),
    "ucpo_train_config_follow": (C.c_int, [("config", C.c_void_p), ("model", C.c_void_p), ("err", C.c_void_p)]),
    "ucpo_train_config_text": (C.c_int, [("config", C.c_void_p), ("bytes", C.POINTER(C.c_void_p)), ("size", C.POINTER(C.c_size_t)), ("err", C.c_void_p)]),
    "ucpo_train": (C.c_int, [("config", C.c_void_p), ("dir", C.c_char_p), ("hooks", C.c_void_p), ("summary", C.c_void_p), ("err", C.c_void_p)]),
    "ucpo_train_resume": (C.c_int, [("dir", C.c_char_p), ("changes", C.c_void_p), ("hooks", C.c_void_p), ("summary", C.c_void_p), ("err", C.c_void_p)]),
    "ucpo_train_dry_run": (C.c_int, [("config", C.c_void_p), ("out", C.c_void_p), ("err", C.c_void_p)]),
    "ucpo_explain": (C.c_int, [("inst", C.c_void_p), ("plan", C.c_void_p), ("len", C.c_size_t), ("out", C.POINTER(C.c_void_p)), ("err", C.c_void_p)]),
    "ucpo_explanation_free": (None, [("explanation", C.c_void_p)]),
    "ucpo_explanation_is_proof": (C.c_int, [("explanation", C.c_void_p)]),
    "ucpo_explanation_count": (C.c_size_t, [("explanation", C.c_void_p)]),
    "ucpo_explanation_at": (C.POINTER(ucpo_reason), [("explanation", C.c_void_p), ("index", C.c_size_t)]),
    "ucpo_reason_name": (C.c_char_p, [("kind", C.c_int)]),
    "ucpo_plot_config_init": (None, [("config", C.c_void_p), ("size", C.c_size_t)]),
    "ucpo_plot_runs": (C.c_int, [("dirs", C.POINTER(C.c_char_p)), ("count", C.c_size_t), ("config", C.c_void_p), ("bytes", C.POINTER(C.c_void_p)), ("size", C.POINTER(C.c_size_t)), ("err", C.c_void_p)]),
    "ucpo_plot_plan": (C.c_int, [("inst", C.c_void_p), ("nodes", C.c_void_p), ("len", C.c_size_t), ("config", C.c_void_p), ("bytes", C.POINTER(C.c_void_p)), ("size", C.POINTER(C.c_size_t)), ("err", C.c_void_p)]),
    "ucpo_report_html": (C.c_int, [("set", C.c_void_p), ("plans", C.c_void_p), ("config", C.c_void_p), ("bytes", C.POINTER(C.c_void_p)), ("size", C.POINTER(C.c_size_t)), ("err", C.c_void_p)]),
    "ucpo_report_runs": (C.c_int, [("dirs", C.POINTER(C.c_char_p)), ("count", C.c_size_t), ("config", C.c_void_p), ("bytes", C.POINTER(C.c_void_p)), ("size", C.POINTER(C.c_size_t)), ("err", C.c_void_p)]),
    "ucpo_version": (C.c_char_p, []),
    "ucpo_build_info": (C.c_char_p, [("buf", C.c_void_p), ("size", C.c_size_t)]),
    "ucpo_kernels": (C.c_int, [("kernels", C.c_char_p), ("precision", C.c_char_p), ("kernels_used", C.POINTER(C.c_char_p)), ("precision_used", C.POINTER(C.c_char_p)), ("err", C.c_void_p)]),
}
