/// From the stream of p' tokens, the rows that a row sum reads, in step: north, centre and, with Rows 3, south of the same
/// elements. PlanLines clocks (fx_row_plan.svh) after the slot that completes token t's window they are those of token t + 1.
/// Elements in front of the vector are not masked: to the south of the first row is what an earlier pass left. After the end
/// the caller sends 0.
///
/// With Open the north has a lane more, and the north of lane l is its lane l + north_next_o: lane_turn's last move is the
/// caller's, whose adder can do it.
///
/// With Half the south and the north are a clock ahead of the centre, and want one more move, by half the lanes, which is the same
/// for both and so for their sum (lane_turn).
///
/// With one lane the south comes out of the memory that the centre went through, side by side with it. With more it comes
/// out of one of its own, because two rows one after the other would take more tokens than short rows have; such memories
/// are shallow, and cost the same.
`include "mantissa.svh"
`default_nettype none
module fx_lines #(
  parameter integer PW     = 18,
  parameter integer Lanes  = 1,
  parameter integer MaxRow = 1025,
`ifdef LEAN_LANES
  parameter integer Half   = 0,       ///< where lane_turn has one register, or with two lanes
`endif
  parameter integer Rows   = 3,       ///< 3, or 2: no south
  parameter integer Open   = 0,
  parameter integer Parity = 0,       ///< 1, with one lane: words are kept with a parity bit and their pass's mark
  localparam integer RowLenW = $clog2(MaxRow + 1)
) (
  input  wire                 clk_i,
  input  wire                 en_i,
  input  wire                 clear_i,
  input  wire  [RowLenW-1:0]  row_length_i, ///< stands while a pass runs
  input  wire  [Lanes*PW-1:0] p_i,
  output logic [Lanes*PW-1:0] south_o,
  output logic [Lanes*PW-1:0] centre_o,
  output logic [(Lanes+Open)*PW-1:0] north_o,
  output logic                north_next_o, ///< stands, as row_length_i does
  input  wire                 mark_i,       ///< another one in each pass
  output logic                centre_odd_o, ///< centre_o's parity, as it was kept
  output logic                bad_o         ///< with Parity: a word of this pass was not as it was written
);
  localparam integer TW   = Lanes * PW;
  localparam integer Log  = $clog2(Lanes);
  localparam integer Turn = `LANE_TURN_LATENCY(Lanes);
  localparam integer Wait = (Lanes > 1 && Turn == 0) ? 1 : 0; // memories delay by three tokens at least
  // Tokens from p_i to the centre and to the south, beyond one row and two rows.
  localparam integer ToCentre = (Lanes == 1) ? 0 : 1 + Turn + Wait;
  localparam integer ToSouth  = 1; // and Wait tokens after the memory, which keeps 2^n + 1 in reach of 2^n words
  localparam integer CentreMax = MaxRow / Lanes + ToCentre;
`ifdef LEAN_LANES
  // Two lanes have no move but that by half the lanes. The south's memory then keeps the north, a register after p_i, for as many
  // clocks as a row has elements, so that 2^n + 1 stay in reach; a row of 2, too short for a memory, has nothing but edge nodes.
  localparam integer Two = (Half != 0 && Lanes == 2) ? 1 : 0;
  localparam integer SouthMax  = (Two != 0) ? MaxRow :
                                 2 * (MaxRow / Lanes) + ToSouth + ((MaxRow % Lanes * 2 >= Lanes) ? Half : 0);
