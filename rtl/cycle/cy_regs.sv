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
  input  wire  [31:0]     count_i,
  input  wire  [6:0]      exponent_i,
  input  wire  [63:0]     squares_i,
  input  wire  signed [9:0] point_i,
  input  wire  [47:0]     clocks_i
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
  wire control = take & at == `CYCLE_CONTROL & strobe[0];
  wire known   = `CYCLE_WRITABLE(at);
  function [31:0] merged(input [31:0] old);
    merged = {strobe[3] ? data[31:24] : old[31:24], strobe[2] ? data[23:16] : old[23:16],
              strobe[1] ? data[15:8] : old[15:8], strobe[0] ? data[7:0] : old[7:0]};
  endfunction
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
      level_o  <= '0;
      cycles_o <= '0;
      alone_o  <= 1'b0;
      limit_exponent_o <= '0;
      limit_o  <= '0;
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
      resized_o <= take & ~busy_i & at == `CYCLE_LEVEL;
      if (start_o) misused_q <= 1'b0;
      if (take & known & busy_i & ~(control & data[1])) misused_q <= 1'b1;
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

  // ---- Reads: the address is taken in one clock and looked at in the next --------------------------------------------
  logic       ar_q;
  logic [7:0] from;
  assign s_axil_arready = ~s_axil_rvalid & ~ar_q;
  function [31:0] wide(input [7:2] which);
    logic [63:0] value;
    begin
      case ({which[7:3], 3'd0})
        `CYCLE_LIMIT: value = limit_o;
        `CYCLE_SQUARES: value = squares_i;
        `CYCLE_CLOCKS: value = 64'(clocks_i);
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
      s_axil_rresp  <= {~(`CYCLE_READABLE(from)), 1'b0};
      case (from)
        `CYCLE_ID: s_axil_rdata <= `CYCLE_ID_VALUE;
        `CYCLE_CONFIG: s_axil_rdata <= 32'(Config);
        `CYCLE_STATUS:
          s_axil_rdata <= {21'd0, d_over_i, u_over_i, misused_q, end_i, loaded_i, sending_i, done_i, busy_i & ~sending_i};
        `CYCLE_LEVEL: s_axil_rdata <= 32'(level_o);
        `CYCLE_CYCLES: s_axil_rdata <= cycles_o;
        `CYCLE_MODE: s_axil_rdata <= 32'(alone_o);
        `CYCLE_LIMIT_EXPONENT: s_axil_rdata <= 32'(limit_exponent_o);
        `CYCLE_COUNT: s_axil_rdata <= count_i;
        `CYCLE_EXPONENT: s_axil_rdata <= 32'(exponent_i);
        `CYCLE_POINT: s_axil_rdata <= 32'(point_i);
        default: s_axil_rdata <= wide(from[7:2]);
      endcase
    end else if (s_axil_rready) begin
      s_axil_rvalid <= 1'b0;
    end
  wire unused = &{1'b0, s_axil_awaddr[1:0], s_axil_araddr[1:0]};
endmodule
`default_nettype wire
