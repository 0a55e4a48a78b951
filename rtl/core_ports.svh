// Port lists that several modules have, each once: outside tools meet flat AXI names at every top. A macro with
// arguments stands alone on its line and brings its last comma, which is how verible reads a macro among ports.
`ifndef CORE_PORTS_SVH
`define CORE_PORTS_SVH

// AXI4-Lite registers, the side that answers: 32-bit data, addr_w bits of a byte address.
`define AXIL_PORTS(addr_w) \
  input  wire  [(addr_w)-1:0] s_axil_awaddr, \
  input  wire                 s_axil_awvalid, \
  output logic                s_axil_awready, \
  input  wire  [31:0]         s_axil_wdata, \
  input  wire  [3:0]          s_axil_wstrb, \
  input  wire                 s_axil_wvalid, \
  output logic                s_axil_wready, \
  output logic [1:0]          s_axil_bresp, \
  output logic                s_axil_bvalid, \
  input  wire                 s_axil_bready, \
  input  wire  [(addr_w)-1:0] s_axil_araddr, \
  input  wire                 s_axil_arvalid, \
  output logic                s_axil_arready, \
  output logic [31:0]         s_axil_rdata, \
  output logic [1:0]          s_axil_rresp, \
  output logic                s_axil_rvalid, \
  input  wire                 s_axil_rready,

// The same with protection bits, which nothing reads.
`define AXIL_PROT_PORTS(addr_w) \
  `AXIL_PORTS(addr_w) \
  input  wire  [2:0]          s_axil_awprot, \
  input  wire  [2:0]          s_axil_arprot,

// Those of the module around, as connections of an instance.
`define AXIL_PASSED \
    .s_axil_awaddr, .s_axil_awvalid, .s_axil_awready, .s_axil_wdata, .s_axil_wstrb, .s_axil_wvalid, .s_axil_wready, \
    .s_axil_bresp, .s_axil_bvalid, .s_axil_bready, .s_axil_araddr, .s_axil_arvalid, .s_axil_arready, .s_axil_rdata, \
    .s_axil_rresp, .s_axil_rvalid, .s_axil_rready

// A function for a map of registers: `old` with those bytes of data whose strobe is on.
`define WRITTEN_BYTES(strobe, data) \
  function [31:0] merged(input [31:0] old); \
    merged = {strobe[3] ? data[31:24] : old[31:24], strobe[2] ? data[23:16] : old[23:16], \
              strobe[1] ? data[15:8] : old[15:8], strobe[0] ? data[7:0] : old[7:0]}; \
  endfunction

// A stream with tlast, coming in and going out: w bits.
`define AXIS_IN_PORTS(name, w) \
  input  wire  [(w)-1:0]      s_axis_``name``_tdata, \
  input  wire                 s_axis_``name``_tvalid, \
  input  wire                 s_axis_``name``_tlast, \
  output logic                s_axis_``name``_tready,
`define AXIS_OUT_PORTS(name, w) \
  output logic [(w)-1:0]      m_axis_``name``_tdata, \
  output logic                m_axis_``name``_tvalid, \
  output logic                m_axis_``name``_tlast, \
  input  wire                 m_axis_``name``_tready,

// n of them side by side.
`define AXIS_INS_PORTS(name, n, w) \
  input  wire  [(n)*(w)-1:0]  s_axis_``name``_tdata, \
  input  wire  [(n)-1:0]      s_axis_``name``_tvalid, \
  input  wire  [(n)-1:0]      s_axis_``name``_tlast, \
  output logic [(n)-1:0]      s_axis_``name``_tready,
`define AXIS_OUTS_PORTS(name, n, w) \
  output logic [(n)*(w)-1:0]  m_axis_``name``_tdata, \
  output logic [(n)-1:0]      m_axis_``name``_tvalid, \
  output logic [(n)-1:0]      m_axis_``name``_tlast, \
  input  wire  [(n)-1:0]      m_axis_``name``_tready,

// The stream that says that a pass begins.
`define PASS_PORTS(w) \
  output logic [(w)-1:0]      m_axis_pass_tdata, \
  output logic                m_axis_pass_tvalid, \
  input  wire                 m_axis_pass_tready,

