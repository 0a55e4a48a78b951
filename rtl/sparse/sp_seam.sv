/// The way of whole vectors in and out of the core, while no run is on: a beat of Lanes words a clock. A vector is 0 u,
/// 1 r, 2 p, 3 q. Beats come and go in the order of positions, tokens_i of them. Without a LENGTH that can be, beats that
/// come are thrown away, and a vector that is asked for does not leave.
/// A beat is there two clocks after its address.
`default_nettype none
module sp_seam #(
  parameter integer W     = 124, ///< bits of a beat
  parameter integer Depth = 1024,
  localparam integer AW   = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  wire            clk_i,
  input  wire            rst_ni,
  input  wire            closed_i,    ///< a run is on, or begins
  input  wire  [AW:0]    tokens_i,
`ifndef UNWATCHED
  input  wire            bad_length_i, ///< LENGTH is 0 or above what memories hold: tokens_i means nothing
`endif

  input  wire  [W-1:0]   s_axis_word_tdata,
  input  wire  [1:0]     s_axis_word_tuser, ///< the vector
  input  wire            s_axis_word_tvalid,
  input  wire            s_axis_word_tlast,
  output logic           s_axis_word_tready,
  input  wire  [7:0]     s_axis_ask_tdata,  ///< [1:0] the vector that is wanted
  input  wire            s_axis_ask_tvalid,
  output logic           s_axis_ask_tready,
  output logic [W-1:0]   m_axis_word_tdata,
  output logic           m_axis_word_tvalid,
  output logic           m_axis_word_tlast,
  input  wire            m_axis_word_tready,

  output logic           sending_o,   ///< a vector was asked for, and its last beat has not been taken
  output logic           loading_o,   ///< a vector is half loaded: tlast has not come
`ifndef UNWATCHED
  output logic           refused_o,   ///< one clock: a beat was thrown away, or an ask, since LENGTH is bad
  output logic           early_o,     ///< one clock: a vector came with tlast before its last beat,
  output logic           late_o,      ///< or without it at its last beat
`endif
  output logic [3:0]     write_o,     ///< one of the vectors: word_o to write_at_o
  output logic [AW-1:0]  write_at_o,
  output logic [W-1:0]   word_o,
  output logic           moves_o,     ///< the memories' read registers move
  output logic [AW-1:0]  read_at_o,
  input  wire  [4*W-1:0] read_i       ///< of all vectors, u lowest
);
  // ---- In ----------------------------------------------------------------------------------------------------------
  logic [AW-1:0] in_q;
  wire ask = s_axis_ask_tvalid & s_axis_ask_tready;
  logic sending_q, loading_q;
  assign sending_o = sending_q;
  assign loading_o = loading_q;
  assign s_axis_word_tready = ~closed_i & ~sending_q;
  wire load = s_axis_word_tvalid & s_axis_word_tready;
`ifndef UNWATCHED
  wire store = load & ~bad_length_i;
`else
  wire store = load;
`endif
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      in_q      <= '0;
      write_o   <= '0;
      loading_q <= 1'b0;
    end else begin
      write_o <= {3'b000, store} << s_axis_word_tuser;
      if (load) in_q <= s_axis_word_tlast ? '0 : in_q + AW'(1);
      if (load) loading_q <= ~s_axis_word_tlast;
    end
`ifndef UNWATCHED
  wire in_last = (AW+1)'(in_q) == tokens_i - (AW+1)'(1);
  always_ff @(posedge clk_i) begin
    early_o   <= rst_ni & store & s_axis_word_tlast & ~in_last;
    late_o    <= rst_ni & store & ~s_axis_word_tlast & in_last;
    refused_o <= rst_ni & bad_length_i & (load | ask);
  end
`endif
  always_ff @(posedge clk_i) begin
    write_at_o <= in_q;
    word_o     <= s_axis_word_tdata;
  end

  // ---- Out ---------------------------------------------------------------------------------------------------------
  logic [AW-1:0] out_q;           // the address that is shown
  logic [1:0]    which_q;
  logic          shown_q;         // an address is shown
  logic [2:1]    way_q, last_q;   // beats on their way out of the memory
`ifndef UNWATCHED
  logic [AW-1:0] end_q; // its last beat: a LENGTH that is written on the way is the next vector's
  wire send     = ask & ~bad_length_i;
  wire out_last = out_q == end_q;
  always_ff @(posedge clk_i) if (send) end_q <= AW'(tokens_i - (AW+1)'(1));
`else
  wire send     = ask;
  wire out_last = (AW+1)'(out_q) == tokens_i - (AW+1)'(1);
`endif
  assign moves_o           = ~way_q[2] | m_axis_word_tready;
  assign s_axis_ask_tready = ~closed_i & ~sending_q & ~loading_q;
  assign read_at_o         = out_q;
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      {sending_q, shown_q, way_q, last_q} <= '0;
    end else if (send) begin
      sending_q <= 1'b1;
      shown_q   <= 1'b1;
    end else if (moves_o) begin
      way_q  <= {way_q[1], shown_q};
      last_q <= {last_q[1], shown_q & out_last};
      if (out_last) shown_q <= 1'b0;
      if (way_q[2] & last_q[2]) sending_q <= 1'b0;
    end
  always_ff @(posedge clk_i)
    if (send) begin
      which_q <= s_axis_ask_tdata[1:0];
      out_q   <= '0;
    end else if (moves_o & shown_q) begin
      out_q <= out_q + AW'(1);
    end
  assign m_axis_word_tvalid = way_q[2];
  assign m_axis_word_tlast  = last_q[2];
  always_comb
    case (which_q)
      2'd0:    m_axis_word_tdata = read_i[W-1:0];
      2'd1:    m_axis_word_tdata = read_i[2*W-1:W];
      2'd2:    m_axis_word_tdata = read_i[3*W-1:2*W];
      default: m_axis_word_tdata = read_i[4*W-1:3*W];
    endcase
  wire unused = &{1'b0, s_axis_ask_tdata};
endmodule
`default_nettype wire
