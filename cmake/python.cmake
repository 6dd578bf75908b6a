# The Python module and, for a wheel, the program beside it, with every library that both need but those of C and C++.
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module OPTIONAL_COMPONENTS Development.SABIModule)
if(NOT nanobind_ROOT)
  execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir OUTPUT_VARIABLE nanobind_ROOT
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
endif()
find_package(nanobind CONFIG REQUIRED)

file(GLOB python_sources CONFIGURE_DEPENDS python/src/*.cc)
nanobind_add_module(_engine STABLE_ABI NB_STATIC ${python_sources})  # one ABI for all from Python 3.12 on
target_compile_definitions(_engine PRIVATE FOVEA_VERSION="${PROJECT_VERSION}")
target_link_libraries(_engine PRIVATE fovea_library)
set_target_properties(_engine PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/module)

if(SKBUILD)
  target_link_options(_engine PRIVATE -Wl,--disable-new-dtags)  # as cmake/install.cmake has it for the program
  set_target_properties(_engine PROPERTIES INSTALL_RPATH "$ORIGIN/libraries")
  set_target_properties(fovea PROPERTIES INSTALL_RPATH "$ORIGIN/libraries")
  install(TARGETS _engine fovea RUNTIME_DEPENDENCY_SET wheel_run_time DESTINATION fovea COMPONENT wheel)
  install(RUNTIME_DEPENDENCY_SET wheel_run_time PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|pthread|rt|stdc\\+\\+|gcc_s)\\.so"
    LIBRARY DESTINATION fovea/libraries COMPONENT wheel)
  # A wheel knows no links: a library is there once, by the name that it is asked for.
  install(CODE [[
    file(GLOB links "${CMAKE_INSTALL_PREFIX}/fovea/libraries/*")
    foreach(link IN LISTS links)
      if(IS_SYMLINK "${link}")
        file(REAL_PATH "${link}" library)
        file(REMOVE "${link}")
        file(RENAME "${library}" "${link}")
      endif()
    endforeach()
  ]] COMPONENT wheel)
endif()
