// The core's registers: addresses, bits and codes.
// Written by rtl/generate.py from rtl/core.toml; edit that and run it again.
`ifndef CORE_REGISTERS_SVH
`define CORE_REGISTERS_SVH

// Byte addresses; of two words, the low one's. docs/integration.md has what they mean.
`define REG_ID 8'h00               // R
`define REG_CONFIG 8'h04           // R
`define REG_CONTROL 8'h08          // W
`define REG_STATUS 8'h0C           // R
`define REG_ERRORS 8'h10           // RW1C
`define REG_LENGTH 8'h14           // RW
`define REG_ROW_LENGTH 8'h18       // RW
`define REG_PASSES 8'h1C           // RW
`define REG_RHO_STOP_FROM 8'h20    // RW
`define REG_STALL_LIMIT 8'h24      // RW
`define REG_MODE 8'h28             // RW
`define REG_BANK 8'h2C             // RW
`define REG_PASS_COUNT 8'h30       // R
`define REG_SIGMA_GUARDS 8'h34     // R
`define REG_CYCLES 8'h38           // R, a pair
`define REG_ALPHA 8'h40            // RW, a pair
`define REG_BETA 8'h48             // RW, a pair
`define REG_RHO 8'h50              // R, a pair
`define REG_PQ 8'h58               // R, a pair
`define REG_QQ 8'h60               // R, a pair
`define REG_SIGMA 8'h68            // R, a pair
`define REG_RHO_STOP 8'h70         // RW, a pair
`define REG_COEFFICIENT 8'h80      // W, a pair for each of 9
`define REG_WORDS_U 8'hC8          // R, a pair
`define REG_WORDS_R 8'hD0          // R, a pair
`define REG_WORDS_P 8'hD8          // R, a pair
`define REG_WORDS_Q 8'hE0          // R, a pair
`define REG_HALO_FIRST 8'hE8       // RW
`define REG_HALO_LAST 8'hEC        // RW
`define REG_HALO_COLUMN 8'hF0      // RW

// Addresses that can be written, and read (CONTROL as zero); all others answer SLVERR. First those of every core,
// then what pcg_core, fx_core or a core of fx_cores has more.
`define REG_WRITABLE(at) ((at) == 8'h08 || ((at) >= 8'h10 && (at) <= 8'h2C) || ((at) >= 8'h40 && (at) <= 8'h4C) \
    || ((at) >= 8'h70 && (at) <= 8'h74))
`define REG_READABLE(at) ((at) <= 8'h74)
`define REG_PCG_CORE_WRITABLE(at) (((at) >= 8'h80 && (at) <= 8'hC4))
`define REG_FX_CORE_READABLE(at) (((at) >= 8'hC8 && (at) <= 8'hE4))
`define REG_FX_CORES_WRITABLE(at) (((at) >= 8'hE8 && (at) <= 8'hF0))
`define REG_FX_CORES_READABLE(at) (((at) >= 8'hE8 && (at) <= 8'hF0))

`define ID_VALUE 32'h4D545301

// Bits of CONTROL and STATUS.
`define CONTROL_START 0            // a run begins
`define CONTROL_ABORT 1            // the run ends
`define STATUS_BUSY 0              // a run is on
`define STATUS_DONE 1              // a run has ended
`define STATUS_END 4               // how it ended
`define STATUS_BANK 8              // the bank that holds u, r, p, q
`define STATUS_OFFERING 9          // beats of a run that has ended are still offered
`define STATUS_FAULT_DETECTED 11   // fx_core with Checks: a check failed since the start

// Bits of ERRORS.
`define ERROR_BAD_LENGTH 0         // LENGTH is 0, or beyond LenW bits (sp_core: above Lanes * Depth)
`define ERROR_BAD_ROW_LENGTH 1     // ROW_LENGTH is out of its range, a slab's halos do not fit it, or with a constant stencil LENGTH is no multiple of it (found within 40 clocks: the first pass beat may have been offered)
`define ERROR_BUSY 2               // registers written, or started, while busy
`define ERROR_ENDED_EARLY 3        // a stream raised tlast before its last beat (sp_core: or a vector was loaded short, or half when a run started)
`define ERROR_ENDED_LATE 4         // a stream's last beat came without tlast (sp_core: or a vector was loaded long)
`define ERROR_STALLED 5            // nothing moved for STALL_LIMIT clocks, or the pass beat was not taken for so long, or the scalar unit took 2048 clocks more
`define ERROR_ABORTED 6            // CONTROL.abort
`define ERROR_NO_PASSES 7          // PASSES is 0
`define ERROR_STILL_OFFERED 8      // started while STATUS[9] is 1
`define ERRORS_W 9

// How a run ended: STATUS.END.
`define END_PASSES 3'd0            // all passes were run
`define END_RHO_REACHED 3'd1       // rho fell below RHO_STOP
`define END_EXACT 3'd2             // rho is zero: nothing is left to reduce
`define END_INDEFINITE 3'd3        // p.q is not above zero: A is not positive definite, in this format
`define END_NOT_FINITE 3'd4        // a scalar is infinite or NaN
`define END_WINDOW_OVERFLOW 3'd5   // a dot product left its fixed-point window; RHO, PQ and QQ are +0 too
`define END_FAULT 3'd6             // fault: see ERRORS

`endif
