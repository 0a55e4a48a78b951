# Synthesises the pass with Vitis HLS:    vitis_hls -f run_hls.tcl
# UNTRIED: written from the tool's documentation; no copy of the tool was at hand. The kernel asks for C++20 (formats as
# template arguments), which the tool's front end must accept.
# The sparse core is another top: set_top sparse_passes, add_files sparse_top.cpp.
set here [file dirname [file normalize [info script]]]
open_project -reset mantissa_pcg
set_top pcg_pass
add_files [file join $here top.cpp] -cflags "-std=c++20 -I[file join $here .. kernel]"
open_solution -reset solution1
set_part {xcu280-fsvh2892-2L-e}
create_clock -period 5 -name default
config_dataflow -default_channel fifo -fifo_depth 64
csynth_design
export_design -format ip_catalog
exit
