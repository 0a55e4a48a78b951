# Synthesises a top function with Vitis HLS: a pass on a grid (pcg_pass), or the sparse core.
#     vitis_hls -f run_hls.tcl
#     MANTISSA_HLS_TOP=sparse_core vitis_hls -f run_hls.tcl
# UNTRIED: written from the tool's documentation; no copy of the tool was at hand. The kernel asks for C++20 (formats as
# template arguments), which the tool's front end must accept.
set here [file dirname [file normalize [info script]]]
set sources [dict create pcg_pass top.cpp sparse_core sparse_top.cpp]
set top [expr {[info exists env(MANTISSA_HLS_TOP)] ? $env(MANTISSA_HLS_TOP) : "pcg_pass"}]
if {![dict exists $sources $top]} { error "MANTISSA_HLS_TOP=$top: give one of [dict keys $sources]" }
open_project -reset mantissa_$top
set_top $top
add_files [file join $here [dict get $sources $top]] -cflags "-std=c++20 -I[file join $here .. kernel]"
open_solution -reset solution1
set_part {xcu280-fsvh2892-2L-e}
create_clock -period 5 -name default
config_dataflow -default_channel fifo -fifo_depth 64
csynth_design
export_design -format ip_catalog
exit
