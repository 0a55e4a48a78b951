/// fx_resident's AXI4-Lite registers, 32-bit words: the map is in resident_registers.svh, and with more words in
/// docs/integration.md. Handshakes, strobes and answers are those of core_regs: SLVERR for an address that is not in the map
/// or not open that way; writes while busy change nothing and set STATUS[8], but for CONTROL.abort.
`include "mantissa.svh"
`default_nettype none
module fx_resident_regs #(
  parameter integer ScalarW = 32,
  parameter integer ExponentW = 16,
  parameter integer Slab = 0, ///< 1: SHARE is there
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
  output logic [31:0]     share_o,
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
  // ---- Writes ------------------------------------------------------------------------------------------------------
  wire         take;     // a write for one clock
  wire  [7:0]  at, from; // a word's
  wire  [31:0] data;
  wire  [3:0]  strobe;
  wire         misused;
  `WRITTEN_BYTES(strobe, data)
  wire [63:0] tolerance = 64'(tolerance_o);
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
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
      share_o      <= '0;
    end else begin
      resized_o <= take & ~busy_i & at == `RESIDENT_LENGTH;
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
          `RESIDENT_SHARE: share_o <= (Slab != 0) ? merged(share_o) : '0;
          default: ;
        endcase
      end
    end

  // ---- Reads -------------------------------------------------------------------------------------------------------
  logic [31:0] value; // of the word at from
  logic [63:0] wide;  // and of two words
  always_comb begin
    case ({from[7:3], 3'd0})
      `RESIDENT_TOLERANCE: wide = 64'(tolerance_o);
      `RESIDENT_RR: wide = 64'(rr_i);
      `RESIDENT_CYCLES: wide = 64'(cycles_i);
      `RESIDENT_WORDS_U: wide = words_u_i;
      `RESIDENT_WORDS_R: wide = words_r_i;
      `RESIDENT_WORDS_P: wide = words_p_i;
      `RESIDENT_WORDS_Q: wide = words_q_i;
      default: wide = 64'd0;
    endcase
    case (from)
      `RESIDENT_ID: value = `RESIDENT_ID_VALUE;
      `RESIDENT_CONFIG: value = 32'(Config);
      `RESIDENT_STATUS:
        value = {20'd0, fault_i, d_over_i, v_over_i, misused, end_i, loaded_i, sending_i, done_i, busy_i & ~sending_i};
      `RESIDENT_LENGTH: value = length_o;
      `RESIDENT_ROW_LENGTH: value = row_length_o;
      `RESIDENT_INNER: value = inner_o;
      `RESIDENT_PASSES: value = passes_o;
      `RESIDENT_TOLERANCE_EXPONENT: value = 32'(tolerance_exp_o);
      `RESIDENT_HEADROOM: value = 32'(headroom_o);
      `RESIDENT_PASS_COUNT: value = pass_count_i;
      `RESIDENT_STEPS: value = steps_i;
      `RESIDENT_FORMED_AGAIN: value = formed_again_i;
      `RESIDENT_OVERFLOWS: value = overflows_i;
      `RESIDENT_SIGMA_GUARDS: value = sigma_guards_i;
      `RESIDENT_RELAX: value = {29'd0, relax_o};
      `RESIDENT_STALL_LIMIT: value = stall_limit_o;
      `RESIDENT_SHARE: value = share_o;
      `RESIDENT_HEADROOM_NOW: value = 32'(headroom_now_i);
      `RESIDENT_EXPONENT: value = 32'(exponent_i);
      default: value = from[2] ? wide[63:32] : wide[31:0];
    endcase
  end
  wire begins;
  wire unused_begins = begins;
  axil_words #(.Control(`RESIDENT_CONTROL)) i_words (
    .clk_i, .rst_ni, `AXIL_PASSED, .busy_i, .take_o(take), .at_o(at), .data_o(data), .strobe_o(strobe),
    .known_i(`RESIDENT_WRITABLE(at) && (Slab != 0 || at != `RESIDENT_SHARE)), .begins_o(begins), .start_o, .abort_o, .send_o, .misused_o(misused), .from_o(from),
    .readable_i(`RESIDENT_READABLE(from) && (Slab != 0 || from != `RESIDENT_SHARE)), .value_i(value));
endmodule
`default_nettype wire
