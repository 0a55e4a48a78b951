/// A pass's totals: with Alone those of this core; else they leave by m_axis_sum when the pass closes, and what comes
/// back by s_axis_sum, summed over all cores, is used. done_o: total_o stands until clear_i. What was offered stays
/// offered until it is taken, or until clear_i where a run was ended meanwhile.
`default_nettype none
module fx_totals #(
  parameter integer W = 202,
  parameter integer Alone = 1
) (
  input  wire          clk_i,
  input  wire          rst_ni,
  input  wire          clear_i,
  input  wire          close_i,
  input  wire  [W-1:0] part_i,
  output logic [W-1:0] total_o,
  output logic         done_o,
  output logic [W-1:0] m_axis_sum_tdata,
  output logic         m_axis_sum_tvalid,
  input  wire          m_axis_sum_tready,
  input  wire  [W-1:0] s_axis_sum_tdata,
  input  wire          s_axis_sum_tvalid,
  output logic         s_axis_sum_tready
);
  generate
    if (Alone != 0) begin : g_alone
      assign total_o = part_i;
      assign done_o  = 1'b1;
      assign m_axis_sum_tdata  = '0;
      assign m_axis_sum_tvalid = 1'b0;
      assign s_axis_sum_tready = 1'b0;
      wire unused = &{1'b0, clk_i, rst_ni, clear_i, close_i, m_axis_sum_tready, s_axis_sum_tdata, s_axis_sum_tvalid};
    end else begin : g_together
      // A total is waited for after its part, which stands from close_i to clear_i.
      assign m_axis_sum_tdata = part_i;
      logic waits_q;
      assign s_axis_sum_tready = waits_q;
      always_ff @(posedge clk_i)
        if (!rst_ni || clear_i) begin
          m_axis_sum_tvalid <= 1'b0;
          waits_q <= 1'b0;
          done_o  <= 1'b0;
        end else begin
          if (close_i) m_axis_sum_tvalid <= 1'b1;
          else if (m_axis_sum_tready) m_axis_sum_tvalid <= 1'b0;
          if (close_i) waits_q <= 1'b1;
          else if (s_axis_sum_tvalid) waits_q <= 1'b0;
          done_o <= ~close_i & (done_o | (waits_q & s_axis_sum_tvalid));
        end
      always_ff @(posedge clk_i) if (waits_q & s_axis_sum_tvalid) total_o <= s_axis_sum_tdata;
    end
  endgenerate
endmodule
`default_nettype wire
