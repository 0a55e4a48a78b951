/// One beat of buffer behind an input stream: the pipeline consumes from registers, and whether it can move in the next
/// clock is known a clock ahead. Full rate; tready depends on registers only.
`default_nettype none
module stream_in #(
  parameter integer W = 32
) (
  input  wire          clk_i,
  input  wire          rst_ni,
  input  wire          clear_i, ///< drop what is held, accept nothing
  input  wire  [W-1:0] tdata_i,
  input  wire          tvalid_i,
  input  wire          tlast_i,
  output logic         tready_o,
  input  wire          take_i,  ///< only while full_o
  output logic [W-1:0] data_o,
  output logic         last_o,
  output logic         full_o,
  output logic         soon_o   ///< full_o of the next clock, unless cleared
);
  assign tready_o = ~clear_i & (~full_o | take_i);
  assign soon_o   = tvalid_i | (full_o & ~take_i);
  always_ff @(posedge clk_i)
    if (!rst_ni || clear_i) full_o <= 1'b0;
    else full_o <= soon_o;
  always_ff @(posedge clk_i)
    if (tready_o) begin
      data_o <= tdata_i;
      last_o <= tlast_i;
    end
endmodule
`default_nettype wire
