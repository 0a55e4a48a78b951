/// The core's AXI4-Lite registers, 32-bit words. docs/integration.md explains their use. The map, by byte address:
///
/// generated: map
///   000 ID             R    0x4D545301
///   004 CONFIG         R    [2:0] log2 Lanes, [4:3] CoefMode, [5] Fixed, [6] Order 1 (tree), [7] integer
///                           words, [8] RowSums, [10:9] Order, [11] Chebyshev, [12] Checks
///   008 CONTROL        W    write 1: [0] start, [1] abort. Reads as 0
///   00C STATUS         R    [0] busy, [1] done, [6:4] how the run ended, [8] the bank with the result, [9]
///                           beats of a run that has ended are still offered (sp_core: or a vector), [11]
///                           fault_detected (fx_core with Checks): a check failed, the run is aborted
///   010 ERRORS         RW1C see below. Write ones to clear
///   014 LENGTH         RW   elements of a vector, from 1
///   018 ROW_LENGTH     RW   3 (and at least Lanes) up to MaxRow, and not above LENGTH
///   01C PASSES         RW   passes to run, from 1
///   020 RHO_STOP_FROM  RW   first pass of the run, counted from 1, whose rho is compared with RHO_STOP
///   024 STALL_LIMIT    RW   clocks without progress that end the run with a fault; 0: wait for ever
///   028 MODE           RW   [0] constant stencil; counts with CoefMode 2 only
///   02C BANK           RW   [0] the bank that the next run reads first
///   030 PASS_COUNT     R    passes finished in this run
///   034 SIGMA_GUARDS   R    passes of this run whose sigma was negative
///   038 CYCLES         R    clocks of this run, low and high word
///   040 ALPHA          RW   low and high word, as all below. With Chebyshev alpha of a pair, an operand;
///                           reads as zero, as all scalars
///   048 BETA           RW   with Chebyshev beta of a pair, an operand; its last byte stores the pair, and
///                           RHO_STOP becomes the next one's number
///   050 RHO            R
///   058 PQ             R
///   060 QQ             R
///   068 SIGMA          R
///   070 RHO_STOP       RW   the run ends after a pass with rho below it; 0: never. With Chebyshev the number
///                           of the pair that is written next
///   080 COEFFICIENT b  W     + 8 b, b = 0..8: of the constant stencil; of fluxes: w of E, NW, N, NE, and c;
///                           of second differences: alpha, beta, gamma, and c (pcg_core)
///   0C8 WORDS_U        R    over this run's words of u', the OR of w where w >= 0 and of -1 - w else; bit
///                           W-1 is set where a word overflowed (fx_core)
///   0D0 WORDS_R        R    of r' (fx_core)
///   0D8 WORDS_P        R    of p' (fx_core)
///   0E0 WORDS_Q        R    of q' (fx_core)
///   0E8 HALO_FIRST     RW   elements of LENGTH in front of the slab's own: updated, neither written nor
///                           summed; 0 or above ROW_LENGTH, a multiple of Lanes (fx_cores)
///   0EC HALO_LAST      RW   the same after the slab's own (fx_cores)
///   0F0 HALO_COLUMN    RW   constant stencil: column of the slab's first element in its grid row (fx_cores)
/// end of generated
///
/// The scalars and coefficients are bit patterns of their formats, right-aligned in a low word and a high word at the
/// next address. Each word is written by itself, in any order; bits beyond a format's are ignored and read as zero. All
/// registers are zero out of reset but for RHO_STOP_FROM. Bytes whose WSTRB is low keep their value.
///
/// SLVERR answers an address that is not in the map, a write to a register that is only read and a read of one that is
/// only written; nothing changes and the data is zero. Address bits [1:0] are ignored.
///
/// Writes while busy change nothing and set ERRORS.BUSY; CONTROL.ABORT and ERRORS are always open. How a run ended, and
/// the bits of ERRORS: core_registers.svh.
`include "mantissa.svh"
`default_nettype none
module core_regs #(
  parameter integer ScalarW = 64,
  parameter integer CoefW = 32,
  parameter integer LenW = 32,
  parameter integer RowLenW = 11,
  parameter integer Integer = 0, ///< 0: the map of pcg_core; 1: that of fx_core
  parameter integer Slab = 0,    ///< 1: and the registers of a slab, those of one core among several
  parameter integer Config = 0
) (
  input  wire             clk_i,
  input  wire             rst_ni,

  `AXIL_PORTS(8)

  input  wire             busy_i,
  input  wire             done_i,
  input  wire  [2:0]      end_i,
  input  wire             bank_i,
  input  wire             offering_i, ///< some beat is offered
  input  wire             fault_i,    ///< STATUS.FAULT_DETECTED
  input  wire  [`ERRORS_W-1:0] errors_i, ///< set these flags
  input  wire  [31:0]     pass_count_i,
  input  wire  [31:0]     sigma_guards_i,
  input  wire  [63:0]     cycles_i,
  input  wire  [ScalarW-1:0] scalar_i, ///< in the clock of scalar_read_o: scalar scalar_at_o
  input  wire  [63:0]     words_u_i, ///< Integer 1: the OR of a vector's words, by their signs
  input  wire  [63:0]     words_r_i,
  input  wire  [63:0]     words_p_i,
  input  wire  [63:0]     words_q_i,

  output logic            start_o, ///< one clock
  output logic            abort_o, ///< one clock
  output logic [LenW-1:0] length_o,
  output logic [RowLenW-1:0] row_length_o,
