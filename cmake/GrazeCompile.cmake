# How every target of the project is compiled: graze_compile(target).
# Answers rest on IEEE arithmetic as written, so contraction is off and fast-math refused (graze/config.h).

set(GRAZE_WARNINGS -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wdouble-promotion -Wstrict-prototypes
    -Wmissing-prototypes -Wold-style-definition -Wundef -Wcast-qual -Wpointer-arith -Wwrite-strings -Wvla -Wformat=2
    -Wswitch-enum -Wimplicit-fallthrough)
option(GRAZE_WERROR "Treat warnings as errors" OFF)

# What the core stands on besides libc.
find_package(Threads REQUIRED)
set(GRAZE_SYSTEM_LIBRARIES Threads::Threads m)
if(GRAZE_OPENMP)
    find_package(OpenMP REQUIRED COMPONENTS C)
    list(APPEND GRAZE_SYSTEM_LIBRARIES OpenMP::OpenMP_C)
endif()

# Fuzzing needs coverage of all the code, and sanitizers to see what goes wrong.
if(GRAZE_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "GRAZE_FUZZ needs clang, for libFuzzer")
    endif()
    if(NOT GRAZE_SANITIZE)
        set(GRAZE_SANITIZE address,undefined)
    endif()
    # Compares of numbers would take most of the time to trace, and tell nothing of geometry.
    set(GRAZE_COVERAGE -fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp)
endif()

function(graze_compile target)
    target_compile_options(${target} PRIVATE
        $<$<COMPILE_LANGUAGE:C>:${GRAZE_WARNINGS}> -ffp-contract=off -fno-math-errno ${GRAZE_COVERAGE}
        $<$<BOOL:${GRAZE_WERROR}>:-Werror>)
    target_compile_definitions(${target} PRIVATE
        $<$<BOOL:${GRAZE_ASSERTS}>:GRAZE_ASSERTS> $<$<BOOL:${GRAZE_VALIDATION}>:GRAZE_VALIDATION>
        $<$<BOOL:${GRAZE_PROFILE}>:GRAZE_PROFILE> $<$<BOOL:${GRAZE_OPENMP}>:GRAZE_OPENMP>)
    if(GRAZE_SANITIZE)
        # Stacks need lines alone (-g1); what debuggers need more takes as long as all else that the compiler does.
        target_compile_options(${target} PRIVATE -fsanitize=${GRAZE_SANITIZE} -fno-omit-frame-pointer
            -fno-sanitize-recover=all -g1)
        target_link_options(${target} PUBLIC -fsanitize=${GRAZE_SANITIZE})
    endif()
endfunction()
