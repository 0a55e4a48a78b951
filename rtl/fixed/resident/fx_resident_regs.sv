/// fx_resident's AXI4-Lite registers, 32-bit words: the map is in resident_registers.svh, and with more words in
/// docs/integration.md. Handshakes, strobes and answers are those of core_regs: SLVERR for an address that is not in the map
/// or not open that way; writes while busy change nothing and set STATUS[8], but for CONTROL.abort.
`include "mantissa.svh"
`default_nettype none
module fx_resident_regs #(
  parameter integer ScalarW = 32,
  parameter integer ExponentW = 16,
  parameter integer Config = 0
) (
  input  wire             clk_i,
  input  wire             rst_ni,

  `AXIL_PORTS(8)

  output logic            start_o,  ///< one clock
  output logic            abort_o,  ///< one clock
  output logic            send_o,   ///< one clock
  output logic [31:0]     length_o,
  output logic [31:0]     row_length_o,
  output logic [31:0]     inner_o,
  output logic [31:0]     passes_o,
  output logic [ScalarW-1:0] tolerance_o,
  output logic signed [ExponentW-1:0] tolerance_exp_o,
  output logic signed [ExponentW-1:0] headroom_o,
  output logic [2:0]      relax_o,
  output logic [31:0]     stall_limit_o,
  output logic            resized_o, ///< one clock: LENGTH was written

  input  wire             busy_i,   ///< a solve is on, or V is being sent
  input  wire             done_i,
  input  wire             sending_i,
  input  wire             loaded_i,
  input  wire  [3:0]      end_i,
  input  wire             v_over_i,
  input  wire             d_over_i,
  input  wire             fault_i,
  input  wire  [31:0]     pass_count_i,
  input  wire  [31:0]     steps_i,
  input  wire  [31:0]     formed_again_i,
  input  wire  [31:0]     overflows_i,
  input  wire  [31:0]     sigma_guards_i,
  input  wire  signed [ExponentW-1:0] exponent_i,
  input  wire  signed [ExponentW-1:0] headroom_now_i,
  input  wire  [ScalarW-1:0] rr_i,
  input  wire  [47:0]     cycles_i,
  input  wire  [63:0]     words_u_i,
  input  wire  [63:0]     words_r_i,
  input  wire  [63:0]     words_p_i,
  input  wire  [63:0]     words_q_i
);
  // ---- Writes: address and data wait for each other ------------------------------------------------------------------
  logic        aw_q, w_q;
  logic [7:0]  at; // a word's
  logic [31:0] data;
  logic [3:0]  strobe;
  logic        misused_q;
  assign s_axil_awready = ~aw_q;
  assign s_axil_wready  = ~w_q;
  wire take    = aw_q & w_q & ~s_axil_bvalid;
  wire control = take & at == `RESIDENT_CONTROL & strobe[0];
  wire known   = `RESIDENT_WRITABLE(at);
  function [31:0] merged(input [31:0] old);
    merged = {strobe[3] ? data[31:24] : old[31:24], strobe[2] ? data[23:16] : old[23:16],
              strobe[1] ? data[15:8] : old[15:8], strobe[0] ? data[7:0] : old[7:0]};
  endfunction
  wire [63:0] tolerance = 64'(tolerance_o);
  always_ff @(posedge clk_i) begin
    if (!aw_q) at <= {s_axil_awaddr[7:2], 2'b00};
    if (!w_q) begin
      data   <= s_axil_wdata;
      strobe <= s_axil_wstrb;
    end
  end
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      aw_q <= 1'b0;
      w_q  <= 1'b0;
      s_axil_bvalid <= 1'b0;
      s_axil_bresp  <= 2'b00;
      {start_o, abort_o, send_o, misused_q} <= '0;
      length_o     <= '0;
      row_length_o <= '0;
      inner_o      <= 32'd10;
      passes_o     <= '0;
      tolerance_o  <= '0;
      tolerance_exp_o <= '0;
      headroom_o   <= '0;
      relax_o      <= '0;
      stall_limit_o <= '0;
      resized_o    <= 1'b0;
    end else begin
      aw_q <= ~take & (aw_q | s_axil_awvalid);
      w_q  <= ~take & (w_q | s_axil_wvalid);
      if (take) begin
        s_axil_bvalid <= 1'b1;
        s_axil_bresp  <= {~known, 1'b0};
      end else if (s_axil_bready) begin
        s_axil_bvalid <= 1'b0;
      end
      start_o <= control & data[0] & ~busy_i;
      abort_o <= control & data[1];
      send_o  <= control & data[2] & ~data[0] & ~busy_i; // not beside a solve
      resized_o <= take & ~busy_i & at == `RESIDENT_LENGTH;
      if (start_o) misused_q <= 1'b0;
      if (take & known & busy_i & ~(control & data[1])) misused_q <= 1'b1;
      if (take & ~busy_i) begin
        case (at)
          `RESIDENT_LENGTH: length_o <= merged(length_o);
          `RESIDENT_ROW_LENGTH: row_length_o <= merged(row_length_o);
          `RESIDENT_INNER: inner_o <= merged(inner_o);
          `RESIDENT_PASSES: passes_o <= merged(passes_o);
          `RESIDENT_TOLERANCE: tolerance_o <= ScalarW'({tolerance[63:32], merged(tolerance[31:0])});
          `RESIDENT_TOLERANCE + 8'd4: tolerance_o <= ScalarW'({merged(tolerance[63:32]), tolerance[31:0]});
          `RESIDENT_TOLERANCE_EXPONENT: tolerance_exp_o <= ExponentW'(merged(32'(tolerance_exp_o)));
          `RESIDENT_HEADROOM: headroom_o <= ExponentW'(merged(32'(headroom_o)));
          `RESIDENT_RELAX: relax_o <= strobe[0] ? data[2:0] : relax_o;
          `RESIDENT_STALL_LIMIT: stall_limit_o <= merged(stall_limit_o);
          default: ;
        endcase
      end
    end

  // ---- Reads: the address is taken in one clock and looked at in the next --------------------------------------------
  logic       ar_q;
  logic [7:0] from;
  assign s_axil_arready = ~s_axil_rvalid & ~ar_q;
  function [31:0] wide(input [7:2] which);
    logic [63:0] value;
    begin
      case ({which[7:3], 3'd0})
        `RESIDENT_TOLERANCE: value = 64'(tolerance_o);
        `RESIDENT_RR: value = 64'(rr_i);
        `RESIDENT_CYCLES: value = 64'(cycles_i);
        `RESIDENT_WORDS_U: value = words_u_i;
        `RESIDENT_WORDS_R: value = words_r_i;
        `RESIDENT_WORDS_P: value = words_p_i;
        `RESIDENT_WORDS_Q: value = words_q_i;
        default: value = 64'd0;
      endcase
      wide = which[2] ? value[63:32] : value[31:0];
    end
  endfunction
  always_ff @(posedge clk_i) if (!ar_q) from <= {s_axil_araddr[7:2], 2'b00};
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      ar_q          <= 1'b0;
      s_axil_rvalid <= 1'b0;
      s_axil_rresp  <= 2'b00;
      s_axil_rdata  <= '0;
    end else if (s_axil_arvalid & s_axil_arready) begin
      ar_q <= 1'b1;
    end else if (ar_q) begin
      ar_q          <= 1'b0;
      s_axil_rvalid <= 1'b1;
      s_axil_rresp  <= {~(`RESIDENT_READABLE(from)), 1'b0};
      case (from)
        `RESIDENT_ID: s_axil_rdata <= `RESIDENT_ID_VALUE;
        `RESIDENT_CONFIG: s_axil_rdata <= 32'(Config);
        `RESIDENT_STATUS:
          s_axil_rdata <= {20'd0, fault_i, d_over_i, v_over_i, misused_q, end_i, loaded_i, sending_i, done_i, busy_i & ~sending_i};
        `RESIDENT_LENGTH: s_axil_rdata <= length_o;
        `RESIDENT_ROW_LENGTH: s_axil_rdata <= row_length_o;
        `RESIDENT_INNER: s_axil_rdata <= inner_o;
        `RESIDENT_PASSES: s_axil_rdata <= passes_o;
        `RESIDENT_TOLERANCE_EXPONENT: s_axil_rdata <= 32'(tolerance_exp_o);
        `RESIDENT_HEADROOM: s_axil_rdata <= 32'(headroom_o);
        `RESIDENT_PASS_COUNT: s_axil_rdata <= pass_count_i;
        `RESIDENT_STEPS: s_axil_rdata <= steps_i;
        `RESIDENT_FORMED_AGAIN: s_axil_rdata <= formed_again_i;
        `RESIDENT_OVERFLOWS: s_axil_rdata <= overflows_i;
        `RESIDENT_SIGMA_GUARDS: s_axil_rdata <= sigma_guards_i;
        `RESIDENT_RELAX: s_axil_rdata <= {29'd0, relax_o};
        `RESIDENT_STALL_LIMIT: s_axil_rdata <= stall_limit_o;
        `RESIDENT_HEADROOM_NOW: s_axil_rdata <= 32'(headroom_now_i);
        `RESIDENT_EXPONENT: s_axil_rdata <= 32'(exponent_i);
        default: s_axil_rdata <= wide(from[7:2]);
      endcase
    end else if (s_axil_rready) begin
      s_axil_rvalid <= 1'b0;
    end
  wire unused = &{1'b0, s_axil_awaddr[1:0], s_axil_araddr[1:0]};
endmodule
`default_nettype wire
