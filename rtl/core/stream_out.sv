/// A skid buffer before an output stream: a beat is offered in the clock in which the pipeline lets go of it, and waits
/// here when it is not taken. The pipeline may push while full_o is low; whether it can in the next clock is known a
/// clock ahead. tvalid does not depend on tready.
`default_nettype none
module stream_out #(
  parameter integer W = 32
) (
  input  wire          clk_i,
  input  wire          rst_ni,
  input  wire          clear_i,
  input  wire          push_i,  ///< only while full_o is low
  input  wire  [W-1:0] data_i,
  input  wire          last_i,
  output logic [W-1:0] tdata_o,
  output logic         tvalid_o,
  output logic         tlast_o,
  input  wire          tready_i,
  output logic         full_o,
  output logic         soon_o   ///< full_o of the next clock
);
  logic [W-1:0] data_q;
  logic         last_q;
  assign tvalid_o = full_o | push_i;
  assign tdata_o  = full_o ? data_q : data_i;
  assign tlast_o  = full_o ? last_q : last_i;
  assign soon_o   = tvalid_o & ~tready_i;
  always_ff @(posedge clk_i)
    if (!rst_ni || clear_i) full_o <= 1'b0;
    else full_o <= soon_o;
  always_ff @(posedge clk_i)
    if (!full_o) begin
      data_q <= data_i;
      last_q <= last_i;
    end
endmodule
`default_nettype wire
