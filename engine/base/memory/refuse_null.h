// How public functions refuse NULL where their contract wants something (graze/result.h): their first statements.
#ifndef GRAZE_BASE_REFUSE_NULL_H
#define GRAZE_BASE_REFUSE_NULL_H

#include "result_make.h"

// In a function with a result. place: that of the argument in the call, from 1, as a literal.
#define GRZ_REFUSE_NULL(argument, place) GRZ_REFUSE_IF((argument) == NULL, place)

// For an array that may be NULL where it is empty.
#define GRZ_REFUSE_NULL_ARRAY(array, count, place) GRZ_REFUSE_IF((array) == NULL && (count) != 0, place)

#define GRZ_REFUSE_IF(isNull, place)                                                                               \
    do {                                                                                                           \
        if (isNull)                                                                                                \
            return grzBecause(grzFail(grz_badArgument, place), "argument " #place " is NULL");                     \
    } while (0)

// In a function without a result: it returns `answer`, which is zeros, false or nothing.
#define GRZ_RETURN_IF_NULL(argument, ...)                                                                          \
    do {                                                                                                           \
        if ((argument) == NULL)                                                                                    \
            return __VA_ARGS__;                                                                                    \
    } while (0)

#endif
