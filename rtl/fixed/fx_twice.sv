/// Has the scalar unit's program run twice, and compares what comes out: once as it is asked for, and once more after it, while
/// the next pass begins. The totals stand for long enough: the program takes them in its first clocks. What counts is what leaves:
/// the end and the operands of the vector updates. What else the program stores is read by itself alone.
`default_nettype none
module fx_twice #(
  parameter integer ResultW = 64 ///< bits of what is compared at the end, among it end_i
) (
  input  wire               clk_i,
  input  wire               rst_ni,
  input  wire               start_i,
  input  wire               test_i,         ///< the end test counts
  output logic              start_o,        ///< to the scalar unit, as test_o
  output logic              test_o,
  input  wire               done_i,         ///< from it, as what follows
  input  wire  [2:0]        end_i,
  input  wire  [ResultW-1:0] results_i,
  input  wire               late_i,         ///< the second run has had its time
  output logic              done_o,         ///< one clock, after the first run; end_o from the next one on
  output logic [2:0]        end_o,
  output logic              checking_o,     ///< the second run is on
  output logic              bad_o           ///< one clock: it came out another way, or does not end
);
  localparam integer SigW = 8;
  logic waits_q, test_q; // a start that came while the second run was on
  logic [SigW-1:0] results, first_q;
  always_comb begin
    results = '0;
    for (int k = 0; k < ResultW; k = k + 1) results[k%SigW] = results[k%SigW] ^ results_i[k];
  end
  wire again = done_i & ~checking_o;
  wire ends  = checking_o & (done_i | late_i);
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
    if (again) begin
      end_o   <= end_i;
      test_q  <= test_i;
      first_q <= results;
    end
    bad_o <= rst_ni & ends & (~done_i | results != first_q);
  end
endmodule
`default_nettype wire
