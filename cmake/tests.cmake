# Tests: tests/<room>/test_<file>.c becomes the CTest "<room>.<file>".
# A source that includes support/alloc.h is linked with the allocator wrapped.
find_library(CMOCKA_LIBRARY cmocka REQUIRED)
find_package(ZLIB REQUIRED) # checksums in tests
set(UCPO_SHARED_DIR ${PROJECT_SOURCE_DIR}/../shared)

file(GLOB support_sources CONFIGURE_DEPENDS tests/support/*.c)
# AVX-512 and AMX imitated take long to compile: a library of their own, for the tests that ask for kernel sets.
set(kernel_support tests/support/kernels.c tests/support/kern_emulated.c tests/support/amx_emulated.c)
list(FILTER support_sources EXCLUDE REGEX "/(kernels|kern_emulated|amx_emulated).c$")
set(kernel_sets portable avx2 avx512 amx emulated)
set_source_files_properties(tests/support/kern_emulated.c PROPERTIES COMPILE_OPTIONS "${math_flags};${emulation_flags}")
set(twin_support ${support_sources})
list(FILTER twin_support EXCLUDE REGEX "/alloc.c$") # needs the wrapped allocator
add_library(ucpo_twin_support STATIC EXCLUDE_FROM_ALL ${twin_support})
target_include_directories(ucpo_twin_support PUBLIC tests)
target_link_libraries(ucpo_twin_support PUBLIC ucpo_twin ${CMOCKA_LIBRARY} ZLIB::ZLIB)
add_library(ucpo_test_support STATIC ${support_sources})
target_include_directories(ucpo_test_support PUBLIC tests)
target_link_libraries(ucpo_test_support PUBLIC ucpo_static ${CMOCKA_LIBRARY} ZLIB::ZLIB)
set(test_paths UCPO_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data" UCPO_SHARED="${UCPO_SHARED_DIR}")
target_compile_definitions(ucpo_test_support PUBLIC ${test_paths})
target_compile_definitions(ucpo_twin_support PUBLIC ${test_paths})
foreach(kind test twin)
    add_library(ucpo_${kind}_kernels STATIC EXCLUDE_FROM_ALL ${kernel_support})
    target_link_libraries(ucpo_${kind}_kernels PUBLIC ucpo_${kind}_support)
endforeach()

file(GLOB test_sources CONFIGURE_DEPENDS tests/*/test_*.c)
foreach(source ${test_sources})
    get_filename_component(name ${source} NAME_WE)
    get_filename_component(folder ${source} DIRECTORY)
    get_filename_component(room ${folder} NAME)
    string(REPLACE "test_" "" short ${name})
    set(kind test)
    if(name MATCHES "_f64$") # against the double-precision twin
        set(kind twin)
    endif()
    add_executable(${room}_${name} ${source})
    file(STRINGS ${source} per_set REGEX "support/kernels.h" LIMIT_COUNT 1)
    if(per_set)
        target_link_libraries(${room}_${name} PRIVATE ucpo_${kind}_kernels)
    else()
        target_link_libraries(${room}_${name} PRIVATE ucpo_${kind}_support)
    endif()
    file(STRINGS ${source} wraps REGEX "support/alloc.h" LIMIT_COUNT 1)
    if(wraps)
        target_link_options(${room}_${name} PRIVATE
            -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc)
    endif()
    if(per_set) # one test for every kernel set; those that the machine lacks are skipped
        set(tests)
        foreach(set ${kernel_sets})
            add_test(NAME ${room}.${short}.${set} COMMAND ${room}_${name} ${set})
            list(APPEND tests ${room}.${short}.${set})
        endforeach()
    else()
        set(tests ${room}.${short})
        add_test(NAME ${tests} COMMAND ${room}_${name})
    endif()
    file(STRINGS ${source} needs_shared REGEX "test_need_shared" LIMIT_COUNT 1)
    set(shared_label "")
    if(needs_shared)
        set(shared_label ";shared") # uses ../shared, skips with a message where it is absent
    endif()
    set_tests_properties(${tests} PROPERTIES SKIP_RETURN_CODE 77
        LABELS "unit${shared_label}")
