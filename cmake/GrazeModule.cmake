# A module is a folder of the engine, and a part is a sub-folder of a module. Each gets only the include paths that it may use, so
# that a wrong include does not compile.
#
#   graze_module(narrowphase USES base)
#   graze_part(exact SOURCES wide_int.c ...)
#   graze_part(triangle USES exact SOURCES tri_pair.c ... KERNELS tri_kernel.c ...)
#
# USES of a module names the modules whose headers it may include; the public headers are for all. USES of a part names parts of the same
# module that are declared above it, so that parts have an order; what those use may be included as well. Each file of KERNELS is
# compiled once per SIMD level of the processor family, with GRZ_KERNEL_LEVEL set (engine/base/simd/kernel.h).
#
# In release builds, files are compiled for what they do. SOURCES lead kernels or walk over records: -O2. HOT files compute with single
# numbers in inner loops, which -O3 unrolls. COLD files run when things are made, checked or written, never in a step or query: -Os.
#
# x86-64 always has SSE2. There the scalar level is what the tests compare the others with: it is built with the tests, linked into
# them and the programs, and left out of the library.

set(GRAZE_TEST_LEVELS)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
    set(GRAZE_SIMD_LEVELS sse2 avx2 avx512)
    if(GRAZE_FUZZ)
        set(GRAZE_SIMD_LEVELS sse2)
        add_compile_definitions(GRAZE_FIRST_LEVEL)
    elseif(GRAZE_TESTS)
        set(GRAZE_TEST_LEVELS scalar)
        add_compile_definitions(GRAZE_SCALAR_KERNELS)
    endif()
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64|ARM64")
    set(GRAZE_SIMD_LEVELS scalar neon)
else()
    set(GRAZE_SIMD_LEVELS scalar)
endif()
set(GRAZE_SIMD_FLAGS_avx2 -mavx2 -mbmi -mbmi2 -mlzcnt -mpopcnt)
set(GRAZE_SIMD_FLAGS_avx512 ${GRAZE_SIMD_FLAGS_avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vbmi2
    -mprefer-vector-width=512)

# Kernels are made of thousands of small inlined calls. gcc's AddressSanitizer, which watches the scope of each of their temporaries,
# takes minutes a file, and so does clang's, so that they watch all but scopes there.
set(GRAZE_KERNEL_FLAGS)
if(GRAZE_SANITIZE MATCHES "address")
    set(GRAZE_KERNEL_FLAGS -fno-sanitize-address-use-after-scope)
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
        list(APPEND GRAZE_KERNEL_FLAGS -fno-var-tracking)
    else()
        list(APPEND GRAZE_KERNEL_FLAGS -O1)
    endif()
endif()

# Compiles the files once per SIMD level, into object libraries <prefix>_<level> whose names go to `variable`.
function(graze_per_level prefix variable)
    set(targets)
    foreach(level ${GRAZE_SIMD_LEVELS} ${GRAZE_TEST_LEVELS})
        set(target ${prefix}_${level})
        add_library(${target} OBJECT ${ARGN})
        target_compile_options(${target} PRIVATE ${GRAZE_SIMD_FLAGS_${level}} ${GRAZE_KERNEL_FLAGS})
        target_compile_definitions(${target} PRIVATE GRZ_KERNEL_LEVEL=${level})
        list(APPEND targets ${target})
    endforeach()
    set(${variable} ${targets} PARENT_SCOPE)
endfunction()

# Begins a module: the parts that follow in the same file belong to it.
macro(graze_module name)
    cmake_parse_arguments(GRAZE_MODULE "" "" "USES" ${ARGN})
    set(GRAZE_MODULE ${name})
endmacro()

# The folders of all parts of the modules, which may include whatever stands in them.
function(graze_module_folders variable)
    set(folders)
    foreach(module ${ARGN})
        get_property(own GLOBAL PROPERTY GRAZE_FOLDERS_${module})
        list(APPEND folders ${own})
    endforeach()
    set(${variable} ${folders} PARENT_SCOPE)
endfunction()

function(graze_part_target target folders)
    graze_compile(${target})
    target_compile_definitions(${target} PRIVATE GRAZE_BUILDING)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/engine/include ${folders})
    if(GRAZE_OPENMP)
        target_compile_options(${target} PRIVATE ${OpenMP_C_FLAGS})
    endif()
endfunction()

# How release builds compile some files.
function(graze_optimise flag)
    if(ARGN AND CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
        set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:${flag}>")
    endif()
endfunction()

function(graze_part name)
    cmake_parse_arguments(PART "" "" "USES;SOURCES;HOT;COLD;KERNELS" ${ARGN})
    set(target graze_${GRAZE_MODULE}_${name})
    set(folder ${CMAKE_CURRENT_SOURCE_DIR}/${name})
    set(folders ${folder})
    foreach(used ${PART_USES})
        get_property(theirs GLOBAL PROPERTY GRAZE_FOLDERS_${GRAZE_MODULE}_${used})
        if(NOT theirs)
            message(FATAL_ERROR "${GRAZE_MODULE}: part ${name} uses ${used}, which is not declared above it")
        endif()
        list(APPEND folders ${theirs})
    endforeach()
    list(REMOVE_DUPLICATES folders)
    set_property(GLOBAL PROPERTY GRAZE_FOLDERS_${GRAZE_MODULE}_${name} ${folders})
    set_property(GLOBAL APPEND PROPERTY GRAZE_FOLDERS_${GRAZE_MODULE} ${folder})
    graze_module_folders(below ${GRAZE_MODULE_USES})
    list(APPEND folders ${below})

    list(TRANSFORM PART_SOURCES PREPEND ${name}/)
    list(TRANSFORM PART_HOT PREPEND ${name}/)
    list(TRANSFORM PART_COLD PREPEND ${name}/)
    list(TRANSFORM PART_KERNELS PREPEND ${name}/)
    graze_optimise(-O2 ${PART_SOURCES})
    graze_optimise(-O3 ${PART_HOT})
    graze_optimise(-Os ${PART_COLD})
    if(PART_SOURCES OR PART_HOT OR PART_COLD)
        add_library(${target} OBJECT ${PART_SOURCES} ${PART_HOT} ${PART_COLD})
        graze_part_target(${target} "${folders}")
        set_property(GLOBAL APPEND PROPERTY GRAZE_PART_TARGETS ${target})
    endif()
    if(PART_KERNELS)
        graze_per_level(${target} targets ${PART_KERNELS})
        foreach(kernel ${targets})
            graze_part_target(${kernel} "${folders}")
        endforeach()
        foreach(level ${GRAZE_SIMD_LEVELS})
            set_property(GLOBAL APPEND PROPERTY GRAZE_PART_TARGETS ${target}_${level})
        endforeach()
        foreach(level ${GRAZE_TEST_LEVELS})
            set_property(GLOBAL APPEND PROPERTY GRAZE_TEST_TARGETS ${target}_${level})
        endforeach()
    endif()
endfunction()

# The objects of all parts made so far, as generator expressions: of the library (PART), or of the levels for tests only (TEST).
function(graze_module_objects kind variable)
    get_property(targets GLOBAL PROPERTY GRAZE_${kind}_TARGETS)
    set(objects)
    foreach(target ${targets})
        list(APPEND objects $<TARGET_OBJECTS:${target}>)
    endforeach()
    set(${variable} ${objects} PARENT_SCOPE)
endfunction()
