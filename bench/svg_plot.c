// What: line plots as SVG.
//
// Layout: the title; panels of one size, two a row; the legend below. Lengths are in the SVG's user units. Colours
// and marks both tell series apart; the colours are Okabe and Ito's, which the colour-blind can tell apart too.
#include "svg_plot.h"

#include <math.h>

enum {
    panelWidth = 400,
    panelHeight = 290,
    panelColumns = 2,
    leftRoom = 62, // between a panel's edge and its frame
    rightRoom = 14,
    topRoom = 26,
    bottomRoom = 46,
    titleHeight = 34,
    legendHeight = 20, // an entry
    legendWidth = 190,
    legendColumns = panelColumns * panelWidth / legendWidth,
};

// A panel's frame on the page, and what it shows.
typedef struct Frame {
    double x, y, width, height;
    PlotAxis xAxis, yAxis;
} Frame;

// -------------------------------------------------------------------------------------------------------- axes

static double powerBelow(double value) {
    double power = pow(10, floor(log10(value)));
    return power * 10 <= value ? power * 10 : power; // log10 may round down
}

// 1, 2 or 5 times a power of ten, not below the value.
static double roundUp(double value) {
    double power = powerBelow(value);
    return value <= power ? power : value <= 2 * power ? 2 * power : value <= 5 * power ? 5 * power : 10 * power;
}

PlotAxis Plot_Axis(double least, double most, bool isLog) {
    PlotAxis axis = {isLog, least, most, 10};
    if (isLog) {
        if (least == most)
            axis.least = least / 2, axis.most = most * 2;
        axis.step = axis.most / axis.least < 300 ? 2 : 10;
        return axis;
    }
    if (least == most)
        axis.least = least - 0.5, axis.most = most + 0.5;
    axis.step = roundUp((axis.most - axis.least) / 6);
    axis.least = axis.step * floor(axis.least / axis.step);
    axis.most = axis.step * ceil(axis.most / axis.step);
    return axis;
}

double PlotAxis_MarkFrom(const PlotAxis* axis, double value) {
    if (!axis->isLog)
        return axis->step * ceil(value / axis->step);
    if (axis->step == 2)
        return roundUp(value);
    double power = powerBelow(value);
    return value <= power ? power : 10 * power;
}

// A little above a value, so that the next mark is found from there.
static double beyond(const PlotAxis* axis, double value) {
    return axis->isLog ? value * 1.001 : value + axis->step / 1000;
}

static bool isShown(const PlotPanel* panel, double x, double y) {
    return isfinite(x) && isfinite(y) && (!panel->xIsLog || x > 0) && (!panel->yIsLog || y > 0);
}

static void findAxes(const PlotPanel* panel, size_t seriesCount, Frame* frame) {
    double left = (double)INFINITY, right = -left, low = left, high = -left;
    for (size_t s = 0; s < seriesCount; ++s) {
        const PlotLine* line = &panel->lines[s];
        for (size_t i = 0; i < line->count; ++i)
            if (isShown(panel, line->x[i], line->y[i])) {
                left = fmin(left, line->x[i]), right = fmax(right, line->x[i]);
                low = fmin(low, line->y[i]), high = fmax(high, line->y[i]);
            }
    }
    if (left > right) // nothing to show
        left = low = 1, right = high = 10;
    frame->xAxis = Plot_Axis(left, right, panel->xIsLog);
    frame->yAxis = Plot_Axis(low, high, panel->yIsLog);
}

// 0 at the least end of the axis, 1 at the other.
static double along(const PlotAxis* axis, double value) {
    if (axis->isLog)
        return log(value / axis->least) / log(axis->most / axis->least);
    return (value - axis->least) / (axis->most - axis->least);
}

static double pageX(const Frame* frame, double x) {
    return frame->x + frame->width * along(&frame->xAxis, x);
}

static double pageY(const Frame* frame, double y) {
    return frame->y + frame->height * (1 - along(&frame->yAxis, y));
}

// -------------------------------------------------------------------------------------------------------- text

static void putText(FILE* file, double x, double y, const char* attributes, const char* text) {
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    for (; *text != 0; ++text) {
        if (*text == '<')
            fputs("&lt;", file);
        else if (*text == '>')
            fputs("&gt;", file);
        else if (*text == '&')
            fputs("&amp;", file);
        else if ((unsigned char)*text >= 0x20) // XML has no way to say the others
            fputc(*text, file);
    }
    fputs("</text>\n", file);
}

static void numberText(double value, char* text, size_t capacity) {
    double size = fabs(value);
    const char* suffix = size >= 1e6 ? "M" : size >= 1e3 ? "k" : "";
    snprintf(text, capacity, "%g%s", size >= 1e6 ? value / 1e6 : size >= 1e3 ? value / 1e3 : value, suffix);
}

// ------------------------------------------------------------------------------------------------------ panels