// All streams of pcg_core and fx_core.
`define CORE_STREAM_PORTS(lanes) \
  `PASS_PORTS(8) \
  `AXIS_IN_PORTS(u, (lanes)*UW) \
  `AXIS_IN_PORTS(r, (lanes)*RW) \
  `AXIS_IN_PORTS(p, (lanes)*PW) \
  `AXIS_IN_PORTS(q, (lanes)*QW) \
  `AXIS_INS_PORTS(band, Coefs, (lanes)*CoefW) \
  `AXIS_OUT_PORTS(u, (lanes)*UW) \
  `AXIS_OUT_PORTS(r, (lanes)*RW) \
  `AXIS_OUT_PORTS(p, (lanes)*PW) \
  `AXIS_OUT_PORTS(q, (lanes)*QW)

// Whole bytes: the vectors' streams by the names they have, in and out, and the first five bands'.
`define VECTOR_BYTES_PORTS(u, r, p, q) \
  `AXIS_IN_PORTS(u, Lanes*8*UBytes) \
  `AXIS_IN_PORTS(r, Lanes*8*RBytes) \
  `AXIS_IN_PORTS(p, Lanes*8*PBytes) \
  `AXIS_IN_PORTS(q, Lanes*8*QBytes) \
  `AXIS_OUT_PORTS(u, Lanes*8*UBytes) \
  `AXIS_OUT_PORTS(r, Lanes*8*RBytes) \
  `AXIS_OUT_PORTS(p, Lanes*8*PBytes) \
  `AXIS_OUT_PORTS(q, Lanes*8*QBytes)
`define BAND_BYTES_PORTS(band) \
  `AXIS_IN_PORTS(band``0, Lanes*8*CoefBytes) \
  `AXIS_IN_PORTS(band``1, Lanes*8*CoefBytes) \
  `AXIS_IN_PORTS(band``2, Lanes*8*CoefBytes) \
  `AXIS_IN_PORTS(band``3, Lanes*8*CoefBytes) \
  `AXIS_IN_PORTS(band``4, Lanes*8*CoefBytes)

// Inside a core: what the bus and the next pass take from the scalar unit.
`define SCALAR_PORTS(scalar_w) \
  input  wire  [7:0]          set_i, \
  input  wire  [2:0]          set_at_i, \
  input  wire  [31:0]         set_word_i, \
  input  wire                 read_i, \
  input  wire  [2:0]          read_at_i, \
  output logic [(scalar_w)-1:0] read_o, \
  output logic                done_o, \
  output logic [2:0]          end_o, \
  output logic                guard_o, \
  output logic [1:0]          alpha_cls_o, \
  output logic [OperandW-1:0] alpha_op_o, \
  output logic [1:0]          beta_cls_o, \
  output logic [OperandW-1:0] beta_op_o,

// What the floating core's vector updates read, as classes and words.
`define UPDATE_IN_PORTS(lanes) \
  input  wire  [1:0]          alpha_cls_i, \
  input  wire  [OperandW-1:0] alpha_i, \
  input  wire  [1:0]          beta_cls_i, \
  input  wire  [OperandW-1:0] beta_i, \
  input  wire  [(lanes)*2-1:0] u_cls_i, \
  input  wire  [(lanes)*UW-1:0] u_i, \
  input  wire  [(lanes)*2-1:0] r_cls_i, \
  input  wire  [(lanes)*RW-1:0] r_i, \
  input  wire  [(lanes)*2-1:0] p_cls_i, \
  input  wire  [(lanes)*PW-1:0] p_i, \
  input  wire  [(lanes)*2-1:0] q_cls_i, \
  input  wire  [(lanes)*QW-1:0] q_i,

// Words of the new vectors on their way from the pipeline to their streams; out_full_o: a beat waits to be taken.
`define VECTORS_LEAVE_PORTS(lanes) \
  input  core_vectors_t       give_i, \
  input  core_vectors_t       give_ahead_i, \
  input  core_vectors_t       give_last_i, \
  input  wire  [(lanes)*UW-1:0] u_i, \
  input  wire  [(lanes)*RW-1:0] r_i, \
  input  wire  [(lanes)*PW-1:0] p_i, \
  input  wire  [(lanes)*QW-1:0] q_i, \
  output core_vectors_t       out_valid_o, \
  output core_vectors_t       out_last_o, \
  input  core_vectors_t       out_ready_i, \
  output logic [(lanes)*UW-1:0] u_tdata_o, \
  output logic [(lanes)*RW-1:0] r_tdata_o, \
  output logic [(lanes)*PW-1:0] p_tdata_o, \
  output logic [(lanes)*QW-1:0] q_tdata_o, \
  output core_vectors_t       out_full_o,

// Two numbers as classes and words, of a_w and b_w bits.
`define OPERANDS_PORTS(a_w, b_w) \
  input  wire  [1:0]          a_cls_i, \
  input  wire  [(a_w)-1:0]    a_i, \
  input  wire  [1:0]          b_cls_i, \
  input  wire  [(b_w)-1:0]    b_i,

`endif
