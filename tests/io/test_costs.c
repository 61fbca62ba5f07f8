/* Reference costs: three formats, and pickles that ask for more than data. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"

static void assert_costs(const void *bytes, size_t size, const double *expected, size_t count)
{
    double *costs = NULL;
    size_t found = 0;
    ucpo_error err = {0};
    assert_ok(ucpo_costs_read_bytes(bytes, size, "costs", &costs, &found, &err), &err);
    assert_int_equal(found, count);
    for (size_t i = 0; i < count; i++) assert_close(costs[i], expected[i], 0, 0);
    ucpo_costs_free(costs);
}

static void assert_refused(const void *bytes, size_t size, ucpo_status code, const char *words)
{
    double *costs = NULL;
    size_t found = 77;
    ucpo_error err = {0};
    assert_int_equal(ucpo_costs_read_bytes(bytes, size, "costs", &costs, &found, &err), code);
    if (!strstr(err.text, words)) print_error("'%s' lacks '%s'\n", err.text, words);
    assert_non_null(strstr(err.text, words));
    assert_true(costs == NULL && found == 77);
}

#define TEXT(text) (text), sizeof(text) - 1

static void numbers_one_a_line(void **state)
{
    (void)state;
    const double expected[] = {1.5, 2, 300};
    assert_costs(TEXT("1.5\n\n2\r\n3e2\n"), expected, 3);
    assert_costs(TEXT("\xEF\xBB\xBF"
                      "1.5\n2\n300"),
                 expected, 3);
}

static void a_column_called_cost(void **state)
{
    (void)state;
    const double expected[] = {1.5, 2};
    assert_costs(TEXT("cost\n1.5\n2\n"), expected, 2);
    assert_costs(TEXT("name,\"cost\",time\n\"a, b\", 1.5 ,9\nc,2,9\n"), expected, 2);
}

static void text_that_is_no_list_of_costs(void **state)
{
    (void)state;
    assert_refused(TEXT(""), UCPO_E_FORMAT, "no cost");
    assert_refused(TEXT("cost\n"), UCPO_E_FORMAT, "no cost");
    assert_refused(TEXT("name,objective\na,1\n"), UCPO_E_FORMAT, "column cost");
    assert_refused(TEXT("1\n2,5\n"), UCPO_E_FORMAT, "one number a line"); /* decimal comma */
    assert_refused(TEXT("1\nx\n"), UCPO_E_FORMAT, "cost is 'x'");
    assert_refused(TEXT("a,cost\n1\n"), UCPO_E_FORMAT, "row ends before column cost");
    assert_refused(TEXT("1\n0\n"), UCPO_E_FORMAT, "cost 1 is 0, expected a positive number");
    assert_refused(TEXT("1\n-3\n"), UCPO_E_FORMAT, "cost 1 is -3");
}

static void a_vector_of_numpy(void **state)
{
    (void)state;
    static const char *const dict[] = {"{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}",
                                       "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1)}"};
    const double expected[] = {1.25, 8};
    for (int k = 0; k < 2; k++) {
        char file[128 + 16];
        memset(file, ' ', sizeof file);
        memcpy(file, "\x93NUMPY\x01\x00\x76\x00", 10);
        memcpy(file + 10, dict[k], strlen(dict[k]));
        file[127] = '\n';
        memcpy(file + 128, expected, sizeof expected);
        if (k == 0)
            assert_costs(file, sizeof file, expected, 2);
        else
            assert_refused(file, sizeof file, UCPO_E_FORMAT, "expected one: a cost per instance");
    }
}

/* ---- pickles ---- */

static size_t from_hex(const char *hex, unsigned char *out)
{
    size_t count = 0;
    for (; *hex; hex++) {
        if (*hex == ' ') continue;
        char pair[3] = {hex[0], hex[1], '\0'};
        out[count++] = (unsigned char)strtoul(pair, NULL, 16);
        hex++;
    }
    return count;
}

static void assert_pickle(const char *hex, const double *expected, size_t count)
{
    unsigned char bytes[1024];
    assert_costs(bytes, from_hex(hex, bytes), expected, count);
}

static void assert_bad_pickle(const char *hex, ucpo_status code, const char *words)
{
    unsigned char bytes[1024];
    assert_refused(bytes, from_hex(hex, bytes), code, words);
}

/* python3: pickle.dumps([(1.5, [2])], 2) and pickle.dumps([1.5, 3, 70000], 4). */
static void pickles_of_plain_python(void **state)
{
    (void)state;
    const double pair[] = {1.5}, list[] = {1.5, 3, 70000};
    assert_pickle("80025d473ff80000000000005d4b026186612e", pair, 1);
    assert_pickle("80049515000000000000005d9428473ff80000000000004b034a70110100652e", list, 3);
}

/* [(numpy.float64(1.5), [3, 1, 2]), [numpy.float32(2.5), numpy.array([1, 2, 3])]] by protocol 4 and
 * 5; the array is what scripts store when LKH found nothing. */
