/// The rules of an AXI4-Lite subordinate, as assertions: a response waits for its manager unchanged, comes only for
/// what was accepted, and comes within Within clocks. At most two of each kind are under way.
`default_nettype none
module axil_rules #(
  parameter integer Within = 3
) (
  input wire        clk_i,
  input wire        rst_ni,
  input wire        awvalid_i,
  input wire        awready_i,
  input wire        wvalid_i,
  input wire        wready_i,
  input wire        bvalid_i,
  input wire        bready_i,
  input wire [1:0]  bresp_i,
  input wire        arvalid_i,
  input wire        arready_i,
  input wire        rvalid_i,
  input wire        rready_i,
  input wire [1:0]  rresp_i,
  input wire [31:0] rdata_i,
  output logic [1:0] aw_o, ///< accepted and not answered yet
  output logic [1:0] w_o,
  output logic [1:0] ar_o
);
  stream_rules #(.W(2)) i_b (
    .clk_i, .rst_ni, .tvalid_i(bvalid_i), .tready_i(bready_i), .payload_i(bresp_i));
  stream_rules #(.W(34)) i_r (
    .clk_i, .rst_ni, .tvalid_i(rvalid_i), .tready_i(rready_i), .payload_i({rresp_i, rdata_i}));
  logic [3:0] late_b_q, late_r_q;
  wire b = bvalid_i & bready_i;
  wire r = rvalid_i & rready_i;
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      aw_o <= '0;
      w_o  <= '0;
      ar_o <= '0;
      late_b_q <= '0;
      late_r_q <= '0;
    end else begin
      aw_o <= aw_o + {1'b0, awvalid_i & awready_i} - {1'b0, b};
      w_o  <= w_o + {1'b0, wvalid_i & wready_i} - {1'b0, b};
      ar_o <= ar_o + {1'b0, arvalid_i & arready_i} - {1'b0, r};
      late_b_q <= (aw_o != 0 && w_o != 0 && !bvalid_i) ? late_b_q + 4'd1 : '0;
      late_r_q <= (ar_o != 0 && !rvalid_i) ? late_r_q + 4'd1 : '0;
    end
  always @(posedge clk_i)
    if (rst_ni) begin
      assert (!bvalid_i || (aw_o != 0 && w_o != 0));
      assert (!rvalid_i || ar_o != 0);
      assert (!(awvalid_i && awready_i) || aw_o != 2'd3);
      assert (!(wvalid_i && wready_i) || w_o != 2'd3);
      assert (!(arvalid_i && arready_i) || ar_o != 2'd3);
      assert (late_b_q < Within);
      assert (late_r_q < Within);
    end
endmodule
`default_nettype wire
