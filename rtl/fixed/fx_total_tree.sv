/// Totals {over, rr, pq, qq} of N parts: neighbours are added, a level a clock; ceil(log2(N)) clocks. Recursive. valid_o
/// is high for the one clock in which total_o is that of parts that came with valid_i.
`default_nettype none
module fx_total_tree #(
  parameter integer N   = 2,
  parameter integer RrW = 67,
  parameter integer PqW = 67,
  parameter integer QqW = 67,
  localparam integer W  = RrW + PqW + QqW + 1
) (
  input  wire            clk_i,
  input  wire            rst_ni,
  input  wire            valid_i,
  input  wire  [N*W-1:0] parts_i,
  output logic           valid_o,
  output logic [W-1:0]   total_o
);
  generate
    if (N == 1) begin : g_one
      assign valid_o = valid_i;
      assign total_o = parts_i;
      wire unused = &{1'b0, clk_i, rst_ni};
    end else begin : g_level
      localparam integer Next = (N + 1) / 2;
      logic [Next*W-1:0] sums_q;
      logic valid_q;
      always_ff @(posedge clk_i) valid_q <= rst_ni & valid_i;
      genvar i;
      for (i = 0; i < Next; i = i + 1) begin : g_pair
        wire [W-1:0] a = parts_i[2*i*W +: W];
        if (2 * i + 1 < N) begin : g_two
          wire [W-1:0] b = parts_i[(2*i+1)*W +: W];
          always_ff @(posedge clk_i)
            sums_q[i*W +: W] <= {a[W-1] | b[W-1], a[QqW+PqW +: RrW] + b[QqW+PqW +: RrW], a[QqW +: PqW] + b[QqW +: PqW],
                                 a[QqW-1:0] + b[QqW-1:0]};
        end else begin : g_odd
          always_ff @(posedge clk_i) sums_q[i*W +: W] <= a;
        end
      end
      fx_total_tree #(.N(Next), .RrW(RrW), .PqW(PqW), .QqW(QqW)) i_rest (
        .clk_i, .rst_ni, .valid_i(valid_q), .parts_i(sums_q), .valid_o, .total_o);
    end
  endgenerate
endmodule
`default_nettype wire
