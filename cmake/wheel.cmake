# What a Python wheel holds: the library inside the package, the program among the scripts, the models
# where the program looks for them. Neither may need anything that an empty system lacks: threads are
# plain ones (torch and others bring OpenMP run-times of their own) and jansson is linked statically.
set(UCPO_PLAIN_THREADS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
find_library(UCPO_JANSSON_ARCHIVE NAMES libjansson.a)
if(UCPO_JANSSON_ARCHIVE)
    set_target_properties(PkgConfig::JANSSON PROPERTIES INTERFACE_LINK_LIBRARIES ${UCPO_JANSSON_ARCHIVE})
else()
    message(WARNING "no libjansson.a: the wheel will need libjansson.so.4 on the machine it is used on")
endif()
file(STRINGS bindings/python/ucpo/_version.py line REGEX "^VERSION = ")
if(NOT line STREQUAL "VERSION = \"${UCPO_VERSION}\"")
    message(FATAL_ERROR "bindings/python/ucpo/_version.py says ${line}, include/ucpo.h ${UCPO_VERSION}")
endif()

function(wheel_install)
    add_custom_target(wheel_parts DEPENDS ucpo ucpo_program) # "ucpo" alone is the program's file to Ninja
    # a wheel holds no links: one file, without a version in its name
    set_property(TARGET ucpo PROPERTY VERSION)
    set_property(TARGET ucpo PROPERTY SOVERSION)
    install(TARGETS ucpo LIBRARY DESTINATION ucpo/lib COMPONENT wheel)
    install(TARGETS ucpo_program RUNTIME DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT wheel)
    install(DIRECTORY models/ DESTINATION ${SKBUILD_DATA_DIR}/share/ucpo/models COMPONENT wheel
        FILES_MATCHING PATTERN "*.safetensors")
endfunction()
