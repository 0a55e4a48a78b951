/// How long the words of one vector are, over a run: the OR over all of them of w where w >= 0 and of -1 - w else, with
/// the highest bit set where a word overflowed. Words of lanes without an element are 0 and add nothing. With more than
/// four lanes a register comes between lanes and mask.
`default_nettype none
module fx_words #(
  parameter integer Lanes = 1,
  parameter integer W = 18
) (
  input  wire                clk_i,
  input  wire                clear_i, ///< a run begins
  input  wire                valid_i, ///< the words count, in any clock in which this is high
  input  wire  [Lanes*W-1:0] word_i,
  input  wire  [Lanes-1:0]   over_i,
  output logic [W-1:0]       mask_o
);
  // The OR over lanes, eight at a time with more than that; in them lanes by twos, which a LUT of four inputs holds.
  localparam integer Group  = (Lanes > 8) ? 8 : Lanes;
  localparam integer Groups = Lanes / Group;
  localparam integer Pairs  = (Lanes + 1) / 2;
  wire [Pairs*W-1:0] pair;
  genvar l;
  generate
    for (l = 0; l < Pairs; l = l + 1) begin : g_pair
      if (2 * l + 1 < Lanes) begin : g_two
        fx_pair #(.W(W)) i_pair (
          .low_i(word_i[2*l*W +: W]), .high_i(word_i[(2*l+1)*W +: W]), .low_over_i(over_i[2*l]),
          .high_over_i(over_i[2*l+1]), .used_o(pair[l*W +: W]));
      end else begin : g_one
        assign pair[l*W +: W] = {over_i[2*l], word_i[2*l*W +: W-1] ^ {(W-1){word_i[2*l*W+W-1]}}};
      end
    end
  endgenerate
  localparam integer GroupPairs = (Group + 1) / 2;
  logic [Groups*W-1:0] group;
  always_comb begin
    group = '0;
    for (int k = 0; k < Pairs; k = k + 1)
      group[k/GroupPairs*W +: W] = group[k/GroupPairs*W +: W] | pair[k*W +: W];
  end
  wire [Groups*W-1:0] found;
  wire                valid;
  generate
    if (Lanes > 8) begin : g_register
      logic [Groups*W-1:0] group_q;
      logic                valid_q;
      always_ff @(posedge clk_i) begin
        group_q <= group;
        valid_q <= valid_i;
      end
      assign found = group_q;
      assign valid = valid_q;
    end else begin : g_wire
      assign found = group;
      assign valid = valid_i;
    end
  endgenerate
  logic [W-1:0] all;
  always_comb begin
    all = '0;
    for (int k = 0; k < Groups; k = k + 1) all = all | found[k*W +: W];
  end
  always_ff @(posedge clk_i)
    if (clear_i) mask_o <= '0;
    else if (valid) mask_o <= mask_o | all;
endmodule
`default_nettype wire