static void putGridLine(FILE* file, double x0, double y0, double x1, double y1) {
    fprintf(file, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n", x0, y0, x1, y1);
}

static void putGrid(FILE* file, const Frame* frame) {
    char text[32];
    double right = frame->x + frame->width, bottom = frame->y + frame->height;
    const PlotAxis *x = &frame->xAxis, *y = &frame->yAxis;
    for (double mark = PlotAxis_MarkFrom(x, x->least); mark <= beyond(x, x->most);
         mark = PlotAxis_MarkFrom(x, beyond(x, mark))) {
        double at = pageX(frame, mark);
        putGridLine(file, at, frame->y, at, bottom);
        numberText(mark, text, sizeof text);
        putText(file, at, bottom + 14, "text-anchor=\"middle\"", text);
    }
    for (double mark = PlotAxis_MarkFrom(y, y->least); mark <= beyond(y, y->most);
         mark = PlotAxis_MarkFrom(y, beyond(y, mark))) {
        double at = pageY(frame, mark);
        putGridLine(file, frame->x, at, right, at);
        numberText(mark, text, sizeof text);
        putText(file, frame->x - 5, at + 4, "text-anchor=\"end\"", text);
    }
    fprintf(file, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" stroke=\"#666\"/>\n",
            frame->x, frame->y, frame->width, frame->height);
}

static const char* colorOf(size_t series) {
    static const char* const colors[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                         "#000000", "#E69F00", "#56B4E9", "#888888"};
    return colors[series % (sizeof colors / sizeof colors[0])];
}

// A circle, a square, a triangle or a diamond.
static void putMark(FILE* file, double x, double y, size_t series) {
    const char* color = colorOf(series);
    if (series % 4 == 0)
        fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", x, y, color);
    else if (series % 4 == 1)
        fprintf(file, "<path d=\"M%.1f %.1fh5.4v5.4h-5.4z\" fill=\"%s\"/>\n", x - 2.7, y - 2.7, color);
    else if (series % 4 == 2)
        fprintf(file, "<path d=\"M%.1f %.1fl3.5 6.2h-7z\" fill=\"%s\"/>\n", x, y - 4, color);
    else
        fprintf(file, "<path d=\"M%.1f %.1fl3.7 3.7l-3.7 3.7l-3.7 -3.7z\" fill=\"%s\"/>\n", x, y - 3.7, color);
}

// From the ninth series on they are dashed.
static void beginLine(FILE* file, size_t series) {
    fprintf(file, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\"%s d=\"", colorOf(series),
            series / 8 % 2 == 1 ? " stroke-dasharray=\"5 3\"" : "");
}

static void putLine(FILE* file, const PlotPanel* panel, const Frame* frame, size_t series) {
    const PlotLine* line = &panel->lines[series];
    bool isBroken = true, isEmpty = true;
    for (size_t i = 0; i < line->count; ++i) {
        bool shown = isShown(panel, line->x[i], line->y[i]);
        if (shown) {
            if (isEmpty)
                beginLine(file, series);
            fprintf(file, "%c%.1f %.1f", isBroken ? 'M' : 'L', pageX(frame, line->x[i]), pageY(frame, line->y[i]));
            isEmpty = false;
        }
        isBroken = !shown;
    }
    if (isEmpty)
        return;
    fputs("\"/>\n", file);
    for (size_t i = 0; i < line->count; ++i)
        if (isShown(panel, line->x[i], line->y[i]))
            putMark(file, pageX(frame, line->x[i]), pageY(frame, line->y[i]), series);
}

static void putPanel(FILE* file, const Plot* plot, size_t which) {
    const PlotPanel* panel = &plot->panels[which];
    double left = (double)(which % panelColumns * panelWidth);
    double top = titleHeight + (double)(which / panelColumns * panelHeight);
    Frame frame = {.x = left + leftRoom,
                   .y = top + topRoom,
                   .width = panelWidth - leftRoom - rightRoom,
                   .height = panelHeight - topRoom - bottomRoom};
    char turned[96];
    findAxes(panel, plot->seriesCount, &frame);
    putGrid(file, &frame);
    for (size_t s = 0; s < plot->seriesCount; ++s)
        putLine(file, panel, &frame, s);
    double middle = frame.x + frame.width / 2, height = frame.y + frame.height / 2;
    putText(file, middle, frame.y - 8, "text-anchor=\"middle\" font-weight=\"bold\"", panel->title);
    putText(file, middle, frame.y + frame.height + 32, "text-anchor=\"middle\"", panel->xLabel);
    snprintf(turned, sizeof turned, "text-anchor=\"middle\" transform=\"rotate(-90 %.1f %.1f)\"", left + 14,
             height);
    putText(file, left + 14, height, turned, panel->yLabel);
}

// ------------------------------------------------------------------------------------------------------ legend

static void putLegend(FILE* file, const Plot* plot, double top) {
    for (size_t s = 0; s < plot->seriesCount; ++s) {
        double x = 20 + (double)(s % legendColumns * legendWidth);
        double y = top + (double)(s / legendColumns * legendHeight);
        beginLine(file, s);
        fprintf(file, "M%.1f %.1fh28\"/>\n", x, y);
        putMark(file, x + 14, y, s);
        putText(file, x + 34, y + 4, "", plot->names[s]);
    }
}

bool Plot_Write(const Plot* plot, FILE* file) {
    size_t rows = (plot->panelCount + panelColumns - 1) / panelColumns;
    size_t legendRows = (plot->seriesCount + legendColumns - 1) / legendColumns;
    size_t width = panelColumns * panelWidth;
    size_t top = titleHeight + rows * panelHeight; // of the legend
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %zu %zu\" font-family=\"sans-serif\" "
            "font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            width, top + (legendRows + 1) * legendHeight);
    putText(file, (double)width / 2, 22, "text-anchor=\"middle\" font-size=\"15\" font-weight=\"bold\"",
            plot->title);
    for (size_t p = 0; p < plot->panelCount; ++p)
        putPanel(file, plot, p);
    putLegend(file, plot, (double)top + legendHeight / 2.0);
    fputs("</svg>\n", file);
    return fflush(file) == 0 && ferror(file) == 0;
}
