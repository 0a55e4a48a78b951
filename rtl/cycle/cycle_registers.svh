// fx_cycle's registers: addresses and codes (docs/cycle_core.md).
`ifndef CYCLE_REGISTERS_SVH
`define CYCLE_REGISTERS_SVH

`define CYCLE_ID 8'h00               // R
`define CYCLE_CONFIG 8'h04           // R
`define CYCLE_CONTROL 8'h08          // W
`define CYCLE_STATUS 8'h0C           // R
`define CYCLE_LEVEL 8'h10            // RW
`define CYCLE_CYCLES 8'h14           // RW
`define CYCLE_MODE 8'h18             // RW
`define CYCLE_LIMIT_EXPONENT 8'h1C   // RW
`define CYCLE_LIMIT 8'h20            // RW, a pair
`define CYCLE_COUNT 8'h28            // R
`define CYCLE_EXPONENT 8'h2C         // R
`define CYCLE_SQUARES 8'h30          // R, a pair
`define CYCLE_POINT 8'h38            // R
`define CYCLE_CLOCKS 8'h40           // R, a pair

// Addresses that can be written, and read (CONTROL as zero); all others answer SLVERR.
`define CYCLE_WRITABLE(at) ((at) == 8'h08 || ((at) >= 8'h10 && (at) <= 8'h24))
`define CYCLE_READABLE(at) ((at) <= 8'h44)

`define CYCLE_ID_VALUE 32'h4D544301

// How a run ended: STATUS[7:4].
`define CYCLE_END_REACHED 4'd0  // SQUARES is within LIMIT
`define CYCLE_END_CYCLES 4'd1   // CYCLES cycles were done
`define CYCLE_END_EXACT 4'd2    // D is zero
`define CYCLE_END_OVERFLOW 4'd3 // a word of U or D did not fit
`define CYCLE_END_FAULT 4'd4    // D was not loaded, a register is out of its range, the run was aborted, or a check failed

`endif
