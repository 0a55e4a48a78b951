/// One AXI4-Lite port for the registers of several cores. Above the eight address bits of a core's map stands a page:
///
///   page 0        all cores: a write goes to each; a read answers what they have in common, which is core 0's, or of
///                 STATUS, ERRORS and WORDS the OR over all
///   page k + 1    core k: reads, and writes of its slab's registers (LENGTH, HALO_FIRST, HALO_LAST, HALO_COLUMN)
///
/// Other writes to a core alone, and pages beyond, answer SLVERR: cores of one solve differ in their slabs only.
///
/// apart_i: some cores run and others do not, which have ended with a fault, since all end together else. Those that still
/// run wait for totals that will not come: they are aborted by a write to CONTROL from here.
`include "mantissa.svh"
`default_nettype none
module fx_cores_axil #(
  parameter integer Cores = 2,
  localparam integer PageW = $clog2(Cores + 1),
  localparam integer AddrW = 8 + PageW
) (
  input  wire               clk_i,
  input  wire               rst_ni,
  input  wire               apart_i,

  `AXIL_PORTS(AddrW)

  output logic [7:0]        awaddr_o,  ///< of all cores, as the data
  output logic [31:0]       wdata_o,
  output logic [3:0]        wstrb_o,
  output logic [Cores-1:0]  write_o,   ///< one clock: awvalid and wvalid of a core, which is ready
  input  wire  [Cores-1:0]  bvalid_i,
  input  wire  [2*Cores-1:0] bresp_i,
  output logic              bready_o,
  output logic [7:0]        araddr_o,  ///< reads go to all cores, so that they stay in step
  output logic              arvalid_o,
  input  wire               arready_i, ///< of core 0, as rvalid_i
  input  wire  [32*Cores-1:0] rdata_i,
  input  wire  [1:0]        rresp_i,
  input  wire               rvalid_i,
  output logic              rready_o
);
  // ---- Writes: collect address and data, send, wait for the responses, answer -----------------------------------------
  typedef enum logic [1:0] {Collect, Send, Wait, Answer} state_t;
  state_t state_q;
  logic aw_q, w_q;
  logic own_q, ended_q; // a write from here; the cores that run have been aborted
  logic [PageW-1:0] page_q;
  logic [7:0]  at_q;
  logic [31:0] data_q;
  logic [3:0]  strobe_q;
  logic [Cores-1:0] to_q;
  assign s_axil_awready = ~aw_q;
  assign s_axil_wready  = ~w_q;
  assign s_axil_bvalid  = state_q == Answer;

  wire slab = at_q == `REG_LENGTH || `REG_FX_CORES_WRITABLE(at_q);
  logic [Cores-1:0] to; // all, one, or none
  always_comb begin
    to = '0;
    for (int k = 0; k < Cores; k = k + 1) to[k] = page_q == '0 || (page_q == PageW'(k + 1) && slab);
  end
  logic refused;
  always_comb begin
    refused = 1'b0;
    for (int k = 0; k < Cores; k = k + 1) refused = refused | (to_q[k] & bresp_i[2*k+1]);
  end

  assign awaddr_o = own_q ? `REG_CONTROL : at_q;
  assign wdata_o  = own_q ? 32'(1 << `CONTROL_ABORT) : data_q;
  assign wstrb_o  = own_q ? 4'b1111 : strobe_q;
  assign write_o  = to_q & {Cores{state_q == Send}};
  wire answered   = &(bvalid_i | ~to_q);
  assign bready_o = state_q == Wait && answered;
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      state_q <= Collect;
      aw_q    <= 1'b0;
      w_q     <= 1'b0;
      own_q   <= 1'b0;
      ended_q <= 1'b0;
      to_q    <= '0;
      s_axil_bresp <= 2'b00;
    end else begin
      if (s_axil_awvalid) aw_q <= 1'b1;
      if (s_axil_wvalid) w_q <= 1'b1;
      ended_q <= apart_i & (ended_q | (own_q & state_q == Wait));
      case (state_q)
        Collect:
          if (apart_i && !ended_q) begin
            own_q   <= 1'b1;
            to_q    <= '1;
            state_q <= Send;
          end else if (aw_q && w_q) begin
            own_q   <= 1'b0;
            to_q    <= to;
            state_q <= Send;
          end
        Send: state_q <= Wait;
        Wait:
          if (answered) begin
            s_axil_bresp <= {refused | ~(|to_q), 1'b0};
            state_q <= own_q ? Collect : Answer;
          end
        default: // Answer
          if (s_axil_bready) begin
            state_q <= Collect;
            aw_q    <= 1'b0;
            w_q     <= 1'b0;
          end
      endcase
    end
  always_ff @(posedge clk_i) begin
    if (!aw_q) {page_q, at_q} <= s_axil_awaddr;
    if (!w_q) {data_q, strobe_q} <= {s_axil_wdata, s_axil_wstrb};
  end

  // ---- Reads ---------------------------------------------------------------------------------------------------------
  logic [PageW-1:0] from_q;
  logic joined_q; // over all cores
  logic known;    // the page
  assign araddr_o       = s_axil_araddr[7:0];
  assign arvalid_o      = s_axil_arvalid;
  assign s_axil_arready = arready_i;
  assign s_axil_rvalid  = rvalid_i;
  assign rready_o       = s_axil_rready;
  assign s_axil_rresp   = {rresp_i[1] | ~known, rresp_i[0]};
  wire [7:0] word = {s_axil_araddr[7:2], 2'b00};
  always_ff @(posedge clk_i)
    if (arready_i) begin
      from_q   <= s_axil_araddr[AddrW-1:8];
      joined_q <= s_axil_araddr[AddrW-1:8] == '0 && (word == `REG_STATUS || word == `REG_ERRORS || `REG_FX_CORE_READABLE(word));
    end
  always_comb begin
    s_axil_rdata = '0;
    known = 1'b0;
    for (int k = 0; k < Cores; k = k + 1)
      if (joined_q || from_q == PageW'(k + 1) || (k == 0 && from_q == '0)) begin
        s_axil_rdata = s_axil_rdata | rdata_i[32*k +: 32];
        known = 1'b1;
      end
  end
endmodule
`default_nettype wire
