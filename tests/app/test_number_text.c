// number_text.h: every decimal is rounded correctly, to double and to float, whatever the locale; numbers come back
// from their shortest text bit for bit.
#include "file_testing.h"

#include <locale.h>
#include <math.h>

#include "number_text.h"

static double doubleOf(const char* text) {
    double number = -7;
    assert_ptr_equal(parseDouble(text, text + strlen(text), &number), text + strlen(text));
    return number;
}

static float floatOf(const char* text) {
    float number = -7;
    assert_ptr_equal(parseFloat(text, text + strlen(text), &number), text + strlen(text));
    return number;
}

static void assertSameDouble(double a, double b, const char* text) {
    if (memcmp(&a, &b, sizeof a) != 0)
        fail_msg("'%s' gives %a in place of %a", text, a, b);
}

static void assertSameFloat(float a, float b, const char* text) {
    if (memcmp(&a, &b, sizeof a) != 0)
        fail_msg("'%s' gives %a in place of %a", text, (double)a, (double)b);
}

static void plainNumbersAreRead(void** state) {
    (void)state;
    assertSameDouble(doubleOf("0"), 0.0, "0");
    assertSameDouble(doubleOf("-0"), -0.0, "-0");
    assertSameDouble(doubleOf("+1.5"), 1.5, "+1.5");
    assertSameDouble(doubleOf(".5"), 0.5, ".5");
    assertSameDouble(doubleOf("5."), 5.0, "5.");
    assertSameDouble(doubleOf("1e3"), 1000.0, "1e3");
    assertSameDouble(doubleOf("1E-3"), 0.001, "1E-3");
    assertSameDouble(doubleOf("000123.4500e+01"), 1234.5, "000123.4500e+01");
    assertSameDouble(doubleOf("0e999999999999999999999"), 0.0, "0e999...");
}

static void halvesGoToEven(void** state) {
    (void)state;
    assertSameDouble(doubleOf("9007199254740993"), 9007199254740992.0, "2^53 + 1");
    assertSameDouble(doubleOf("9007199254740993.000000000000000000000000000000001"), 9007199254740994.0, "above");
    assertSameDouble(doubleOf("9007199254740995"), 9007199254740996.0, "2^53 + 3");
    assertSameFloat(floatOf("16777217"), 16777216.0F, "2^24 + 1");
    assertSameFloat(floatOf("16777219"), 16777220.0F, "2^24 + 3");
    // By way of double this would be the half, and then even.
    assertSameFloat(floatOf("16777217.0000000000001"), 16777218.0F, "above 2^24 + 1");
    assertSameFloat(floatOf("1.00000005960464477540"), 0x1.000002p0F, "above 1 + 2^-24");
    assertSameFloat(floatOf("1.00000005960464477539"), 1.0F, "below 1 + 2^-24");
}

static void endsOfTheRangeAreRead(void** state) {
    (void)state;
    assertSameDouble(doubleOf("5e-324"), 0x1p-1074, "least denormal");
    assertSameDouble(doubleOf("2.4703282292062327e-324"), 0.0, "below half of it");
    assertSameDouble(doubleOf("2.4703282292062328e-324"), 0x1p-1074, "above half of it");
    assertSameDouble(doubleOf("2.2250738585072011e-308"), 0x0.fffffffffffffp-1022, "greatest denormal");
    assertSameDouble(doubleOf("1.7976931348623157e308"), 0x1.fffffffffffffp1023, "greatest");
    assertSameDouble(doubleOf("1.7976931348623159e308"), (double)INFINITY, "beyond");
    assertSameDouble(doubleOf("-1e400"), -(double)INFINITY, "far beyond");
    assertSameDouble(doubleOf("1e-400"), 0.0, "far below");
    assertSameFloat(floatOf("3.4028235e38"), 0x1.fffffep127F, "greatest float");
    assertSameFloat(floatOf("3.4028236e38"), INFINITY, "beyond");
    assertSameFloat(floatOf("1e-45"), 0x1p-149F, "least float");
    assertSameFloat(floatOf("7e-46"), 0.0F, "below half of it");
    assertSameFloat(floatOf("7.1e-46"), 0x1p-149F, "above half of it");
}

