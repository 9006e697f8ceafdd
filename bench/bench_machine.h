// The machine a measurement ran on: its clock, its cores, and the lines that name it and the build.
#ifndef GRAZE_BENCH_MACHINE_H
#define GRAZE_BENCH_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// Nanoseconds since some fixed moment, never going back.
uint64_t benchNow(void);

// Nanoseconds of processor time that all threads of the program took. What else runs on the machine does not count,
// but a reading costs some 300 ns.
uint64_t benchProcessorTime(void);

// Lets at least that long pass, asleep.
void benchSleep(uint64_t nanoseconds);

// Keeps the calling thread on the core it runs on, until benchUnpin. Returns the core, or -1 where the system
// cannot or will not. Threads made while pinned inherit the core, so none may be made then.
int benchPin(void);
void benchUnpin(void);

// Memory that is given back stays with the program from now on, so that objects that are made again for each run find it
// touched. Does nothing where the C library has no such setting.
void benchKeepMemory(void);

// Prints processor, compiler and flags, SIMD level, OpenMP and commit, a line each.
void benchPrintMachine(FILE* out);

#endif
