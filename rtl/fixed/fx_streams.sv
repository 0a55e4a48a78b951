/// The streams of the integer core: a register for the words of one beat at each, and the control of all of them
/// (stream_control, whose sides these are). With a constant stencil only the four vectors' are built.
`include "mantissa.svh"
`include "core_streams.svh"
`default_nettype none
module fx_streams #(
`include "fx_parameters.svh"
) (
  input  wire                          clk_i,
  input  wire                          rst_ni,
  input  wire                          run_i,
  input  wire                          clear_i,
  input  wire                          drained_i,

  input  core_vectors_t                in_valid_i,
  input  core_vectors_t                in_last_i,
  output core_vectors_t                in_ready_o,
  input  wire  [Coefs-1:0]             band_valid_i,
  input  wire  [Coefs-1:0]             band_last_i,
  output logic [Coefs-1:0]             band_ready_o,
  input  wire  [Lanes*UW-1:0]          u_tdata_i,
  input  wire  [Lanes*RW-1:0]          r_tdata_i,
  input  wire  [Lanes*PW-1:0]          p_tdata_i,
  input  wire  [Lanes*QW-1:0]          q_tdata_i,
  input  wire  [Coefs*Lanes*CoefW-1:0] band_tdata_i,

  input  core_vectors_t                take_i,
  input  core_vectors_t                take_ahead_i,
  input  core_vectors_t                take_last_i,
  input  wire  [Coefs-1:0]             take_band_i,
  input  wire  [Coefs-1:0]             take_band_ahead_i,
  input  wire  [Coefs-1:0]             take_band_last_i,
  output logic [Lanes*UW-1:0]          u_o,
  output logic [Lanes*RW-1:0]          r_o,
  output logic [Lanes*PW-1:0]          p_o,
  output logic [Lanes*QW-1:0]          q_o,
  output logic [Coefs*Lanes*CoefW-1:0] band_o,

  `VECTORS_LEAVE_PORTS(Lanes)

  output logic                         en_o,
  output logic                         still_o,
  output logic                         ended_early_o,
  output logic                         ended_late_o,
  output logic [16:0]                  waiting_o ///< as pcg_core's
);
  localparam integer Ins = (CoefMode == 1) ? 4 : 4 + Coefs;

  // ---- Control -----------------------------------------------------------------------------------------------------
  wire [3+Coefs:0] in_valid   = {band_valid_i, in_valid_i};
  wire [3+Coefs:0] in_last    = {band_last_i, in_last_i};
  wire [3+Coefs:0] take       = {take_band_i, take_i};
  wire [3+Coefs:0] take_ahead = {take_band_ahead_i, take_ahead_i};
  wire [3+Coefs:0] take_last  = {take_band_last_i, take_last_i};
  wire [Ins-1:0] in_ready, waiting_in;
  wire [3:0]     out_valid, out_last, out_full, waiting_out;
  stream_control #(.Ins(Ins), .Outs(4)) i_control (
    .clk_i, .rst_ni, .run_i, .clear_i, .drained_i, .unread_i({Ins{1'b0}}), .in_valid_i(in_valid[Ins-1:0]),
    .in_last_i(in_last[Ins-1:0]), .in_ready_o(in_ready), .take_i(take[Ins-1:0]), .take_ahead_i(take_ahead[Ins-1:0]),
    .take_last_i(take_last[Ins-1:0]), .give_i, .give_ahead_i, .give_last_i, .out_valid_o(out_valid),
    .out_last_o(out_last), .out_ready_i, .out_full_o(out_full), .en_o, .still_o, .ended_early_o, .ended_late_o,
    .waiting_in_o(waiting_in), .waiting_out_o(waiting_out));
  assign in_ready_o  = in_ready[3:0];
  assign out_valid_o = out_valid;
  assign out_last_o  = out_last;
  assign out_full_o  = out_full;
  assign waiting_o   = {waiting_out, 13'(waiting_in)};

  // ---- Words that come in ------------------------------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    if (in_ready_o.u) u_o <= u_tdata_i;
    if (in_ready_o.r) r_o <= r_tdata_i;
    if (in_ready_o.p) p_o <= p_tdata_i;
    if (in_ready_o.q) q_o <= q_tdata_i;
  end
  genvar b;
  generate
    if (CoefMode == 1) begin : g_no_bands
      assign band_o       = '0;
      assign band_ready_o = '0;
      wire unused = &{1'b0, in_valid[4], in_last[4], take[4], take_ahead[4], take_last[4], band_tdata_i};
    end else begin : g_bands
      assign band_ready_o = in_ready[Ins-1:4];
      for (b = 0; b < Coefs; b = b + 1) begin : g_band
        logic [Lanes*CoefW-1:0] words_q;
        always_ff @(posedge clk_i) if (band_ready_o[b]) words_q <= band_tdata_i[b*Lanes*CoefW +: Lanes*CoefW];
        assign band_o[b*Lanes*CoefW +: Lanes*CoefW] = words_q;
      end
    end
  endgenerate

  // ---- Words that go out: a beat that waits is kept ----------------------------------------------------------------
  kept_words #(.W(Lanes*UW)) i_kept_u (.clk_i, .full_i(out_full_o.u), .words_i(u_i), .words_o(u_tdata_o));
  kept_words #(.W(Lanes*RW)) i_kept_r (.clk_i, .full_i(out_full_o.r), .words_i(r_i), .words_o(r_tdata_o));
  kept_words #(.W(Lanes*PW)) i_kept_p (.clk_i, .full_i(out_full_o.p), .words_i(p_i), .words_o(p_tdata_o));
  kept_words #(.W(Lanes*QW)) i_kept_q (.clk_i, .full_i(out_full_o.q), .words_i(q_i), .words_o(q_tdata_o));
endmodule
`default_nettype wire
