// Line plots as SVG files, for figures of measurements: panels in a grid, axes linear or logarithmic, one legend
// for all. A file depends on nothing but its input, so that figures can be compared.
//
//   const char* names[] = {"K-D", "octree"};
//   PlotLine lines[] = {{x, kd, count}, {x, octree, count}};
//   PlotPanel panel = {"query", "objects", "us", true, true, lines};
//   Plot plot = {"uniform", names, 2, &panel, 1};
//   Plot_Write(&plot, file);
#ifndef GRAZE_BENCH_SVG_PLOT_H
#define GRAZE_BENCH_SVG_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// A polyline with a mark at each point. Points that are not finite, or not above zero on a logarithmic axis, are
// left out and break the line.
typedef struct PlotLine {
    const double* x;
    const double* y;
    size_t count;
} PlotLine;

typedef struct PlotPanel {
    const char* title;
    const char* xLabel;
    const char* yLabel;
    bool xIsLog, yIsLog;
    const PlotLine* lines; // one for each of the plot's series
} PlotPanel;

typedef struct Plot {
    const char* title;
    const char* const* names; // of the series, for the legend
    size_t seriesCount;
    const PlotPanel* panels; // row by row, two a row
    size_t panelCount;       // at least 1
} Plot;

// Texts are UTF-8 and may hold any characters. False where the file took not all of it.
bool Plot_Write(const Plot* plot, FILE* file);

// An axis. Marks are at multiples of step; on a logarithmic axis at powers of ten, or, where the ends are near each
// other (step 2), at 1, 2 and 5 times powers of ten.
typedef struct PlotAxis {
    bool isLog;
    double least, most; // its ends
    double step;
} PlotAxis;

// The axis that shows [least, most]; wider where they are equal, and out to the next marks where it is linear. The
// ends of a logarithmic axis are above zero.
PlotAxis Plot_Axis(double least, double most, bool isLog);

// The first mark that is not below a value; from a little above a mark, the next one.
double PlotAxis_MarkFrom(const PlotAxis* axis, double value);

#endif
