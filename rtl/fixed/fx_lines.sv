/// From the stream of p' tokens, the rows that a row sum reads, in step: north, centre and, with Rows 3, south of the same
/// elements. PlanLines clocks (fx_row_plan.svh) behind the slot that completes token t's window they are those of token t + 1.
/// Elements in front of the vector are not masked: to the south of the first row is what an earlier pass left. Behind the end
/// the caller sends 0.
///
/// One memory holds the centre's row and the south's side by side. Its delay is at least three tokens, which a row need not
/// have that is shorter than three beats of lanes: so with lanes it is two tokens more than a row, and the north waits.
`include "mantissa.svh"
`default_nettype none
module fx_lines #(
  parameter integer PW     = 18,
  parameter integer Lanes  = 1,
  parameter integer MaxRow = 1025,
  parameter integer Rows   = 3,       ///< 3, or 2: no south
  localparam integer RowLenW = $clog2(MaxRow + 1)
) (
  input  wire                 clk_i,
  input  wire                 en_i,
  input  wire                 clear_i,
  input  wire  [RowLenW-1:0]  row_length_i, ///< stands while a pass runs
  input  wire  [Lanes*PW-1:0] p_i,
  output logic [Lanes*PW-1:0] south_o,
  output logic [Lanes*PW-1:0] centre_o,
  output logic [Lanes*PW-1:0] north_o
);
  localparam integer TW   = Lanes * PW;
  localparam integer Log  = $clog2(Lanes);
  localparam integer Turn = `LANE_TURN_LATENCY(Lanes);
  // The memory's delay beyond a row's whole tokens.
  localparam integer More = (Lanes == 1) ? 0 : (Rows == 3) ? 2 : 1 + Turn;
  localparam integer Max  = MaxRow / Lanes + More;
  localparam integer AW   = $clog2(Max + 1);
  wire [AW-1:0] length = AW'(row_length_i >> Log) + AW'(More);
  wire [TW-1:0] centre;
  generate
    if (Rows == 3) begin : g_three
      wire [TW-1:0] south;
      row_ram #(.W(2*TW), .Max(Max), .Least(3)) i_ram (
        .clk_i, .en_i, .clear_i, .length_i(length), .zero_i(1'b0), .d_i({centre, p_i}), .q_o({south, centre}));
      if (Lanes == 1) begin : g_one
        assign south_o = south;
      end else begin : g_lanes
        logic [TW-1:0] south_q;
        always_ff @(posedge clk_i) if (en_i) south_q <= south;
        lane_turn #(.W(PW), .Lanes(Lanes), .Back(1)) i_turn (
          .clk_i, .en_i, .turn_i(row_length_i[Log-1:0]), .older_i(south_q), .newer_i(south), .turned_o(south_o));
      end
    end else begin : g_two
      row_ram #(.W(TW), .Max(Max), .Least(3)) i_ram (
        .clk_i, .en_i, .clear_i, .length_i(length), .zero_i(1'b0), .d_i(p_i), .q_o(centre));
      assign south_o = '0;
    end
    if (Lanes == 1) begin : g_one
      assign north_o  = p_i;
      assign centre_o = centre;
    end else begin : g_lanes
      wire [TW-1:0] newer;
      logic [TW-1:0] older_q;
      delay #(.W(TW), .N((Rows == 3) ? 3 : 0)) i_wait (.clk_i, .en_i, .ptr_i('0), .d_i(p_i), .q_o(newer));
      always_ff @(posedge clk_i) if (en_i) older_q <= newer;
      lane_turn #(.W(PW), .Lanes(Lanes)) i_turn (
        .clk_i, .en_i, .turn_i(row_length_i[Log-1:0]), .older_i(older_q), .newer_i(newer), .turned_o(north_o));
      delay #(.W(TW), .N((Rows == 3) ? 2 + Turn : 0)) i_centre (
        .clk_i, .en_i, .ptr_i('0), .d_i(centre), .q_o(centre_o));
    end
  endgenerate
endmodule
`default_nettype wire