`else
  localparam integer SouthMax  = 2 * (MaxRow / Lanes) + ToSouth;
`endif
  localparam integer CentreAW = $clog2(CentreMax + 1);
  wire [CentreAW-1:0] to_centre = CentreAW'(row_length_i >> Log) + CentreAW'(ToCentre);
  generate
    if (Parity == 0 || Lanes != 1 || Rows != 3) begin : g_unkept
      assign centre_odd_o = ^centre_o;
      assign bad_o        = 1'b0;
      wire unused = &{1'b0, mark_i};
    end
    if (Lanes == 1) begin : g_one
      assign north_o = ((1+Open)*PW)'(p_i);
      assign north_next_o = 1'b0;
      if (Rows == 3) begin : g_three
        localparam integer KW = TW + 2 * Parity;
        wire [KW-1:0] south_kept, centre_kept;
        row_ram #(.W(2*KW), .Max(CentreMax), .Least(3)) i_ram (
          .clk_i, .en_i, .clear_i, .length_i(to_centre), .zero_i(1'b0), .d_i({centre_kept, KW'({mark_i, ^p_i, p_i})}),
          .q_o({south_kept, centre_kept}));
        assign south_o  = south_kept[TW-1:0];
        assign centre_o = centre_kept[TW-1:0];
        if (Parity != 0) begin : g_parity
          always_ff @(posedge clk_i)
            bad_o <= ((^centre_kept[TW:0]) & centre_kept[TW+1] == mark_i) | ((^south_kept[TW:0]) & south_kept[TW+1] == mark_i);
          assign centre_odd_o = centre_kept[TW];
        end
      end else begin : g_two
        row_ram #(.W(TW), .Max(CentreMax), .Least(3)) i_ram (
          .clk_i, .en_i, .clear_i, .length_i(to_centre), .zero_i(1'b0), .d_i(p_i), .q_o(centre_o));
        assign south_o = '0;
      end
`ifdef LEAN_LANES
    end else begin : g_lanes
      // One counter says where both memories are read, and what is added to it where they are written. It stands far enough
      // apart from a write: delays are those of row_ram, from 3 to its Max.
      localparam integer CentreAddrW = $clog2(CentreMax - 1);
      localparam integer SouthAddrW  = $clog2(SouthMax - 1);
      localparam integer AW       = `MAX2(CentreAddrW, SouthAddrW);
      logic [AW-1:0] at_q, before_q, earlier_q;
      always_ff @(posedge clk_i)
        if (clear_i) begin
          at_q      <= '0;
          before_q  <= AW'(-1);
          earlier_q <= AW'(-2);
        end else if (en_i) begin
          at_q      <= at_q + AW'(1);
          before_q  <= at_q;
          earlier_q <= before_q;
        end
      wire [RowLenW-Log-1:0] tokens = row_length_i[RowLenW-1:Log];
      wire [CentreAddrW-1:0] centre_at = CentreAddrW'(at_q) +
                                      ((ToCentre == 2) ? CentreAddrW'(tokens) : CentreAddrW'(tokens) + CentreAddrW'(ToCentre - 2));
      ram_words #(.W(TW), .AddrW(CentreAddrW), .Registered(1)) i_centre (
        .clk_i, .en_i, .write_at_i(centre_at), .d_i(p_i), .read_at_i(CentreAddrW'(at_q)), .q_o(centre_o));
      wire [TW-1:0] north;
      delay #(.W(TW), .N(Wait)) i_wait (.clk_i, .en_i, .ptr_i(7'd0), .d_i(p_i), .q_o(north));
      if (Two != 0) begin : g_two_north
        assign north_o      = ((Lanes+Open)*PW)'(north);
        assign north_next_o = 1'b0;
      end else begin : g_north
        logic [TW-1:0] north_q;
        always_ff @(posedge clk_i) if (en_i) north_q <= north;
        wire next;
        lane_turn #(.W(PW), .Lanes(Lanes), .Stages(Turn - Half), .Open(Open), .Half(Half)) i_north (
          .clk_i, .en_i, .turn_i(row_length_i[Log-1:0]), .older_i(north_q), .newer_i(north), .turned_o(north_o),
          .last_o(next));
        assign north_next_o = (Open != 0) ? next : 1'b0;
      end
      if (Rows == 3) begin : g_three
        // With two lanes it is the north that is kept, a token older than p_i.
        wire [SouthAddrW-1:0] south_at = SouthAddrW'((Two != 0) ? earlier_q : before_q) +
                                      SouthAddrW'({tokens, 1'(Half) & row_length_i[Log-1]});
        wire [TW-1:0] kept;
        ram_words #(.W(TW), .AddrW(SouthAddrW), .Registered(1)) i_words (
          .clk_i, .en_i, .write_at_i(south_at), .d_i((Two != 0) ? north : p_i), .read_at_i(SouthAddrW'(at_q)), .q_o(kept));
        if (Two != 0) begin : g_two_south
          assign south_o = kept;
        end else begin : g_south
          wire [TW-1:0] south;
          logic [TW-1:0] south_q;
          delay #(.W(TW), .N(Wait)) i_wait (.clk_i, .en_i, .ptr_i(7'd0), .d_i(kept), .q_o(south));
          always_ff @(posedge clk_i) if (en_i) south_q <= south;
          wire south_last;
          lane_turn #(.W(PW), .Lanes(Lanes), .Back(1), .Stages(Turn - Half), .Half(Half)) i_south (
            .clk_i, .en_i, .turn_i(row_length_i[Log-1:0]), .older_i(south_q), .newer_i(south), .turned_o(south_o),
            .last_o(south_last));
          wire unused = &{1'b0, south_last};
        end
      end else begin : g_two
        assign south_o = '0;
      end
      wire unused = &{1'b0, to_centre, at_q, before_q, earlier_q};
    end
`else
    end else begin : g_lanes
      row_ram #(.W(TW), .Max(CentreMax), .Least(3)) i_centre (
        .clk_i, .en_i, .clear_i, .length_i(to_centre), .zero_i(1'b0), .d_i(p_i), .q_o(centre_o));
      wire [TW-1:0] north;
      logic [TW-1:0] north_q;
      delay #(.W(TW), .N(Wait)) i_wait (.clk_i, .en_i, .ptr_i(7'd0), .d_i(p_i), .q_o(north));
      always_ff @(posedge clk_i) if (en_i) north_q <= north;
      wire next;
      lane_turn #(.W(PW), .Lanes(Lanes), .Open(Open)) i_north (
        .clk_i, .en_i, .turn_i(row_length_i[Log-1:0]), .older_i(north_q), .newer_i(north), .turned_o(north_o),
        .last_o(next));
      assign north_next_o = (Open != 0) ? next : 1'b0;
      if (Rows == 3) begin : g_three
        localparam integer SouthAW = $clog2(SouthMax + 1);
        wire [SouthAW-1:0] to_south = SouthAW'({row_length_i >> Log, 1'b0}) + SouthAW'(ToSouth);
        wire south_last;
        wire unused = &{1'b0, south_last};
        wire [TW-1:0] kept, south;
        logic [TW-1:0] south_q;
        row_ram #(.W(TW), .Max(SouthMax), .Least(3)) i_ram (
          .clk_i, .en_i, .clear_i, .length_i(to_south), .zero_i(1'b0), .d_i(p_i), .q_o(kept));
        delay #(.W(TW), .N(Wait)) i_wait (.clk_i, .en_i, .ptr_i(7'd0), .d_i(kept), .q_o(south));
        always_ff @(posedge clk_i) if (en_i) south_q <= south;
        lane_turn #(.W(PW), .Lanes(Lanes), .Back(1)) i_south (
          .clk_i, .en_i, .turn_i(row_length_i[Log-1:0]), .older_i(south_q), .newer_i(south), .turned_o(south_o),
          .last_o(south_last));
      end else begin : g_two
        assign south_o = '0;
      end
    end
`endif
  endgenerate
endmodule
`default_nettype wire
