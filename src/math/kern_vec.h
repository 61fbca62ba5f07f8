/* Vectors of VEC_LANES numbers (8 or 16), type VEC, functions VEC_FN(load) and so on. Included by
 * kern_body.h once for each kind. Unaligned loads are fine. No include guard. */

typedef real VEC __attribute__((vector_size(VEC_LANES * sizeof(real))));

INLINE VEC VEC_FN(load)(const real *p)
{
    VEC v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE void VEC_FN(store)(real *p, VEC v)
{
    memcpy(p, &v, sizeof v);
}

INLINE VEC VEC_FN(all)(real x)
{
    return x - (VEC){0};
}

/* b where a is not a number */
INLINE VEC VEC_FN(max)(VEC a, VEC b)
{
#if HAVE_AVX_FLOAT && VEC_LANES == 8
    return (VEC)_mm256_max_ps((__m256)a, (__m256)b);
#elif HAVE_AVX512_FLOAT
    return (VEC)_mm512_max_ps((__m512)a, (__m512)b);
#else
    for (int i = 0; i < VEC_LANES; i++) a[i] = a[i] > b[i] ? a[i] : b[i];
    return a;
#endif
}

/* 0 in the first `count` lanes, LOWEST in the others (count >= VEC_LANES: all 0): added to numbers
 * beyond the end of a row it takes them out of a softmax. */
INLINE VEC VEC_FN(end)(int count)
{
    return VEC_FN(load)(beyond + ROUND - (count < VEC_LANES ? count : VEC_LANES));
}

#ifdef UCPO_REAL_DOUBLE

INLINE VEC VEC_FN(exp)(VEC x)
{
    for (int i = 0; i < VEC_LANES; i++) x[i] = x[i] >= REAL_EXP_LOW ? exp(x[i]) : 0;
    return x;
}

#else

/* exp by 2^k * e^r, |r| <= ln2 / 2, polynomial of degree 6; for x <= 88. Relative error below 2e-7 +
 * 3e-8 |x|: small where the result matters. 0 below REAL_EXP_LOW and where x is not a number. */
INLINE VEC VEC_FN(exp)(VEC x)
{
    typedef uint32_t bits_of __attribute__((vector_size(VEC_LANES * sizeof(uint32_t))));
    const bits_of is_seen = (bits_of)(x >= VEC_FN(all)(REAL_EXP_LOW));
    const VEC magic = VEC_FN(all)(12582912.0f); /* 1.5 * 2^23: adding it rounds to a whole number */
    VEC k = x * VEC_FN(all)(1.44269504088896341f) + magic;
    bits_of bits, result;
    memcpy(&bits, &k, sizeof bits); /* the whole number sits in the low bits */
    VEC r = x - (k - magic) * VEC_FN(all)(0.693147180559945309f);
    VEC p = VEC_FN(all)(1.3888889e-3f);
    p = p * r + VEC_FN(all)(8.3333333e-3f);
    p = p * r + VEC_FN(all)(4.16666667e-2f);
    p = p * r + VEC_FN(all)(1.66666667e-1f);
    p = p * r + VEC_FN(all)(0.5f);
    p = p * r + VEC_FN(all)(1.0f);
    p = p * r + VEC_FN(all)(1.0f);
    memcpy(&result, &p, sizeof result);
    result += bits << 23; /* times 2^k */
    result &= is_seen;
    memcpy(&p, &result, sizeof p);
    return p;
}

#endif

INLINE VEC VEC_FN(tanh)(VEC x)
{
    VEC e = VEC_FN(exp)(-VEC_FN(max)(-(x + x), VEC_FN(all)(-40))); /* 1 beyond 20 */
    return (e - VEC_FN(all)(1)) / (e + VEC_FN(all)(1));
}

INLINE VEC VEC_FN(relu)(VEC x)
{
    return VEC_FN(max)(x, VEC_FN(all)(0));
}

/* x where by is above 0, else 0 */
INLINE VEC VEC_FN(where_positive)(VEC x, VEC by)
{
    const VEC zero = VEC_FN(all)(0);
    return (VEC)((__typeof__(by > zero))x & (by > zero));
}

INLINE VEC VEC_FN(of_floats)(const float *p)
{
    VEC v;
#ifdef UCPO_REAL_DOUBLE
    for (int i = 0; i < VEC_LANES; i++) v[i] = (real)p[i];
#else
    memcpy(&v, p, sizeof v);
#endif
    return v;
}

#undef VEC
#undef VEC_FN
#undef VEC_LANES
