# What `cmake --install` puts where, and the packages that `cpack` makes of it: fovea (the program), fovea-mpi (training on
# several machines) and libfovea-dev (the library with its headers) for Debian, and a tarball of the program with every library
# it needs but the C library.
include(CMakePackageConfigHelpers)

# DT_RPATH, unlike DT_RUNPATH, is looked at for the libraries of libraries, too.
target_link_options(fovea PRIVATE -Wl,--disable-new-dtags)
set_target_properties(fovea PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}/fovea")  # for the tarball
install(TARGETS fovea RUNTIME_DEPENDENCY_SET run_time COMPONENT fovea)
install(RUNTIME_DEPENDENCY_SET run_time PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|pthread|rt)\\.so"
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/fovea COMPONENT bundle EXCLUDE_FROM_ALL)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT fovea)

# The program writes its manual and completions itself.
set(written ${CMAKE_CURRENT_BINARY_DIR}/fovea.1 ${CMAKE_CURRENT_BINARY_DIR}/fovea.bash ${CMAKE_CURRENT_BINARY_DIR}/_fovea
  ${CMAKE_CURRENT_BINARY_DIR}/fovea.fish)
add_custom_command(OUTPUT ${written} DEPENDS fovea COMMAND fovea manual > fovea.1 COMMAND fovea completions bash > fovea.bash
  COMMAND fovea completions zsh > _fovea COMMAND fovea completions fish > fovea.fish)
add_custom_target(fovea_written ALL DEPENDS ${written})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/fovea.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT fovea)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/fovea.bash RENAME fovea
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT fovea)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/_fovea DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions
  COMPONENT fovea)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/fovea.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
  COMPONENT fovea)

if(TARGET fovea_mpi)
  install(TARGETS fovea_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/fovea COMPONENT mpi)
endif()

install(TARGETS fovea_library EXPORT fovea COMPONENT dev INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fovea)
install(DIRECTORY src/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fovea COMPONENT dev FILES_MATCHING PATTERN *.h
  PATTERN cli EXCLUDE PATTERN *-inl.h EXCLUDE PATTERN mpi EXCLUDE)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/fovea)
install(EXPORT fovea NAMESPACE fovea:: FILE fovea-targets.cmake DESTINATION ${package} COMPONENT dev)
configure_package_config_file(cmake/fovea-config.cmake.in fovea-config.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(fovea-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/fovea-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/fovea-config-version.cmake
  DESTINATION ${package} COMPONENT dev)
file(RELATIVE_PATH to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/fovea.pc.in fovea.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/fovea.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

set(CPACK_PACKAGE_NAME fovea)
set(CPACK_PACKAGE_VENDOR "The Fovea authors")
set(CPACK_PACKAGE_CONTACT "The Fovea authors <fovea@localhost>")
set(CPACK_PACKAGE_DESCRIPTION "Fovea trains encoder-decoder models with every published kind of attention on small and
middle-sized tasks (dates, names, typos, pronunciation, inflection, translation), answers with them, and shows
where they looked. One program, no GPU, no Python.")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_CURRENT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_COMPONENTS_ALL fovea dev)
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_FOVEA_PACKAGE_NAME fovea)
set(CPACK_DEBIAN_FOVEA_PACKAGE_SECTION science)
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libfovea-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libfmt-dev, libhwy-dev, libjpeg-dev, libkissfft-dev, libpng-dev, libsndfile1-dev, nlohmann-json3-dev, liblzma-dev, libsentencepiece-dev, libutf8proc-dev, libxxhash-dev, libzstd-dev, zlib1g-dev, pkg-config")
if(TARGET fovea_mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
  set(CPACK_DEBIAN_FOVEA_PACKAGE_SUGGESTS "fovea-mpi, librsvg2-bin")
  set(CPACK_DEBIAN_MPI_PACKAGE_NAME fovea-mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "fovea (= ${PROJECT_VERSION}), openmpi-bin")
endif()
include(CPack)
cpack_add_component(fovea DESCRIPTION "The program")
cpack_add_component(bundle DESCRIPTION "The libraries it needs, for systems that have others")
cpack_add_component(mpi DESCRIPTION "Training on several machines with Open MPI")
cpack_add_component(dev DESCRIPTION "The library, its headers and what CMake and pkg-config need to find it")
