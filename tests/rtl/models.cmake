# Models of the RTL by Verilator, written while the build runs: Verilator's own CMake function runs it while CMake configures,
# one model after the other, and once more in the build.

find_package(Threads REQUIRED)
# What every model needs of Verilator, once.
add_library(verilator_runtime STATIC ${VERILATOR_ROOT}/include/verilated.cpp ${VERILATOR_ROOT}/include/verilated_threads.cpp)
target_include_directories(verilator_runtime SYSTEM PUBLIC ${VERILATOR_ROOT}/include ${VERILATOR_ROOT}/include/vltstd)
target_compile_definitions(verilator_runtime PUBLIC VM_COVERAGE=0 VM_SC=0 VM_TRACE=0 VM_TRACE_VCD=0 VM_TRACE_FST=0)
target_link_libraries(verilator_runtime PUBLIC Threads::Threads)

set(JOIN_MODEL ${CMAKE_CURRENT_LIST_DIR}/join_model.cmake)
# verilog_model(TARGET SOURCES FILE... TOP_MODULE NAME PREFIX NAME DIRECTORY FOLDER [UNITS N] [OPTIONS OPTION] VERILATOR_ARGS
# ARGUMENT...): TARGET gets the class PREFIX of TOP_MODULE. FOLDER is the model's own; its sources, many and small, are compiled
# as N units (one), for reading their headers is what takes the time of each, with a further OPTION.
function(verilog_model target)
  cmake_parse_arguments(MODEL "" "TOP_MODULE;PREFIX;DIRECTORY;UNITS;OPTIONS" "SOURCES;VERILATOR_ARGS" ${ARGN})
  if(NOT MODEL_UNITS)
    set(MODEL_UNITS 1)
  endif()
  set(sources)
  foreach(source IN LISTS MODEL_SOURCES)
    get_filename_component(source ${source} ABSOLUTE)
    list(APPEND sources ${source})
  endforeach()
  set(units)
  foreach(k RANGE 1 ${MODEL_UNITS})
    list(APPEND units ${MODEL_DIRECTORY}/unit_${k}.cpp)
  endforeach()
  list(GET units 0 first)
  add_custom_command(OUTPUT ${units}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${MODEL_DIRECTORY}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${MODEL_DIRECTORY}
    COMMAND ${VERILATOR_BIN} --cc --compiler gcc --make cmake --top ${MODEL_TOP_MODULE} --prefix ${MODEL_PREFIX}
            --Mdir ${MODEL_DIRECTORY} ${MODEL_VERILATOR_ARGS} ${sources}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${MODEL_DIRECTORY} -DPREFIX=${MODEL_PREFIX} -DUNITS=${MODEL_UNITS} -P ${JOIN_MODEL}
    DEPENDS ${sources} ${JOIN_MODEL} DEPFILE ${MODEL_DIRECTORY}/model.d
    COMMENT "Verilator: ${MODEL_PREFIX}" VERBATIM)
  target_sources(${target} PRIVATE ${units})
  set_source_files_properties(${units} PROPERTIES COMPILE_OPTIONS "${MODEL_OPTIONS}")
  target_include_directories(${target} SYSTEM PRIVATE ${MODEL_DIRECTORY})
  target_link_libraries(${target} PRIVATE verilator_runtime)
endfunction()