endforeach()

# Examples: every examples/<x>.c is run and must succeed.
foreach(source ${example_sources})
    get_filename_component(name ${source} NAME_WE)
    add_test(NAME example.${name} COMMAND example_${name})
    set_tests_properties(example.${name} PROPERTIES LABELS "example" SKIP_RETURN_CODE 77)
endforeach()

# Parity with PyTorch: the dump in float and in double, and the script that recomputes it.
find_program(UCPO_TORCH_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH DOC "python3 that has PyTorch")
add_executable(parity_dump tests/policy/parity_dump.c)
target_link_libraries(parity_dump PRIVATE ucpo_static)
add_executable(parity_dump_f64 tests/policy/parity_dump.c)
target_link_libraries(parity_dump_f64 PRIVATE ucpo_twin)
if(UCPO_TORCH_PYTHON)
    foreach(part 1 2) # half of the cases each, with all kernel sets; UCPO_TEST_FULL=1: large shapes, too
        add_test(NAME python.parity.${part} COMMAND ${UCPO_TORCH_PYTHON} ${PROJECT_SOURCE_DIR}/tests/policy/parity.py
            $<TARGET_FILE:parity_dump> $<TARGET_FILE:parity_dump_f64> ${part}/2)
        set_tests_properties(python.parity.${part} PROPERTIES LABELS "python" SKIP_RETURN_CODE 77)
    endforeach()
    foreach(set portable avx2 avx512 amx) # says which of them the machine lacks
        add_test(NAME python.parity.has.${set} COMMAND ${UCPO_TORCH_PYTHON} ${PROJECT_SOURCE_DIR}/tests/policy/parity.py
            $<TARGET_FILE:parity_dump> has ${set})
        set_tests_properties(python.parity.has.${set} PROPERTIES LABELS "python" SKIP_RETURN_CODE 77)
    endforeach()
endif()

# Numbers of `ucpo eval` recomputed in Python from instances and plans.
add_executable(make_model tests/eval/make_model.c)
target_link_libraries(make_model PRIVATE ucpo_static)
find_program(UCPO_PYTHON python3 DOC "any python3")
if(UCPO_PYTHON AND TARGET ucpo_program)
    add_test(NAME python.eval COMMAND ${UCPO_PYTHON} ${PROJECT_SOURCE_DIR}/tests/eval/recompute.py
        $<TARGET_FILE:ucpo_program> $<TARGET_FILE:make_model>)
    set_tests_properties(python.eval PROPERTIES LABELS "python")
    # 3000 plans here; disputes.py PROGRAM --plans 1000000 is the long form
    add_test(NAME python.disputes COMMAND ${UCPO_PYTHON} ${PROJECT_SOURCE_DIR}/tests/checker/disputes.py
        $<TARGET_FILE:ucpo_program> --plans 3000)
    set_tests_properties(python.disputes PROPERTIES LABELS "python")
endif()

# Every table of the paper, as small as it gets. Sanitizers see the same code in other tests.
if(UCPO_PYTHON AND TARGET ucpo_program AND NOT UCPO_SANITIZE)
    add_test(NAME python.reproduce COMMAND ${UCPO_PYTHON} ${PROJECT_SOURCE_DIR}/tests/eval/reproduce.py
        $<TARGET_FILE:ucpo_program>)
    set_tests_properties(python.reproduce PROPERTIES LABELS "python" PROCESSORS 2)
    add_test(NAME python.references COMMAND ${UCPO_PYTHON} ${PROJECT_SOURCE_DIR}/tests/eval/references.py
             $<TARGET_FILE:ucpo_program>)
    set_tests_properties(python.references PROPERTIES LABELS "python")
    add_test(NAME python.models COMMAND ${UCPO_PYTHON} ${PROJECT_SOURCE_DIR}/tests/eval/models.py
        $<TARGET_FILE:ucpo_program>)
    set_tests_properties(python.models PROPERTIES LABELS "python")
    foreach(size 50 100)
        add_test(NAME python.shipped${size} COMMAND ${UCPO_PYTHON} ${PROJECT_SOURCE_DIR}/tests/eval/shipped.py
            $<TARGET_FILE:ucpo_program> ${PROJECT_SOURCE_DIR}/models ${size})
        set_tests_properties(python.shipped${size} PROPERTIES LABELS "python")
    endforeach()
