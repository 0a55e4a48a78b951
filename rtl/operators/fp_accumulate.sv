/// Sum of s<MT>e<ET> terms in s<MA>e<EA>, in Depth interleaved partial sums on one adder: term i goes to partial sum
/// i mod Depth, all of which start at +0. close_i folds them by halves, s[j] += s[j + n/2] for n = Depth, ..., 2, and
/// leaves the total in total_o; fold_i then adds another number to it.
///
/// One term per clock. Depth is a power of two, at least LA + 2 with the adder's latency LA = `ADD_LATENCY(MA, MT, MA):
/// a partial sum is read, held in the operand registers, added to, and written back before its turn comes again.
/// One read port serves both operands of a fold, so a fold takes two clocks.
///   close_i    at the earliest LA + 1 clocks after the last term; done_o comes
///              2 Depth - 1 + log2(Depth) (LA + 1) clocks later
///   fold_i     total + other, or other - total with negate_i; done_o comes LA + 2 clocks later
/// total_o is partial sum 0: it holds from done_o until a term, clear_i or fold_i comes.
/// A term of -0 leaves every sum as it is: it stands for "no term".
`include "mantissa.svh"
`default_nettype none
module fp_accumulate #(
  parameter integer ET    = 8,
  parameter integer MT    = 23,
  parameter integer EA    = 11,
  parameter integer MA    = 52,
  parameter integer Rne   = 0,
  parameter integer Depth = 16
) (
  input  wire            clk_i,
  input  wire            rst_ni,
  input  wire            en_i,
  input  wire            clear_i, ///< forget all terms
  input  wire            valid_i,
  input  wire  [1:0]     term_cls_i,
  input  wire  [ET+MT:0] term_i,
  input  wire            close_i,
  input  wire            fold_i,
  input  wire            negate_i,
  input  wire  [1:0]     other_cls_i,
  input  wire  [EA+MA:0] other_i,
  output logic           done_o,
  output logic [1:0]     total_cls_o,
  output logic [EA+MA:0] total_o
);
  localparam integer LA  = `ADD_LATENCY(MA, MT, MA);
  localparam integer AW  = $clog2(Depth);
  localparam integer EB  = `MAX2(EA, ET);
  localparam integer MB  = `MAX2(MA, MT);
  `REQUIRE(g_bad_depth, Depth >= LA + 2, "fp_accumulate: Depth must be the adder's latency and two, or more")
  `REQUIRE(g_bad_power, (1 << AW) == Depth, "fp_accumulate: Depth must be a power of two")

  typedef enum logic [2:0] {Terms, Upper, Lower, Wait, Fold} state_t;
  state_t        state_q;
  logic [AW-1:0] at_q;      // the partial sum whose turn it is
  logic [AW:0]   touched_q; // partial sums that hold something, up to Depth
  logic [AW-1:0] half_q;    // of the level being folded
  logic [3:0]    wait_q;

  // Partial sums.
  logic [1:0]     sums_cls [0:Depth-1];
  logic [EA+MA:0] sums [0:Depth-1];
`ifndef SYNTHESIS
  initial for (int k = 0; k < Depth; k = k + 1) begin
    sums_cls[k] = '0;
    sums[k] = '0;
  end
