/// Three integer totals as parts of S bits, of which scalar_normalise takes two: the one that holds the leading bit, and
/// the next. look_i finds the leading part of each; a clock later part_o is the leading part of total at_i, and with
/// second_i the next one. A negative total comes as its complement, which is one less than its magnitude.
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
  input  wire  [1:0]             at_i,
  input  wire                    second_i,
  input  wire  [3*TotalW-1:0]    totals_i,
  output logic [S-1:0]           part_o,
  output logic                   sign_o,
  output logic                   rest_o, ///< something is left below the next part
  output logic signed [ExpW-1:0] exp_o   ///< biased, of the place two above the leading part
);
  localparam integer Parts = (`MAX3(W0, W1, W2) + S - 1) / S; // of the longest one
  localparam integer AtW   = $clog2(Parts + 1);
  wire [3*S-1:0]   parts;
  wire [2:0]       sign, rest;
  wire [3*AtW-1:0] at;
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
      logic [AtW-1:0] at_q;
      logic           rest_q;
      task automatic look;
        integer k;
        logic [AtW-1:0] top;
        logic below, so_far;
        begin
          top    = '0;
          below  = 1'b0;
          so_far = 1'b0; // the parts below k - 1 are not all zero
          for (k = 0; k < N; k = k + 1) begin
            if (k >= 2) so_far = so_far | (|value[(`MAX2(k, 2)-2)*S +: S]);
            if ((value[k*S +: S] ^ {S{sign[t]}}) != '0) begin
              top   = AtW'(k);
              below = so_far;
            end
          end
          at_q   <= top;
          rest_q <= below;
        end
      endtask
      always_ff @(posedge clk_i) if (look_i) look();
      assign at[t*AtW +: AtW] = at_q;
      assign rest[t] = rest_q;
      logic [S-1:0] chosen;
      wire [AtW-1:0] which = at_q - AtW'(second_i);
      always_comb begin
        chosen = '0; // also below the lowest part
        for (int k = 0; k < N; k = k + 1)
          if (which == AtW'(k)) chosen = value[k*S +: S];
      end
      assign parts[t*S +: S] = chosen ^ {S{sign[t]}};
    end
  endgenerate
  function automatic signed [ExpW-1:0] top_of(input [1:0] which, input [AtW-1:0] leads);
    integer k;
    begin
      top_of = '0;
      for (k = 0; k < Parts; k = k + 1)
        if (leads == AtW'(k))
          top_of = (which == 2'd0) ? ExpW'(Lsb0 + (k + 1) * S + 1 + Bias) :
                   (which == 2'd1) ? ExpW'(Lsb1 + (k + 1) * S + 1 + Bias) : ExpW'(Lsb2 + (k + 1) * S + 1 + Bias);
    end
  endfunction
  wire [1:0] which = (at_i > 2'd2) ? 2'd2 : at_i;
  assign part_o = parts[which*S +: S];
  assign sign_o = sign[which];
  assign rest_o = rest[which];
  assign exp_o  = top_of(which, at[which*AtW +: AtW]);
endmodule
`default_nettype wire
