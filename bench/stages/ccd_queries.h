// What: queries of continuous collision with their true answers, from files of eight lines a query:
//
//   xn,xd,yn,yd,zn,zd,truth      a coordinate is n / d, both of any length; truth is 0 or 1, the same on all eight
//
//   four points at t = 0, then the same at t = 1: a vertex and a triangle's corners, or the ends of two edges.
#ifndef GRAZE_BENCH_CCD_QUERIES_H
#define GRAZE_BENCH_CCD_QUERIES_H

#include "array.h"
#include "graze/ccd.h"
#include "mesh_data.h"

typedef struct CcdCase {
    grzCcdQuery query;
    bool touches; // truly
} CcdCase;

typedef struct CcdCases {
    GRZ_ARRAY(CcdCase);
} CcdCases;

// Appends all queries of a file. False after failAt...; what was appended stays.
bool CcdCases_Read(CcdCases* cases, const char* path, grzCcdKind kind, const grzAllocator* allocator,
                   FileError* error);
void CcdCases_Release(CcdCases* cases, const grzAllocator* allocator);

#endif
