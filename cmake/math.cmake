# A BLAS, if one is asked for, and the flags of the kernels.
add_library(ucpo_blas INTERFACE)
if(UCPO_BLAS STREQUAL "none")
elseif(UCPO_BLAS MATCHES "^(openblas|blis)$")
    # Debian keeps the variants in folders. Not the serial one: OpenBLAS without threads also has no
    # locks, and calls from two of our threads then corrupt each other (docs/speed.md).
    set(variants ${UCPO_BLAS}-pthread ${UCPO_BLAS}-openmp)
    set(include_variants ${variants})
    list(TRANSFORM include_variants PREPEND ${CMAKE_LIBRARY_ARCHITECTURE}/)
    find_library(UCPO_BLAS_LIBRARY NAMES ${UCPO_BLAS} REQUIRED PATH_SUFFIXES ${variants})
    find_path(UCPO_BLAS_INCLUDE NAMES cblas.h REQUIRED
        PATH_SUFFIXES ${include_variants} ${variants} ${CMAKE_LIBRARY_ARCHITECTURE})
    target_include_directories(ucpo_blas SYSTEM INTERFACE ${UCPO_BLAS_INCLUDE})
    set_property(SOURCE src/math/kern.c src/math/kern_portable.c src/math/gemm_blas.c APPEND PROPERTY
        COMPILE_DEFINITIONS UCPO_HAVE_BLAS)
    target_link_libraries(ucpo_blas INTERFACE ${UCPO_BLAS_LIBRARY})
    message(STATUS "BLAS: ${UCPO_BLAS_LIBRARY}")
else()
    message(FATAL_ERROR "UCPO_BLAS is '${UCPO_BLAS}', expected none, openblas or blis")
endif()

# Contraction is allowed in math only: elsewhere feasibility must not depend on the compiler.
set(math_flags -O3 -ffp-contract=fast -Wno-psabi)
set(avx2_flags -mavx2 -mfma)
file(GLOB kernel_sources src/math/kern_*.c src/math/half.c)
set_source_files_properties(${kernel_sources} PROPERTIES COMPILE_OPTIONS "${math_flags}")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set_source_files_properties(src/math/kern_avx2.c PROPERTIES COMPILE_OPTIONS "${math_flags};${avx2_flags}")
    set(emulation_flags ${avx2_flags}) # of tests: what AVX-512 computes, on today's processors
    set(avx512_flags ${avx2_flags} -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512)
    set(amx_flags ${avx512_flags} -mamx-tile -mamx-bf16)
    set_source_files_properties(src/math/kern_avx512.c PROPERTIES COMPILE_OPTIONS "${math_flags};${avx512_flags}"
        COMPILE_DEFINITIONS UCPO_HAVE_AMX)
    set_source_files_properties(src/math/gemm_amx.c PROPERTIES COMPILE_OPTIONS "${math_flags};${amx_flags}"
        COMPILE_DEFINITIONS UCPO_HAVE_AMX)
    set_property(SOURCE src/math/kern.c APPEND PROPERTY
        COMPILE_DEFINITIONS UCPO_HAVE_AVX2 UCPO_HAVE_AVX512 UCPO_HAVE_AMX)
endif()

# Tests only: the rooms that see math once more, with double as the network's number type.
add_library(ucpo_twin STATIC EXCLUDE_FROM_ALL ${real_sources} $<TARGET_OBJECTS:ucpo_plain>)
target_compile_definitions(ucpo_twin PUBLIC UCPO_REAL_DOUBLE)
target_link_libraries(ucpo_twin PUBLIC ucpo_flags ucpo_blas PkgConfig::JANSSON Threads::Threads m)
