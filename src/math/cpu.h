/* Which instruction sets the processor has and the operating system lets a program use. */
#ifndef UCPO_MATH_CPU_H
#define UCPO_MATH_CPU_H

int cpu_has_avx2(void);   /* AVX2 and FMA */
int cpu_has_avx512(void); /* F, BW, DQ and VL */

/* Tiles with bf16 products, beside AVX-512. */
int cpu_has_amx(void);

/* The same, and asks Linux for the permission to use them, which the whole process then has; a refusal means
 * no. For who is about to use them. */
int cpu_takes_amx(void);

#endif
