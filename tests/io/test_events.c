/* TensorBoard event records, byte for byte. */
#include "io/events.h"

#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void assert_hex(const struct io_buffer *buf, const char *expected)
{
    char text[1024] = "";
    assert_false(buf->failed);
    assert_true(2 * buf->size < sizeof text);
    for (size_t i = 0; i < buf->size; i++)
        snprintf(text + 2 * i, 3, "%02x", (unsigned char)buf->bytes[i]);
    assert_string_equal(text, expected);
}

static void checksum_has_its_check_value(void **state)
{
    (void)state;
    assert_int_equal(io_crc32c("123456789", 9), 0xE3069283u);
    assert_int_equal(io_crc32c("", 0), 0);
    static const unsigned char zeros[32]; /* RFC 3720, B.4 */
    assert_int_equal(io_crc32c(zeros, 32), 0x8A9136AAu);
    static unsigned char many[20003]; /* enough to be taken eight at a time */
    uint32_t one_by_one = 0;
    for (size_t i = 0; i < sizeof many; i++) {
        many[i] = (unsigned char)(i * i * 2654435761u >> 13);
        one_by_one = io_crc32c_add(one_by_one, many + i, 1);
    }
    assert_int_equal(io_crc32c(many, sizeof many), one_by_one);
    assert_int_equal(io_crc32c_add(io_crc32c(many, 1001), many + 1001, sizeof many - 1001),
                     one_by_one);
}

/* The bytes are those of tensorboard 2.21's own RecordWriter and protocol buffers for these two
 * events; its EventAccumulator reads what these functions write. */
static void records_are_those_of_tensorboard(void **state)
{
    static const struct io_scalar scalars[] = {{"train/loss", 0.25}, {"val/infeasible", -1.5}};
    (void)state;
    struct io_buffer buf = {0};
    io_events_put_header(&buf, 1.7e9);
    io_events_put_scalars(&buf, 1.7e9 + 1.5, 300, scalars, 2);
    assert_hex(&buf, "1800000000000000a37f4b220900000040fc54d9411a0d627261696e2e457665"
                     "6e743a32eced8f9d3800000000000000a3797d570900006040fc54d94110ac02"
                     "2a2a0a110a0a747261696e2f6c6f7373150000803e0a150a0e76616c2f696e66"
                     "65617369626c65150000c0bfd1c1dbe9");
    io_buffer_free(&buf);
}

static uint64_t little(const char *at, int bytes)
{
    uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; i--) value = value << 8 | (unsigned char)at[i];
    return value;
}

/* A tag of 200 bytes and a step beyond 32 bits: every length needs more than one byte. */
static void long_lengths_and_steps_are_varints(void **state)
{
    char tag[201];
    (void)state;
    memset(tag, 't', 200);
    tag[200] = '\0';
    struct io_scalar scalar = {tag, NAN};
    struct io_buffer buf = {0};
    io_events_put_scalars(&buf, 0.0, INT64_C(1) << 40, &scalar, 1);
    assert_false(buf.failed);
    /* wall time 9, step 1 + 6, summary 1 + 2, value 1 + 2, tag 1 + 2 + 200, number 5 */
    assert_int_equal(little(buf.bytes, 8), 9 + 7 + 3 + 3 + 203 + 5);
    assert_int_equal(buf.size, 12 + 230 + 4);
    const char *payload = buf.bytes + 12;
    assert_memory_equal(payload + 9,
                        "\x10\x80\x80\x80\x80\x80\x20\x2a\xd3\x01\x0a\xd0\x01\x0a\xc8\x01", 16);
    io_buffer_free(&buf);
}

static void a_buffer_without_memory_stays_failed(void **state)
{
    (void)state;
    struct io_buffer buf = {.failed = 1};
    io_events_put_header(&buf, 1.0);
    io_events_put_scalars(&buf, 1.0, 1, NULL, 0);
    assert_int_equal(buf.size, 0);
    assert_true(buf.failed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checksum_has_its_check_value),
        cmocka_unit_test(records_are_those_of_tensorboard),
        cmocka_unit_test(long_lengths_and_steps_are_varints),
        cmocka_unit_test(a_buffer_without_memory_stays_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
