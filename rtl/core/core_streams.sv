/// The streams of the core: a register for the data of one beat at each, classes read off on the way in, and the
/// control of all of them (stream_control). Without band streams (CoefMode 1) only the four vectors' are built.
`include "mantissa.svh"
`include "core_streams.svh"
`default_nettype none
module core_streams #(
`include "core_parameters.svh"
) (
  input  wire                      clk_i,
  input  wire                      rst_ni,
  input  wire                      run_i,             ///< low: the pipeline stands from the next clock on
  input  wire                      clear_i,           ///< between passes
  input  wire                      stencil_i,         ///< the bands are not read
  input  wire                      drained_i,         ///< only beats that are not taken hold up the core

  input  core_sources_t            in_valid_i,
  input  core_sources_t            in_last_i,
  output core_sources_t            in_ready_o,
  input  wire  [Lanes*UW-1:0]      u_tdata_i,
  input  wire  [Lanes*RW-1:0]      r_tdata_i,
  input  wire  [Lanes*PW-1:0]      p_tdata_i,
  input  wire  [Lanes*QW-1:0]      q_tdata_i,
  input  wire  [Coefs*Lanes*CoefW-1:0] band_tdata_i,

  input  core_vectors_t            take_i,
  input  core_vectors_t            take_ahead_i,
  input  core_vectors_t            take_last_i,
  input  wire  [8:0]               take_band_i,
  input  wire  [8:0]               take_band_ahead_i,
  input  wire  [8:0]               take_band_last_i,
  output logic [Lanes*2-1:0]       u_cls_o,
  output logic [Lanes*UW-1:0]      u_o,
  output logic [Lanes*2-1:0]       r_cls_o,
  output logic [Lanes*RW-1:0]      r_o,
  output logic [Lanes*2-1:0]       p_cls_o,
  output logic [Lanes*PW-1:0]      p_o,
  output logic [Lanes*2-1:0]       q_cls_o,
  output logic [Lanes*QW-1:0]      q_o,
  output logic [Coefs*Lanes*2-1:0] band_cls_o,        ///< band-major
  output logic [Coefs*Lanes*CoefW-1:0] band_o,

  `VECTORS_LEAVE_PORTS(Lanes)

  output logic                     en_o,              ///< the pipeline moves
  output logic                     still_o,           ///< ~en_o, a register of its own for the logic about the streams
  output logic                     ended_early_o,     ///< one clock: a stream's tlast was before its last beat,
  output logic                     ended_late_o,      ///< or not on it
  output core_sources_t            waiting_in_o,      ///< what a pipeline that stands waits for
  output core_vectors_t            waiting_out_o
);
  localparam integer Ins = (CoefMode == 1) ? 4 : 4 + Coefs;

  // ---- Control -----------------------------------------------------------------------------------------------------
  // All streams alike, so they are bits in the order of the structures.
  wire [12:0] in_valid   = in_valid_i;
  wire [12:0] in_tlast   = in_last_i;
  wire [12:0] want       = {take_band_i, take_i};
  wire [12:0] want_ahead = {take_band_ahead_i, take_ahead_i};
  wire [12:0] want_last  = {take_band_last_i, take_last_i};
  wire [12:0] unread     = {{9{stencil_i}}, 4'd0};
  wire [12:0] in_ready, waiting_in;
  wire [3:0] out_valid, out_last, out_full, waiting_out;
  stream_control #(.Ins(Ins), .Outs(4)) i_control (
    .clk_i, .rst_ni, .run_i, .clear_i, .drained_i, .unread_i(unread[Ins-1:0]), .in_valid_i(in_valid[Ins-1:0]),
    .in_last_i(in_tlast[Ins-1:0]), .in_ready_o(in_ready[Ins-1:0]), .take_i(want[Ins-1:0]),
    .take_ahead_i(want_ahead[Ins-1:0]), .take_last_i(want_last[Ins-1:0]), .give_i, .give_ahead_i, .give_last_i,
    .out_valid_o(out_valid), .out_last_o(out_last), .out_ready_i, .out_full_o(out_full), .en_o, .still_o,
    .ended_early_o, .ended_late_o, .waiting_in_o(waiting_in[Ins-1:0]), .waiting_out_o(waiting_out));
  assign in_ready_o    = in_ready;
  assign out_valid_o   = out_valid;
  assign out_last_o    = out_last;
  assign out_full_o    = out_full;
  assign waiting_in_o  = waiting_in;
  assign waiting_out_o = waiting_out;

  // ---- Data of the beats that come in ------------------------------------------------------------------------------
  wire [Lanes*2-1:0] u_cls, r_cls, p_cls, q_cls;
  genvar l, b;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_in
      fp_unpack #(.E(UExpW), .M(UFracW)) i_unpack_u (.word_i(u_tdata_i[l*UW +: UW]), .cls_o(u_cls[l*2 +: 2]));
      fp_unpack #(.E(RExpW), .M(RFracW)) i_unpack_r (.word_i(r_tdata_i[l*RW +: RW]), .cls_o(r_cls[l*2 +: 2]));
      fp_unpack #(.E(PExpW), .M(PFracW)) i_unpack_p (.word_i(p_tdata_i[l*PW +: PW]), .cls_o(p_cls[l*2 +: 2]));
      fp_unpack #(.E(QExpW), .M(QFracW)) i_unpack_q (.word_i(q_tdata_i[l*QW +: QW]), .cls_o(q_cls[l*2 +: 2]));
    end
  endgenerate
  always_ff @(posedge clk_i) begin
    if (in_ready_o.u) begin
      u_cls_o <= u_cls;
      u_o     <= u_tdata_i;
    end
    if (in_ready_o.r) begin
      r_cls_o <= r_cls;
      r_o     <= r_tdata_i;
    end
    if (in_ready_o.p) begin
      p_cls_o <= p_cls;
      p_o     <= p_tdata_i;
    end
    if (in_ready_o.q) begin
      q_cls_o <= q_cls;
      q_o     <= q_tdata_i;
    end
  end
  generate
    if (Ins < 13) begin : g_fewer
      assign in_ready[12:Ins]   = '0;
      assign waiting_in[12:Ins] = '0;
      wire unused = &{1'b0, in_valid[12:Ins], in_tlast[12:Ins], want[12:Ins], want_ahead[12:Ins], want_last[12:Ins],
                      unread[12:Ins]};
    end
    if (CoefMode == 1) begin : g_no_bands
      assign band_o     = '0;
      assign band_cls_o = '0;
      wire unused = &{1'b0, band_tdata_i};
    end else begin : g_bands
      for (b = 0; b < Coefs; b = b + 1) begin : g_band
        wire [Lanes*CoefW-1:0] words = band_tdata_i[b*Lanes*CoefW +: Lanes*CoefW];
        wire [Lanes*2-1:0]     classes;
        for (l = 0; l < Lanes; l = l + 1) begin : g_lane
          fp_unpack #(.E(CoefExpW), .M(CoefFracW)) i_unpack (
            .word_i(words[l*CoefW +: CoefW]), .cls_o(classes[l*2 +: 2]));
        end
        logic [Lanes*CoefW-1:0] words_q;
        logic [Lanes*2-1:0]     classes_q;
        always_ff @(posedge clk_i)
          if (in_ready_o.band[b]) begin
            words_q   <= words;
            classes_q <= classes;
          end
        assign band_o[b*Lanes*CoefW +: Lanes*CoefW] = words_q;
        assign band_cls_o[b*Lanes*2 +: Lanes*2]     = classes_q;
      end
    end
  endgenerate

  // ---- Data of the beats that go out: a beat that waits is kept ----------------------------------------------------
  kept_words #(.W(Lanes*UW)) i_kept_u (.clk_i, .full_i(out_full_o.u), .words_i(u_i), .words_o(u_tdata_o));
  kept_words #(.W(Lanes*RW)) i_kept_r (.clk_i, .full_i(out_full_o.r), .words_i(r_i), .words_o(r_tdata_o));
  kept_words #(.W(Lanes*PW)) i_kept_p (.clk_i, .full_i(out_full_o.p), .words_i(p_i), .words_o(p_tdata_o));
  kept_words #(.W(Lanes*QW)) i_kept_q (.clk_i, .full_i(out_full_o.q), .words_i(q_i), .words_o(q_tdata_o));
endmodule
`default_nettype wire
