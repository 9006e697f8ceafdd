# What `cmake --install` lays down: the library, its headers, the program, and the two ways in which others find them.
include(CMakePackageConfigHelpers)

install(TARGETS graze EXPORT grazeTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY engine/include/graze DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
if(GRAZE_APP)
    install(TARGETS graze-program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

set(config_directory ${CMAKE_INSTALL_LIBDIR}/cmake/graze)
install(EXPORT grazeTargets NAMESPACE graze:: DESTINATION ${config_directory})
configure_package_config_file(cmake/grazeConfig.cmake.in grazeConfig.cmake INSTALL_DESTINATION ${config_directory})
# Before 1.0 a new minor version may break callers.
write_basic_package_version_file(grazeConfigVersion.cmake VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/grazeConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/grazeConfigVersion.cmake
    DESTINATION ${config_directory})

set(GRAZE_PC_CFLAGS "")
if(BUILD_SHARED_LIBS)
    set(GRAZE_PC_CFLAGS "-DGRAZE_SHARED")
endif()
set(GRAZE_PC_LIBS "-pthread -lm")
if(GRAZE_OPENMP)
    string(APPEND GRAZE_PC_LIBS " ${OpenMP_C_FLAGS}")
endif()
# The .pc file finds the prefix from its own place, so that an installed tree may be moved; unless directories were given whole.
set(GRAZE_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
    file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
    set(GRAZE_PC_PREFIX "\${pcfiledir}/${up}")
endif()
foreach(kind LIBDIR INCLUDEDIR)
    set(GRAZE_PC_${kind} ${CMAKE_INSTALL_${kind}})
    if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_${kind}})
        set(GRAZE_PC_${kind} "\${prefix}/${CMAKE_INSTALL_${kind}}")
    endif()
endforeach()
configure_file(cmake/graze.pc.in graze.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/graze.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
