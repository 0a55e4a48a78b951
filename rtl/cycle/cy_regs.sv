/// fx_cycle's AXI4-Lite registers, 32-bit words: the map is in cycle_registers.svh, and with more words in
/// docs/cycle_core.md. Handshakes, strobes and answers are those of core_regs: SLVERR for an address that is not in the map
/// or not open that way; writes while busy change nothing and set STATUS[8], but for CONTROL.abort.
`include "mantissa.svh"
`include "cycle_registers.svh"
`default_nettype none
module cy_regs #(
  parameter integer Config = 0
) (
  input  wire             clk_i,
  input  wire             rst_ni,

  `AXIL_PORTS(8)

  output logic            begins_o, ///< start_o or send_o may come in the next clock
  output logic            start_o,  ///< one clock
  output logic            abort_o,  ///< one clock
  output logic            send_o,   ///< one clock
  output logic [3:0]      level_o,
  output logic            resized_o, ///< one clock: LEVEL was written
  output logic [31:0]     cycles_o,
  output logic            alone_o,  ///< MODE
  output logic signed [15:0] limit_exponent_o,
  output logic [63:0]     limit_o,

  input  wire             busy_i,   ///< a run is on, or U is being sent
  input  wire             done_i,
  input  wire             sending_i,
  input  wire             loaded_i,
  input  wire  [3:0]      end_i,
  input  wire             u_over_i,
  input  wire             d_over_i,
  input  wire             fault_i,  ///< with Checks: one failed since the start
  input  wire  [31:0]     count_i,
  input  wire  [6:0]      exponent_i,
  input  wire  [63:0]     squares_i,
  input  wire  signed [9:0] point_i,
  input  wire  [47:0]     clocks_i
);
  // ---- Writes ------------------------------------------------------------------------------------------------------
  wire         take;     // a write for one clock
  wire  [7:0]  at, from; // a word's
  wire  [31:0] data;
  wire  [3:0]  strobe;
  wire         misused;
  `WRITTEN_BYTES(strobe, data)
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      level_o  <= '0;
      cycles_o <= '0;
      alone_o  <= 1'b0;
      limit_exponent_o <= '0;
      limit_o  <= '0;
      resized_o    <= 1'b0;
    end else begin
      resized_o <= take & ~busy_i & at == `CYCLE_LEVEL;
      if (take & ~busy_i) begin
        case (at)
          `CYCLE_LEVEL: level_o <= strobe[0] ? ((|data[7:4]) ? 4'd15 : data[3:0]) : level_o;
          `CYCLE_CYCLES: cycles_o <= merged(cycles_o);
          `CYCLE_MODE: alone_o <= strobe[0] ? data[0] : alone_o;
          `CYCLE_LIMIT_EXPONENT: limit_exponent_o <= 16'(merged(32'(limit_exponent_o)));
          `CYCLE_LIMIT: limit_o[31:0] <= merged(limit_o[31:0]);
          `CYCLE_LIMIT + 8'd4: limit_o[63:32] <= merged(limit_o[63:32]);
          default: ;
        endcase
      end
    end

  // ---- Reads -------------------------------------------------------------------------------------------------------
  logic [31:0] value; // of the word at from
  always_comb
    case ({from[6:2], 2'd0})
      7'(`CYCLE_ID): value = `CYCLE_ID_VALUE;
      7'(`CYCLE_CONFIG): value = 32'(Config);
      7'(`CYCLE_STATUS):
        value = {20'd0, fault_i, d_over_i, u_over_i, misused, end_i, loaded_i, sending_i, done_i, busy_i & ~sending_i};
      7'(`CYCLE_LEVEL): value = 32'(level_o);
      7'(`CYCLE_CYCLES): value = cycles_o;
      7'(`CYCLE_MODE): value = 32'(alone_o);
      7'(`CYCLE_LIMIT_EXPONENT): value = 32'(limit_exponent_o);
      7'(`CYCLE_LIMIT): value = limit_o[31:0];
      7'(`CYCLE_LIMIT + 8'd4): value = limit_o[63:32];
      7'(`CYCLE_COUNT): value = count_i;
      7'(`CYCLE_EXPONENT): value = 32'(exponent_i);
      7'(`CYCLE_SQUARES): value = squares_i[31:0];
      7'(`CYCLE_SQUARES + 8'd4): value = squares_i[63:32];
      7'(`CYCLE_POINT): value = 32'(point_i);
      7'(`CYCLE_CLOCKS): value = clocks_i[31:0];
      7'(`CYCLE_CLOCKS + 8'd4): value = 32'(clocks_i[47:32]);
      default: value = '0;
    endcase
  logic        readable_q;
  logic [31:0] value_q;
  always_ff @(posedge clk_i) {readable_q, value_q} <= {`CYCLE_READABLE(from), value};
  axil_words #(.Control(`CYCLE_CONTROL), .Late(1)) i_words (
    .clk_i, .rst_ni, `AXIL_PASSED, .busy_i, .take_o(take), .at_o(at), .data_o(data), .strobe_o(strobe),
    .known_i(`CYCLE_WRITABLE(at)), .begins_o, .start_o, .abort_o, .send_o, .misused_o(misused), .from_o(from),
    .readable_i(readable_q), .value_i(value_q & {32{readable_q}}));
endmodule
`default_nettype wire