static void pickles_of_numpy_scalars(void **state)
{
    (void)state;
    const double expected[] = {1.5, 2.5};
    assert_pickle(
        "80049525010000000000005d94288c156e756d70792e636f72652e6d756c74696172726179948c067363616c61"
        "729493948c056e756d7079948c0564747970659493948c02663894898887945294284b038c013c944e4e4e4aff"
        "ffffff4affffffff4b007494624308000000000000f83f94869452945d94284b034b014b026586945d94286803"
        "68068c02663494898887945294284b03680a4e4e4e4affffffff4affffffff4b00749462430400002040948694"
        "529468018c0c5f7265636f6e73747275637494939468048c076e6461727261799493944b008594430162948794"
        "5294284b014b03859468068c02693894898887945294284b03680a4e4e4e4affffffff4affffffff4b00749462"
        "8943180100000000000000020000000000000003000000000000009474946265652e",
        expected, 2);
    assert_pickle(
        "80059526010000000000005d94288c156e756d70792e636f72652e6d756c74696172726179948c067363616c61"
        "729493948c056e756d7079948c0564747970659493948c02663894898887945294284b038c013c944e4e4e4aff"
        "ffffff4affffffff4b007494624308000000000000f83f94869452945d94284b034b014b026586945d94286803"
        "68068c02663494898887945294284b03680a4e4e4e4affffffff4affffffff4b00749462430400002040948694"
        "52948c126e756d70792e636f72652e6e756d65726963948c0b5f66726f6d627566666572949394289618000000"
        "000000000100000000000000020000000000000003000000000000009468068c02693894898887945294284b03"
        "680a4e4e4e4affffffff4affffffff4b007494624b0385948c0143947494529465652e",
        expected, 2);
}

/* NumPy 2 calls its module numpy._core. */
static void pickles_of_a_newer_numpy(void **state)
{
    (void)state;
    const double expected[] = {1.5};
    assert_pickle(
        "80049573000000000000005d948c166e756d70792e5f636f72652e6d756c74696172726179948c067363616c61"
        "729493948c056e756d7079948c0564747970659493948c02663894898887945294284b038c013c944e4e4e4aff"
        "ffffff4affffffff4b007494624308000000000000f83f94869452945d944b02618694612e",
        expected, 1);
}

static void what_is_not_data_is_refused_and_never_run(void **state)
{
    (void)state;
    /* os.system('x'), the classic */
    assert_bad_pickle("80028c026f738c0673797374656d938c01788552 2e", UCPO_E_UNSUPPORTED,
                      "pickle names os.system");
    assert_bad_pickle("800263706f7369780a73797374656d0a2e", UCPO_E_UNSUPPORTED,
                      "pickle names posix.system");
    assert_bad_pickle("80027d2e", UCPO_E_UNSUPPORTED, "opcode 0x7d"); /* a dict */
    assert_bad_pickle("80024b012e", UCPO_E_FORMAT, "a single value");
    assert_bad_pickle("80025d2e", UCPO_E_FORMAT, "no cost");
    assert_bad_pickle("80025d4e612e", UCPO_E_FORMAT, "entry 0 is neither");
    assert_bad_pickle("80025d", UCPO_E_FORMAT, "cut short");
    assert_bad_pickle("80025d2e00", UCPO_E_FORMAT, "bytes after the end");
    assert_bad_pickle("8002612e", UCPO_E_FORMAT, "a list is missing");
    assert_bad_pickle("8002652e", UCPO_E_FORMAT, "a mark is missing");
    assert_bad_pickle("800268072e", UCPO_E_FORMAT, "memo entry is missing");
    assert_bad_pickle("80025d72ffffffff2e", UCPO_E_FORMAT, "memo number is too large");
    assert_bad_pickle("800258ffffffff2e", UCPO_E_FORMAT, "cut short");
    assert_bad_pickle("80022e", UCPO_E_FORMAT, "one value");
}

static void a_list_that_contains_itself_is_read(void **state)
{
    (void)state;
    /* l = [2]; l.append(l): the entry that is l counts by its first entry */
    const double expected[] = {2, 2};
    assert_pickle("80025d71004b02616800612e", expected, 2);
}

static void costs_of_the_shared_sets(void **state)
{
    (void)state;
    test_need_shared();
    char path[512];
    double *costs = NULL;
    size_t count = 0;
    ucpo_error err = {0};
    test_shared_path(path, sizeof path, "data/validation/tsptw50_hard_lkh_cost10000.npy");
    assert_ok(ucpo_costs_read(path, &costs, &count, &err), &err);
    assert_int_equal(count, 10000);
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += costs[i];
    assert_close(sum / 10000, 25.6107, 0, 1e-4);
    ucpo_costs_free(costs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_one_a_line),
        cmocka_unit_test(a_column_called_cost),
        cmocka_unit_test(text_that_is_no_list_of_costs),
        cmocka_unit_test(a_vector_of_numpy),
        cmocka_unit_test(pickles_of_plain_python),
        cmocka_unit_test(pickles_of_numpy_scalars),
        cmocka_unit_test(pickles_of_a_newer_numpy),
        cmocka_unit_test(what_is_not_data_is_refused_and_never_run),
        cmocka_unit_test(a_list_that_contains_itself_is_read),
        cmocka_unit_test(costs_of_the_shared_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
