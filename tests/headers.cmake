# Every public header must compile alone, in C17 and in C++17, with all warnings: one source a header and language. That it
# builds is the test. (A header is included twice, which also shows its guard.)
include(CheckLanguage)
check_language(CXX)
if(NOT CMAKE_CXX_COMPILER)
    message(WARNING "No C++ compiler: the headers are not tested as C++")
else()
    enable_language(CXX)
endif()
file(GLOB public_headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/engine/include
    ${PROJECT_SOURCE_DIR}/engine/include/graze/*.h ${PROJECT_SOURCE_DIR}/engine/include/graze/stage/*.h)
foreach(header ${public_headers})
    get_filename_component(name ${header} NAME_WE)
    foreach(language c cpp)
        set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/${name}.${language})
        file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n#include \"${header}\"\n")
        list(APPEND header_sources_${language} ${source})
    endforeach()
    # graze.h includes all headers but itself and those of stages that are used alone.
    if(NOT name STREQUAL "graze" AND NOT header MATCHES "/stage/")
        file(STRINGS ${PROJECT_SOURCE_DIR}/engine/include/graze/graze.h included REGEX "#include \"${header}\"")
        if(NOT included)
            message(SEND_ERROR "graze/graze.h does not include ${header}")
        endif()
    endif()
endforeach()

add_library(test_headers_c OBJECT ${header_sources_c})
graze_compile(test_headers_c)
target_include_directories(test_headers_c PRIVATE ${PROJECT_SOURCE_DIR}/engine/include)
if(CMAKE_CXX_COMPILER)
    add_library(test_headers_cpp OBJECT ${header_sources_cpp})
    target_compile_features(test_headers_cpp PRIVATE cxx_std_17)
    set_target_properties(test_headers_cpp PROPERTIES CXX_EXTENSIONS OFF)
    target_compile_options(test_headers_cpp PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wdouble-promotion
        -Wold-style-cast -Werror)
    target_include_directories(test_headers_cpp PRIVATE ${PROJECT_SOURCE_DIR}/engine/include)
endif()

# Older C++ is told so, and not left with errors deep inside.
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    add_test(NAME headers_need_cpp17 COMMAND ${CMAKE_CXX_COMPILER} -std=c++14 -fsyntax-only
        -I${PROJECT_SOURCE_DIR}/engine/include ${CMAKE_CURRENT_BINARY_DIR}/headers/config.cpp)
    set_tests_properties(headers_need_cpp17 PROPERTIES PASS_REGULAR_EXPRESSION "need C\\+\\+17 or later")
endif()

# Fast math is refused, in both languages, and the refusal says why.
foreach(language c cpp)
    set(compiler ${CMAKE_C_COMPILER})
    set(standard c17)
    if(language STREQUAL "cpp")
        set(compiler ${CMAKE_CXX_COMPILER})
        set(standard c++17)
    endif()
    if(NOT compiler OR NOT CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
        continue()
    endif()
    add_test(NAME headers_refuse_fast_math_${language} COMMAND ${compiler} -std=${standard} -ffast-math -fsyntax-only
        -I${PROJECT_SOURCE_DIR}/engine/include ${CMAKE_CURRENT_BINARY_DIR}/headers/graze.${language})
    set_tests_properties(headers_refuse_fast_math_${language} PROPERTIES
        PASS_REGULAR_EXPRESSION "error: .*graze cannot be used with -ffast-math")
    # The same without it is well: the test above fails for the one reason.
    add_test(NAME headers_need_no_flags_${language} COMMAND ${compiler} -std=${standard} -fsyntax-only
        -I${PROJECT_SOURCE_DIR}/engine/include ${CMAKE_CURRENT_BINARY_DIR}/headers/graze.${language})
endforeach()