`ifndef UNWATCHED
  output logic            length_bad_o, ///< LENGTH does not fit LenW bits, of which those above are kept
`endif
  output logic            row_bad_o, ///< the row length written does not fit RowLenW bits, or is below 3
  output logic [31:0]     passes_o,
  output logic [31:0]     rho_stop_from_o,
  output logic [31:0]     stall_limit_o,
  output logic            stencil_o,
  output logic            bank_o,
  output logic [LenW-1:0] halo_first_o, ///< 0 without Slab, as the next two
  output logic [LenW-1:0] halo_last_o,
  output logic [RowLenW-1:0] halo_column_o,
  output logic            scalar_read_o, ///< one clock
  output logic [2:0]      scalar_at_o,   ///< a scalar: bits [5:3] of its address
  output logic [7:0]      set_o,         ///< one clock: the bytes of a scalar that become those of {set_word_o, set_word_o}
  output logic [2:0]      set_at_o,
  output logic [31:0]     set_word_o,
  output logic [9*CoefW-1:0] coef_o
);
  // ---- Writes ------------------------------------------------------------------------------------------------------
  // Address and data are accepted each by itself, in any order, and wait here for each other; the write is done when both
  // have been here for a clock, in which the address was looked at, and the last response has gone.
  logic        aw_q, w_q;
  logic [7:0]  at; // a word's
  logic [31:0] data;
  logic [3:0]  strobe;
  assign s_axil_awready = ~aw_q;
  assign s_axil_wready  = ~w_q;
  logic [2:0]  settle_q; // clocks in which alpha and beta, written just now, become operands of the vector updates
  logic        take;     // a register: what it needs stands until it comes

  // Which register the address means is looked at in the clock in front of take, too.
  wire [7:0] pair = {at[7:3], 3'd0};
  logic control, clear, known, settable;
  logic at_length, at_row_length, at_passes, at_rho_stop_from, at_stall_limit, at_mode, at_bank;
  logic at_halo_first, at_halo_last, at_halo_column;
  logic [8:0] at_coef;
  always_ff @(posedge clk_i) begin
    take     <= rst_ni & aw_q & w_q & ~take & (~s_axil_bvalid | s_axil_bready) & settle_q[2:1] == 2'b00;
    if (aw_q) begin
      control  <= at == `REG_CONTROL;
      clear    <= at == `REG_ERRORS;
      known    <= `REG_WRITABLE(at) || (Integer == 0 && `REG_PCG_CORE_WRITABLE(at)) ||
                  (Slab != 0 && `REG_FX_CORES_WRITABLE(at));
      settable <= pair == `REG_ALPHA || pair == `REG_BETA || pair == `REG_RHO_STOP;
      at_length        <= at == `REG_LENGTH;
      at_row_length    <= at == `REG_ROW_LENGTH;
      at_passes        <= at == `REG_PASSES;
      at_rho_stop_from <= at == `REG_RHO_STOP_FROM;
      at_stall_limit   <= at == `REG_STALL_LIMIT;
      at_mode          <= at == `REG_MODE;
      at_bank          <= at == `REG_BANK;
      at_halo_first    <= Slab != 0 && at == `REG_HALO_FIRST;
      at_halo_last     <= Slab != 0 && at == `REG_HALO_LAST;
      at_halo_column   <= Slab != 0 && at == `REG_HALO_COLUMN;
      for (int k = 0; k < 9; k = k + 1) at_coef[k] <= Integer == 0 && pair == `REG_COEFFICIENT + 8'(8 * k);
    end
  end
  wire write   = take & ~busy_i;
  wire start   = control & data[`CONTROL_START] & strobe[0];
  wire misuse  = take & busy_i & known & ~clear & ~(control & ~start);
  wire [7:0] strobes = at[2] ? {strobe, 4'b0000} : {4'b0000, strobe}; // of a 64-bit value
  `WRITTEN_BYTES(strobe, data)
  function [63:0] merged_pair(input [63:0] old);
    merged_pair = at[2] ? {merged(old[63:32]), old[31:0]} : {old[63:32], merged(old[31:0])};
  endfunction

  assign set_word_o = data; // stands for a clock after take

  logic [`ERRORS_W-1:0] errors_q;
  logic [31:0] row_q;
  assign row_length_o = row_q[RowLenW-1:0];
  assign row_bad_o    = (row_q >> RowLenW) != 0 || row_q < 32'd3;

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      aw_q          <= 1'b0;
      w_q           <= 1'b0;
      s_axil_bvalid <= 1'b0;
      s_axil_bresp  <= 2'b00;
      settle_q      <= '0;
    end else begin
      if (write & settable) settle_q <= 3'd6;
      else if (|settle_q) settle_q <= settle_q - 3'd1;
      if (take) begin
        aw_q <= 1'b0;
        w_q  <= 1'b0;
      end else begin
        if (s_axil_awvalid) aw_q <= 1'b1;
        if (s_axil_wvalid) w_q <= 1'b1;
      end
      if (take) begin
        s_axil_bvalid <= 1'b1;
        s_axil_bresp  <= {~known, 1'b0};
      end else if (s_axil_bready) begin
        s_axil_bvalid <= 1'b0;
      end
    end
  always_ff @(posedge clk_i) begin
    if (!aw_q) at <= {s_axil_awaddr[7:2], 2'b00};
    if (!w_q) begin
      data   <= s_axil_wdata;
      strobe <= s_axil_wstrb;
    end
  end

`ifndef UNWATCHED
  wire [31:0] length_all; // as it was written
  generate
    if (LenW < 32) begin : g_length
      logic [31:LenW] above_q;
      always_ff @(posedge clk_i)
        if (!rst_ni) above_q <= '0;
        else if (write & at_length) above_q <= (32-LenW)'(merged(length_all) >> LenW);
      assign length_all   = {above_q, length_o};
      assign length_bad_o = |above_q;
    end else begin : g_length_cut
      assign length_all   = 32'(length_o);
      assign length_bad_o = 1'b0;
    end
  endgenerate
`endif

  integer b;
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      start_o       <= 1'b0;
      abort_o       <= 1'b0;
      set_o         <= '0;
      set_at_o      <= '0;
      errors_q      <= '0;
      length_o      <= '0;
      row_q         <= '0;
      passes_o      <= '0;
      rho_stop_from_o <= 32'd1;
      stall_limit_o <= '0;
      stencil_o     <= 1'b0;
      bank_o        <= 1'b0;
      halo_first_o  <= '0;
      halo_last_o   <= '0;
      halo_column_o <= '0;
      coef_o        <= '0;
    end else begin
      start_o     <= write & start;
      abort_o     <= take & control & data[`CONTROL_ABORT] & strobe[0];
      set_o       <= strobes & {8{write & settable}};
      set_at_o    <= at[5:3];
      errors_q    <= (errors_q & ~({data[8] & strobe[1], data[7:0] & {8{strobe[0]}}} & {`ERRORS_W{take & clear}})) |
                     errors_i | (`ERRORS_W'(misuse) << `ERROR_BUSY);
      if (write) begin
        if (at_length) length_o <= LenW'(merged(32'(length_o)));
        if (at_row_length) row_q <= merged(row_q);
        if (at_passes) passes_o <= merged(passes_o);
        if (at_rho_stop_from) rho_stop_from_o <= merged(rho_stop_from_o);
        if (at_stall_limit) stall_limit_o <= merged(stall_limit_o);
        if (at_mode) stencil_o <= strobe[0] ? data[0] : stencil_o;
        if (at_bank) bank_o <= strobe[0] ? data[0] : bank_o;
        if (at_halo_first) halo_first_o <= LenW'(merged(32'(halo_first_o)));
        if (at_halo_last) halo_last_o <= LenW'(merged(32'(halo_last_o)));
        if (at_halo_column) halo_column_o <= RowLenW'(merged(32'(halo_column_o)));
        for (b = 0; b < 9; b = b + 1)
          if (at_coef[b]) coef_o[b*CoefW +: CoefW] <= CoefW'(merged_pair(64'(coef_o[b*CoefW +: CoefW])));
      end
    end

  // ---- Reads -------------------------------------------------------------------------------------------------------
  // The address is taken in one clock, and in the next chooses among the registers at the map's beginning and among those
  // at its end; one of the two is 0. In the third a scalar is asked for, if one is meant, and in the fourth what was
  // found is the answer.
  logic        ar_q, wide_q, answer_q, scalar_q;
  wire  [63:0] scalar = 64'(scalar_i);
  logic [7:2] from_q; // a word's address
  wire  [7:0] from = {from_q, 2'b00};
  assign s_axil_arready = ~s_axil_rvalid & ~ar_q & ~wide_q & ~answer_q;
  assign scalar_at_o    = from_q[5:3];
  // One of sixteen words, a bit of the address after the other.
  function automatic [31:0] one_of(input [16*32-1:0] words, input [3:0] which);
    logic [16*32-1:0] left;
    begin
      left = words;
      for (int k = 0; k < 8; k = k + 1) left[32*k +: 32] = which[0] ? left[64*k+32 +: 32] : left[64*k +: 32];
      for (int k = 0; k < 4; k = k + 1) left[32*k +: 32] = which[1] ? left[64*k+32 +: 32] : left[64*k +: 32];
      for (int k = 0; k < 2; k = k + 1) left[32*k +: 32] = which[2] ? left[64*k+32 +: 32] : left[64*k +: 32];
      one_of = which[3] ? left[63:32] : left[31:0];
    end
  endfunction
  // Called on a clock only: a wire would follow the address, and not the registers that these functions read.
  localparam [7:0] Last = 8'hC0; // the address of the last sixteen words
  `REQUIRE(g_bad_map, `REG_CYCLES < 8'h40 && `REG_ALPHA >= 8'h40 && `REG_RHO_STOP < Last && `REG_WORDS_U >= Last,
           "core_regs: a register is where no read looks for it")
  function automatic [31:0] first_word(input [7:2] which);
    logic [16*32-1:0] words;
    begin
      words = '0;
      words[8*`REG_ID +: 32]      = `ID_VALUE;
      words[8*`REG_CONFIG +: 32]  = 32'(Config);
      words[8*`REG_STATUS + `STATUS_BUSY]     = busy_i;
      words[8*`REG_STATUS + `STATUS_DONE]     = done_i;
      words[8*`REG_STATUS + `STATUS_END +: 3] = end_i;
      words[8*`REG_STATUS + `STATUS_BANK]     = bank_i;
      words[8*`REG_STATUS + `STATUS_OFFERING] = offering_i & ~busy_i;
      words[8*`REG_STATUS + `STATUS_FAULT_DETECTED] = fault_i;
      words[8*`REG_ERRORS +: 32]        = 32'(errors_q);
`ifndef UNWATCHED
      words[8*`REG_LENGTH +: 32]        = length_all;
