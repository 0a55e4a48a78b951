/// A slab's bounds in tokens, for a core that is one of several (Alone 0): of LENGTH elements, HALO_FIRST in front and
/// HALO_LAST at the end are those of neighbours. They are read and updated, since the rows of the slab's own elements
/// take their p', but neither written nor summed: their beats do not leave the core.
///
/// bad_o, which ends a run as a bad ROW_LENGTH does: a halo is no multiple of the lanes (so the slab begins and ends
/// with a whole beat; the vector's last slab ends as it likes), or below a row and an element, or nothing is left, or
/// HALO_LAST has more beats than a row needs to be formed, fx_window's D. With one lane and a constant stencil slabs are
/// whole rows: a row is enough for a halo, HALO_FIRST is just one, and HALO_COLUMN 0.
`default_nettype none
module fx_slab #(
  parameter integer Lanes    = 1,
  parameter integer LenW     = 32,
  parameter integer RowLenW  = 11,
  parameter integer CoefMode = 1
) (
  input  wire               clk_i,
  input  wire [LenW-1:0]    length_i,     ///< as programmed, which is long before a run looks at it
  input  wire [RowLenW-1:0] row_length_i,
  input  wire [LenW-1:0]    first_i,
  input  wire [LenW-1:0]    last_i,
  input  wire [RowLenW-1:0] column_i,
  output logic [LenW-1:0]   begin_o,      ///< numbers of the slab's own first token
  output logic [LenW-1:0]   end_o,        ///< and last one
  output logic              bad_o
);
  localparam integer Log = $clog2(Lanes);
  localparam integer Whole = (CoefMode == 1 && Lanes == 1) ? 1 : 0; // rows
  logic [LenW:0] halos_q, least_q;
  logic [LenW-1:0] most_q;
  logic [LenW-1:0] tokens_q;
  logic apart; // of the lanes
  generate
    if (Lanes == 1) begin : g_one
      assign apart = 1'b0;
    end else begin : g_lanes
      assign apart = first_i[Log-1:0] != '0 || last_i[Log-1:0] != '0 || (last_i != '0 && length_i[Log-1:0] != '0);
    end
  endgenerate
  always_ff @(posedge clk_i) begin
    tokens_q <= (length_i + LenW'(Lanes - 1)) >> Log;
    begin_o  <= first_i >> Log;
    end_o    <= tokens_q - (last_i >> Log) - LenW'(1);
    halos_q  <= (LenW+1)'(first_i) + (LenW+1)'(last_i);
    least_q  <= (LenW+1)'(row_length_i) + (LenW+1)'(1 - Whole);
    most_q   <= (LenW'(row_length_i) >> Log) + LenW'((Lanes == 1) ? 1 : 2);
    bad_o    <= apart || (last_i >> Log) > most_q || halos_q >= (LenW+1)'(length_i) || (first_i != '0 && (LenW+1)'(first_i) < least_q) ||
                (last_i != '0 && (LenW+1)'(last_i) < least_q) || column_i >= row_length_i ||
                (Whole != 0 && (column_i != '0 || (first_i != '0 && first_i != LenW'(row_length_i))));
  end
endmodule
`default_nettype wire