`endif
  wire upper = state_q == Upper;
  wire lower = state_q == Lower;
  logic [AW-1:0] from_q; // the partial sum on the read port: at_q, or at_q + half_q in Upper
  logic          live_q; // and whether it holds something
  assign total_cls_o = sums_cls[from_q] & {2{live_q}};
  assign total_o     = sums[from_q] & {(EA+MA+1){live_q}};

  // Operands: in Terms a sum and a term; of a fold the upper sum in Upper, then the lower one; two totals for fold_i.
  wire [EB+MB:0] term_wide, sum_wide, other_wide;
  fp_widen #(.EI(ET), .MI(MT), .EO(EB), .MO(MB)) i_widen_term (.word_i(term_i), .word_o(term_wide));
  fp_widen #(.EI(EA), .MI(MA), .EO(EB), .MO(MB)) i_widen_sum (.word_i(total_o), .word_o(sum_wide));
  fp_widen #(.EI(EA), .MI(MA), .EO(EB), .MO(MB)) i_widen_other (.word_i(other_i), .word_o(other_wide));
  logic [1:0]     a_cls_q, b_cls_q;
  logic [EA+MA:0] a_q;
  logic [EB+MB:0] b_q;
  always_ff @(posedge clk_i)
    if (en_i) begin
      a_cls_q <= total_cls_o;
      a_q     <= {total_o[EA+MA] ^ (fold_i & negate_i), total_o[EA+MA-1:0]};
      if (!lower) begin
        b_cls_q <= term_cls_i;
        b_q     <= term_wide;
        if (fold_i) begin
          b_cls_q <= other_cls_i;
          b_q     <= other_wide;
        end
        if (upper) begin
          b_cls_q <= total_cls_o;
          b_q     <= sum_wide;
        end
      end
    end

  wire [1:0]     sum_cls;
  wire [EA+MA:0] sum_word;
  fp_add #(.EA(EA), .MA(MA), .EB(EB), .MB(MB), .EO(EA), .MO(MA), .Rne(Rne)) i_add (
    .clk_i, .en_i, .a_cls_i(a_cls_q), .a_i(a_q), .b_cls_i(b_cls_q), .b_i(b_q), .cls_o(sum_cls), .word_o(sum_word));

  // Where a sum that leaves the adder belongs.
  logic [LA:0]          due_q;
  logic [(LA+1)*AW-1:0] dest_q;
  wire  [AW-1:0]        dest = dest_q[(LA+1)*AW-1 -: AW];
  always_ff @(posedge clk_i)
    if (!rst_ni || clear_i) due_q <= '0;
    else if (en_i) due_q <= {due_q[LA-1:0], lower | valid_i | fold_i};
  always_ff @(posedge clk_i) if (en_i) dest_q <= {dest_q[LA*AW-1:0], at_q};
  // Not always_ff, which allows no `initial` beside it.
  always @(posedge clk_i)
    if (en_i && due_q[LA]) begin
      sums_cls[dest] <= sum_cls;
      sums[dest]     <= sum_word;
    end

  // The fold's level and the wait for the adder: set beforehand, so that neither close nor clear reaches them.
  always_ff @(posedge clk_i)
    if (en_i) begin
      if (state_q == Terms) half_q <= AW'(Depth / 2);
      else if (state_q == Wait && wait_q == 4'd0) half_q <= half_q >> 1;
      wait_q <= (state_q == Wait || state_q == Fold) ? wait_q - 4'd1 : 4'(LA);
    end

  task automatic take_term;
    logic [AW-1:0] next;
    logic [AW:0] touched;
    begin
      next    = at_q + AW'(1);
      touched = touched_q;
      if (!touched_q[AW]) touched = touched_q + (AW+1)'(1);
      at_q      <= next;
      from_q    <= next;
      touched_q <= touched;
      live_q    <= touched[AW];
    end
  endtask
  task automatic next_fold;
    logic [AW-1:0] next;
    begin
      next    = at_q + AW'(1);
      at_q    <= next;
      from_q  <= next | half_q; // next < half_q, a power of two
      live_q  <= touched_q > {1'b0, next | half_q};
      state_q <= (next == half_q) ? Wait : Upper;
    end
  endtask
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      state_q   <= Terms;
      at_q      <= '0;
      from_q    <= '0;
      touched_q <= '0;
      live_q    <= 1'b0;
      done_o    <= 1'b0;
    end else if (en_i) begin
      done_o <= 1'b0;
      if (clear_i) begin
        state_q   <= Terms;
        at_q      <= '0;
        from_q    <= '0;
        touched_q <= '0;
        live_q    <= 1'b0;
      end else begin
        case (state_q)
          Terms: begin
            if (valid_i) take_term();
            if (close_i) begin
              at_q    <= '0;
              from_q  <= AW'(Depth / 2);
              live_q  <= touched_q > (AW+1)'(Depth / 2);
              state_q <= Upper;
            end
            if (fold_i) state_q <= Fold;
          end
          Upper: begin
            from_q  <= at_q;
            live_q  <= touched_q > {1'b0, at_q};
            state_q <= Lower;
          end
          Lower: next_fold();
          Wait: begin
            at_q      <= '0;
            from_q    <= half_q >> 1;
            touched_q <= {1'b1, {AW{1'b0}}};
            live_q    <= 1'b1;
            if (wait_q == 4'd0) begin
              state_q <= Upper;
              if (half_q == AW'(1)) begin
                state_q <= Terms;
                done_o  <= 1'b1;
              end
            end
          end
          default:
            if (wait_q == 4'd0) begin
              state_q <= Terms;
              done_o  <= 1'b1;
            end
        endcase
      end
    end
endmodule
`default_nettype wire