`else
      words[8*`REG_LENGTH +: 32]        = 32'(length_o);
`endif
      words[8*`REG_ROW_LENGTH +: 32]    = row_q;
      words[8*`REG_PASSES +: 32]        = passes_o;
      words[8*`REG_RHO_STOP_FROM +: 32] = rho_stop_from_o;
      words[8*`REG_STALL_LIMIT +: 32]   = stall_limit_o;
      words[8*`REG_MODE]                = stencil_o;
      words[8*`REG_BANK]                = bank_o;
      words[8*`REG_PASS_COUNT +: 32]    = pass_count_i;
      words[8*`REG_SIGMA_GUARDS +: 32]  = sigma_guards_i;
      words[8*`REG_CYCLES +: 64]        = cycles_i;
      first_word = (which[7:6] == 2'b00) ? one_of(words, which[5:2]) : 32'd0;
    end
  endfunction
  function automatic [31:0] last_word(input [7:2] which);
    logic [16*32-1:0] words;
    begin
      words = '0;
      if (Integer != 0) begin
        words[8*(`REG_WORDS_U-Last) +: 64] = words_u_i;
        words[8*(`REG_WORDS_R-Last) +: 64] = words_r_i;
        words[8*(`REG_WORDS_P-Last) +: 64] = words_p_i;
        words[8*(`REG_WORDS_Q-Last) +: 64] = words_q_i;
      end
      words[8*(`REG_HALO_FIRST-Last) +: 32]  = 32'(halo_first_o);
      words[8*(`REG_HALO_LAST-Last) +: 32]   = 32'(halo_last_o);
      words[8*(`REG_HALO_COLUMN-Last) +: 32] = 32'(halo_column_o);
      last_word = (which[7:6] == Last[7:6]) ? one_of(words, which[5:2]) : 32'd0;
    end
  endfunction
  logic        readable_q;
  logic [31:0] first_q, last_q;
  always_ff @(posedge clk_i) begin
    if (s_axil_arready) from_q <= s_axil_araddr[7:2];
    if (ar_q) begin
      scalar_q   <= from >= `REG_ALPHA && from < `REG_RHO_STOP + 8'd8;
      readable_q <= `REG_READABLE(from) || (Integer != 0 && `REG_FX_CORE_READABLE(from)) ||
                    (Slab != 0 && `REG_FX_CORES_READABLE(from));
      first_q    <= first_word(from_q);
      last_q     <= last_word(from_q);
    end
  end
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      ar_q          <= 1'b0;
      wide_q        <= 1'b0;
      answer_q      <= 1'b0;
      scalar_read_o <= 1'b0;
      s_axil_rvalid <= 1'b0;
      s_axil_rresp  <= 2'b00;
      s_axil_rdata  <= '0;
    end else if (s_axil_arvalid & s_axil_arready) begin
      ar_q          <= 1'b1;
    end else if (ar_q) begin
      ar_q          <= 1'b0;
      wide_q        <= 1'b1;
    end else if (wide_q) begin
      wide_q        <= 1'b0;
      answer_q      <= 1'b1;
      scalar_read_o <= scalar_q;
      s_axil_rresp  <= {~readable_q, 1'b0};
    end else if (answer_q) begin
      answer_q      <= 1'b0;
      scalar_read_o <= 1'b0;
      s_axil_rvalid <= 1'b1;
      s_axil_rdata  <= scalar_read_o ? (from_q[2] ? scalar[63:32] : scalar[31:0]) : first_q | last_q;
    end else if (s_axil_rready) begin
      s_axil_rvalid <= 1'b0;
    end
  wire unused = &{1'b0, s_axil_awaddr[1:0], s_axil_araddr[1:0]};
endmodule
`default_nettype wire
