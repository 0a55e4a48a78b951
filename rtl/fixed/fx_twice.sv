/// Has the scalar unit's program run twice, and compares what came out: once as it is asked for, and once more behind it, while
/// the next pass begins. The totals stand for long enough: the program takes them in its first clocks. What both runs store is
/// summed up in a signature, to which the results at the end are added.
`default_nettype none
module fx_twice #(
  parameter integer W       = 32, ///< bits of a scalar
  parameter integer ResultW = 64  ///< and of what is compared at the end, among it end_i
) (
  input  wire               clk_i,
  input  wire               rst_ni,
  input  wire               start_i,
  input  wire               test_i,         ///< the end test counts
  output logic              start_o,        ///< to the scalar unit, as test_o
  output logic              test_o,
  input  wire               done_i,         ///< from it, as what follows
  input  wire  [2:0]        end_i,
  input  wire               written_i,
  input  wire  [W-1:0]      written_word_i,
  input  wire  [ResultW-1:0] results_i,
  output logic              done_o,         ///< one clock, behind the first run; end_o from the next one on
  output logic [2:0]        end_o,
  output logic              checking_o,     ///< the second run is on
  output logic              bad_o           ///< one clock: it came out another way, or does not end
);
  localparam integer SigW = 8;
  localparam integer Most = 512; // clocks of a program and the bus that holds it up
  logic waits_q, test_q; // a start that came while the second run was on
  logic [$clog2(Most)-1:0] clocks_q;
  logic [SigW-1:0] sum_q, first_q, results_q;
  logic again_q, ends_q, late_q;
  function automatic [SigW-1:0] folded(input [W-1:0] word);
    begin
      folded = '0;
      for (int k = 0; k < W; k = k + 1) folded[k%SigW] = folded[k%SigW] ^ word[k];
    end
  endfunction
  logic [SigW-1:0] results;
  always_comb begin
    results = sum_q;
    for (int k = 0; k < ResultW; k = k + 1) results[k%SigW] = results[k%SigW] ^ results_i[k];
  end
  wire again = done_i & ~checking_o;
  wire ends  = checking_o & (done_i | (&clocks_q));
  assign start_o = ((start_i | waits_q) & ~checking_o) | again;
  assign test_o  = checking_o ? test_q : test_i;
  assign done_o  = again;
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      waits_q    <= 1'b0;
      checking_o <= 1'b0;
    end else begin
      waits_q    <= (start_i | waits_q) & checking_o;
      checking_o <= again | (checking_o & ~ends);
    end
  always_ff @(posedge clk_i) begin
    clocks_q <= checking_o ? clocks_q + 1'b1 : '0;
    if (again) begin
      end_o  <= end_i;
      test_q <= test_i;
    end
    results_q <= results;
    again_q   <= again;
    ends_q    <= rst_ni & ends;
    late_q    <= ~done_i;
    if (again_q) first_q <= results_q;
    if (start_o) sum_q <= '0;
    else if (written_i) sum_q <= {sum_q[SigW-2:0], sum_q[SigW-1]} ^ folded(written_word_i);
    bad_o <= rst_ni & ends_q & (late_q | results_q != first_q);
  end
endmodule
`default_nettype wire