endif()

# Pictures of plans: well-formed, no label on another; pages in a real browser, where there is one.
if(UCPO_PYTHON AND TARGET ucpo_program)
    add_test(NAME python.pictures COMMAND ${UCPO_PYTHON} ${PROJECT_SOURCE_DIR}/tests/plot/pictures.py
        $<TARGET_FILE:ucpo_program>)
    set_tests_properties(python.pictures PROPERTIES LABELS "python")
    add_test(NAME python.large_page COMMAND ${UCPO_PYTHON} ${PROJECT_SOURCE_DIR}/tests/plot/large_page.py
        $<TARGET_FILE:ucpo_program>)
    set_tests_properties(python.large_page PROPERTIES LABELS "python")
    add_test(NAME browser.report COMMAND ${UCPO_PYTHON} ${PROJECT_SOURCE_DIR}/tests/browser/report.py
        $<TARGET_FILE:ucpo_program>)
    set_tests_properties(browser.report PROPERTIES LABELS "browser" SKIP_RETURN_CODE 77)
endif()

# Random small instances against trying every plan; `enumerate --count 5000000` is the long form.
add_executable(enumerate tests/checker/enumerate.c tests/checker/enumerate_draw.c
    tests/checker/enumerate_reference.c)
target_link_libraries(enumerate PRIVATE ucpo_static)
add_test(NAME checker.enumerate COMMAND enumerate --count 3000)
set_tests_properties(checker.enumerate PROPERTIES LABELS "unit")

# Fuzz targets: tests/fuzz/fuzz_<x>.c; the committed corpus is replayed by every build.
file(GLOB fuzz_sources CONFIGURE_DEPENDS tests/fuzz/fuzz_*.c)
add_custom_target(fuzzers) # all of them and nothing else: `make fuzz` needs no test program
foreach(source ${fuzz_sources})
    get_filename_component(name ${source} NAME_WE)
    if(UCPO_FUZZ)
        add_executable(${name} ${source})
        target_link_options(${name} PRIVATE -fsanitize=fuzzer)
        target_link_libraries(${name} PRIVATE ucpo_static)
        add_test(NAME fuzz.${name} COMMAND ${name} -runs=0 ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})
    else()
        add_executable(${name} ${source} tests/fuzz/replay.c)
        target_link_libraries(${name} PRIVATE ucpo_static)
        add_test(NAME fuzz.${name} COMMAND ${name} ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})
    endif()
    add_dependencies(fuzzers ${name})
    set_tests_properties(fuzz.${name} PROPERTIES LABELS "fuzz")
endforeach()

include(cmake/tests_program.cmake)
include(cmake/tests_python.cmake)

# The longest are begun first: begun last, they keep one processor busy and the others idle.
set(cost 100)
foreach(long python.wheel python.parity.1 python.parity.2
        python.package python.reproduce python.shipped100 python.shipped50 python.disputes explain.explain solve.solve
        python.models cli.train_killed api.train cli.eval_interrupted problem.preset refine.tour
        policy.fixture.portable policy.fixture.emulated train.anchor browser.report install.consumer)
    if(TEST ${long})
        set_tests_properties(${long} PROPERTIES COST ${cost})
    endif()
    math(EXPR cost "${cost} - 1")
endforeach()
