# The instruction sets that kernels are compiled for, from the least to the best, and their compiler flags:
# isas, and isa_flags_<set> of each. Those of another processor have the first alone.
set(isas baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND isas avx2 avx512)
endif()
set(isa_flags_baseline "")
set(isa_flags_avx2 -march=x86-64-v3)
set(isa_flags_avx512 -march=x86-64-v4 -mprefer-vector-width=512)
