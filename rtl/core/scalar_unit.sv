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
  input  wire  [7:0]       set_alpha_i, ///< bytes of alpha that become those of {set_word_i, set_word_i}
  input  wire  [7:0]       set_beta_i,
  input  wire  [31:0]      set_word_i,
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

  // Registers hold packed words. Their classes are read off them where they are used, and operands stand only in the
  // clock that takes them: in simulation an idle unit costs nothing.
  logic [SW-1:0] work_q; // alpha qq, then alpha qq - pq
  // As fp_unpack; a macro, because Icarus runs an always_comb for ever that calls a function for two results.
`define CLASS_OF(word, canonical) \
  {&word[SW-2:SM], (&word[SW-2:SM]) ? ((canonical) != 0 ? word[SM-1] : |word[SM-1:0]) : |word[SW-2:SM]}
  function automatic [SW-1:0] pack(input [1:0] cls, input [SW-1:0] word); // as fp_pack
    if (cls == `CLS_FINITE) pack = word;
    else pack = {word[SW-1] & ~(&cls), {SE{cls[1]}}, &cls, {(SM-1){1'b0}}};
  endfunction

  // A dot product's total, through a register, into the scalar format.
  logic [DotW-1:0] dot;
  logic            second_q; // second clock of a state
  always_ff @(posedge clk_i) begin
    if (state_q != Idle) dot <= (which_q == 2'd0) ? rho_i : (which_q == 2'd1) ? pq_i : qq_i;
    second_q <= first_q;
  end
  wire [1:0]    load_cls;
  wire [SW-1:0] load_word;
  wire          load_done, load_left;
  generate
    if (Fixed != 0) begin : g_fixed
      localparam integer W = Msb - Lsb + 1;
      fx_to_fp #(.W(DotW), .Lsb(Lsb), .EO(SE), .MO(SM), .Rne(SRne)) i_load (
        .clk_i, .rst_ni(unit_rst_n), .start_i(state_q == Load && second_q), .value_i(dot), .done_o(load_done),
        .cls_o(load_cls), .word_o(load_word));
      assign load_left = load_done ? !(&dot[DotW-1:W-1] || ~|dot[DotW-1:W-1]) : 1'bx;
    end else begin : g_float
      fp_convert #(.EI(AE), .MI(AM), .EO(SE), .MO(SM), .Rne(SRne)) i_load (
        .clk_i, .en_i(state_q == Load), .cls_i(dot[DotW-1 -: 2]), .word_i(dot[DotW-3:0]), .cls_o(load_cls),
        .word_o(load_word));
      logic third_q;
      always_ff @(posedge clk_i) third_q <= second_q;
      assign load_done = state_q == Load && third_q;
      assign load_left = 1'b0;
    end
  endgenerate

  // The arithmetic units, each with its operands chosen by the state.
  wire [1:0] div_cls, mul_cls, sub_cls;
  wire [SW-1:0] div_word, mul_word, sub_word;
  wire div_done, mul_done, sub_done;
  wire for_beta = state_q == Beta;
  wire for_sigma = state_q == Sigma;
  wire [1:0] div_a_cls = !first_q ? 2'bx : for_beta ? `CLASS_OF(sigma_o, 1) : `CLASS_OF(rho_o, 1);
  wire [1:0] div_b_cls = !first_q ? 2'bx : for_beta ? `CLASS_OF(rho_o, 1) : `CLASS_OF(pq_o, 1);
  wire [1:0] mul_a_cls = !first_q ? 2'bx : `CLASS_OF(alpha_o, 0);
  wire [1:0] mul_b_cls = !first_q ? 2'bx : for_sigma ? `CLASS_OF(work_q, 1) : `CLASS_OF(qq_o, 1);
  wire [SW-1:0] div_a = !first_q ? {SW{1'bx}} : for_beta ? sigma_o : rho_o;
  wire [SW-1:0] div_b = !first_q ? {SW{1'bx}} : for_beta ? rho_o : pq_o;
  wire [SW-1:0] mul_b = !first_q ? {SW{1'bx}} : for_sigma ? work_q : qq_o;
  fp_div #(.EA(SE), .MA(SM), .EB(SE), .MB(SM), .EO(SE), .MO(SM), .Rne(SRne)) i_div (
    .clk_i, .rst_ni(unit_rst_n), .start_i(first_q && (state_q == Alpha || for_beta)), .a_cls_i(div_a_cls), .a_i(div_a),
    .b_cls_i(div_b_cls), .b_i(div_b), .done_o(div_done), .cls_o(div_cls), .word_o(div_word));
  fp_mul_serial #(.E(SE), .M(SM), .Rne(SRne)) i_mul (
    .clk_i, .rst_ni(unit_rst_n), .start_i(first_q && (state_q == AlphaQq || for_sigma)), .a_cls_i(mul_a_cls),
    .a_i(alpha_o), .b_cls_i(mul_b_cls), .b_i(mul_b), .done_o(mul_done), .cls_o(mul_cls), .word_o(mul_word));
  generate
    if (Fixed == 0 && AE == SE && AM == SM && ARne == SRne) begin : g_shared
      logic subtracted_q;
      always_ff @(posedge clk_i) begin
        subtract_o   <= rst_ni & ~abort_i & state_q == Minus & first_q;
        subtracted_q <= subtracted_i;
      end
      assign minuend_o  = !second_q ? {DotW{1'bx}} : {`CLASS_OF(work_q, 1), work_q};
      assign {sub_cls, sub_word} = dot;
      assign sub_done = subtracted_q;
      wire unused = &{1'b0, wait_q};
    end else begin : g_own
      wire [1:0] work_cls = (state_q != Minus) ? 2'bx : `CLASS_OF(work_q, 1);
      wire [1:0] pq_cls   = (state_q != Minus) ? 2'bx : `CLASS_OF(pq_o, 1);
      fp_add #(.EA(SE), .MA(SM), .EB(SE), .MB(SM), .EO(SE), .MO(SM), .Rne(SRne), .Subtract(1)) i_sub (
        .clk_i, .en_i(state_q == Minus), .a_cls_i(work_cls), .a_i(work_q), .b_cls_i(pq_cls), .b_i(pq_o),
        .cls_o(sub_cls), .word_o(sub_word));
      assign sub_done   = wait_q == 4'd0;
      assign subtract_o = 1'b0;
      assign minuend_o  = '0;
      wire unused = &{1'b0, subtracted_i};
    end
  endgenerate

  // Between equal formats fp_convert is wires, and the classes are always used.
  wire converts = state_q == Operands || `CONVERT_LATENCY(SE, SM, OE, OM) == 0;
  wire [1:0] alpha_cls = !converts ? 2'bx : `CLASS_OF(alpha_o, 0);
  wire [1:0] beta_cls  = !converts ? 2'bx : `CLASS_OF(beta_o, 0);
  fp_convert #(.EI(SE), .MI(SM), .EO(OE), .MO(OM), .Rne(ORne)) i_alpha_op (
    .clk_i, .en_i(converts), .cls_i(alpha_cls), .word_i(alpha_o), .cls_o(alpha_cls_o), .word_o(alpha_op_o));
  fp_convert #(.EI(SE), .MI(SM), .EO(OE), .MO(OM), .Rne(ORne)) i_beta_op (
    .clk_i, .en_i(converts), .cls_i(beta_cls), .word_i(beta_o), .cls_o(beta_cls_o), .word_o(beta_op_o));

  // For the end tests. rho is positive and finite where these count, and has stood for long.
  logic unbounded_q, less_q, below_q;
  logic [1:0] stop_cls_q;
  always_ff @(posedge clk_i) begin
    if (state_q == Finish) unbounded_q <= (&alpha_o[SW-2:SM]) | (&sigma_o[SW-2:SM]) | (&beta_o[SW-2:SM]);
    if (for_beta) begin
      less_q     <= rho_o[SW-2:0] < rho_stop_i[SW-2:0];
      stop_cls_q <= `CLASS_OF(rho_stop_i, 0);
      below_q    <= test_rho_i & ~rho_stop_i[SW-1] &
                    (stop_cls_q == `CLS_INF || (stop_cls_q == `CLS_FINITE && less_q));
    end
  end
  function automatic [63:0] merged(input [63:0] old, input [7:0] strobes);
    integer k;
    for (k = 0; k < 8; k = k + 1)
      merged[8*k +: 8] = strobes[k] ? set_word_i[8*(k % 4) +: 8] : old[8*k +: 8];
  endfunction
  // What the dot products alone say.
  function automatic [2:0] end_of_dots();
    if (left_q) end_of_dots = 3'd5;
    else if ((&rho_o[SW-2:SM]) | (&pq_o[SW-2:SM]) | (&qq_o[SW-2:SM])) end_of_dots = 3'd4;
    else if (~(|rho_o[SW-2:SM])) end_of_dots = 3'd2;
    else if (~(|pq_o[SW-2:SM]) | pq_o[SW-1]) end_of_dots = 3'd3;
    else end_of_dots = 3'd0;
  endfunction

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
          if (|set_alpha_i) alpha_o <= SW'(merged(64'(alpha_o), set_alpha_i));
          if (|set_beta_i) beta_o <= SW'(merged(64'(beta_o), set_beta_i));
          if (|{set_alpha_i, set_beta_i}) begin
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
            if (which_q == 2'd0) rho_o <= pack(load_cls, load_word);
            if (which_q == 2'd1) pq_o <= pack(load_cls, load_word);
            if (which_q == 2'd2) begin
              qq_o    <= pack(load_cls, load_word);
              first_q <= 1'b0;
              state_q <= Test;
            end
          end
        Test: begin
          which_q <= 2'd1; // alpha qq - pq comes where pq was
          first_q <= 1'b1;
          end_o   <= end_of_dots();
          state_q <= (end_of_dots() == 3'd0) ? Alpha : Finish;
        end
        Alpha:
          if (div_done) begin
            alpha_o <= pack(div_cls, div_word);
            first_q <= 1'b1;
            state_q <= AlphaQq;
          end
        AlphaQq:
          if (mul_done) begin
            work_q  <= pack(mul_cls, mul_word);
            first_q <= 1'b1;
            wait_q  <= 4'(`ADD_LATENCY(SM, SM, SM));
            state_q <= Minus;
          end
        Minus: begin
          wait_q <= wait_q - 4'd1;
          if (sub_done) begin
            work_q  <= pack(sub_cls, sub_word);
            first_q <= 1'b1;
            state_q <= Sigma;
          end
        end
        Sigma:
          if (mul_done) begin
            sigma_o <= (mul_word[SW-1] & ~(&mul_cls)) ? '0 : pack(mul_cls, mul_word);
            guard_o <= mul_word[SW-1] & ~(&mul_cls);
            first_q <= 1'b1;
            state_q <= Beta;
          end
        Beta:
          if (div_done) begin
            beta_o  <= pack(div_cls, div_word);
            first_q <= 1'b1;
            state_q <= Finish;
          end
        Finish: if (!first_q) begin // the classes are there
          state_q <= Operands;
          if (end_o == 3'd0) begin
            if (unbounded_q) end_o <= 3'd4;
            else if (below_q) end_o <= 3'd1;
          end
          if (end_o != 3'd0 || unbounded_q) begin
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
`undef CLASS_OF
`default_nettype wire
