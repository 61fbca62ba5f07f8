/* Decimal numbers in text, the same under every locale. */
#ifndef UCPO_CORE_NUMBER_H
#define UCPO_CORE_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/* Room for any number that number_write produces. */
#define NUMBER_SIZE 32

/* Reads all `length` characters as one number: digits, sign, point, exponent, or "inf" with an
 * optional sign. Returns 0 if they are anything else, or a number that does not fit a double. */
int number_read(const char *text, size_t length, double *out);

/* Reads a time in seconds: a number >= 0, alone or with ms, s, m or h. */
int number_read_time(const char *text, double *seconds);

/* Reads a whole number of 64 bits without a sign. */
int number_read_seed(const char *text, uint64_t *out);

/* Writes the shortest decimal form that reads back to the same double; returns buf. */
const char *number_write(char buf[NUMBER_SIZE], double value);

#endif
