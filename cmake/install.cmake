# Library, header, program, pkg-config file, CMake package, man page, completions.
include(CMakePackageConfigHelpers)

install(TARGETS ucpo EXPORT ucpo_targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS ucpo_static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES include/ucpo.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# ---- pkg-config: private parts are for static linking ----
set(UCPO_PC_LIBS_PRIVATE "-lm -pthread")
if(UCPO_BLAS_LIBRARY)
    string(APPEND UCPO_PC_LIBS_PRIVATE " ${UCPO_BLAS_LIBRARY}")
endif()
# relative to the file itself, so that any prefix works
file(RELATIVE_PATH UCPO_PC_UP /x/${CMAKE_INSTALL_LIBDIR}/pkgconfig /x)
configure_file(cmake/ucpo.pc.in ucpo.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/ucpo.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# ---- find_package(ucpo) gives ucpo::ucpo ----
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ucpo)
install(EXPORT ucpo_targets NAMESPACE ucpo:: DESTINATION ${package_dir} FILE ucpo-targets.cmake)
configure_package_config_file(cmake/ucpo-config.cmake.in ucpo-config.cmake
    INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(ucpo-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ucpo-config.cmake ${PROJECT_BINARY_DIR}/ucpo-config-version.cmake
    DESTINATION ${package_dir})

# ---- models: any that are in the tree ----
install(DIRECTORY models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/ucpo/models OPTIONAL
    FILES_MATCHING PATTERN "*.safetensors")

# ---- program, and what it says about itself ----
if(TARGET ucpo_program)
    install(TARGETS ucpo_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

    set(man_source ${PROJECT_SOURCE_DIR}/docs/man/ucpo.1)
    add_custom_command(OUTPUT ucpo.1
        COMMAND ucpo_program help --man ${man_source} > ucpo.1
        DEPENDS ucpo_program ${man_source} VERBATIM)
    set(completions)
    foreach(shell bash zsh fish)
        add_custom_command(OUTPUT completion.${shell}
            COMMAND ucpo_program completion ${shell} > completion.${shell}
            DEPENDS ucpo_program VERBATIM)
        list(APPEND completions completion.${shell})
    endforeach()
    add_custom_target(ucpo_self_description ALL DEPENDS ucpo.1 ${completions})

    install(FILES ${PROJECT_BINARY_DIR}/ucpo.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${PROJECT_BINARY_DIR}/completion.bash
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ucpo)
    install(FILES ${PROJECT_BINARY_DIR}/completion.zsh
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _ucpo)
    install(FILES ${PROJECT_BINARY_DIR}/completion.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME ucpo.fish)
endif()
