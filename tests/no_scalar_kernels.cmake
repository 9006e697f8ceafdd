# Fails where the library defines a kernel of the scalar level, or none of SSE2 (then the names are not those that are looked for).
execute_process(COMMAND ${NM} --defined-only ${LIBRARY} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " [TtWw] grz[A-Za-z0-9_]+_scalar\n" scalar "${symbols}")
string(REGEX MATCHALL " [TtWw] grz[A-Za-z0-9_]+_sse2\n" sse2 "${symbols}")
if(scalar OR NOT sse2)
    message(FATAL_ERROR "the library has scalar kernels, or no others: ${scalar}")
endif()
