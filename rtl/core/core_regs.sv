/// The core's AXI4-Lite registers, 32-bit words. docs/integration.md explains their use. The map, by byte address:
///
///   000 ID             R   4D 54 53 01
///   004 CONFIG         R   [2:0] log2 lanes, [4:3] coefficient mode, [5] fixed-point dots, [6] tree
///   008 CONTROL        W   [0] start, [1] abort; reads as zero
///   00C STATUS         R   [0] busy, [1] done, [6:4] how the run ended (see below), [8] bank that holds u, r, p, q,
///                          [9] beats of a run that has ended are still offered
///   010 ERRORS         RW1C [0] bad length, [1] bad row length, [2] programmed while busy, [3] stream ended early,
///                          [4] stream ended late, [5] stalled past STALL_LIMIT, [6] aborted, [7] no passes asked for,
///                          [8] started while beats of an earlier run were still offered
///   014 LENGTH         RW  elements of a vector
///   018 ROW_LENGTH     RW  elements of a grid row, 3 (and Lanes) up to MaxRow
///   01C PASSES         RW  passes to run
///   020 RHO_STOP_FROM  RW  first pass of the run whose rho is tested; 1 out of reset
///   024 STALL_LIMIT    RW  clocks without progress that count as a fault; 0: wait for ever
///   028 MODE           RW  [0] constant stencil (where both modes are built)
///   02C BANK           RW  [0] bank to read first
///   030 PASS_COUNT     R   passes finished in this run
///   034 SIGMA_GUARDS   R   negative sigmas in this run
///   038 CYCLES         R   clocks busy in this run, low and high word
///   040 ALPHA, 048 BETA, 070 RHO_STOP                            RW
///   050 RHO, 058 PQ, 060 QQ, 068 SIGMA                            R
///   080 + 8 b COEFFICIENT b of the constant stencil, b = 0..8      W
///
/// The scalars and coefficients are bit patterns of their formats, right-aligned in a low word and a high word at the
/// next address. Each word is written by itself, in any order; bits beyond a format's are ignored and read as zero. All
/// registers are zero out of reset but for RHO_STOP_FROM. Bytes whose WSTRB is low keep their value.
///
/// SLVERR answers an address that is not in the map, a write to a register that is only read and a read of one that is
/// only written; nothing changes and the data is zero. Address bits [1:0] are ignored.
///
/// How the run ended: 0 all passes, 1 rho below RHO_STOP, 2 rho zero, 3 p.q not above zero, 4 not finite, 5 fixed-point
/// window left, 6 fault (see ERRORS). Writes while busy change nothing and set ERRORS[2]; CONTROL.abort and ERRORS are
/// always open.
`include "mantissa.svh"
`default_nettype none
module core_regs #(
  parameter integer SW = 64,
  parameter integer CW = 32,
  parameter integer LenW = 32,
  parameter integer RowW = 11,
  parameter integer Config = 0
) (
  input  wire             clk_i,
  input  wire             rst_ni,

  input  wire  [7:0]      s_axil_awaddr,
  input  wire             s_axil_awvalid,
  output logic            s_axil_awready,
  input  wire  [31:0]     s_axil_wdata,
  input  wire  [3:0]      s_axil_wstrb,
  input  wire             s_axil_wvalid,
  output logic            s_axil_wready,
  output logic [1:0]      s_axil_bresp,
  output logic            s_axil_bvalid,
  input  wire             s_axil_bready,
  input  wire  [7:0]      s_axil_araddr,
  input  wire             s_axil_arvalid,
  output logic            s_axil_arready,
  output logic [31:0]     s_axil_rdata,
  output logic [1:0]      s_axil_rresp,
  output logic            s_axil_rvalid,
  input  wire             s_axil_rready,

  input  wire             busy_i,
  input  wire             done_i,
  input  wire  [2:0]      end_i,
  input  wire             bank_i,
  input  wire             offering_i, ///< some beat is offered
  input  wire  [8:0]      errors_i, ///< set these flags
  input  wire  [31:0]     pass_count_i,
  input  wire  [31:0]     sigma_guards_i,
  input  wire  [63:0]     cycles_i,
  input  wire  [SW-1:0]   alpha_i,
  input  wire  [SW-1:0]   beta_i,
  input  wire  [SW-1:0]   rho_i,
  input  wire  [SW-1:0]   pq_i,
  input  wire  [SW-1:0]   qq_i,
  input  wire  [SW-1:0]   sigma_i,

  output logic            start_o, ///< one clock
  output logic            abort_o, ///< one clock
  output logic [LenW-1:0] length_o,
  output logic [RowW-1:0] row_length_o,
  output logic            row_bad_o, ///< the row length written does not fit RowW bits, or is below 3
  output logic [31:0]     passes_o,
  output logic [31:0]     rho_stop_from_o,
  output logic [31:0]     stall_limit_o,
  output logic            stencil_o,
  output logic            bank_o,
  output logic [7:0]      set_alpha_o, ///< one clock: the bytes of alpha that become those of {set_word_o, set_word_o}
  output logic [7:0]      set_beta_o,
  output logic [31:0]     set_word_o,
  output logic [SW-1:0]   rho_stop_o,
  output logic [9*CW-1:0] coef_o
);
  // ---- Writes ------------------------------------------------------------------------------------------------------
  // Address and data are accepted each by itself, in any order, and wait here for each other; the write is done in the
  // clock in which both are here and the last response has gone.
  logic        aw_q, w_q;
  logic [5:0]  at;
  logic [31:0] data;
  logic [3:0]  strobe;
  assign s_axil_awready = ~aw_q;
  assign s_axil_wready  = ~w_q;
  wire take = aw_q & w_q & ~s_axil_bvalid;

  wire control = at == 6'h02;
  wire clear   = at == 6'h04;
  wire scalar_at = at[5:1] == 5'h08 || at[5:1] == 5'h09 || at[5:1] == 5'h0E; // ALPHA, BETA, RHO_STOP
  wire coef_at = at >= 6'd32 && at < 6'd50;
  wire known   = control || (at >= 6'h04 && at <= 6'h0B) || scalar_at || coef_at;
  wire write   = take & ~busy_i;
  wire misuse  = take & busy_i & known & ~clear & ~(control & ~(data[0] & strobe[0]));
  wire [7:0] strobes = at[0] ? {strobe, 4'b0000} : {4'b0000, strobe}; // of a 64-bit value
  function [31:0] merged(input [31:0] old);
    merged = {strobe[3] ? data[31:24] : old[31:24], strobe[2] ? data[23:16] : old[23:16],
              strobe[1] ? data[15:8] : old[15:8], strobe[0] ? data[7:0] : old[7:0]};
  endfunction
  function [63:0] merged_pair(input [63:0] old);
    merged_pair = at[0] ? {merged(old[63:32]), old[31:0]} : {old[63:32], merged(old[31:0])};
  endfunction

  logic [8:0]  errors_q;
  logic [31:0] row_q;
  assign row_length_o = row_q[RowW-1:0];
  assign row_bad_o    = (row_q >> RowW) != 0 || row_q < 32'd3;

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      aw_q          <= 1'b0;
      w_q           <= 1'b0;
      s_axil_bvalid <= 1'b0;
      s_axil_bresp  <= 2'b00;
    end else begin
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
    if (!aw_q) at <= s_axil_awaddr[7:2];
    if (!w_q) begin
      data   <= s_axil_wdata;
      strobe <= s_axil_wstrb;
    end
  end

  integer b;
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      start_o       <= 1'b0;
      abort_o       <= 1'b0;
      set_alpha_o   <= '0;
      set_beta_o    <= '0;
      errors_q      <= '0;
      length_o      <= '0;
      row_q         <= '0;
      passes_o      <= '0;
      rho_stop_from_o <= 32'd1;
      stall_limit_o <= '0;
      stencil_o     <= 1'b0;
      bank_o        <= 1'b0;
      rho_stop_o    <= '0;
      coef_o        <= '0;
      set_word_o    <= '0;
    end else begin
      start_o     <= write & control & data[0] & strobe[0];
      abort_o     <= take & control & data[1] & strobe[0];
      set_alpha_o <= strobes & {8{write & at[5:1] == 5'h08}};
      set_beta_o  <= strobes & {8{write & at[5:1] == 5'h09}};
      set_word_o  <= data;
      errors_q    <= (errors_q & ~({data[8] & strobe[1], data[7:0] & {8{strobe[0]}}} & {9{take & clear}})) | errors_i |
                     {6'd0, misuse, 2'd0};
      if (write) begin
        case (at)
          6'h05: length_o <= LenW'(merged(32'(length_o)));
          6'h06: row_q <= merged(row_q);
          6'h07: passes_o <= merged(passes_o);
          6'h08: rho_stop_from_o <= merged(rho_stop_from_o);
          6'h09: stall_limit_o <= merged(stall_limit_o);
          6'h0A: stencil_o <= strobe[0] ? data[0] : stencil_o;
          6'h0B: bank_o <= strobe[0] ? data[0] : bank_o;
          default: ;
        endcase
        if (at[5:1] == 5'h0E) rho_stop_o <= SW'(merged_pair(64'(rho_stop_o)));
        for (b = 0; b < 9; b = b + 1)
          if (at[5:1] == 5'(16 + b)) coef_o[b*CW +: CW] <= CW'(merged_pair(64'(coef_o[b*CW +: CW])));
      end
    end

  // ---- Reads -------------------------------------------------------------------------------------------------------
  assign s_axil_arready = ~s_axil_rvalid;
  wire [5:0] from = s_axil_araddr[7:2];
  // Called on a clock only: a wire would follow the address, and not the registers that the function reads.
  function [31:0] scalar(input [5:0] which);
    logic [63:0] pair;
    begin
      case (which[5:1])
        5'h07: pair = cycles_i;
        5'h08: pair = 64'(alpha_i);
        5'h09: pair = 64'(beta_i);
        5'h0A: pair = 64'(rho_i);
        5'h0B: pair = 64'(pq_i);
        5'h0C: pair = 64'(qq_i);
        5'h0D: pair = 64'(sigma_i);
        5'h0E: pair = 64'(rho_stop_o);
        default: pair = 64'd0;
      endcase
      scalar = which[0] ? pair[63:32] : pair[31:0];
    end
  endfunction
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      s_axil_rvalid <= 1'b0;
      s_axil_rresp  <= 2'b00;
      s_axil_rdata  <= '0;
    end else if (s_axil_arvalid & s_axil_arready) begin
      s_axil_rvalid <= 1'b1;
      s_axil_rresp  <= {from > 6'h1D, 1'b0};
      case (from)
        6'h00: s_axil_rdata <= 32'h4D545301;
        6'h01: s_axil_rdata <= 32'(Config);
        6'h02: s_axil_rdata <= 32'd0;
        6'h03: s_axil_rdata <= {22'd0, offering_i & ~busy_i, bank_i, 1'b0, end_i, 2'b00, done_i, busy_i};
        6'h04: s_axil_rdata <= {23'd0, errors_q};
        6'h05: s_axil_rdata <= 32'(length_o);
        6'h06: s_axil_rdata <= row_q;
        6'h07: s_axil_rdata <= passes_o;
        6'h08: s_axil_rdata <= rho_stop_from_o;
        6'h09: s_axil_rdata <= stall_limit_o;
        6'h0A: s_axil_rdata <= {31'd0, stencil_o};
        6'h0B: s_axil_rdata <= {31'd0, bank_o};
        6'h0C: s_axil_rdata <= pass_count_i;
        6'h0D: s_axil_rdata <= sigma_guards_i;
        default: s_axil_rdata <= scalar(from);
      endcase
    end else if (s_axil_rready) begin
      s_axil_rvalid <= 1'b0;
    end
  wire unused = &{1'b0, s_axil_awaddr[1:0], s_axil_araddr[1:0]};
endmodule
`default_nettype wire
