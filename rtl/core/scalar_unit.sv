/// The scalar unit: from the three dot products of a pass to alpha, sigma and beta, in s<SM>e<SE>, and the end tests.
///
///     alpha = rho / pq;  sigma = alpha ((alpha qq) - pq), +0 in its place when negative;  beta = sigma / rho
///
/// Sequential, one divider, one serial multiplier, one adder; about 2 (SM + 6) + 2 (SM / 2 + 3) + 30 clocks. The adder
/// is that of pq's accumulator where it computes in the scalar format: alpha qq leaves by minuend_o, and pq_i becomes
/// alpha qq - pq.
/// end_o: 0 go on, 1 rho below the threshold, 2 rho zero, 3 pq not above zero, 4 not finite, 5 window left. With 2 and
/// above, alpha, sigma and beta become +0, with 5 rho, pq and qq too.
`include "mantissa.svh"
`default_nettype none
module scalar_unit #(
  parameter integer SE = 11,
  parameter integer SM = 52,
  parameter integer SRne = 0,
  parameter integer OE = 8,
  parameter integer OM = 23,
  parameter integer ORne = 0,
  parameter integer Fixed = 0,
  parameter integer AE = 11,
  parameter integer AM = 52,
  parameter integer ARne = 0,
  parameter integer Msb = 13,
  parameter integer Lsb = -50,
  parameter integer GuardW = 32,
  localparam integer DotW = (Fixed != 0) ? Msb - Lsb + 1 + GuardW : AE + AM + 3,
  localparam integer SW = SE + SM + 1
) (
  input  wire              clk_i,
  input  wire              rst_ni,
  input  wire              abort_i, ///< drop the work in hand; alpha and beta stay as they are
  input  wire              start_i,
  input  wire  [DotW-1:0]  rho_i,
  input  wire  [DotW-1:0]  pq_i,
  input  wire  [DotW-1:0]  qq_i,
  input  wire              over_i, ///< a term left the fixed-point window
  output logic             subtract_o, ///< one clock
  output logic [DotW-1:0]  minuend_o,
  input  wire              subtracted_i, ///< pq_i is the difference
  input  wire  [SW-1:0]    rho_stop_i,
  input  wire              test_rho_i,
  input  wire              set_alpha_i,
  input  wire              set_beta_i,
  input  wire  [SW-1:0]    set_value_i,
  output logic             done_o,  ///< one clock
  output logic [2:0]       end_o,
  output logic             guard_o, ///< with done_o: sigma was negative
  output logic [SW-1:0]    rho_o,   ///< the format's own bits, as all scalars
  output logic [SW-1:0]    pq_o,
  output logic [SW-1:0]    qq_o,
  output logic [SW-1:0]    alpha_o,
  output logic [SW-1:0]    sigma_o,
  output logic [SW-1:0]    beta_o,
  output logic [1:0]       alpha_cls_o, ///< alpha and beta as operands of the vector updates
  output logic [OE+OM:0]   alpha_op_o,
  output logic [1:0]       beta_cls_o,
  output logic [OE+OM:0]   beta_op_o
);
  typedef enum logic [3:0] {
    Idle, Load, Test, Alpha, AlphaQq, Minus, Sigma, Beta, Finish, Operands
  } state_t;
  state_t     state_q;
  logic       first_q;  // first clock of a state: starts the unit it uses
  logic [3:0] wait_q;
  logic [1:0] which_q;  // which dot product is being loaded
  logic       left_q;   // some total left the window

  wire unit_rst_n = rst_ni & ~abort_i;

  // Registers hold packed words; their classes are read off them.
  logic [SW-1:0] work_q; // alpha qq, then alpha qq - pq
  wire [1:0] rho_cls, pq_cls, qq_cls, alpha_cls, sigma_cls, beta_cls, work_cls, stop_cls;
  fp_unpack #(.E(SE), .M(SM), .Canonical(1)) i_rho (.word_i(rho_o), .cls_o(rho_cls));
  fp_unpack #(.E(SE), .M(SM), .Canonical(1)) i_pq (.word_i(pq_o), .cls_o(pq_cls));
  fp_unpack #(.E(SE), .M(SM), .Canonical(1)) i_qq (.word_i(qq_o), .cls_o(qq_cls));
  fp_unpack #(.E(SE), .M(SM)) i_alpha (.word_i(alpha_o), .cls_o(alpha_cls));
  fp_unpack #(.E(SE), .M(SM), .Canonical(1)) i_sigma (.word_i(sigma_o), .cls_o(sigma_cls));
  fp_unpack #(.E(SE), .M(SM)) i_beta (.word_i(beta_o), .cls_o(beta_cls));
  fp_unpack #(.E(SE), .M(SM), .Canonical(1)) i_work (.word_i(work_q), .cls_o(work_cls));
  fp_unpack #(.E(SE), .M(SM)) i_stop (.word_i(rho_stop_i), .cls_o(stop_cls));

  // A dot product's total into the scalar format.
  wire [DotW-1:0] dot = (which_q == 2'd0) ? rho_i : (which_q == 2'd1) ? pq_i : qq_i;
  wire [1:0]    load_cls;
  wire [SW-1:0] load_word, load_bits;
  wire          load_done, load_left;
  generate
    if (Fixed != 0) begin : g_fixed
      localparam integer W = Msb - Lsb + 1;
      fx_to_fp #(.W(DotW), .Lsb(Lsb), .EO(SE), .MO(SM), .Rne(SRne)) i_load (
        .clk_i, .rst_ni(unit_rst_n), .start_i(state_q == Load && first_q), .value_i(dot), .done_o(load_done), .cls_o(load_cls),
        .word_o(load_word));
      assign load_left = !(&dot[DotW-1:W-1] || ~|dot[DotW-1:W-1]);
    end else begin : g_float
      fp_convert #(.EI(AE), .MI(AM), .EO(SE), .MO(SM), .Rne(SRne)) i_load (
        .clk_i, .en_i(state_q == Load), .cls_i(dot[DotW-1 -: 2]), .word_i(dot[DotW-3:0]), .cls_o(load_cls),
        .word_o(load_word));
      assign load_done = state_q == Load && !first_q;
      assign load_left = 1'b0;
    end
  endgenerate
  fp_pack #(.E(SE), .M(SM)) i_pack_load (.cls_i(load_cls), .word_i(load_word), .word_o(load_bits));

  // The arithmetic units, each with its operands chosen by the state.
  wire [1:0] div_cls, mul_cls, sub_cls;
  wire [SW-1:0] div_word, mul_word, sub_word, div_bits, mul_bits, sub_bits;
  wire div_done, mul_done, sub_done;
  wire for_beta = state_q == Beta;
  wire for_sigma = state_q == Sigma;
  fp_div #(.EA(SE), .MA(SM), .EB(SE), .MB(SM), .EO(SE), .MO(SM), .Rne(SRne)) i_div (
    .clk_i, .rst_ni(unit_rst_n), .start_i(first_q && (state_q == Alpha || for_beta)), .a_cls_i(for_beta ? sigma_cls : rho_cls),
    .a_i(for_beta ? sigma_o : rho_o), .b_cls_i(for_beta ? rho_cls : pq_cls), .b_i(for_beta ? rho_o : pq_o),
    .done_o(div_done), .cls_o(div_cls), .word_o(div_word));
  fp_mul_serial #(.E(SE), .M(SM), .Rne(SRne)) i_mul (
    .clk_i, .rst_ni(unit_rst_n), .start_i(first_q && (state_q == AlphaQq || for_sigma)), .a_cls_i(alpha_cls), .a_i(alpha_o),
    .b_cls_i(for_sigma ? work_cls : qq_cls), .b_i(for_sigma ? work_q : qq_o), .done_o(mul_done), .cls_o(mul_cls),
    .word_o(mul_word));
  generate
    if (Fixed == 0 && AE == SE && AM == SM && ARne == SRne) begin : g_shared
      assign subtract_o = state_q == Minus && first_q;
      assign minuend_o  = {work_cls, work_q};
      assign {sub_cls, sub_word} = pq_i;
      assign sub_done = subtracted_i;
      wire unused = &{1'b0, wait_q};
    end else begin : g_own
      fp_add #(.EA(SE), .MA(SM), .EB(SE), .MB(SM), .EO(SE), .MO(SM), .Rne(SRne), .Subtract(1)) i_sub (
        .clk_i, .en_i(state_q == Minus), .a_cls_i(work_cls), .a_i(work_q), .b_cls_i(pq_cls), .b_i(pq_o),
        .cls_o(sub_cls), .word_o(sub_word));
      assign sub_done   = wait_q == 4'd0;
      assign subtract_o = 1'b0;
      assign minuend_o  = '0;
      wire unused = &{1'b0, subtracted_i};
    end
  endgenerate
  fp_pack #(.E(SE), .M(SM)) i_pack_div (.cls_i(div_cls), .word_i(div_word), .word_o(div_bits));
  fp_pack #(.E(SE), .M(SM)) i_pack_mul (.cls_i(mul_cls), .word_i(mul_word), .word_o(mul_bits));
  fp_pack #(.E(SE), .M(SM)) i_pack_sub (.cls_i(sub_cls), .word_i(sub_word), .word_o(sub_bits));

  fp_convert #(.EI(SE), .MI(SM), .EO(OE), .MO(OM), .Rne(ORne)) i_alpha_op (
    .clk_i, .en_i(state_q == Operands), .cls_i(alpha_cls), .word_i(alpha_o), .cls_o(alpha_cls_o), .word_o(alpha_op_o));
  fp_convert #(.EI(SE), .MI(SM), .EO(OE), .MO(OM), .Rne(ORne)) i_beta_op (
    .clk_i, .en_i(state_q == Operands), .cls_i(beta_cls), .word_i(beta_o), .cls_o(beta_cls_o), .word_o(beta_op_o));

  wire finite = ~(rho_cls[1] | pq_cls[1] | qq_cls[1]);
  // rho is positive and finite where this counts, and has stood for long.
  logic below_q;
  always_ff @(posedge clk_i)
    below_q <= test_rho_i & ~rho_stop_i[SW-1] &
               (stop_cls == `CLS_INF || (stop_cls == `CLS_FINITE && rho_o[SW-2:0] < rho_stop_i[SW-2:0]));

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      state_q <= Idle;
      done_o  <= 1'b0;
      first_q <= 1'b0;
      end_o   <= 3'd0;
      guard_o <= 1'b0;
      rho_o   <= '0;
      pq_o    <= '0;
      qq_o    <= '0;
      alpha_o <= '0;
      sigma_o <= '0;
      beta_o  <= '0;
    end else if (abort_i) begin
      state_q <= Idle;
      done_o  <= 1'b0;
      first_q <= 1'b0;
    end else begin
      done_o  <= 1'b0;
      first_q <= 1'b0;
      case (state_q)
        Idle: begin
          which_q <= 2'd0;
          left_q  <= over_i;
          if (set_alpha_i) alpha_o <= set_value_i;
          if (set_beta_i) beta_o <= set_value_i;
          if (set_alpha_i | set_beta_i) begin
            state_q <= Operands;
            end_o   <= 3'd7; // no pass: done_o stays low
          end
          if (start_i) begin
            state_q <= Load;
            first_q <= 1'b1;
            end_o   <= 3'd0;
            guard_o <= 1'b0;
          end
        end
        Load:
          if (load_done) begin
            which_q <= which_q + 2'd1;
            left_q  <= left_q | load_left;
            first_q <= 1'b1;
            if (which_q == 2'd0) rho_o <= load_bits;
            if (which_q == 2'd1) pq_o <= load_bits;
            if (which_q == 2'd2) begin
              qq_o    <= load_bits;
              first_q <= 1'b0;
              state_q <= Test;
            end
          end
        Test: begin
          first_q <= 1'b1;
          state_q <= Alpha;
          if (left_q) end_o <= 3'd5;
          else if (!finite) end_o <= 3'd4;
          else if (rho_cls == `CLS_ZERO) end_o <= 3'd2;
          else if (pq_cls == `CLS_ZERO || pq_o[SW-1]) end_o <= 3'd3;
          if (left_q || !finite || rho_cls == `CLS_ZERO || pq_cls == `CLS_ZERO || pq_o[SW-1])
            state_q <= Finish;
        end
        Alpha:
          if (div_done) begin
            alpha_o <= div_bits;
            first_q <= 1'b1;
            state_q <= AlphaQq;
          end
        AlphaQq:
          if (mul_done) begin
            work_q  <= mul_bits;
            first_q <= 1'b1;
            wait_q  <= 4'(`ADD_LATENCY(SM, SM, SM));
            state_q <= Minus;
          end
        Minus: begin
          wait_q <= wait_q - 4'd1;
          if (sub_done) begin
            work_q  <= sub_bits;
            first_q <= 1'b1;
            state_q <= Sigma;
          end
        end
        Sigma:
          if (mul_done) begin
            sigma_o <= mul_bits[SW-1] ? '0 : mul_bits;
            guard_o <= mul_bits[SW-1];
            first_q <= 1'b1;
            state_q <= Beta;
          end
        Beta:
          if (div_done) begin
            beta_o  <= div_bits;
            state_q <= Finish;
          end
        Finish: begin
          state_q <= Operands;
          if (end_o == 3'd0) begin
            if (alpha_cls[1] | sigma_cls[1] | beta_cls[1]) end_o <= 3'd4;
            else if (below_q) end_o <= 3'd1;
          end
          if (end_o != 3'd0 || alpha_cls[1] || sigma_cls[1] || beta_cls[1]) begin
            alpha_o <= '0;
            sigma_o <= '0;
            beta_o  <= '0;
            guard_o <= 1'b0;
          end
          if (end_o == 3'd5) begin
            rho_o <= '0;
            pq_o  <= '0;
            qq_o  <= '0;
          end
        end
        default: begin // Operands: alpha and beta are converted on this clock
          done_o  <= end_o != 3'd7;
          state_q <= Idle;
        end
      endcase
    end
endmodule
`default_nettype wire
