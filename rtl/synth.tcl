# yosys's script for FuseSoC's targets synth: what edalize's own does, but that parameters below 0 reach chparam, which takes none
# ("-1"), as 32-bit words ("32'shffffffff"), and that all are set at once, since one by one they need not fit each other.
yosys -import
source edalize_yosys_procs.tcl
set sets {}
proc chparam {option name value module} {
  if {$value < 0} { set value [format "32'sh%08x" [expr {$value & 0xffffffff}]] }
  lappend ::sets $option $name $value
  set ::top $module
}
verilog_defaults -push
verilog_defaults -add -defer
set_defines
set_incdirs
read_files
set_params
yosys chparam {*}$sets $top
verilog_defaults -pop
synth $top
# The netlist has the name of the build.
write_blif [file rootname [file rootname [lindex [glob *.eda.yml] 0]]].blif
