// The program `graze`: finds the command and hands it the rest of the line.
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "graze/graze.h"
#include "plain_text.h"

typedef struct Command {
    const char* name;
    const char *use, *about;
    int (*run)(Arguments arguments);
} Command;

static const Command commands[] = {
    {"inspect", "MESH...", "what a mesh holds: counts, bounds, flaws", runInspect},
    {"make", "SHAPE FILE", "writes a generated mesh", runMake},
    {"run", "SCENE", "steps a scene and tells what each stage cost", runRun},
};

enum { commandCount = sizeof commands / sizeof commands[0] };

int refuse(const char* command, const char* sentence) {
    fprintf(stderr, "graze %s: ", command);
    printPlain(stderr, sentence);
    fputc('\n', stderr);
    return exit_bad;
}

static int help(void) {
    printf("usage: graze COMMAND [OPTIONS]\n\n");
    for (size_t i = 0; i < commandCount; ++i)
        printf("  %-8s %-12s %s\n", commands[i].name, commands[i].use, commands[i].about);
    printf("\ngraze COMMAND --help tells more. graze --version prints the version.\n"
           "Exit codes: 0 done, 1 the answer is no, 2 bad use or bad input.\n");
    return exit_done;
}

static int runCommand(int count, char** values) {
    if (count < 2) {
        fprintf(stderr, "graze: no command given; see graze --help\n");
        return exit_bad;
    }
    if (strcmp(values[1], "--help") == 0 || strcmp(values[1], "-h") == 0 || strcmp(values[1], "help") == 0)
        return help();
    if (strcmp(values[1], "--version") == 0) {
        grzVersion version = grzGetVersion();
        printf("graze %d.%d.%d\n", version.major, version.minor, version.patch);
        return exit_done;
    }
    for (size_t i = 0; i < commandCount; ++i)
        if (strcmp(values[1], commands[i].name) == 0)
            return commands[i].run((Arguments){count - 2, values + 2});
    fprintf(stderr, "graze: there is no command '");
    printPlain(stderr, values[1]);
    fprintf(stderr, "'; see graze --help\n");
    return exit_bad;
}

int main(int count, char** values) {
    return finishOutput("graze", acceptEnvironment("graze") ? runCommand(count, values) : exit_bad);
}
