// options.h: what command lines are understood, what is refused, and with which sentence.
#include "testing.h"

#include "options.h"

typedef struct Values {
    bool flag;
    const char* text;
    uint64_t count;
    double real;
} Values;

// Parses the NULL-ended list into values; plain arguments go back through the same list.
static bool parse(const char** list, Values* values, OptionError* error) {
    const Option options[] = {
        {"--flag", option_flag, &values->flag, NULL, "a flag", 0, 0},
        {"--text", option_text, &values->text, "FILE", "a text", 0, 0},
        {"--count", option_count, &values->count, "N", "a count", 0, 0},
        {"--real", option_real, &values->real, "X", "a number", 0, 0},
    };
    // A program's arguments are not const, but nothing writes to them.
    char* own[16];
    Arguments arguments = {0, own};
    while (list[arguments.count] != NULL)
        ++arguments.count;
    memcpy(own, list, sizeof own[0] * (size_t)arguments.count);
    bool parsed = parseOptions(&arguments, options, 4, error);
    if (parsed) {
        memcpy(list, own, sizeof own[0] * (size_t)arguments.count);
        list[arguments.count] = NULL;
    }
    return parsed;
}

static void mixesOptionsAndPlainArguments(void** state) {
    (void)state;
    const char* list[] = {"one",    "--count", "12", "two", "--flag", "--text=a=b",
                          "--real", "-2.5",    "-",  "--",  "--flag", NULL};
    Values values = {0};
    OptionError error;
    assert_true(parse(list, &values, &error));
    assert_true(values.flag);
    assert_string_equal(values.text, "a=b");
    assert_int_equal(values.count, 12);
    assert_true(values.real == -2.5);
    assert_string_equal(list[0], "one");
    assert_string_equal(list[1], "two");
    assert_string_equal(list[2], "-");
    assert_string_equal(list[3], "--flag");
    assert_null(list[4]);
}

static void refusesWithOneSentence(void** state) {
    (void)state;
    static const struct {
        const char* arguments[3];
        const char* sentence;
    } cases[] = {
        {{"--nothing"}, "there is no option '--nothing'; --help lists them"},
        {{"-f"}, "there is no option '-f'; --help lists them"},
        {{"--fla"}, "there is no option '--fla'; --help lists them"},
        {{"--count"}, "--count needs a value (N)"},
        {{"--count", "-1"}, "--count takes a whole number below 2^64, not '-1'"},
        {{"--count", "12x"}, "--count takes a whole number below 2^64, not '12x'"},
        {{"--count", ""}, "--count takes a whole number below 2^64, not ''"},
        {{"--count", "99999999999999999999"},
         "--count takes a whole number below 2^64, not '99999999999999999999'"},
        {{"--real", "nan"}, "--real takes a number, not 'nan'"},
        {{"--real", "1e999"}, "--real takes a number, not '1e999'"},
        {{"--real="}, "--real takes a number, not ''"},
        {{"--flag=1"}, "--flag takes no value"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const char* list[4] = {cases[i].arguments[0], cases[i].arguments[1], cases[i].arguments[2], NULL};
        Values values = {0};
        OptionError error = {""};
        assert_false(parse(list, &values, &error));
        assert_string_equal(error.text, cases[i].sentence);
    }
}

static void longArgumentsAreCut(void** state) {
    (void)state;
    char longName[1000];
    memset(longName, '-', sizeof longName);
    longName[sizeof longName - 1] = 0;
    const char* list[] = {longName, NULL};
    Values values = {0};
    OptionError error;
    assert_false(parse(list, &values, &error));
    assert_true(strlen(error.text) < sizeof error.text);
}

static void helpIsAligned(void** state) {
    (void)state;
    const Option options[] = {
        {"--a", option_flag, NULL, NULL, "first", 0, 0},
        {"--long", option_text, NULL, "FILE", "second", 0, 0},
    };
    FILE* file = tmpfile();
    assert_non_null(file);
    printOptions(file, options, 2);
    rewind(file);
    char text[200];
    size_t size = fread(text, 1, sizeof text - 1, file);
    text[size] = 0;
    fclose(file);
    assert_string_equal(text, "  --a          first\n  --long FILE  second\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mixesOptionsAndPlainArguments),
        cmocka_unit_test(refusesWithOneSentence),
        cmocka_unit_test(longArgumentsAreCut),
        cmocka_unit_test(helpIsAligned),
    };
    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
