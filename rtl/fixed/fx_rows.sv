/// The second part of a pass of the integer core: q' = shift_round(row sum, RowShift), from the stream of p'. First and
/// plain: constant stencils only.
`include "mantissa.svh"
`include "core_streams.svh"
`default_nettype none
module fx_rows #(
`include "fx_parameters.svh"
) (
  input  wire                          clk_i,
  input  wire                          rst_ni,
  input  wire                          en_i,
  input  wire                          clear_i,
  input  wire  [LenW-1:0]              length_i,
  input  wire  [RowLenW-1:0]           row_length_i,
  input  wire  [Lanes-1:0]             live_last_i,       ///< lanes of the last token that hold an element
  input  wire                          slot_i,            ///< p_i is that of a slot
  input  wire                          slot_last_i,
  input  wire  [Lanes*PW-1:0]          p_i,               ///< 0 where a lane holds no element
  input  wire  [Coefs*Lanes*CoefW-1:0] band_i,
  output logic [Coefs-1:0]             take_band_o,       ///< coefficients taken: see stream_control
  output logic [Coefs-1:0]             take_band_ahead_o,
  output logic [Coefs-1:0]             take_band_last_o,
  output core_vectors_t                give_o,            ///< beats of q' let go of
  output core_vectors_t                give_ahead_o,
  output core_vectors_t                give_last_o,
  output logic [Lanes*QW-1:0]          q_o,               ///< 0 where a lane holds no element
  output logic [Lanes-1:0]             q_over_o,          ///< words that did not fit, of lanes that hold an element
  output logic [Lanes*PW-1:0]          p_o                ///< p' of the same elements; 0 where a lane holds none
);
  wire [Lanes*PW-1:0] south, centre, north;
  wire window, window_last, window_ahead;
  line_buffer #(.PW(PW), .Lanes(Lanes), .MaxRow(MaxRow)) i_lines (
    .clk_i, .rst_ni, .en_i, .clear_i, .row_length_i, .slot_i, .last_i(slot_last_i), .p_i, .south_o(south),
    .centre_o(centre), .north_o(north), .valid_o(window), .last_o(window_last), .valid_ahead_o(window_ahead));
  logic [RowLatency:1] window_q, last_q;
  always_ff @(posedge clk_i)
    if (!rst_ni || clear_i) begin
      window_q <= '0;
      last_q   <= '0;
    end else if (en_i) begin
      window_q <= {window_q[RowLatency-1:1], window};
      last_q   <= {last_q[RowLatency-1:1], window_last};
    end
  wire [Lanes-1:0] edge_node;
  edge_nodes #(.Lanes(Lanes), .RowLenW(RowLenW), .LenW(LenW), .Latency(RowLatency - 1)) i_edge (
    .clk_i, .rst_ni, .en_i, .clear_i, .window_i(window), .length_i, .row_length_i, .edge_o(edge_node));

  localparam integer RowW = PW + 34;
  logic [Lanes*PW-1:0] s1_q, s2_q, c1_q, c2_q, n1_q, n2_q;
  wire [3*Lanes*PW-1:0] ss = {south, s1_q, s2_q};
  wire [3*Lanes*PW-1:0] cc = {centre, c1_q, c2_q};
  wire [3*Lanes*PW-1:0] nn = {north, n1_q, n2_q};
  always_ff @(posedge clk_i)
    if (en_i) begin
      s1_q <= south;  s2_q <= s1_q;
      c1_q <= centre; c2_q <= c1_q;
      n1_q <= north;  n2_q <= n1_q;
    end
  logic [Lanes-1:0] live_q;
  always_ff @(posedge clk_i) if (en_i) live_q <= last_q[3] ? live_last_i : {Lanes{window_q[3]}};
  genvar l;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_lane
      localparam integer At = (Lanes + l) * PW;
      function automatic signed [RowW-1:0] term(input integer c, input [PW-1:0] word);
        term = RowW'(c) * RowW'($signed(word));
      endfunction
      logic signed [RowW-1:0] sum_q, sum_q2, sum_q3;
      logic [PW-1:0] p_q, p_q2, p_q2b;
      always_ff @(posedge clk_i)
        if (en_i) begin
          sum_q <= term(S0, ss[At-PW +: PW]) + term(S1, ss[At +: PW]) + term(S2, ss[At+PW +: PW]) +
                   term(S3, cc[At-PW +: PW]) + term(S4, cc[At +: PW]) + term(S5, cc[At+PW +: PW]) +
                   term(S6, nn[At-PW +: PW]) + term(S7, nn[At +: PW]) + term(S8, nn[At+PW +: PW]);
          sum_q2 <= sum_q;
          sum_q3 <= sum_q2;
          p_q  <= cc[At +: PW];
          p_q2 <= p_q;
          p_q2b <= p_q2;
        end
      wire signed [RowW-1:0] moved = (RowShift <= 0) ? sum_q3 <<< -RowShift :
        (sum_q3 >>> `MAX2(RowShift, 0)) + $signed(RowW'((QDown == 0) && (RowShift > 0) && sum_q3[`MAX2(RowShift-1, 0)]));
      wire live = (last_q[3] ? live_last_i[l] : window_q[3]);
      logic [QW-1:0] q_q;
      logic over_q;
      logic [PW-1:0] p_q3;
      always_ff @(posedge clk_i)
        if (en_i) begin
          q_q    <= (live & ~edge_node[l]) ? moved[QW-1:0] : '0;
          over_q <= live & ~edge_node[l] & (RowW'($signed(moved[QW-1:0])) != moved);
          p_q3   <= p_q2b;
        end
      assign q_o[l*QW +: QW] = q_q;
      assign q_over_o[l] = over_q;
      assign p_o[l*PW +: PW] = live_q[l] ? p_q3 : '0;
    end
  endgenerate
  assign give_o = {window_q[RowLatency], 3'b000};
  assign give_ahead_o = {window_q[RowLatency-1], 3'b000};
  assign give_last_o = {last_q[RowLatency], 3'b000};
  assign take_band_o = '0;
  assign take_band_ahead_o = '0;
  assign take_band_last_o = '0;
  wire unused = &{1'b0, band_i, window_ahead, ss, cc, nn};
endmodule
`default_nettype wire
