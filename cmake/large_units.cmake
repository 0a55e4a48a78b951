# How a first build takes less time (a wheel a third, the numerics half): several sources make one unit, which reads the headers that they
# share once. More than half of a source's time goes there. The bits of results are the same. Who edits one source waits
# longer for it: `cmake --preset default` builds each source alone.

# Sources with names of their own that another of their unit has too stay alone, and so do those whose compiler options
# are their own.
function(large_units target)
  if(NOT TARGET ${target})
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
  if(ARGN)
    set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

get_filename_component(here ${CMAKE_CURRENT_LIST_DIR}/.. ABSOLUTE)
large_units(mantissa_numerics ${here}/numerics/src/fixed_kernels.cpp ${here}/numerics/src/fixed_rows.cpp
            ${here}/numerics/src/lu/spec.cpp ${here}/numerics/src/multilevel/setup/grid.cpp
            ${here}/numerics/src/narrow/word_format.cpp ${here}/numerics/src/sparse/ordered_ell.cpp
            ${here}/numerics/src/sparse/pcg/jacobi_pcg.cpp)
large_units(mantissa_base ${here}/base/src/running_steps.cpp)
large_units(mantissa_host ${here}/host/src/advise/trial.cpp ${here}/host/src/flow/bubbly_flow.cpp
            ${here}/host/src/flow/emulated_cells.cpp ${here}/host/src/meshes/made.cpp)
large_units(mantissa_sim ${here}/sim/src/cycle/cycle_core.cpp)
large_units(mantissa_results)
large_units(mantissa_compare_parts ${here}/host/src/compare/join_resident.cpp ${here}/host/src/compare/join_sparse.cpp
            ${here}/host/src/compare/model/resident.cpp ${here}/host/src/compare/model/sparse.cpp)
large_units(mantissa_synthesis)
large_units(mantissa_workbench_parts ${here}/host/src/store/store.cpp)
large_units(mantissa_report)
large_units(mantissa_commands)
large_units(mantissa_tune ${here}/host/src/tune/area/cycle_model.cpp ${here}/host/src/tune/contest.cpp
            ${here}/host/src/tune/judge.cpp ${here}/host/src/tune/tune.cpp)
large_units(mantissa_gpu ${here}/gpu/src/vendor_library.cpp ${here}/gpu/src/dense/cusolver_lu.cpp
            ${here}/gpu/src/dense/lu.cpp ${here}/gpu/src/parted/sparse/sparse.cpp ${here}/gpu/src/ranks/layout.cpp)
large_units(mantissa_gpu_bench)
large_units(mantissa_hls ${here}/hls/src/sparse/rows.cpp)
large_units(mantissa_systemc ${here}/sim/systemc/src/stages.cpp)
large_units(mantissa_python ${here}/python/src/narrow.cpp ${here}/python/src/narrow_words.cpp ${here}/python/src/tools.cpp)
# Pages, files, tools, models of time and commands take no time that an optimiser could save.
foreach(target mantissa_report mantissa_results mantissa_synthesis mantissa_workbench_parts mantissa_compare_parts
               mantissa_tune mantissa_commands mantissa_gpu_bench)
  if(TARGET ${target})
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O1>)
  endif()
endforeach()
