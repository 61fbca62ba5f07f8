# Library, header, program, pkg-config file, CMake package, man pages.
