/// Three integer totals as parts of S bits, of which scalar_normalise takes two: the one that holds the leading bit, and
/// the next. look_i finds the leading part of each. In the clock behind at_i and second_i, part_o is the leading part of
/// total at_i, or with second_i the next one. A negative total comes as its complement, one less than its magnitude.
`include "mantissa.svh"
`default_nettype none
module scalar_total_parts #(
  parameter integer S = 17,
  parameter integer TotalW = 64,
  parameter integer W0 = 64,
  parameter integer W1 = 64,
  parameter integer W2 = 64,
  parameter integer Lsb0 = -32,
  parameter integer Lsb1 = -32,
  parameter integer Lsb2 = -32,
  parameter [2:0] Signed = 3'b010, ///< totals that can be negative
  parameter integer ExpW = 13,
  parameter integer Bias = 127
) (
  input  wire                    clk_i,
  input  wire                    look_i,
  input  wire                    choose_i, ///< at_i and second_i count
  input  wire  [1:0]             at_i,
  input  wire                    second_i,
  input  wire  [3*TotalW-1:0]    totals_i,
  output logic [S-1:0]           part_o,
  output logic                   sign_o,
  output logic                   rest_o, ///< something is left below the next part
  output logic signed [ExpW-1:0] exp_o   ///< biased, of the place two above the leading part
);
  localparam integer Parts = (`MAX3(W0, W1, W2) + S - 1) / S; // of the longest one
  wire [3*S-1:0]     parts;
  wire [2:0]         sign, rest;
  wire [3*Parts-1:0] leads; // one-hot
  genvar t;
  generate
    for (t = 0; t < 3; t = t + 1) begin : g_total
      localparam integer W = (t == 0) ? W0 : (t == 1) ? W1 : W2;
      localparam integer N = (W + S - 1) / S;
      wire [N*S-1:0] value;
      if (N * S > W) begin : g_extend
        assign value = {{(N*S-W){Signed[t] & totals_i[t*TotalW + W - 1]}}, totals_i[t*TotalW +: W]};
      end else begin : g_whole
        assign value = totals_i[t*TotalW +: W];
      end
      assign sign[t] = Signed[t] & totals_i[t*TotalW + W - 1];
      logic [N-1:0] lead_q, pick_q;
      logic         rest_q;
      task automatic look;
        integer k;
        logic [N-1:0] used, full; // parts unlike the sign, and parts that are not zero
        logic above, below;
        begin
          for (k = 0; k < N; k = k + 1) begin
            full[k] = |value[k*S +: S];
            used[k] = |(value[k*S +: S] ^ {S{sign[t]}});
          end
          above = 1'b0;
          for (k = N - 1; k >= 0; k = k - 1) begin
            lead_q[k] <= ~above & (used[k] | (k == 0));
            above = above | used[k];
          end
          below = 1'b0;
          for (k = 2; k < N; k = k + 1)
            below = below | (|(full & ~({N{1'b1}} << (k - 1))) & used[k] & ~(|(used >> (k + 1))));
          rest_q <= below;
        end
      endtask
      // One-hot, and nothing below the lowest part.
      always_ff @(posedge clk_i) begin
        if (look_i) look();
        if (choose_i) pick_q <= (second_i ? lead_q >> 1 : lead_q) & {N{at_i == 2'(t)}};
      end
      logic [S-1:0] chosen;
      always_comb begin
        chosen = '0;
        for (int k = 0; k < N; k = k + 1) chosen = chosen | (value[k*S +: S] & {S{pick_q[k]}});
      end
      assign parts[t*S +: S] = chosen;
      assign rest[t] = rest_q;
      assign leads[t*Parts +: Parts] = Parts'(lead_q);
    end
  endgenerate
  function automatic signed [ExpW-1:0] top_of(input [1:0] which, input [Parts-1:0] leading);
    integer k;
    begin
      top_of = '0;
      for (k = 0; k < Parts; k = k + 1)
        if (leading[k])
          top_of = top_of | ((which == 2'd0) ? ExpW'(Lsb0 + (k + 1) * S + 1 + Bias) :
                             (which == 2'd1) ? ExpW'(Lsb1 + (k + 1) * S + 1 + Bias) : ExpW'(Lsb2 + (k + 1) * S + 1 + Bias));
    end
  endfunction
  always_ff @(posedge clk_i)
    if (choose_i) begin
      sign_o <= (at_i == 2'd0) ? sign[0] : (at_i == 2'd1) ? sign[1] : sign[2];
      rest_o <= (at_i == 2'd0) ? rest[0] : (at_i == 2'd1) ? rest[1] : rest[2];
      exp_o  <= (at_i == 2'd0) ? top_of(2'd0, leads[0 +: Parts]) : (at_i == 2'd1) ? top_of(2'd1, leads[Parts +: Parts])
                                                                  : top_of(2'd2, leads[2*Parts +: Parts]);
    end
  assign part_o = (parts[0 +: S] | parts[S +: S] | parts[2*S +: S]) ^ {S{sign_o}};
endmodule
`default_nettype wire
