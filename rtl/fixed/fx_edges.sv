/// Which elements a constant stencil leaves out: the grid's edge, in rows of row_length_i. Lane l of edge_o, a clock after a
/// token, says so of its lane l.
///
/// The last row begins where the vector's end has come into the window: row_length_i elements in front of it. The first
/// and the last row_length_i elements that come by are an edge whatever they are: a slab has them in its halos, whose q'
/// nobody takes, and its first element may stand anywhere in its row (column_i).
`include "mantissa.svh"
`default_nettype none
module fx_edges #(
  parameter integer Lanes   = 1,
  parameter integer MaxRow  = 1025,
  parameter integer LenW    = 32,
  localparam integer RowLenW = $clog2(MaxRow + 1)
) (
  input  wire                clk_i,
  input  wire                en_i,
  input  wire                clear_i,      ///< between passes
  input  wire  [LenW-1:0]    length_i,     ///< stands while a pass runs, as does the row's length
  input  wire  [RowLenW-1:0] row_length_i,
  input  wire  [RowLenW-1:0] column_i,    ///< of the first element in its row; 0 with one lane
  input  wire                token_i,
  input  wire                second_i,     ///< fx_window's of the token
  input  wire                ends_i,       ///< likewise, with one lane
  input  wire                flush_i,      ///< the slot that completed its window held no element; stays until the next pass
  output logic [Lanes-1:0]   edge_o
);
  localparam integer Log = $clog2(Lanes);
  logic begins_q; // lane 0 begins a row
  generate
    if (Lanes == 1) begin : g_one
      logic flush_q; // with one lane the end comes a token ahead
      always_ff @(posedge clk_i) begin
        if (clear_i) begins_q <= 1'b1;
        else if (en_i && token_i) begins_q <= ends_i;
        if (en_i) begin
          flush_q <= flush_i;
          edge_o  <= begins_q | ends_i | ~second_i | flush_q;
        end
      end
      wire unused = &{1'b0, length_i, row_length_i, column_i};
    end else begin : g_lanes
      // Elements after lane 0's in its row.
`ifdef LEAN_LANES
      // One adder, of -Lanes or of a row more. What a row begins with comes out of it too, in the clock after clear_i, which
      // holds no token: then a register is cleared to a constant and none is loaded.
      logic [RowLenW-1:0] behind_q;
      logic clear_q;
      logic [Lanes-1:0] ends; // a row, in this lane
      wire near = behind_q[RowLenW-1:Log] == '0;
      wire [RowLenW-Log-1:0] tokens = row_length_i[RowLenW-1:Log];
      wire [RowLenW-Log-1:0] less = tokens - (RowLenW-Log)'(1);
      wire [RowLenW-1:0] behind_next;
      fx_add #(.W(RowLenW)) i_behind (
        .a_i(behind_q), .t_i({less, row_length_i[Log-1:0]}), .keep_i({RowLenW{near | clear_q}}),
        .else_i(RowLenW'(-Lanes)), .sum_o(behind_next));
      always_ff @(posedge clk_i) begin
        clear_q <= clear_i;
        if (clear_i) behind_q <= RowLenW'(Lanes - 1) - column_i;
        else if (clear_q || (en_i && token_i)) behind_q <= behind_next;
        if (clear_i) begins_q <= column_i == '0;
        else if (en_i && token_i) begins_q <= ends[Lanes-1];
      end
`else
      logic [RowLenW-1:0] behind_q, most_q;
      wire signed [RowLenW+1:0] behind_next = $signed({2'b00, behind_q}) - (RowLenW+2)'(Lanes);
      wire [RowLenW-1:0] row_next = behind_next[RowLenW-1:0] + row_length_i;
      logic [Lanes-1:0] ends; // a row, in this lane
      always_ff @(posedge clk_i) begin
        most_q <= row_length_i - RowLenW'(1);
        if (clear_i) begin
          behind_q <= most_q - column_i;
          begins_q <= column_i == '0;
        end else if (en_i && token_i) begin
          behind_q <= behind_next[RowLenW+1] ? row_next : behind_next[RowLenW-1:0];
          begins_q <= ends[Lanes-1];
        end
      end
      wire near = behind_q < RowLenW'(Lanes);
`endif
      assign ends = near ? Lanes'(1) << behind_q[Log-1:0] : '0;
      // The first row ends in lane turn, of token row_length_i / Lanes.
      wire [Log-1:0] turn = row_length_i[Log-1:0];
      // The last one begins in lane first_q, one, two or three tokens after the one that has the first slot of the flush.
      logic [Log-1:0] first_q;
      logic sooner_q, later_q;
      always_ff @(posedge clk_i) begin
        first_q  <= length_i[Log-1:0] - turn;
        sooner_q <= length_i[Log-1:0] != '0 && length_i[Log-1:0] < turn;
        later_q  <= length_i[Log-1:0] == '0 && turn == '0;
      end
      logic [2:0] flush_q;
      logic second_q;
      wire last_some = sooner_q ? flush_i : later_q ? flush_q[1] : flush_q[0];
      wire last_all  = sooner_q ? flush_q[0] : later_q ? flush_q[2] : flush_q[1];
      wire [Lanes-1:0] all = '1;
      wire [Lanes-1:0] first_row = second_q ? '0 : second_i ? ~(all << turn) : all;
      wire [Lanes-1:0] last_row  = last_all ? all : last_some ? all << first_q : '0;
      always_ff @(posedge clk_i)
        if (en_i) begin
          flush_q  <= {flush_q[1:0], flush_i};
          second_q <= second_i;
          edge_o   <= first_row | last_row | ends | {ends[Lanes-2:0], begins_q};
        end
`ifdef LEAN_LANES
      wire unused = &{1'b0, length_i, ends_i};
`else
      wire unused = &{1'b0, length_i, behind_next[RowLenW], ends_i};
`endif
    end
  endgenerate
endmodule
`default_nettype wire
