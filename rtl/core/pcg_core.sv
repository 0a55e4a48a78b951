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
/// pipeline enable: any of them can hold up all of them. The streams must not depend on each other's progress by more
/// than a few beats' buffering, but for q, which leaves about one row and one pipeline later than it came.
///
/// waiting_o says what a stopped pipeline waits for: [3:0] u r p q in, [12:4] bands, [16:13] u r p q out.
///
/// Registers: see core_regs. CoefMode 0: streamed bands; 1: a constant stencil, whose edge rows give q = +0; 2: both,
/// chosen at run time.
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
  localparam integer DrainN = Front + 2 + RowLat + 16;
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
  typedef enum logic [3:0] {Idle, Check, Command, Stream, Flush, Drain, Close, Scalar, Next, Abort} state_t;
  state_t state_q;
  wire busy = state_q != Idle;
  assign busy_o = busy;

  wire start, abort, row_bad, stencil_reg, bank_reg, set_alpha, set_beta;
  wire [LenW-1:0] length;
  wire [RowW-1:0] row_length;
  wire [31:0] passes, rho_stop_from, stall_limit;
  wire [SW-1:0] set_value, rho_stop, alpha, beta, rho, pq, qq, sigma;
  wire [9*CW-1:0] coef_regs;
  logic [7:0]  errors;
  logic [2:0]  end_q;
  logic        done_q, bank_q;
  logic [31:0] pass_count_q, sigma_guards_q;
  logic [63:0] cycles_q;

  core_regs #(.SW(SW), .CW(CW), .LenW(LenW), .RowW(RowW), .Config(Log + 8 * CoefMode + 32 * Fixed + 64 * Tree)) i_regs (
    .clk_i, .rst_ni, .s_axil_awaddr, .s_axil_awvalid, .s_axil_awready, .s_axil_wdata, .s_axil_wvalid, .s_axil_wready,
    .s_axil_bresp, .s_axil_bvalid, .s_axil_bready, .s_axil_araddr, .s_axil_arvalid, .s_axil_arready, .s_axil_rdata,
    .s_axil_rresp, .s_axil_rvalid, .s_axil_rready, .busy_i(busy | start), .done_i(done_q), .end_i(end_q),
    .bank_i(bank_q), .errors_i(errors), .pass_count_i(pass_count_q), .sigma_guards_i(sigma_guards_q),
    .cycles_i(cycles_q), .alpha_i(alpha), .beta_i(beta), .rho_i(rho), .pq_i(pq), .qq_i(qq), .sigma_i(sigma),
    .start_o(start), .abort_o(abort), .length_o(length), .row_length_o(row_length), .row_bad_o(row_bad),
    .passes_o(passes), .rho_stop_from_o(rho_stop_from), .stall_limit_o(stall_limit), .stencil_o(stencil_reg),
    .bank_o(bank_reg), .set_alpha_o(set_alpha), .set_beta_o(set_beta), .set_value_o(set_value), .rho_stop_o(rho_stop),
    .coef_o(coef_regs));

  wire stencil = (CoefMode == 1) || (CoefMode == 2 && stencil_reg);
  wire [LenW-1:0] tokens = (length + LenW'(Lanes - 1)) >> Log;
  wire [LenW-1:0] row_tokens = LenW'(row_length) >> Log;
  wire [Lanes-1:0] live_last; // lanes of the last token that hold an element
  genvar l, b;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_live
      assign live_last[l] = (length & LenW'(Lanes - 1)) == '0 || (length & LenW'(Lanes - 1)) > LenW'(l);
    end
  endgenerate

  logic [LenW-1:0] left_q; // slots left in Stream or Flush, clocks in Drain
  wire en;
  wire slot_real  = state_q == Stream;
  wire slot       = slot_real | (state_q == Flush);
  wire slot_last  = state_q == Flush && left_q == LenW'(1);
  wire token_last = slot_real && left_q == LenW'(1);
  wire clear      = state_q == Command || state_q == Check || state_q == Idle;
  wire dots_done, scalar_done, scalar_guard;
  wire [2:0] scalar_end;
  wire close;
  logic first_q; // first clock of a state

  // Streams against the pipeline.
  wire [12:0] want, in_valid, in_last, want_last;
  wire [3:0]  out_valid, out_last, out_ready;
  logic [3:0] taken_q; // accepted while the pipeline stands
  wire [3:0]  pending = out_valid & ~taken_q;
  wire stalled_in  = |(want & ~in_valid);
  wire stalled_out = |(pending & ~out_ready);
  assign en = ~stalled_in & ~stalled_out & (state_q != Abort);
  wire [12:0] beat = want & {13{en}};
  wire [12:0] odd = beat & (in_last ^ want_last);
  wire ended_early = |(odd & in_last);
  wire ended_late  = |(odd & want_last);
  assign waiting_o = {pending & ~out_ready, want & ~in_valid};

  wire streaming = state_q == Stream || state_q == Flush || state_q == Drain;
  wire standing  = (state_q == Command && !m_axis_pass_tready) || (streaming && !en) ||
                   (state_q == Abort && (pending & ~out_ready) != '0);
  logic [31:0] stall_q;
  wire stall_out = stall_limit != '0 && stall_q >= stall_limit;

  wire bad_length = length == '0;
  wire bad_row    = row_bad || row_length > RowW'(MaxRow) || row_length < RowW'(Lanes) ||
                    LenW'(row_length) > length;
  wire bad_passes = passes == '0;
  always_comb begin
    errors = 8'd0;
    if (state_q == Check) begin
      errors[0] = bad_length;
      errors[1] = bad_row;
      errors[7] = bad_passes;
    end
    errors[3] = streaming & ended_early;
    errors[4] = streaming & ended_late;
    errors[5] = stall_out;
    errors[6] = abort & busy;
  end

  assign m_axis_pass_tdata  = {6'd0, ~stencil, bank_q};
  assign m_axis_pass_tvalid = state_q == Command;
  assign close = state_q == Close && first_q;

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      state_q <= Idle;
      first_q <= 1'b0;
      done_q  <= 1'b0;
      end_q   <= 3'd0;
      bank_q  <= 1'b0;
      pass_count_q   <= '0;
      sigma_guards_q <= '0;
      cycles_q <= '0;
      stall_q  <= '0;
      left_q   <= '0;
    end else begin
      first_q <= 1'b0;
      if (busy) cycles_q <= cycles_q + 64'd1;
      stall_q <= standing ? stall_q + 32'd1 : '0;
      case (state_q)
        Idle:
          if (start) begin
            state_q  <= Check;
            done_q   <= 1'b0;
            bank_q   <= bank_reg;
            cycles_q <= '0;
            pass_count_q   <= '0;
            sigma_guards_q <= '0;
          end
        Check: begin
          state_q <= Command;
          if (bad_length || bad_row || bad_passes) begin
            state_q <= Idle;
            done_q  <= 1'b1;
            end_q   <= 3'd6;
          end
        end
        Command: begin
          left_q <= tokens;
          if (m_axis_pass_tready) state_q <= Stream;
        end
        Stream:
          if (en) begin
            left_q <= left_q - LenW'(1);
            if (token_last) begin
              left_q  <= row_tokens + ((Lanes == 1) ? LenW'(1) : LenW'(2));
              state_q <= Flush;
            end
          end
        Flush:
          if (en) begin
            left_q <= left_q - LenW'(1);
            if (slot_last) begin
              left_q  <= LenW'(DrainN);
              state_q <= Drain;
            end
          end
        Drain:
          if (en) begin
            left_q <= left_q - LenW'(1);
            if (left_q == LenW'(1)) begin
              first_q <= 1'b1;
              state_q <= Close;
            end
          end
        Close:
          if (dots_done && !first_q) begin
            first_q <= 1'b1;
            state_q <= Scalar;
          end
        Scalar:
          if (scalar_done) begin
            state_q        <= Next;
            pass_count_q   <= pass_count_q + 32'd1;
            sigma_guards_q <= sigma_guards_q + {31'd0, scalar_guard};
            bank_q         <= ~bank_q;
          end
        Next: begin
          state_q <= Command;
          if (scalar_end != 3'd0 || pass_count_q == passes) begin
            state_q <= Idle;
            done_q  <= 1'b1;
            end_q   <= scalar_end;
          end
        end
        default: // Abort: beats already offered are taken first; past the limit, or asked again, not even those
          if ((pending & ~out_ready) == '0 || stall_out || abort) begin
            state_q <= Idle;
            done_q  <= 1'b1;
            end_q   <= 3'd6;
          end
      endcase
      if ((|errors[5:3] || abort) && state_q != Abort && busy) state_q <= Abort;
    end

  // Tokens on their way through the update, by the clocks behind their slot.
  logic [Front:1] real_q, last_q, slot_q, slot_last_q;
  wire [Front:0] real_at = {real_q, slot_real};
  wire [Front:0] last_at = {last_q, token_last};
  always_ff @(posedge clk_i)
    if (!rst_ni || clear) begin
      real_q      <= '0;
      last_q      <= '0;
      slot_q      <= '0;
      slot_last_q <= '0;
    end else if (en) begin
      real_q      <= real_at[Front-1:0];
      last_q      <= last_at[Front-1:0];
      slot_q      <= {slot_q[Front-1:1], slot};
      slot_last_q <= {slot_last_q[Front-1:1], slot_last};
    end
  logic [6:0] ptr_q;
  always_ff @(posedge clk_i)
    if (!rst_ni) ptr_q <= '0;
    else if (en) ptr_q <= ptr_q + 7'd1;

  // ---- Update ------------------------------------------------------------------------------------------------------
  wire [1:0] alpha_cls, beta_cls;
  wire [OE+OM:0] alpha_op, beta_op;
  wire [Lanes*2-1:0] u_cls, r_cls, p_cls;
  wire [Lanes*UW-1:0] u_new;
  wire [Lanes*RW-1:0] r_new;
  wire [Lanes*PW-1:0] p_new;
  vector_update #(.UE(UE), .UM(UM), .URne(URne), .RE(RE), .RM(RM), .RRne(RRne), .PE(PE), .PM(PM), .PRne(PRne), .QE(QE),
                  .QM(QM), .OE(OE), .OM(OM), .Lanes(Lanes), .Style(Style), .DelayRam(DelayRam)) i_update (
    .clk_i, .en_i(en), .ptr_i(ptr_q), .alpha_cls_i(alpha_cls), .alpha_i(alpha_op), .beta_cls_i(beta_cls),
    .beta_i(beta_op), .u_i(s_axis_u_tdata), .r_i(s_axis_r_tdata), .p_i(s_axis_p_tdata), .q_i(s_axis_q_tdata),
    .u_cls_o(u_cls), .u_o(u_new), .r_cls_o(r_cls), .r_o(r_new), .p_cls_o(p_cls), .p_o(p_new));

  wire [Lanes-1:0] u_live = last_at[UOut] ? live_last : {Lanes{real_at[UOut]}};
  wire [Lanes-1:0] r_live = last_at[ROut] ? live_last : {Lanes{real_at[ROut]}};
  wire [Lanes-1:0] p_live = last_at[POut] ? live_last : {Lanes{real_at[POut]}};
  wire [Lanes*PW-1:0] p_bits;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_out
      fp_pack #(.E(UE), .M(UM)) i_pack_u (
        .cls_i(u_cls[l*2 +: 2] & {2{u_live[l]}}), .word_i({u_new[l*UW+UW-1] & u_live[l], u_new[l*UW +: UW-1]}),
        .word_o(m_axis_u_tdata[l*UW +: UW]));
      fp_pack #(.E(RE), .M(RM)) i_pack_r (
        .cls_i(r_cls[l*2 +: 2] & {2{r_live[l]}}), .word_i({r_new[l*RW+RW-1] & r_live[l], r_new[l*RW +: RW-1]}),
        .word_o(m_axis_r_tdata[l*RW +: RW]));
      fp_pack #(.E(PE), .M(PM)) i_pack_p (
        .cls_i(p_cls[l*2 +: 2] & {2{p_live[l]}}), .word_i({p_new[l*PW+PW-1] & p_live[l], p_new[l*PW +: PW-1]}),
        .word_o(p_bits[l*PW +: PW]));
    end
  endgenerate
  assign m_axis_p_tdata = p_bits;

  // ---- Row sums ----------------------------------------------------------------------------------------------------
  wire [Lanes*PW-1:0] south, centre, north, p_middle;
  wire window, window_last;
  line_buffer #(.PW(PW), .Lanes(Lanes), .MaxRow(MaxRow)) i_lines (
    .clk_i, .rst_ni, .en_i(en), .clear_i(clear), .row_length_i(row_length), .slot_i(slot_q[POut]),
    .last_i(slot_last_q[POut]), .p_i(p_bits), .south_o(south), .centre_o(centre), .north_o(north), .valid_o(window),
    .last_o(window_last));

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
        wire [CW-1:0] word = stencil ? coef_regs[b*CW +: CW] : s_axis_band_tdata[At*CW +: CW];
        assign coef[At*CW +: CW] = word;
        fp_unpack #(.E(CE), .M(CM)) i_unpack (.word_i(word), .cls_o(coef_cls[At*2 +: 2]));
      end
      assign want[4+b]      = ~stencil & window_at[`ROW_OFF(Tree, WM, b)];
      assign want_last[4+b] = window_last_at[`ROW_OFF(Tree, WM, b)];
    end
  endgenerate

  wire [Lanes*2-1:0]  q_cls;
  wire [Lanes*QW-1:0] q_new;
  row_sum #(.PE(PE), .PM(PM), .CE(CE), .CM(CM), .WE(WE), .WM(WM), .WRne(WRne), .QE(QE), .QM(QM), .QRne(QRne),
            .Tree(Tree), .Lanes(Lanes), .Style(Style), .DelayRam(DelayRam)) i_rows (
    .clk_i, .en_i(en), .ptr_i(ptr_q), .south_i(south), .centre_i(centre), .north_i(north), .coef_cls_i(coef_cls),
    .coef_i(coef), .q_cls_o(q_cls), .q_o(q_new), .p_o(p_middle));

  // Elements that a constant stencil leaves out (the grid's edge) and lanes behind the end give q = +0.
  wire [Lanes-1:0] q_zero;
  generate
    if (CoefMode == 0) begin : g_no_edge
      assign q_zero = '0;
    end else begin : g_edge
      logic [LenW-1:0] index_q; // of lane 0
      logic [RowW-1:0] column_q;
      wire [RowW:0] next_column = {1'b0, column_q} + (RowW+1)'(Lanes);
      always_ff @(posedge clk_i)
        if (!rst_ni || clear) begin
          index_q  <= '0;
          column_q <= '0;
        end else if (en && window) begin
          index_q  <= index_q + LenW'(Lanes);
          column_q <= (next_column >= {1'b0, row_length}) ? RowW'(next_column - {1'b0, row_length}) :
                      next_column[RowW-1:0];
        end
      for (l = 0; l < Lanes; l = l + 1) begin : g_lane
        wire [RowW:0] ahead = {1'b0, column_q} + (RowW+1)'(l);
        wire [RowW:0] column = (ahead >= {1'b0, row_length}) ? ahead - {1'b0, row_length} : ahead;
        wire [LenW-1:0] index = index_q + LenW'(l);
        wire edge_node = stencil && (column == '0 || column == {1'b0, row_length} - (RowW+1)'(1) ||
                                     index < LenW'(row_length) || index >= length - LenW'(row_length));
        logic [RowLat-1:0] edge_q;
        always_ff @(posedge clk_i) if (en) edge_q <= {edge_q[RowLat-2:0], edge_node};
        assign q_zero[l] = edge_q[RowLat-1];
      end
    end
  endgenerate
  wire [Lanes-1:0] row_live = window_last_at[RowLat] ? live_last : {Lanes{1'b1}};
  wire [Lanes-1:0] q_live = row_live & ~q_zero;
  wire [Lanes*2-1:0] q_live_cls, p_middle_cls;
  wire [Lanes*QW-1:0] q_live_word;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_q
      assign q_live_cls[l*2 +: 2] = q_cls[l*2 +: 2] & {2{q_live[l]}};
      assign q_live_word[l*QW +: QW] = {q_new[l*QW+QW-1] & q_live[l], q_new[l*QW +: QW-1]};
      fp_pack #(.E(QE), .M(QM)) i_pack (
        .cls_i(q_live_cls[l*2 +: 2]), .word_i(q_live_word[l*QW +: QW]), .word_o(m_axis_q_tdata[l*QW +: QW]));
      fp_unpack #(.E(PE), .M(PM), .Canonical(1)) i_unpack (
        .word_i(p_middle[l*PW +: PW]), .cls_o(p_middle_cls[l*2 +: 2]));
    end
  endgenerate

  // ---- Dot products and scalars ------------------------------------------------------------------------------------
  wire [2:0] dot_done, dot_over;
  wire [DotW-1:0] rr_sum, pq_sum, qq_sum;
  dot_product #(.EA(RE), .MA(RM), .EB(RE), .MB(RM), .Fixed(Fixed), .Exact(Exact), .DE(TE), .DM(TM), .DRne(DRne),
                .AE(AE), .AM(AM), .ARne(ARne), .Depth(Depth), .Msb(Msb), .Lsb(Lsb), .GuardW(GuardW), .Lanes(Lanes),
                .Style(Style)) i_rr (
    .clk_i, .rst_ni, .en_i(en), .clear_i(clear), .valid_i(real_at[ROut]), .live_i(r_live), .a_cls_i(r_cls),
    .a_i(r_new), .b_cls_i(r_cls), .b_i(r_new), .close_i(close), .done_o(dot_done[0]), .result_o(rr_sum),
    .over_o(dot_over[0]));
  dot_product #(.EA(PE), .MA(PM), .EB(QE), .MB(QM), .Fixed(Fixed), .Exact(Exact), .DE(TE), .DM(TM), .DRne(DRne),
                .AE(AE), .AM(AM), .ARne(ARne), .Depth(Depth), .Msb(Msb), .Lsb(Lsb), .GuardW(GuardW), .Lanes(Lanes),
                .Style(Style)) i_pq (
    .clk_i, .rst_ni, .en_i(en), .clear_i(clear), .valid_i(window_at[RowLat]), .live_i(row_live),
    .a_cls_i(p_middle_cls), .a_i(p_middle), .b_cls_i(q_live_cls), .b_i(q_live_word), .close_i(close),
    .done_o(dot_done[1]), .result_o(pq_sum), .over_o(dot_over[1]));
  dot_product #(.EA(QE), .MA(QM), .EB(QE), .MB(QM), .Fixed(Fixed), .Exact(Exact), .DE(TE), .DM(TM), .DRne(DRne),
                .AE(AE), .AM(AM), .ARne(ARne), .Depth(Depth), .Msb(Msb), .Lsb(Lsb), .GuardW(GuardW), .Lanes(Lanes),
                .Style(Style)) i_qq (
    .clk_i, .rst_ni, .en_i(en), .clear_i(clear), .valid_i(window_at[RowLat]), .live_i(row_live), .a_cls_i(q_live_cls),
    .a_i(q_live_word), .b_cls_i(q_live_cls), .b_i(q_live_word), .close_i(close), .done_o(dot_done[2]),
    .result_o(qq_sum), .over_o(dot_over[2]));
  assign dots_done = &dot_done;

  scalar_unit #(.SE(SE), .SM(SM), .SRne(SRne), .OE(OE), .OM(OM), .ORne(ORne), .Fixed(Fixed), .AE(AE), .AM(AM),
                .Msb(Msb), .Lsb(Lsb), .GuardW(GuardW)) i_scalars (
    .clk_i, .rst_ni, .abort_i(state_q == Abort), .start_i(state_q == Scalar && first_q), .rho_i(rr_sum), .pq_i(pq_sum), .qq_i(qq_sum),
    .over_i(|dot_over), .rho_stop_i(rho_stop), .test_rho_i(pass_count_q + 32'd1 >= rho_stop_from),
    .set_alpha_i(set_alpha), .set_beta_i(set_beta), .set_value_i(set_value), .done_o(scalar_done), .end_o(scalar_end),
    .guard_o(scalar_guard), .rho_o(rho), .pq_o(pq), .qq_o(qq), .alpha_o(alpha), .sigma_o(sigma), .beta_o(beta),
    .alpha_cls_o(alpha_cls), .alpha_op_o(alpha_op), .beta_cls_o(beta_cls), .beta_op_o(beta_op));

  // ---- Streams -----------------------------------------------------------------------------------------------------
  assign want[3:0]      = {slot_real, slot_real, real_at[RIn], real_at[UIn]};
  assign want_last[3:0] = {token_last, token_last, last_at[RIn], last_at[UIn]};
  assign in_valid = {s_axis_band_tvalid, s_axis_q_tvalid, s_axis_p_tvalid, s_axis_r_tvalid, s_axis_u_tvalid};
  assign in_last  = {s_axis_band_tlast, s_axis_q_tlast, s_axis_p_tlast, s_axis_r_tlast, s_axis_u_tlast};
  assign {s_axis_band_tready, s_axis_q_tready, s_axis_p_tready, s_axis_r_tready, s_axis_u_tready} = beat;

  assign out_valid = {window_at[RowLat], real_at[POut], real_at[ROut], real_at[UOut]};
  assign out_last  = {window_last_at[RowLat], last_at[POut], last_at[ROut], last_at[UOut]};
  assign out_ready = {m_axis_q_tready, m_axis_p_tready, m_axis_r_tready, m_axis_u_tready};
  assign {m_axis_q_tvalid, m_axis_p_tvalid, m_axis_r_tvalid, m_axis_u_tvalid} = pending;
  assign {m_axis_q_tlast, m_axis_p_tlast, m_axis_r_tlast, m_axis_u_tlast} = out_last;
  always_ff @(posedge clk_i)
    if (!rst_ni || clear || en) taken_q <= '0;
    else taken_q <= taken_q | (pending & out_ready);
endmodule
`default_nettype wire