// 1 + 2^-53 has 54 digits; a digit however far behind them decides.
static void anyDigitCanDecide(void** state) {
    (void)state;
    static const char half[] = "1.00000000000000011102230246251565404236316680908203125";
    for (size_t zeros = 0; zeros < 2000; zeros += 97) {
        char text[2100];
        memset(text, '0', sizeof text);
        memcpy(text, half, sizeof half - 1);
        size_t length = sizeof half - 1 + zeros;
        text[length] = 0;
        assertSameDouble(doubleOf(text), 1.0, text);
        strcpy(text + length, "1");
        assertSameDouble(doubleOf(text), 0x1.0000000000001p0, text);
        strcpy(text + length, "1e2");
        assertSameDouble(doubleOf(text), 100.00000000000001, text);
    }
    char tiny[1100] = "0.";
    memset(tiny + 2, '0', 1000);
    strcpy(tiny + 1002, "25e1001");
    assertSameDouble(doubleOf(tiny), 2.5, "0.000...25e1001");
    char huge[1100] = "25";
    memset(huge + 2, '0', 1000);
    strcpy(huge + 1002, "e-1000");
    assertSameDouble(doubleOf(huge), 25.0, "25000...e-1000");
}

static void wordsAreRead(void** state) {
    (void)state;
    assert_true(isnan(doubleOf("nan")) && isnan(doubleOf("-NaN")));
    assert_true(doubleOf("inf") > 1e308 && doubleOf("-Infinity") < -1e308);
    assert_true(isnan(floatOf("NAN")) && isinf(floatOf("INF")));
}

static void textsThatAreNoNumbersAreRefused(void** state) {
    (void)state;
    static const char* const texts[] = {"", "-", "+", ".", "e5", "-.e1", "x", "na", "in", " 1", "--1", ",5"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        double number;
        float rounded;
        assert_null(parseDouble(texts[i], texts[i] + strlen(texts[i]), &number));
        assert_null(parseFloat(texts[i], texts[i] + strlen(texts[i]), &rounded));
    }
}

