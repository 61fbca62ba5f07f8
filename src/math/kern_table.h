/* One table of the functions of kern_body.h, with the products that the including file names. May be
 * included more than once. */
extern const struct kern_ops KERN_TABLE;
const struct kern_ops KERN_TABLE = {
    .name = KERN_NAME,
    .precision = KERN_PRECISION,
    .nt = KERN_NT,
    .nn = KERN_NN,
    .tn = KERN_TN,
    .line = LINE_LANES,
    .self_forward = self_forward,
    .self_backward = self_backward,
    .dot_rows = dot_rows,
    .norm_forward = norm_forward,
    .norm_backward = norm_backward,
    .add_bias = add_bias,
    .add_bias_relu = add_bias_relu,
    .relu_backward = relu_backward,
    .sum_rows = sum_rows,
    .add = add,
    .glimpse_forward = glimpse_forward,
    .point_forward = point_forward,
    .point_backward = point_backward,
    .glimpse_backward = glimpse_backward,
    .key_backward = key_backward,
    .value_backward = value_backward,
    .head_forward = head_forward,
    .head_backward = head_backward,
    .side_shape = side_shape,
    .side_forward = side_forward,
    .side_backward = side_backward,
    .adam = adam,
};

#undef KERN_TABLE
#undef KERN_NAME
#undef KERN_PRECISION
#undef KERN_NT
#undef KERN_NN
#undef KERN_TN
