/// The core's AXI4-Lite registers. 32-bit words; 64-bit scalars are a low word and a high word, right-aligned bit
/// patterns of their format. The map, by byte address:
///
///   000 ID             R   4D 54 53 01
///   004 CONFIG         R   [2:0] log2 lanes, [4:3] coefficient mode, [5] fixed-point dots, [6] tree
///   008 CONTROL        W   [0] start, [1] abort
///   00C STATUS         R   [0] busy, [1] done, [6:4] how the run ended (see below), [8] bank that holds u, r, p, q
///   010 ERRORS         RW1C [0] bad length, [1] bad row length, [2] programmed while busy, [3] stream ended early,
///                          [4] stream ended late, [5] stalled past STALL_LIMIT, [6] aborted, [7] no passes asked for
///   014 LENGTH         RW  elements of a vector
///   018 ROW_LENGTH     RW  elements of a grid row, 3 (and Lanes) up to MaxRow
///   01C PASSES         RW  passes to run
///   020 RHO_STOP_FROM  RW  first pass of the run whose rho is tested
///   024 STALL_LIMIT    RW  clocks without progress that count as a fault; 0: wait for ever
///   028 MODE           RW  [0] constant stencil (where both modes are built)
///   02C BANK           RW  bank to read first
///   030 PASS_COUNT     R   passes finished in this run
///   034 SIGMA_GUARDS   R   negative sigmas in this run
///   038 CYCLES         R   clocks busy in this run, low and high word
///   040 ALPHA, 048 BETA, 070 RHO_STOP                            RW
///   080 + 8 b COEFFICIENT b of the constant stencil                W
///   050 RHO, 058 PQ, 060 QQ, 068 SIGMA                            R
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
  input  wire  [7:0]      errors_i, ///< set these flags
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
  output logic            set_alpha_o, ///< one clock, with set_value_o
  output logic            set_beta_o,
  output logic [SW-1:0]   set_value_o,
  output logic [SW-1:0]   rho_stop_o,
  output logic [9*CW-1:0] coef_o
);
  logic [7:0]  errors_q;
  logic [31:0] row_q;
  logic [31:0] low_q; // low word of a scalar whose high word is still to come

  // One write at a time: address and data are taken together.
  wire take = s_axil_awvalid & s_axil_wvalid & ~s_axil_bvalid;
  assign s_axil_awready = take;
  assign s_axil_wready  = take;
  assign s_axil_bresp   = 2'b00;
  assign s_axil_rresp   = 2'b00;
  wire [5:0] at = s_axil_awaddr[7:2];
  wire [63:0] pair = {s_axil_wdata, low_q};
  wire control = at == 6'h02;
  wire clear   = at == 6'h04;
  wire write   = take & ~busy_i;
  wire misuse  = take & busy_i & ~clear & ~(control & ~s_axil_wdata[0]);

  assign row_length_o = row_q[RowW-1:0];
  assign row_bad_o    = (row_q >> RowW) != 0 || row_q < 32'd3;

  integer b;
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      s_axil_bvalid <= 1'b0;
      start_o       <= 1'b0;
      abort_o       <= 1'b0;
      set_alpha_o   <= 1'b0;
      set_beta_o    <= 1'b0;
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
      low_q         <= '0;
      set_value_o   <= '0;
    end else begin
      start_o     <= write & control & s_axil_wdata[0];
      abort_o     <= take & control & s_axil_wdata[1];
      set_alpha_o <= write & (at == 6'h11);
      set_beta_o  <= write & (at == 6'h13);
      set_value_o <= SW'(pair);
      errors_q    <= (errors_q & ~((take && clear) ? s_axil_wdata[7:0] : 8'd0)) | errors_i | {5'd0, misuse, 2'd0};
      if (take) s_axil_bvalid <= 1'b1;
      else if (s_axil_bready) s_axil_bvalid <= 1'b0;
      if (write) begin
        low_q <= s_axil_wdata;
        case (at)
          6'h05: length_o <= LenW'(s_axil_wdata);
          6'h06: row_q <= s_axil_wdata;
          6'h07: passes_o <= s_axil_wdata;
          6'h08: rho_stop_from_o <= s_axil_wdata;
          6'h09: stall_limit_o <= s_axil_wdata;
          6'h0A: stencil_o <= s_axil_wdata[0];
          6'h0B: bank_o <= s_axil_wdata[0];
          6'h1D: rho_stop_o <= SW'(pair);
          default: ;
        endcase
        for (b = 0; b < 9; b = b + 1)
          if (at == 6'(33 + 2 * b)) coef_o[b*CW +: CW] <= CW'(pair);
      end
    end

  // Reads.
  assign s_axil_arready = ~s_axil_rvalid;
  wire [5:0] from = s_axil_araddr[7:2];
  function [63:0] scalar(input [4:0] k);
    case (k)
      5'h08: scalar = 64'(alpha_i);
      5'h09: scalar = 64'(beta_i);
      5'h0A: scalar = 64'(rho_i);
      5'h0B: scalar = 64'(pq_i);
      5'h0C: scalar = 64'(qq_i);
      5'h0D: scalar = 64'(sigma_i);
      5'h0E: scalar = 64'(rho_stop_o);
      default: scalar = cycles_i;
    endcase
  endfunction
  wire [63:0] pair_at = scalar(from[5:1]);
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      s_axil_rvalid <= 1'b0;
      s_axil_rdata  <= '0;
    end else if (s_axil_arvalid & s_axil_arready) begin
      s_axil_rvalid <= 1'b1;
      case (from)
        6'h00: s_axil_rdata <= 32'h4D545301;
        6'h01: s_axil_rdata <= 32'(Config);
        6'h02: s_axil_rdata <= 32'd0;
        6'h03: s_axil_rdata <= {23'd0, bank_i, 1'b0, end_i, 2'b00, done_i, busy_i};
        6'h04: s_axil_rdata <= {24'd0, errors_q};
        6'h05: s_axil_rdata <= 32'(length_o);
        6'h06: s_axil_rdata <= row_q;
        6'h07: s_axil_rdata <= passes_o;
        6'h08: s_axil_rdata <= rho_stop_from_o;
        6'h09: s_axil_rdata <= stall_limit_o;
        6'h0A: s_axil_rdata <= {31'd0, stencil_o};
        6'h0B: s_axil_rdata <= {31'd0, bank_o};
        6'h0C: s_axil_rdata <= pass_count_i;
        6'h0D: s_axil_rdata <= sigma_guards_i;
        default: s_axil_rdata <= from[0] ? pair_at[63:32] : pair_at[31:0];
      endcase
    end else if (s_axil_rready) begin
      s_axil_rvalid <= 1'b0;
    end
  wire unused = &{1'b0, s_axil_awaddr[1:0], s_axil_araddr[1:0]};
endmodule
`default_nettype wire
