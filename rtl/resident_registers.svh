// fx_resident's registers: addresses and codes.
// Written by rtl/generate.py from rtl/core.toml; edit that and run it again.
`ifndef RESIDENT_REGISTERS_SVH
`define RESIDENT_REGISTERS_SVH

`define RESIDENT_ID 8'h00                // R
`define RESIDENT_CONFIG 8'h04            // R
`define RESIDENT_CONTROL 8'h08           // W
`define RESIDENT_STATUS 8'h0C            // R
`define RESIDENT_LENGTH 8'h10            // RW
`define RESIDENT_ROW_LENGTH 8'h14        // RW
`define RESIDENT_INNER 8'h18             // RW
`define RESIDENT_PASSES 8'h1C            // RW
`define RESIDENT_TOLERANCE 8'h20         // RW, a pair
`define RESIDENT_TOLERANCE_EXPONENT 8'h28 // RW
`define RESIDENT_HEADROOM 8'h2C          // RW
`define RESIDENT_PASS_COUNT 8'h30        // R
`define RESIDENT_STEPS 8'h34             // R
`define RESIDENT_FORMED_AGAIN 8'h38      // R
`define RESIDENT_OVERFLOWS 8'h3C         // R
`define RESIDENT_SIGMA_GUARDS 8'h40      // R
`define RESIDENT_EXPONENT 8'h44          // R
`define RESIDENT_RR 8'h48                // R, a pair
`define RESIDENT_CYCLES 8'h50            // R, a pair
`define RESIDENT_WORDS_U 8'h58           // R, a pair
`define RESIDENT_WORDS_R 8'h60           // R, a pair
`define RESIDENT_WORDS_P 8'h68           // R, a pair
`define RESIDENT_WORDS_Q 8'h70           // R, a pair
`define RESIDENT_HEADROOM_NOW 8'h78      // R
`define RESIDENT_RELAX 8'h7C             // RW
`define RESIDENT_STALL_LIMIT 8'h80       // RW
`define RESIDENT_SHARE 8'h84             // RW

// Addresses that can be written, and read (CONTROL as zero); all others answer SLVERR.
`define RESIDENT_WRITABLE(at) ((at) == 8'h08 || ((at) >= 8'h10 && (at) <= 8'h2C) || ((at) >= 8'h7C && (at) <= \
    8'h84))
`define RESIDENT_READABLE(at) ((at) <= 8'h84)

`define RESIDENT_ID_VALUE 32'h4D545201

// How a solve ended: STATUS[7:4].
`define RESIDENT_END_CONVERGED 4'd0      // r.r was below the tolerance
`define RESIDENT_END_PASSES 4'd1         // PASSES passes were done
`define RESIDENT_END_EXACT 4'd2          // D is zero, and no correction was rounded: b is A V
`define RESIDENT_END_INDEFINITE 4'd3     // ten runs in a row ended in trouble, the last one with p.q not above zero
`define RESIDENT_END_NOT_FINITE 4'd4     // likewise, the last one with a scalar that was not finite
`define RESIDENT_END_WINDOW_OVERFLOW 4'd5 // words overflowed 41 times, with more and more headroom
`define RESIDENT_END_FAULT 4'd6          // no exponent fits r's words (a headroom that cannot be); ten runs in a row ended with rho zero; D is zero, but corrections were rounded to V's or D's grid (VF too short for the tolerance); D was not loaded, or a register is out of its range; STALL_LIMIT; or the solve was aborted
`define RESIDENT_END_OUTER_OVERFLOW 4'd7 // a word of V or D overflowed

`endif
