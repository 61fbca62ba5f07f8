# What a Python wheel holds: the library inside the package, the program among the scripts, the models
# where the program looks for them. Neither may need anything that an empty system lacks: jansson is linked
# into the program and lies beside the library (Debian's archive is not fit for shared libraries).
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
find_library(UCPO_JANSSON_ARCHIVE NAMES libjansson.a)
find_library(UCPO_JANSSON_SHARED NAMES libjansson.so REQUIRED)
if(UCPO_JANSSON_ARCHIVE)
    set(is_program "$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>")
    set_target_properties(PkgConfig::JANSSON PROPERTIES INTERFACE_LINK_LIBRARIES
        "$<IF:${is_program},${UCPO_JANSSON_ARCHIVE},${UCPO_JANSSON_SHARED}>")
else()
    message(WARNING "no libjansson.a: the wheel's program will need libjansson.so.4 where it is used")
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
    set_property(TARGET ucpo PROPERTY INSTALL_RPATH "$ORIGIN")
    install(TARGETS ucpo LIBRARY DESTINATION ucpo/lib COMPONENT wheel)
    file(REAL_PATH ${UCPO_JANSSON_SHARED} jansson)
    install(FILES ${jansson} DESTINATION ucpo/lib RENAME libjansson.so.4 COMPONENT wheel)
    install(TARGETS ucpo_program RUNTIME DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT wheel)
    install(DIRECTORY models/ DESTINATION ${SKBUILD_DATA_DIR}/share/ucpo/models COMPONENT wheel
        FILES_MATCHING PATTERN "*.safetensors")
endfunction()
