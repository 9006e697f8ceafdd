// The bench's plots: where axes end and have marks, what is drawn, and that the file is sound XML.
#define _POSIX_C_SOURCE 200809L // open_memstream
#include "testing.h"

#include <math.h>

#include "svg_plot.h"

static char* g_text;
static size_t g_size;

static void write(const Plot* plot) {
    free(g_text);
    FILE* file = open_memstream(&g_text, &g_size);
    assert_non_null(file);
    assert_true(Plot_Write(plot, file));
    fclose(file);
}

static size_t countOf(const char* word) {
    size_t count = 0;
    for (const char* at = strstr(g_text, word); at != NULL; at = strstr(at + 1, word))
        count++;
    return count;
}

static void assertMarks(PlotAxis axis, const double* expected, size_t count) {
    double from = axis.least;
    for (size_t i = 0; i < count; ++i) {
        double mark = PlotAxis_MarkFrom(&axis, from);
        assert_true(fabs(mark - expected[i]) <= 1e-9 * fabs(expected[i]));
        from = axis.isLog ? mark * 1.001 : mark + axis.step / 1000;
    }
    assert_true(PlotAxis_MarkFrom(&axis, from) > axis.most);
}

static void axesHaveRoundMarks(void** state) {
    (void)state;
    const double powers[] = {1e3, 1e4, 1e5, 1e6}, near[] = {2, 5, 10, 20}, steps[] = {0, 2, 4, 6, 8, 10};
    const double small[] = {0.001, 0.01, 0.1}, fives[] = {-10, -5, 0, 5};
    assertMarks(Plot_Axis(1e3, 1e6, true), powers, 4);
    assertMarks(Plot_Axis(200, 3e6, true), powers, 4);
    assertMarks(Plot_Axis(2, 21, true), near, 4);
    assertMarks(Plot_Axis(0.0007, 0.5, true), small, 3);
    assertMarks(Plot_Axis(1, 9, false), steps, 6);
    assertMarks(Plot_Axis(-7, 4.9, false), (const double[]){-8, -6, -4, -2, 0, 2, 4, 6}, 8);
    assertMarks(Plot_Axis(-10, 5, false), fives, 4);
}

static void axesHoldTheirValues(void** state) {
    (void)state;
    for (double least = 1e-6; least < 1e6; least *= 3.7)
        for (double size = 1; size < 1e5; size *= 5.1) {
            PlotAxis linear = Plot_Axis(least, least * size, false), log = Plot_Axis(least, least * size, true);
            assert_true(linear.least <= least && linear.most >= least * size && linear.least < linear.most);
            assert_true(log.least <= least && log.most >= least * size && log.least < log.most);
        }
    PlotAxis one = Plot_Axis(0, 0, false);
    assert_true(one.least < 0 && one.most > 0);
}

static void everyPointHasItsMark(void** state) {
    (void)state;
    const double x[] = {1, 10, 100}, y[] = {5, 6, 7};
    const char* const names[] = {"a", "b"};
    const PlotLine lines[] = {{x, y, 3}, {x, y, 2}};
    const PlotPanel panels[] = {{"one", "n", "ms", true, false, lines}, {"two", "n", "ms", true, true, lines}};
    const Plot plot = {"both", names, 2, panels, 2};
    write(&plot);
    assert_int_equal(countOf("<circle"), 2 * 3 + 1);    // and the legend's
    assert_int_equal(countOf("h5.4v5.4"), 2 * 2 + 1);   // the second series' squares
    assert_int_equal(countOf("stroke=\"#0072B2\""), 3); // its line in two panels and the legend
    assert_int_equal(countOf(">both</text>"), 1);
    assert_int_equal(countOf(">b</text>"), 1);
    // The corners of the frame: 1 at the left edge, 100 at the right one.
    assert_int_equal(countOf("d=\"M62.0 "), 2);
    assert_int_equal(countOf("L386.0 "), 1);
}

static void whatCannotBeShownBreaksTheLine(void** state) {
    (void)state;
    const double x[] = {1, 2, 3, 4, 5, 6}, y[] = {1, 2, 0, 4, (double)NAN, 6};
    const char* const names[] = {"a"};
    const PlotLine line = {x, y, 6};
    const PlotPanel log = {"", "", "", false, true, &line}, linear = {"", "", "", false, false, &line};
    write(&(Plot){"", names, 1, &log, 1});
    assert_int_equal(countOf("<circle"), 4 + 1);
    assert_null(strstr(g_text, "nan"));
    assert_null(strstr(g_text, "inf"));
    const char* path = strstr(g_text, "stroke-width");
    size_t begun = 0;
    for (const char* at = path; *at != '>'; ++at)
        begun += *at == 'M';
    assert_int_equal(begun, 3); // 1-2, 4, 6
    write(&(Plot){"", names, 1, &linear, 1});
    assert_int_equal(countOf("<circle"), 5 + 1);
}

static void nothingToShowIsAnEmptyFrame(void** state) {
    (void)state;
    const char* const names[] = {"a"};
    const PlotLine line = {NULL, NULL, 0};
    const PlotPanel panel = {"", "", "", true, true, &line};
    write(&(Plot){"", names, 1, &panel, 1});
    assert_int_equal(countOf("<circle"), 1); // the legend's
    assert_null(strstr(g_text, "nan"));
    assert_null(strstr(g_text, "inf"));
}

static void textsAreEscaped(void** state) {
    (void)state;
    const char* const names[] = {"a<b & c>d\n"};
    const PlotLine line = {NULL, NULL, 0};
    const PlotPanel panel = {"", "", "", true, true, &line};
    write(&(Plot){"", names, 1, &panel, 1});
    assert_non_null(strstr(g_text, ">a&lt;b &amp; c&gt;d</text>"));
}

static void manySeriesStayApart(void** state) {
    (void)state;
    const char* names[16];
    PlotLine lines[16];
    const double x[] = {1}, y[] = {1};
    for (size_t i = 0; i < 16; ++i)
        names[i] = "s", lines[i] = (PlotLine){x, y, 1};
    const PlotPanel panel = {"", "", "", true, true, lines};
    write(&(Plot){"", names, 16, &panel, 1});
    assert_int_equal(countOf("stroke-dasharray"), 2 * 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axesHaveRoundMarks),          cmocka_unit_test(axesHoldTheirValues),
        cmocka_unit_test(everyPointHasItsMark),        cmocka_unit_test(whatCannotBeShownBreaksTheLine),
        cmocka_unit_test(nothingToShowIsAnEmptyFrame), cmocka_unit_test(textsAreEscaped),
        cmocka_unit_test(manySeriesStayApart),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(g_text);
    return failed;
}
