/// From the stream of p' tokens, the three rows that a row sum reads: south, centre and north of the same element.
///
/// Two row_rams of about one row each. Token t goes in at slot t; while slot s is on the outputs they hold element
/// tokens s - D + 1 of the three rows, D = row_length_i / Lanes + (Lanes == 1 ? 1 : 2), so the window around token
/// s - D is complete (row_sum keeps the two tokens before). Elements outside the vector read as +0: the caller sends
/// +0 after the end, and rows not yet filled are masked here. Latency one slot more, the output register.
/// Rows whose length is no multiple of Lanes are realigned by a lane rotator.
`include "mantissa.svh"
`default_nettype none
module line_buffer #(
  parameter integer PW = 32,
  parameter integer Lanes = 1,
  parameter integer MaxRow = 1025,
  localparam integer Log = $clog2(Lanes),
  localparam integer RowLenW = $clog2(MaxRow + 1)
) (
  input  wire                 clk_i,
  input  wire                 rst_ni,
  input  wire                 en_i,
  input  wire                 clear_i,      ///< between passes
  input  wire  [RowLenW-1:0]     row_length_i, ///< elements, at least Lanes
  input  wire                 slot_i,
  input  wire                 last_i,       ///< the last slot of the pass
  input  wire  [Lanes*PW-1:0] p_i,
  output logic [Lanes*PW-1:0] south_o,
  output logic [Lanes*PW-1:0] centre_o,
  output logic [Lanes*PW-1:0] north_o,
  output logic                valid_o,      ///< the window is that of an element token
  output logic                last_o,
  output logic                valid_ahead_o ///< valid_o after the next enabled clock
);
  localparam integer TW = Lanes * PW;
  localparam integer Extra = (Lanes > 1) ? 1 : 0;
  localparam integer MaxTokens = MaxRow / Lanes + Extra;
  localparam integer AW = $clog2(MaxTokens + 1);
  localparam integer CntW = RowLenW + 2;

  // The row length stands while a pass runs.
  logic [RowLenW-1:0] tokens;
  logic [CntW-1:0] centre_from, south_from;
  always_ff @(posedge clk_i) begin
    tokens      <= row_length_i >> Log;
    centre_from <= CntW'(tokens) + CntW'(Extra);
    south_from  <= centre_from + CntW'(tokens);
  end
  logic [CntW-1:0] slot_q; // slots so far, counted until all rows are live
  wire [CntW-1:0] next_slot = slot_q + CntW'(1);
  // slot_q >= centre_from, slot_q >= south_from, slot_q > centre_from
  logic centre_live_q, south_live_q, window_q;

  wire [TW-1:0] centre_raw, south_raw;
  row_ram #(.W(TW), .Max(MaxTokens), .Least((Lanes == 1) ? 3 : 1)) i_centre (
    .clk_i, .en_i, .clear_i, .length_i(centre_from[AW-1:0]), .zero_i(1'b0), .d_i(p_i), .q_o(centre_raw));
  row_ram #(.W(TW), .Max(MaxTokens), .Least((Lanes == 1) ? 3 : 1)) i_south (
    .clk_i, .en_i, .clear_i, .length_i(tokens[AW-1:0]), .zero_i(1'b0), .d_i(centre_raw), .q_o(south_raw));

  wire [TW-1:0] north, south;
  generate
    if (Lanes == 1) begin : g_one
      assign north = p_i;
      assign south = south_raw & {TW{south_live_q}};
    end else begin : g_lanes
      wire north_last, south_last;
      wire unused = &{1'b0, north_last, south_last};
      wire [Log-1:0] turn = row_length_i[Log-1:0];
      logic [TW-1:0] p_q, south_q;
      wire [TW-1:0] south_now = south_raw & {TW{south_live_q}};
      always_ff @(posedge clk_i)
        if (en_i) begin
          p_q     <= p_i;
          south_q <= south_now;
        end
      lane_turn #(.W(PW), .Lanes(Lanes), .Stages(0)) i_north (
        .clk_i, .en_i, .turn_i(turn), .older_i(p_q), .newer_i(p_i), .turned_o(north), .last_o(north_last));
      lane_turn #(.W(PW), .Lanes(Lanes), .Back(1), .Stages(0)) i_south (
        .clk_i, .en_i, .turn_i(turn), .older_i(south_q), .newer_i(south_now), .turned_o(south), .last_o(south_last));
    end
  endgenerate

  always_ff @(posedge clk_i)
    if (!rst_ni || clear_i) begin
      slot_q  <= '0;
      valid_o <= 1'b0;
      last_o  <= 1'b0;
      centre_live_q <= 1'b0;
      south_live_q  <= 1'b0;
      window_q      <= 1'b0;
    end else if (en_i) begin
      if (slot_i && !(south_live_q && window_q)) slot_q <= next_slot;
      if (slot_i && next_slot == centre_from) centre_live_q <= 1'b1;
      if (slot_i && next_slot == south_from) south_live_q <= 1'b1;
      if (slot_i && slot_q == centre_from) window_q <= 1'b1;
      valid_o <= valid_ahead_o;
      last_o  <= slot_i & last_i;
    end
  assign valid_ahead_o = slot_i & window_q;
  always_ff @(posedge clk_i)
    if (en_i) begin
      south_o  <= south;
      centre_o <= centre_live_q ? centre_raw : '0;
      north_o  <= north;
    end
endmodule
`default_nettype wire
