# Tests of the program, of the installed tree, and of the source tree itself.

# ---- cli: one CTest per folder under tests/cli/cases ----
if(TARGET ucpo_program)
    file(GLOB cli_cases CONFIGURE_DEPENDS tests/cli/cases/*/cmd)
    foreach(cmd ${cli_cases})
        get_filename_component(folder ${cmd} DIRECTORY)
        get_filename_component(name ${folder} NAME)
        add_test(NAME cli.${name}
            COMMAND ${PROJECT_SOURCE_DIR}/tests/cli/run.sh $<TARGET_FILE:ucpo_program> ${name})
        set_tests_properties(cli.${name} PROPERTIES LABELS "cli" SKIP_RETURN_CODE 77)
    endforeach()
    add_test(NAME cli.train_killed
        COMMAND ${PROJECT_SOURCE_DIR}/tests/train/kill.sh $<TARGET_FILE:ucpo_program>)
    set_tests_properties(cli.train_killed PROPERTIES LABELS "cli")
    add_test(NAME cli.readme
        COMMAND ${PROJECT_SOURCE_DIR}/tests/cli/readme.sh $<TARGET_FILE:ucpo_program>)
    set_tests_properties(cli.readme PROPERTIES LABELS "cli")
    add_test(NAME cli.manpage
        COMMAND ${PROJECT_SOURCE_DIR}/tests/cli/manpage.sh ${PROJECT_BINARY_DIR}/ucpo.1)
    set_tests_properties(cli.manpage PROPERTIES LABELS "cli" SKIP_RETURN_CODE 77)
endif()

# ---- install: sanitizer and coverage runtimes would leak into the consumer ----
if(TARGET ucpo_program AND NOT UCPO_SANITIZE AND NOT UCPO_COVERAGE AND NOT UCPO_FUZZ)
    add_test(NAME install.consumer COMMAND ${PROJECT_SOURCE_DIR}/tests/install/run.sh
        ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${CMAKE_C_COMPILER})
    set_tests_properties(install.consumer PROPERTIES LABELS "install")
endif()

# ---- meta: rules about the sources ----
foreach(rule layers words names sizes flags lines bootstrap)
    add_test(NAME meta.${rule}
        COMMAND ${PROJECT_SOURCE_DIR}/tests/meta/${rule}.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
    set_tests_properties(meta.${rule} PROPERTIES LABELS "meta")
endforeach()
if(UCPO_PYTHON)
    add_test(NAME meta.mutants COMMAND ${UCPO_PYTHON} ${PROJECT_SOURCE_DIR}/scripts/mutants --check)
    set_tests_properties(meta.mutants PROPERTIES LABELS "meta")
endif()
# A test that must fail: proves that failures are seen.
add_executable(meta_must_fail tests/meta/must_fail.c)
target_link_libraries(meta_must_fail PRIVATE ucpo_test_support)
add_test(NAME meta.harness COMMAND meta_must_fail)
set_tests_properties(meta.harness PROPERTIES LABELS "meta" WILL_FAIL TRUE)

# ---- mpi: several processes (tests/mpi/mpi.py); one after the other, each takes all processors ----
if(UCPO_MPI AND UCPO_PYTHON AND TARGET ucpo_program)
    file(STRINGS tests/mpi/mpi.py mpi_cases REGEX "^def case_")
    foreach(line ${mpi_cases})
        string(REGEX REPLACE "^def case_([a-z_]+).*" "\\1" name ${line})
        add_test(NAME mpi.${name} COMMAND ${UCPO_PYTHON} ${PROJECT_SOURCE_DIR}/tests/mpi/mpi.py
            $<TARGET_FILE:ucpo_program> $<TARGET_FILE:make_model> ${name})
        set_tests_properties(mpi.${name} PROPERTIES LABELS "mpi" SKIP_RETURN_CODE 77
            RUN_SERIAL TRUE)
    endforeach()
else()
    message(STATUS "tests of several processes: left out (needs UCPO_MPI=ON)")
endif()
