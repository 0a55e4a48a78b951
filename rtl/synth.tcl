# yosys's script for FuseSoC's targets synth: what edalize's own does, but that parameters below 0 reach chparam, which takes none
# ("-1"), as 32-bit words ("32'shffffffff").
yosys -import
source edalize_yosys_procs.tcl
proc chparam {option name value module} {
  if {$value < 0} { set value [format "32'sh%08x" [expr {$value & 0xffffffff}]] }
  set ::top $module
  yosys chparam $option $name $value $module
}
verilog_defaults -push
verilog_defaults -add -defer
set_defines
set_incdirs
read_files
set_params
verilog_defaults -pop
synth $top
# The netlist has the name of the build.
write_blif [file rootname [file rootname [lindex [glob *.eda.yml] 0]]].blif
