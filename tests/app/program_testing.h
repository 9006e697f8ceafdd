// Runs a program of ours as a user would and keeps what it says. Include first: it asks for POSIX.
#ifndef GRAZE_TESTS_PROGRAM_TESTING_H
#define GRAZE_TESTS_PROGRAM_TESTING_H

#define _POSIX_C_SOURCE 200809L // popen, open_memstream, mkdtemp
#include "testing.h"

#include <sys/wait.h>
#include <unistd.h>

// All that a run said, on both streams; freed by the next run.
typedef struct ProgramRun {
    int exitCode;
    char* text;
} ProgramRun;

// Runs `program` with arguments as the shell reads them. Fails the test where it ends by a signal.
static inline int runProgram(ProgramRun* run, const char* program, const char* arguments) {
    char command[4096], chunk[512];
    size_t size = 0;
    free(run->text);
    run->text = NULL;
    FILE* text = open_memstream(&run->text, &size);
    assert_non_null(text);
    assert_true(snprintf(command, sizeof command, "\"%s\" %s 2>&1", program, arguments) < (int)sizeof command);
    FILE* pipe = popen(command, "r");
    assert_non_null(pipe);
    for (size_t got; (got = fread(chunk, 1, sizeof chunk, pipe)) != 0;)
        fwrite(chunk, 1, got, text);
    int status = pclose(pipe);
    fclose(text);
    assert_true(WIFEXITED(status));
    run->exitCode = WEXITSTATUS(status);
    return run->exitCode;
}

// One sentence: a line and its end.
static inline bool isOneLine(const char* text) {
    const char* end = strchr(text, '\n');
    return end != NULL && end[1] == 0 && end != text;
}

#endif
