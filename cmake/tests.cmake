# The test program, fovea_test, and how ctest runs it.
enable_testing()
file(GLOB_RECURSE test_sources CONFIGURE_DEPENDS tests/*_test.cc)
# A test is compiled where it says most, and once more as users run it: gradients and kernels in double with sanitizers, the
# rest with them in float, and what uses threads with the thread sanitizer. What reads the files of this folder, or starts
# other programs, a sanitizer has nothing to say about.
set(threads "(threads|watchdog|share_products|weight_gradient|symbol_products|answering|determinism|gradient|ranks|shard_tree|\
predictor|scoring)_test\\.cc$")
if(FOVEA_DOUBLE)
  list(FILTER test_sources INCLUDE REGEX ${numbers})
elseif(FOVEA_SANITIZE STREQUAL "address")
  # The same run again and again, and ranks that are waited for, are for the thread sanitizer.
  list(FILTER test_sources EXCLUDE REGEX "${numbers}|/tests/(cli/(mpi|readme)|training/determinism|base/watchdog|[a-z]+)_test\\.cc$")
elseif(FOVEA_SANITIZE STREQUAL "thread")
  list(FILTER test_sources INCLUDE REGEX ${threads})
endif()
if(FOVEA_TESTS)
  list(FILTER test_sources INCLUDE REGEX "/tests/(${FOVEA_TESTS})/")
endif()
add_executable(fovea_test ${test_sources})
# Each test has a namespace of its own, so names of helpers may repeat within a folder.
one_piece_a_folder(fovea_test ${test_sources})
target_include_directories(fovea_test PRIVATE tests)
target_link_libraries(fovea_test PRIVATE fovea_library GTest::gtest_main PkgConfig::libhwy PkgConfig::liblzma
  PkgConfig::libzstd PkgConfig::zlib)
# They are compiled more often than they run; what they test is optimised as ever.
target_compile_options(fovea_test PRIVATE -O0 $<$<STREQUAL:${FOVEA_SANITIZE},address>:-fno-sanitize=undefined>)
target_precompile_headers(fovea_test PRIVATE ${common_headers} <gtest/gtest.h> <nlohmann/json.hpp>)
target_compile_definitions(fovea_test PRIVATE ${definitions} FOVEA_SOURCE_DIR="${CMAKE_CURRENT_SOURCE_DIR}"
  FOVEA_TEST_DATA="${CMAKE_CURRENT_SOURCE_DIR}/tests/golden")
if(TARGET fovea)
  target_compile_definitions(fovea_test PRIVATE FOVEA_BINARY="$<TARGET_FILE:fovea>")
  add_dependencies(fovea_test fovea)
endif()
# In a few processes, since the start of one takes longer than most tests; each writes down what it ran. They are small
# enough for all processors to end at about the same time. Tests named Slow take longer than a few seconds; the sanitizer
# builds leave them out, and those that train until something is learned, time something, compare bits, or do the same
# many thousand times.
if(FOVEA_SANITIZE)
  set(test_filter --gtest_filter=-*Slow*:*Learns*:*BatchMates*:Bench.*:Dates.EveryTextHasTheOneRightAnswer)
endif()
if(FOVEA_SANITIZE STREQUAL "thread")  # these train on one thread, or once more on two
  string(APPEND test_filter :Determinism.Finished*:Determinism.Journal*:Determinism.Model*:Determinism.Saving*:Determinism.Seeds*)
  string(APPEND test_filter :Determinism.SignalsAt*:Determinism.StopsAt*)
endif()
set(parts 16)
math(EXPR last "${parts} - 1")
foreach(part RANGE ${last})
  add_test(NAME part${part} COMMAND fovea_test --gtest_brief=1 --gtest_output=xml:part${part}.xml ${test_filter})
  set_tests_properties(part${part} PROPERTIES ENVIRONMENT "GTEST_TOTAL_SHARDS=${parts};GTEST_SHARD_INDEX=${part}")
endforeach()
