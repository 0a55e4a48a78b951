/// The pipelined CG core: runs PASSES passes of FCCM'06 Eq. 4 and 5 on its own, one token (Lanes elements) of each
/// vector per clock, with u, r, p and q ping-ponged between two banks of the memory attached to its streams.
///
/// Before each pass m_axis_pass sends one beat: bit 0 the bank to read (the other is to be written), bit 1 set when the
/// nine bands are to be streamed too. The memory takes the beat once everything written so far can be read. Then, each
/// a stream of ceil(LENGTH / Lanes) beats with tlast on the last:
///   s_axis_u, _r, _p, _q    in, lane 0 lowest, the formats' own bits
///   s_axis_band             in, nine streams side by side, each with its own handshake (chained row sums take band b
///                           later than band b - 1, so the nine are not in step)
///   m_axis_u, _r, _p, _q    out
/// Lanes beyond LENGTH in the last beat are ignored coming in and zero going out. All streams move in step with one
/// pipeline enable: any of them can hold up all of them. A buffer of one beat at each stream makes the enable a
/// register, and every output hangs on registers only. Behind its tlast a stream's tready is low until the next pass
/// begins. What is offered stays offered until it is taken, whatever becomes of the run. The streams must not depend on
/// each other's progress by more than a few beats' buffering, but for q, which leaves about one row and one pipeline
/// later than it came.
///
/// waiting_o says what a stopped pipeline waits for: [3:0] u r p q in, [12:4] bands, [16:13] u r p q out.
///
/// Registers: see core_regs. CoefMode 0: streamed bands; 1: a constant stencil, whose edge rows give q = +0; 2: both,
/// chosen at run time.
/// docs/integration.md says how to attach the core.
`include "mantissa.svh"
`default_nettype none
module pcg_core #(
  parameter integer UE = 8,
  parameter integer UM = 23,
  parameter integer URne = 0,
  parameter integer RE = 8,
  parameter integer RM = 23,
  parameter integer RRne = 0,
  parameter integer PE = 8,
  parameter integer PM = 23,
  parameter integer PRne = 0,
  parameter integer QE = 8,
  parameter integer QM = 23,
  parameter integer QRne = 0,
  parameter integer CE = 8,    ///< coefficients
  parameter integer CM = 23,
  parameter integer OE = 8,    ///< alpha and beta as operands
  parameter integer OM = 23,
  parameter integer ORne = 0,
  parameter integer WE = 8,    ///< row sums
  parameter integer WM = 23,
  parameter integer WRne = 0,
  parameter integer Tree = 0,
  parameter integer Fixed = 0, ///< dot products: fixed-point window [Msb:Lsb], or float
  parameter integer Exact = 0, ///< exact products, or rounded to s<DM>e<DE>
  parameter integer DE = 8,
  parameter integer DM = 23,
  parameter integer DRne = 0,
  parameter integer AE = 11,   ///< float accumulators, Depth partial sums per lane
  parameter integer AM = 52,
  parameter integer ARne = 0,
  parameter integer Depth = 16,
  parameter integer Msb = 13,
  parameter integer Lsb = -50,
  parameter integer GuardW = 32,
  parameter integer SE = 11,   ///< scalar unit
  parameter integer SM = 52,
  parameter integer SRne = 0,
  parameter integer Lanes = 1,
  parameter integer CoefMode = 2,
  parameter integer MaxRow = 1025,
  parameter integer LenW = 32,
  parameter integer Style = 0,    ///< multipliers: see sig_mul
  parameter integer DelayRam = 0  ///< delay lines: shift registers or small memories
) (
  input  wire                          clk_i,
  input  wire                          rst_ni,

  input  wire  [7:0]                   s_axil_awaddr,
  input  wire                          s_axil_awvalid,
  output logic                         s_axil_awready,
  input  wire  [31:0]                  s_axil_wdata,
  input  wire  [3:0]                   s_axil_wstrb,
  input  wire                          s_axil_wvalid,
  output logic                         s_axil_wready,
  output logic [1:0]                   s_axil_bresp,
  output logic                         s_axil_bvalid,
  input  wire                          s_axil_bready,
  input  wire  [7:0]                   s_axil_araddr,
  input  wire                          s_axil_arvalid,
  output logic                         s_axil_arready,
  output logic [31:0]                  s_axil_rdata,
  output logic [1:0]                   s_axil_rresp,
  output logic                         s_axil_rvalid,
  input  wire                          s_axil_rready,

  output logic [7:0]                   m_axis_pass_tdata,
  output logic                         m_axis_pass_tvalid,
  input  wire                          m_axis_pass_tready,

  input  wire  [Lanes*(UE+UM+1)-1:0]   s_axis_u_tdata,
  input  wire                          s_axis_u_tvalid,
  input  wire                          s_axis_u_tlast,
  output logic                         s_axis_u_tready,
  input  wire  [Lanes*(RE+RM+1)-1:0]   s_axis_r_tdata,
  input  wire                          s_axis_r_tvalid,
  input  wire                          s_axis_r_tlast,
  output logic                         s_axis_r_tready,
  input  wire  [Lanes*(PE+PM+1)-1:0]   s_axis_p_tdata,
  input  wire                          s_axis_p_tvalid,
  input  wire                          s_axis_p_tlast,
  output logic                         s_axis_p_tready,
  input  wire  [Lanes*(QE+QM+1)-1:0]   s_axis_q_tdata,
  input  wire                          s_axis_q_tvalid,
  input  wire                          s_axis_q_tlast,
  output logic                         s_axis_q_tready,
  input  wire  [9*Lanes*(CE+CM+1)-1:0] s_axis_band_tdata,
  input  wire  [8:0]                   s_axis_band_tvalid,
  input  wire  [8:0]                   s_axis_band_tlast,
  output logic [8:0]                   s_axis_band_tready,

  output logic [Lanes*(UE+UM+1)-1:0]   m_axis_u_tdata,
  output logic                         m_axis_u_tvalid,
  output logic                         m_axis_u_tlast,
  input  wire                          m_axis_u_tready,
  output logic [Lanes*(RE+RM+1)-1:0]   m_axis_r_tdata,
  output logic                         m_axis_r_tvalid,
  output logic                         m_axis_r_tlast,
  input  wire                          m_axis_r_tready,
  output logic [Lanes*(PE+PM+1)-1:0]   m_axis_p_tdata,
  output logic                         m_axis_p_tvalid,
  output logic                         m_axis_p_tlast,
  input  wire                          m_axis_p_tready,
  output logic [Lanes*(QE+QM+1)-1:0]   m_axis_q_tdata,
  output logic                         m_axis_q_tvalid,
  output logic                         m_axis_q_tlast,
  input  wire                          m_axis_q_tready,

  output logic                         busy_o,   ///< a run is on; its end can serve as an interrupt
  output logic [16:0]                  waiting_o
);
  localparam integer UW = UE + UM + 1;
  localparam integer RW = RE + RM + 1;
  localparam integer PW = PE + PM + 1;
  localparam integer QW = QE + QM + 1;
  localparam integer CW = CE + CM + 1;
  localparam integer SW = SE + SM + 1;
  localparam integer Log = $clog2(Lanes);
  localparam integer RowW = $clog2(MaxRow + 1);
  localparam integer UIn = `U_IN(OM, PM);
  localparam integer UOut = `U_OUT(OM, PM, UM);
  localparam integer RIn = `R_IN(OM, QM);
  localparam integer ROut = `R_OUT(OM, QM, RM);
  localparam integer POut = `P_OUT(OM, QM, RM, PM);
  localparam integer Front = `MAX2(POut, UOut); // last stage of the update that a stream meets
  localparam integer RowLat = `ROW_LATENCY(Tree, CM, PM, WE, WM, QE, QM);
  // From the last slot to the last accumulation, with a few clocks in hand.
  localparam integer DrainN = Front + 3 + RowLat + 16;
  localparam integer DotW = (Fixed != 0) ? Msb - Lsb + 1 + GuardW : AE + AM + 3;
  localparam integer TE = (Exact != 0 && Fixed == 0) ? AE : DE; // terms that reach float accumulators
  localparam integer TM = (Exact != 0 && Fixed == 0) ? AM : DM;

  `REQUIRE(g_bad_lanes, Lanes == 1 || Lanes == 2 || Lanes == 4, "pcg_core: Lanes must be 1, 2 or 4")
  `REQUIRE(g_bad_mode, CoefMode >= 0 && CoefMode <= 2, "pcg_core: CoefMode must be 0, 1 or 2")
  `REQUIRE(g_bad_row, MaxRow >= 8, "pcg_core: MaxRow must be at least 8")
  `REQUIRE(g_bad_width, SM <= 52 && SE <= 11 && WM <= 52 && WE <= 11 && OM <= 52 && OE <= 11 && AM <= 52 && AE <= 11,
           "pcg_core: M must be in 2..52 and E in 2..11")
  `REQUIRE(g_bad_window, Fixed == 0 || (Msb > Lsb && Msb - Lsb < 64), "pcg_core: a window has 2 to 64 bits")

  // ---- Control -----------------------------------------------------------------------------------------------------
  wire busy;
  assign busy_o = busy;

  wire start, abort, row_bad, stencil_reg, bank_reg;
  wire [7:0]  set_alpha, set_beta;
  wire [31:0] set_word;
  wire [LenW-1:0] length;
  wire [RowW-1:0] row_length;
  wire [31:0] passes, rho_stop_from, stall_limit;
  wire [SW-1:0] rho_stop, alpha, beta, rho, pq, qq, sigma;
  wire [9*CW-1:0] coef_regs;
  wire [8:0]  errors;
  wire [2:0]  run_end;
  wire        done, bank;
  wire [3:0]  out_full; // a beat of u, r, p, q waits to be taken
  wire [31:0] pass_count, sigma_guards;
  wire [63:0] cycles;

  core_regs #(.SW(SW), .CW(CW), .LenW(LenW), .RowW(RowW), .Config(Log + 8 * CoefMode + 32 * Fixed + 64 * Tree)) i_regs (
    .clk_i, .rst_ni, .s_axil_awaddr, .s_axil_awvalid, .s_axil_awready, .s_axil_wdata, .s_axil_wstrb, .s_axil_wvalid,
    .s_axil_wready, .s_axil_bresp, .s_axil_bvalid, .s_axil_bready, .s_axil_araddr, .s_axil_arvalid, .s_axil_arready,
    .s_axil_rdata, .s_axil_rresp, .s_axil_rvalid, .s_axil_rready, .busy_i(busy | start), .done_i(done), .end_i(run_end),
    .bank_i(bank), .offering_i(m_axis_pass_tvalid | (|out_full)), .errors_i(errors), .pass_count_i(pass_count),
    .sigma_guards_i(sigma_guards), .cycles_i(cycles),
    .alpha_i(alpha), .beta_i(beta), .rho_i(rho), .pq_i(pq), .qq_i(qq), .sigma_i(sigma),
    .start_o(start), .abort_o(abort), .length_o(length), .row_length_o(row_length), .row_bad_o(row_bad),
    .passes_o(passes), .rho_stop_from_o(rho_stop_from), .stall_limit_o(stall_limit), .stencil_o(stencil_reg),
    .bank_o(bank_reg), .set_alpha_o(set_alpha), .set_beta_o(set_beta), .set_word_o(set_word), .rho_stop_o(rho_stop),
    .coef_o(coef_regs));

  wire stencil = (CoefMode == 1) || (CoefMode == 2 && stencil_reg);
  wire [Lanes-1:0] live_last; // lanes of the last token that hold an element
  genvar l, b;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_live
      assign live_last[l] = (length & LenW'(Lanes - 1)) == '0 || (length & LenW'(Lanes - 1)) > LenW'(l);
    end
  endgenerate

  wire en;    // the pipeline moves
  wire still; // ~en, for the logic about the streams
  wire clear, slot, slot_real, slot_last, token_last, drained, close, scalar_start, aborting;
  logic ended_early, ended_late;
  wire dots_done, scalar_done, scalar_guard;
  wire [2:0] scalar_end;
  core_control #(.Lanes(Lanes), .MaxRow(MaxRow), .LenW(LenW), .DrainN(DrainN)) i_control (
    .clk_i, .rst_ni, .en_i(~still), .start_i(start), .abort_i(abort), .bank_i(bank_reg), .stencil_i(stencil),
    .length_i(length), .row_length_i(row_length), .row_bad_i(row_bad), .passes_i(passes), .stall_limit_i(stall_limit),
    .pass_ready_i(m_axis_pass_tready), .ended_early_i(ended_early), .ended_late_i(ended_late), .out_full_i(|out_full),
    .dots_done_i(dots_done), .scalar_done_i(scalar_done), .scalar_guard_i(scalar_guard), .scalar_end_i(scalar_end),
    .busy_o(busy), .pass_valid_o(m_axis_pass_tvalid), .pass_data_o(m_axis_pass_tdata[1:0]), .bank_o(bank),
    .clear_o(clear), .slot_o(slot), .slot_real_o(slot_real), .slot_last_o(slot_last), .token_last_o(token_last),
    .drained_o(drained), .close_o(close), .scalar_start_o(scalar_start), .aborting_o(aborting), .done_o(done),
    .end_o(run_end), .errors_o(errors), .pass_count_o(pass_count), .sigma_guards_o(sigma_guards), .cycles_o(cycles));
  assign m_axis_pass_tdata[7:2] = '0;

  // Tokens on their way through the update, by the clocks behind the one that takes p and q.
  logic [Front:0] real_q, last_q, slot_q, slot_last_q;
  always_ff @(posedge clk_i)
    if (!rst_ni || clear) begin
      real_q      <= '0;
      last_q      <= '0;
      slot_q      <= '0;
      slot_last_q <= '0;
    end else if (en) begin
      real_q      <= {real_q[Front-1:0], slot_real};
      last_q      <= {last_q[Front-1:0], token_last};
      slot_q      <= {slot_q[Front-1:0], slot};
      slot_last_q <= {slot_last_q[Front-1:0], slot_last};
    end
  logic [6:0] ptr_q;
  always_ff @(posedge clk_i)
    if (!rst_ni) ptr_q <= '0;
    else if (en) ptr_q <= ptr_q + 7'd1;

  // ---- Update ------------------------------------------------------------------------------------------------------
  wire [1:0] alpha_cls, beta_cls;
  wire [OE+OM:0] alpha_op, beta_op;
  logic [Lanes*UW-1:0] u_in; // the streams' buffers
  logic [Lanes*RW-1:0] r_in;
  logic [Lanes*PW-1:0] p_in;
  logic [Lanes*QW-1:0] q_in;
  logic [Lanes*2-1:0] u_in_cls, r_in_cls, p_in_cls, q_in_cls;
  wire [Lanes*UW-1:0] u_bits;
  wire [Lanes*RW-1:0] r_bits;
  wire [Lanes*PW-1:0] p_bits;
  wire [Lanes*QW-1:0] q_bits;
  wire [9*Lanes*CW-1:0] band_in;
  wire [9*Lanes*2-1:0] band_in_cls;
  wire [Lanes*2-1:0] u_cls, r_cls, p_cls;
  wire [Lanes*UW-1:0] u_new;
  wire [Lanes*RW-1:0] r_new;
  wire [Lanes*PW-1:0] p_new;
  vector_update #(.UE(UE), .UM(UM), .URne(URne), .RE(RE), .RM(RM), .RRne(RRne), .PE(PE), .PM(PM), .PRne(PRne), .QE(QE),
                  .QM(QM), .OE(OE), .OM(OM), .Lanes(Lanes), .Style(Style), .DelayRam(DelayRam)) i_update (
    .clk_i, .en_i(en), .ptr_i(ptr_q), .alpha_cls_i(alpha_cls), .alpha_i(alpha_op), .beta_cls_i(beta_cls),
    .beta_i(beta_op), .u_cls_i(u_in_cls), .u_i(u_in), .r_cls_i(r_in_cls), .r_i(r_in), .p_cls_i(p_in_cls), .p_i(p_in),
    .q_cls_i(q_in_cls), .q_i(q_in),
    .u_cls_o(u_cls), .u_o(u_new), .r_cls_o(r_cls), .r_o(r_new), .p_cls_o(p_cls), .p_o(p_new));

  // Lanes that hold an element, from registers; u's inverted, so that it is not shared with r's far away.
  logic [Lanes-1:0] u_dead, r_live, p_live;
  wire [Lanes-1:0] u_live = ~u_dead;
  always_ff @(posedge clk_i)
    if (!rst_ni || clear) begin
      u_dead <= '1;
      r_live <= '0;
      p_live <= '0;
    end else if (en) begin
      u_dead <= last_q[UOut-1] ? ~live_last : ~{Lanes{real_q[UOut-1]}};
      r_live <= last_q[ROut-1] ? live_last : {Lanes{real_q[ROut-1]}};
      p_live <= last_q[POut-1] ? live_last : {Lanes{real_q[POut-1]}};
    end
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_out
      fp_pack #(.E(UE), .M(UM)) i_pack_u (
        .cls_i(u_cls[l*2 +: 2] & {2{u_live[l]}}), .word_i({u_new[l*UW+UW-1] & u_live[l], u_new[l*UW +: UW-1]}),
        .word_o(u_bits[l*UW +: UW]));
      fp_pack #(.E(RE), .M(RM)) i_pack_r (
        .cls_i(r_cls[l*2 +: 2] & {2{r_live[l]}}), .word_i({r_new[l*RW+RW-1] & r_live[l], r_new[l*RW +: RW-1]}),
        .word_o(r_bits[l*RW +: RW]));
      fp_pack #(.E(PE), .M(PM)) i_pack_p (
        .cls_i(p_cls[l*2 +: 2] & {2{p_live[l]}}), .word_i({p_new[l*PW+PW-1] & p_live[l], p_new[l*PW +: PW-1]}),
        .word_o(p_bits[l*PW +: PW]));
    end
  endgenerate

  // ---- Row sums ----------------------------------------------------------------------------------------------------
  wire [Lanes*PW-1:0] south, centre, north, p_middle;
  wire window, window_last, window_ahead;
  line_buffer #(.PW(PW), .Lanes(Lanes), .MaxRow(MaxRow)) i_lines (
    .clk_i, .rst_ni, .en_i(en), .clear_i(clear), .row_length_i(row_length), .slot_i(slot_q[POut]),
    .last_i(slot_last_q[POut]), .p_i(p_bits), .south_o(south), .centre_o(centre), .north_o(north), .valid_o(window),
    .last_o(window_last), .valid_ahead_o(window_ahead));

  // Streams that the pipeline meets in this clock, and behind the next clock in which it moves.
  wire [12:0] want, want_ahead, want_last;

  // Element tokens on their way through the row sum, by the clocks behind their window.
  logic [RowLat:1] window_q, window_last_q;
  wire [RowLat:0] window_at = {window_q, window};
  wire [RowLat:0] window_last_at = {window_last_q, window_last};
  always_ff @(posedge clk_i)
    if (!rst_ni || clear) begin
      window_q      <= '0;
      window_last_q <= '0;
    end else if (en) begin
      window_q      <= window_at[RowLat-1:0];
      window_last_q <= window_last_at[RowLat-1:0];
    end

  wire [9*Lanes*2-1:0]  coef_cls;
  wire [9*Lanes*CW-1:0] coef;
  generate
    for (b = 0; b < 9; b = b + 1) begin : g_coef
      for (l = 0; l < Lanes; l = l + 1) begin : g_lane
        localparam integer At = b * Lanes + l;
        wire [1:0] new_cls;
        fp_unpack #(.E(CE), .M(CM)) i_unpack (.word_i(coef_regs[b*CW +: CW]), .cls_o(new_cls));
        logic [1:0] stencil_cls; // coefficients stand while busy
        always_ff @(posedge clk_i) if (!busy) stencil_cls <= new_cls;
        if (CoefMode == 1) begin : g_stencil
          assign coef[At*CW +: CW]   = coef_regs[b*CW +: CW];
          assign coef_cls[At*2 +: 2] = stencil_cls;
        end else begin : g_choice
          assign coef[At*CW +: CW]   = stencil ? coef_regs[b*CW +: CW] : band_in[At*CW +: CW];
          assign coef_cls[At*2 +: 2] = stencil ? stencil_cls : band_in_cls[At*2 +: 2];
        end
      end
      localparam integer Off = `ROW_OFF(Tree, WM, b);
      if (CoefMode == 1) begin : g_unwanted
        assign want[4+b]       = 1'b0;
        assign want_last[4+b]  = 1'b0;
        assign want_ahead[4+b] = 1'b0;
      end else begin : g_wanted
        assign want[4+b]      = ~stencil & window_at[Off];
        assign want_last[4+b] = window_last_at[Off];
        if (Off == 0) begin : g_ahead
          assign want_ahead[4+b] = ~stencil & window_ahead;
        end else begin : g_behind
          assign want_ahead[4+b] = ~stencil & window_at[Off-1];
        end
      end
    end
    if (CoefMode == 1) begin : g_stencil_only
      wire unused = &{1'b0, band_in, band_in_cls, window_ahead};
    end
  endgenerate

  wire [Lanes*2-1:0]  q_cls, p_middle_cls;
  wire [Lanes*QW-1:0] q_new;
  row_sum #(.PE(PE), .PM(PM), .CE(CE), .CM(CM), .WE(WE), .WM(WM), .WRne(WRne), .QE(QE), .QM(QM), .QRne(QRne),
            .Tree(Tree), .Lanes(Lanes), .Style(Style), .DelayRam(DelayRam)) i_rows (
    .clk_i, .en_i(en), .ptr_i(ptr_q), .south_i(south), .centre_i(centre), .north_i(north), .coef_cls_i(coef_cls),
    .coef_i(coef), .q_cls_o(q_cls), .q_o(q_new), .p_cls_o(p_middle_cls), .p_o(p_middle));

  // Elements that a constant stencil leaves out (the grid's edge) and lanes behind the end give q = +0.
  wire [Lanes-1:0] q_zero;
  generate
    if (CoefMode == 0) begin : g_no_edge
      assign q_zero = '0;
    end else begin : g_edge
      wire [Lanes-1:0] edge_node;
      edge_nodes #(.Lanes(Lanes), .RowW(RowW), .LenW(LenW), .Latency(RowLat)) i_edge (
        .clk_i, .rst_ni, .en_i(en), .clear_i(clear), .window_i(window), .length_i(length), .row_length_i(row_length),
        .edge_o(edge_node));
      assign q_zero = edge_node & {Lanes{stencil}};
    end
  endgenerate
  wire [Lanes-1:0] row_live = window_last_at[RowLat] ? live_last : {Lanes{1'b1}};
  wire [Lanes-1:0] q_live = row_live & ~q_zero;
  wire [Lanes*2-1:0] q_live_cls;
  wire [Lanes*QW-1:0] q_live_word;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_q
      assign q_live_cls[l*2 +: 2] = q_cls[l*2 +: 2] & {2{q_live[l]}};
      assign q_live_word[l*QW +: QW] = {q_new[l*QW+QW-1] & q_live[l], q_new[l*QW +: QW-1]};
      fp_pack #(.E(QE), .M(QM)) i_pack (
        .cls_i(q_live_cls[l*2 +: 2]), .word_i(q_live_word[l*QW +: QW]), .word_o(q_bits[l*QW +: QW]));
    end
  endgenerate

  // ---- Dot products and scalars ------------------------------------------------------------------------------------
  wire [2:0] dot_done, dot_over;
  wire [DotW-1:0] rr_sum, pq_sum, qq_sum, minuend;
  wire subtract, subtracted;
  wire [1:0] unused_subtracted;
  dot_product #(.EA(RE), .MA(RM), .EB(RE), .MB(RM), .Fixed(Fixed), .Exact(Exact), .DE(TE), .DM(TM), .DRne(DRne),
                .AE(AE), .AM(AM), .ARne(ARne), .Depth(Depth), .Msb(Msb), .Lsb(Lsb), .GuardW(GuardW), .Lanes(Lanes),
                .Style(Style)) i_rr (
    .clk_i, .rst_ni, .en_i(en), .clear_i(clear), .valid_i(real_q[ROut]), .live_i(r_live), .a_cls_i(r_cls),
    .a_i(r_new), .b_cls_i(r_cls), .b_i(r_new), .close_i(close), .subtract_i(1'b0), .other_i({DotW{1'b0}}),
    .subtracted_o(unused_subtracted[0]), .done_o(dot_done[0]), .result_o(rr_sum), .over_o(dot_over[0]));
  dot_product #(.EA(PE), .MA(PM), .EB(QE), .MB(QM), .Fixed(Fixed), .Exact(Exact), .DE(TE), .DM(TM), .DRne(DRne),
                .AE(AE), .AM(AM), .ARne(ARne), .Depth(Depth), .Msb(Msb), .Lsb(Lsb), .GuardW(GuardW), .Lanes(Lanes),
                .Style(Style)) i_pq (
    .clk_i, .rst_ni, .en_i(en), .clear_i(clear), .valid_i(window_at[RowLat]), .live_i(row_live),
    .a_cls_i(p_middle_cls), .a_i(p_middle), .b_cls_i(q_live_cls), .b_i(q_live_word), .close_i(close),
    .subtract_i(subtract), .other_i(minuend), .subtracted_o(subtracted), .done_o(dot_done[1]), .result_o(pq_sum),
    .over_o(dot_over[1]));
  dot_product #(.EA(QE), .MA(QM), .EB(QE), .MB(QM), .Fixed(Fixed), .Exact(Exact), .DE(TE), .DM(TM), .DRne(DRne),
                .AE(AE), .AM(AM), .ARne(ARne), .Depth(Depth), .Msb(Msb), .Lsb(Lsb), .GuardW(GuardW), .Lanes(Lanes),
                .Style(Style)) i_qq (
    .clk_i, .rst_ni, .en_i(en), .clear_i(clear), .valid_i(window_at[RowLat]), .live_i(row_live), .a_cls_i(q_live_cls),
    .a_i(q_live_word), .b_cls_i(q_live_cls), .b_i(q_live_word), .close_i(close), .subtract_i(1'b0),
    .other_i({DotW{1'b0}}), .subtracted_o(unused_subtracted[1]), .done_o(dot_done[2]), .result_o(qq_sum),
    .over_o(dot_over[2]));
  assign dots_done = &dot_done;

  logic test_rho; // this pass's rho is tested
  logic [31:0] count_q; // this pass's, from one
  always_ff @(posedge clk_i) begin
    count_q  <= pass_count + 32'd1;
    test_rho <= count_q >= rho_stop_from;
  end
  scalar_unit #(.SE(SE), .SM(SM), .SRne(SRne), .OE(OE), .OM(OM), .ORne(ORne), .Fixed(Fixed), .AE(AE), .AM(AM),
                .ARne(ARne), .Msb(Msb), .Lsb(Lsb), .GuardW(GuardW)) i_scalars (
    .clk_i, .rst_ni, .abort_i(aborting), .start_i(scalar_start), .rho_i(rr_sum), .pq_i(pq_sum), .qq_i(qq_sum),
    .over_i(|dot_over), .subtract_o(subtract), .minuend_o(minuend),
    .subtracted_i(subtracted), .rho_stop_i(rho_stop), .test_rho_i(test_rho),
    .set_alpha_i(set_alpha), .set_beta_i(set_beta), .set_word_i(set_word), .done_o(scalar_done), .end_o(scalar_end),
    .guard_o(scalar_guard), .rho_o(rho), .pq_o(pq), .qq_o(qq), .alpha_o(alpha), .sigma_o(sigma), .beta_o(beta),
    .alpha_cls_o(alpha_cls), .alpha_op_o(alpha_op), .beta_cls_o(beta_cls), .beta_op_o(beta_op));

  // ---- Streams -----------------------------------------------------------------------------------------------------
  // u's and q's by registers of their own, inverted, so that they are not shared with r's and p's far away.
  logic idle_u, idle_q;
  always_ff @(posedge clk_i)
    if (!rst_ni || clear) begin
      idle_u <= 1'b1;
      idle_q <= 1'b1;
    end else if (en) begin
      idle_u <= ~real_q[UIn-1];
      idle_q <= ~slot_real;
    end
  assign want[3:0]       = {~idle_q, real_q[0], real_q[RIn], ~idle_u};
  assign want_ahead[3:0] = {slot_real, slot_real, real_q[RIn-1], real_q[UIn-1]};
  assign want_last[3:0]  = {last_q[0], last_q[0], last_q[RIn], last_q[UIn]};
  wire [12:0] in_full, in_last, in_ready, take;
  // Without band streams only the first four are built.
  localparam integer Ins = (CoefMode == 1) ? 4 : 13;
  wire [12:0] in_valid = {s_axis_band_tvalid, s_axis_q_tvalid, s_axis_p_tvalid, s_axis_r_tvalid, s_axis_u_tvalid};
  wire [12:0] unread   = {{9{stencil}}, 4'd0};
  wire [12:0] in_tlast = {s_axis_band_tlast, s_axis_q_tlast, s_axis_p_tlast, s_axis_r_tlast, s_axis_u_tlast};
  assign {s_axis_band_tready, s_axis_q_tready, s_axis_p_tready, s_axis_r_tready, s_axis_u_tready} = in_ready;
  // Classes are read off on the way into the buffers.
  wire [Lanes*2-1:0] u_new_cls, r_new_cls, p_new_cls, q_new_cls;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_in
      fp_unpack #(.E(UE), .M(UM)) i_unpack_u (.word_i(s_axis_u_tdata[l*UW +: UW]), .cls_o(u_new_cls[l*2 +: 2]));
      fp_unpack #(.E(RE), .M(RM)) i_unpack_r (.word_i(s_axis_r_tdata[l*RW +: RW]), .cls_o(r_new_cls[l*2 +: 2]));
      fp_unpack #(.E(PE), .M(PM)) i_unpack_p (.word_i(s_axis_p_tdata[l*PW +: PW]), .cls_o(p_new_cls[l*2 +: 2]));
      fp_unpack #(.E(QE), .M(QM)) i_unpack_q (.word_i(s_axis_q_tdata[l*QW +: QW]), .cls_o(q_new_cls[l*2 +: 2]));
    end
  endgenerate
  always_ff @(posedge clk_i) begin
    if (in_ready[0]) begin
      u_in_cls <= u_new_cls;
      u_in     <= s_axis_u_tdata;
    end
    if (in_ready[1]) begin
      r_in_cls <= r_new_cls;
      r_in     <= s_axis_r_tdata;
    end
    if (in_ready[2]) begin
      p_in_cls <= p_new_cls;
      p_in     <= s_axis_p_tdata;
    end
    if (in_ready[3]) begin
      q_in_cls <= q_new_cls;
      q_in     <= s_axis_q_tdata;
    end
  end
  generate
    if (CoefMode == 1) begin : g_no_bands
      assign band_in     = '0;
      assign band_in_cls = '0;
      assign in_ready[12:4] = '0;
      assign in_last[12:4]  = '0;
      assign in_full[12:4]  = '0;
      assign take[12:4]     = '0;
      wire unused = &{1'b0, in_valid[12:4], in_tlast[12:4], want_ahead[12:4], unread[12:4], s_axis_band_tdata};
    end else begin : g_bands
      for (b = 0; b < 9; b = b + 1) begin : g_band
        wire [Lanes*CW-1:0] words = s_axis_band_tdata[b*Lanes*CW +: Lanes*CW];
        wire [Lanes*2-1:0]  classes;
        for (l = 0; l < Lanes; l = l + 1) begin : g_lane
          fp_unpack #(.E(CE), .M(CM)) i_unpack (.word_i(words[l*CW +: CW]), .cls_o(classes[l*2 +: 2]));
        end
        logic [Lanes*CW-1:0] words_q;
        logic [Lanes*2-1:0]  classes_q;
        always_ff @(posedge clk_i)
          if (in_ready[4+b]) begin
            words_q   <= words;
            classes_q <= classes;
          end
        assign band_in[b*Lanes*CW +: Lanes*CW]  = words_q;
        assign band_in_cls[b*Lanes*2 +: Lanes*2] = classes_q;
      end
    end
  endgenerate
  wire [12:0] odd = take & (in_last ^ want_last);
  always_ff @(posedge clk_i)
    if (!rst_ni || clear) {ended_early, ended_late} <= 2'b00;
    else {ended_early, ended_late} <= {|(odd & in_last), |(odd & want_last)};

  wire [3:0] out_valid = {window_at[RowLat], real_q[POut], real_q[ROut], real_q[UOut]};
  wire [3:0] out_ahead = {window_at[RowLat-1], real_q[POut-1], real_q[ROut-1], real_q[UOut-1]};
  wire [3:0] out_last  = {window_last_at[RowLat], last_q[POut], last_q[ROut], last_q[UOut]};
  // Behind an abort the pipeline stands until it has been cleared.
  lock_step #(.Ins(Ins), .Outs(4)) i_streams (
    .clk_i, .rst_ni, .run_i(!aborting && (busy || clear)), .clear_i(clear),
    .unused_i(unread[Ins-1:0]), .in_tvalid_i(in_valid[Ins-1:0]), .in_tlast_i(in_tlast[Ins-1:0]),
    .in_tready_o(in_ready[Ins-1:0]), .want_i(want[Ins-1:0]), .want_ahead_i(want_ahead[Ins-1:0]),
    .take_o(take[Ins-1:0]), .in_last_o(in_last[Ins-1:0]), .in_full_o(in_full[Ins-1:0]), .valid_i(out_valid),
    .valid_ahead_i(out_ahead), .last_i(out_last),
    .out_tvalid_o({m_axis_q_tvalid, m_axis_p_tvalid, m_axis_r_tvalid, m_axis_u_tvalid}),
    .out_tlast_o({m_axis_q_tlast, m_axis_p_tlast, m_axis_r_tlast, m_axis_u_tlast}),
    .out_tready_i({m_axis_q_tready, m_axis_p_tready, m_axis_r_tready, m_axis_u_tready}), .out_full_o(out_full),
    .en_o(en), .still_o(still));
  logic [Lanes*UW-1:0] u_out_q;
  logic [Lanes*RW-1:0] r_out_q;
  logic [Lanes*PW-1:0] p_out_q;
  logic [Lanes*QW-1:0] q_out_q;
  assign m_axis_u_tdata = out_full[0] ? u_out_q : u_bits;
  assign m_axis_r_tdata = out_full[1] ? r_out_q : r_bits;
  assign m_axis_p_tdata = out_full[2] ? p_out_q : p_bits;
  assign m_axis_q_tdata = out_full[3] ? q_out_q : q_bits;
  always_ff @(posedge clk_i) begin
    if (!out_full[0]) u_out_q <= u_bits;
    if (!out_full[1]) r_out_q <= r_bits;
    if (!out_full[2]) p_out_q <= p_bits;
    if (!out_full[3]) q_out_q <= q_bits;
  end

  assign waiting_o = {out_full & (out_valid | {4{drained}}), want & ~in_full};
endmodule
`default_nettype wire
