# The Python package against this build's library, and the wheel as a stranger uses it.
set(package ${PROJECT_SOURCE_DIR}/bindings/python)
if(UCPO_TORCH_PYTHON AND TARGET ucpo_program AND NOT UCPO_FUZZ AND NOT UCPO_SANITIZE MATCHES "thread")
    add_test(NAME python.package COMMAND ${UCPO_TORCH_PYTHON} -m pytest -q -p no:cacheprovider ${package}/tests)
    # torch on more than one thread waits more than it computes, on a busy machine many times as long
    set(environment OMP_NUM_THREADS=1 UCPO_LIBRARY=$<TARGET_FILE:ucpo> UCPO_PROGRAM=$<TARGET_FILE:ucpo_program> PYTHONPATH=${package}
        PYTHONDONTWRITEBYTECODE=1 UCPO_MODELS=${PROJECT_SOURCE_DIR}/models)
    if(UCPO_SANITIZE MATCHES "address") # Python itself is not instrumented: the run-time comes first; torch is left out
        execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libasan.so
            OUTPUT_VARIABLE asan_library OUTPUT_STRIP_TRAILING_WHITESPACE)
        list(APPEND environment LD_PRELOAD=${asan_library} ASAN_OPTIONS=detect_leaks=0 UCPO_TEST_SANITIZED=1)
    endif()
    set_tests_properties(python.package PROPERTIES LABELS "python"
        SKIP_REGULAR_EXPRESSION "No module named pytest" ENVIRONMENT "${environment}")
endif()
if(UCPO_TORCH_PYTHON AND NOT UCPO_SANITIZE AND NOT UCPO_COVERAGE AND NOT UCPO_FUZZ AND NOT UCPO_MPI)
    add_test(NAME python.wheel COMMAND ${UCPO_TORCH_PYTHON} ${package}/tests/wheel.py ${UCPO_TORCH_PYTHON})
    set_tests_properties(python.wheel PROPERTIES LABELS "python" SKIP_RETURN_CODE 77)
endif()
