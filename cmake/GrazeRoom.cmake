# A room is a folder of the engine that gets only the include paths it may use, so that a wrong include does not compile.
#
#   graze_room(broadphase USES base SOURCES tree.c ... KERNELS tree_kernel.c ...)
#
# USES names the rooms whose headers it may include; the public headers are for all. Each file of KERNELS is compiled once per
# SIMD level that the processor family has, with GRZ_KERNEL_LEVEL set (engine/base/kernel.h).

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
    set(GRAZE_SIMD_LEVELS scalar sse2 avx2 avx512)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64|ARM64")
    set(GRAZE_SIMD_LEVELS scalar neon)
else()
    set(GRAZE_SIMD_LEVELS scalar)
endif()
set(GRAZE_SIMD_FLAGS_avx2 -mavx2 -mbmi -mbmi2 -mlzcnt -mpopcnt)
set(GRAZE_SIMD_FLAGS_avx512 ${GRAZE_SIMD_FLAGS_avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vbmi2
    -mprefer-vector-width=512)

# Kernels are made of thousands of small inlined calls. gcc's AddressSanitizer, which watches the scope of each of their temporaries,
# takes minutes a file, so that it watches all but scopes there; and there are only line numbers to debug by.
set(GRAZE_KERNEL_FLAGS)
if(GRAZE_SANITIZE MATCHES "address" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
    set(GRAZE_KERNEL_FLAGS -g1 -fno-var-tracking -fno-sanitize-address-use-after-scope)
endif()

# Compiles the files once per SIMD level, into object libraries <prefix>_<level> whose names go to `variable`.
function(graze_per_level prefix variable)
    set(targets)
    foreach(level ${GRAZE_SIMD_LEVELS})
        set(target ${prefix}_${level})
        add_library(${target} OBJECT ${ARGN})
        target_compile_options(${target} PRIVATE ${GRAZE_SIMD_FLAGS_${level}} ${GRAZE_KERNEL_FLAGS})
        target_compile_definitions(${target} PRIVATE GRZ_KERNEL_LEVEL=${level})
        list(APPEND targets ${target})
    endforeach()
    set(${variable} ${targets} PARENT_SCOPE)
endfunction()

function(graze_room_target target uses)
    graze_compile(${target})
    target_compile_definitions(${target} PRIVATE GRAZE_BUILDING)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/engine/include ${CMAKE_CURRENT_SOURCE_DIR})
    foreach(used ${uses})
        get_target_property(directory graze_${used} SOURCE_DIR)
        target_include_directories(${target} PRIVATE ${directory})
    endforeach()
    if(GRAZE_OPENMP)
        target_compile_options(${target} PRIVATE ${OpenMP_C_FLAGS})
    endif()
    set_property(GLOBAL APPEND PROPERTY GRAZE_ROOM_TARGETS ${target})
endfunction()

function(graze_room name)
    cmake_parse_arguments(ROOM "" "" "USES;SOURCES;KERNELS" ${ARGN})
    add_library(graze_${name} OBJECT ${ROOM_SOURCES})
    graze_room_target(graze_${name} "${ROOM_USES}")
    if(ROOM_KERNELS)
        graze_per_level(graze_${name} targets ${ROOM_KERNELS})
        foreach(target ${targets})
            graze_room_target(${target} "${ROOM_USES}")
        endforeach()
    endif()
endfunction()

# The objects of all rooms made so far, as generator expressions.
function(graze_room_objects variable)
    get_property(targets GLOBAL PROPERTY GRAZE_ROOM_TARGETS)
    set(objects)
    foreach(target ${targets})
        list(APPEND objects $<TARGET_OBJECTS:${target}>)
    endforeach()
    set(${variable} ${objects} PARENT_SCOPE)
endfunction()