static void readingStopsBehindTheNumber(void** state) {
    (void)state;
    static const struct {
        const char* text;
        size_t length;
    } cases[] = {{"1.5/2", 3}, {"1e", 1},  {"1e+", 1},   {"1.2.3", 3},
                 {"0x10", 1},  {"1,5", 1}, {"infin", 3}, {"7 8", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        double number;
        const char* end = cases[i].text + strlen(cases[i].text);
        assert_ptr_equal(parseDouble(cases[i].text, end, &number), cases[i].text + cases[i].length);
    }
    double number;
    static const char cut[3] = {'1', '2', '3'}; // no closing 0 may be needed
    assert_ptr_equal(parseDouble(cut, cut + 2, &number), cut + 2);
    assertSameDouble(number, 12.0, "12");
}

// The C library in the C locale is the slow, obvious reference.
static void randomDecimalsAgreeWithTheCLibrary(void** state) {
    (void)state;
    uint64_t random = testSeed(11);
    for (int i = 0; i < 100000; ++i) {
        char text[80];
        int digits = 1 + (int)(nextRandom(&random) % 22), point = (int)(nextRandom(&random) % 23);
        size_t used = 0;
        for (int d = 0; d < digits; ++d) {
            if (d == point)
                text[used++] = '.';
            text[used++] = (char)('0' + nextRandom(&random) % 10);
        }
        text[used] = 0;
        if (i % 2 != 0)
            snprintf(text + used, sizeof text - used, "e%d", (int)(nextRandom(&random) % 81) - 40);
        assertSameDouble(doubleOf(text), strtod(text, NULL), text);
        assertSameFloat(floatOf(text), strtof(text, NULL), text);
    }
}

// Texts at and next to the middle between two floats, where rounding twice goes wrong.
static void middlesOfFloatsAgreeWithTheCLibrary(void** state) {
    (void)state;
    uint64_t random = testSeed(12);
    for (int i = 0; i < 20000; ++i) {
        bool isShort = i % 2 == 0; // 16 digits at most and a small power: read without the C library's help
        float number = isShort ? ldexpf(1.0F + (float)(nextRandom(&random) % 0x800000) * 0x1p-23F, i % 16)
                               : fabsf(randomFloat(&random));
        double middle = ((double)number + (double)nextafterf(number, INFINITY)) / 2;
        if (!isfinite(middle))
            continue;
        char text[200];
        snprintf(text, sizeof text, "%.*e", isShort ? 15 : 16 + (int)(nextRandom(&random) % 100), middle);
        assertSameFloat(floatOf(text), strtof(text, NULL), text);
    }
}

static void numbersComeBackFromTheirText(void** state) {
    (void)state;
    uint64_t random = testSeed(13);
    char text[NUMBER_TEXT_CAPACITY];
    for (int i = 0; i < 50000; ++i) {
        double number = i % 2 == 0 ? randomDouble(&random) : ldexp((double)(int64_t)nextRandom(&random), -40);
        size_t length = formatDouble(number, text);
        assert_int_equal(length, strlen(text));
        assertSameDouble(doubleOf(text), number, text);
        float rounded = i % 2 == 0 ? randomFloat(&random) : (float)number;
        length = formatFloat(rounded, text);
        assert_int_equal(length, strlen(text));
        assertSameFloat(floatOf(text), rounded, text);
        assertSameFloat((float)doubleOf(text), rounded, text);
    }
}

static void textsAreShort(void** state) {
    (void)state;
    static const struct {
        double number;
        const char* text;
    } cases[] = {{0.1, "0.1"},
                 {-2.5, "-2.5"},
                 {100, "100"},
                 {1e22, "1e22"},
                 {0.0001, "0.0001"},
                 {0.00123, "0.00123"},
                 {0.0, "0"},
                 {-0.0, "-0"},
                 {5e-324, "5e-324"},
                 {123456, "123456"},
                 {1.0 / 3, "0.3333333333333333"},
                 {1e16, "10000000000000000"}};
    char text[NUMBER_TEXT_CAPACITY];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        formatDouble(cases[i].number, text);
        assert_string_equal(text, cases[i].text);
    }
    formatFloat(0.1F, text);
    assert_string_equal(text, "0.1");
    formatFloat(16777216.0F, text);
    assert_string_equal(text, "16777216");
    formatDouble(-0x1.fffffffffffffp1023, text);
    assert_string_equal(text, "-1.7976931348623157e308");
}

static void theLocaleDoesNotMatter(void** state) {
    (void)state;
    static const char* const names[] = {"de_DE.UTF-8", "de_DE.utf8",  "de_DE",
                                        "fr_FR.UTF-8", "nl_NL.UTF-8", "es_ES.UTF-8"};
    const char* found = NULL;
    for (size_t i = 0; found == NULL && i < sizeof names / sizeof names[0]; ++i)
        found = setlocale(LC_ALL, names[i]);
    if (found == NULL) {
        print_message("no locale with a decimal comma is installed\n");
        skip();
    }
    assert_string_equal(localeconv()->decimal_point, ",");
    char text[NUMBER_TEXT_CAPACITY];
    double slow = doubleOf("0.12345678901234567890123"), fast = doubleOf("2.5");
    formatDouble(1.0 / 3, text);
    setlocale(LC_ALL, "C");
    assertSameDouble(slow, 0.12345678901234567890123, "slow");
    assertSameDouble(fast, 2.5, "fast");
    assert_string_equal(text, "0.3333333333333333");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plainNumbersAreRead),
        cmocka_unit_test(halvesGoToEven),
        cmocka_unit_test(endsOfTheRangeAreRead),
        cmocka_unit_test(anyDigitCanDecide),
        cmocka_unit_test(wordsAreRead),
        cmocka_unit_test(textsThatAreNoNumbersAreRefused),
        cmocka_unit_test(readingStopsBehindTheNumber),
        cmocka_unit_test(randomDecimalsAgreeWithTheCLibrary),
        cmocka_unit_test(middlesOfFloatsAgreeWithTheCLibrary),
        cmocka_unit_test(numbersComeBackFromTheirText),
        cmocka_unit_test(textsAreShort),
        cmocka_unit_test(theLocaleDoesNotMatter),
    };
    return cmocka_run_group_tests_name("number_text", tests, NULL, NULL);
}
