/// The host's way: words of D come in and words of U go out, all nodes of the grid by rows. Memory has those that are in
/// neither the north nor the east edge, one after the other; edge nodes count as zero.
`default_nettype none
module cy_seam #(
  parameter integer MaxLevel = 7,
  parameter integer DW = 64,
  parameter integer UW = 64,
  localparam integer IndexW = 2 * MaxLevel
) (
  input  wire               clk_i,
  input  wire               rst_ni,   ///< of what comes in
  input  wire               send_rst_ni, ///< of what is on its way out: nothing but a reset ends it
  input  wire  [MaxLevel:0] side_i,   ///< 2^LEVEL; stands
  input  wire               forget_i, ///< D is no longer what was loaded
  input  wire               open_i,   ///< words may come
  input  wire  [DW-1:0]     d_i,
  input  wire               d_valid_i,
  input  wire               d_last_i,
  output logic              d_ready_o,
  output logic              load_o,   ///< a word for memory,
  output logic [IndexW-1:0] load_at_o,
  output logic [DW-1:0]     load_word_o,
  output logic              load_first_o, ///< the first one of a packet
  output logic              loaded_o,

  input  wire               send_i,   ///< one clock, while none is sent
  output logic              sending_o,
  output logic              moves_o,  ///< the read's registers move
  output logic [IndexW-1:0] send_at_o,
  input  wire  [UW-1:0]     word_i,   ///< two such clocks behind its address
  output logic [UW-1:0]     u_o,
  output logic              u_valid_o,
  output logic              u_last_o,
  input  wire               u_ready_i
);
  // ---- In ----------------------------------------------------------------------------------------------------------------
  logic [MaxLevel:0] column_q, row_q;
  logic              beyond_q;
  wire take       = d_valid_i & d_ready_o;
  wire east       = |(column_q & side_i);
  wire north      = |(row_q & side_i);
  assign d_ready_o    = open_i;
  assign load_o       = take & ~east & ~north & ~beyond_q;
  assign load_first_o = take & column_q == '0 & row_q == '0;
  assign load_word_o  = (column_q == '0 || row_q == '0) ? '0 : d_i;
  always_ff @(posedge clk_i)
    if (!rst_ni || forget_i) begin
      {column_q, row_q, load_at_o} <= '0;
      {beyond_q, loaded_o} <= '0;
    end else if (take) begin
      column_q  <= east ? '0 : column_q + 1'b1;
      if (east) row_q <= row_q + 1'b1;
      if (load_o) load_at_o <= load_at_o + 1'b1;
      beyond_q  <= beyond_q | (east & north);
      loaded_o  <= 1'b0;
      if (d_last_i) begin
        {column_q, row_q, load_at_o} <= '0;
        beyond_q <= 1'b0;
        loaded_o <= east & north & ~beyond_q;
      end
    end

  // ---- Out ---------------------------------------------------------------------------------------------------------------
  logic [MaxLevel:0] to_column_q, to_row_q;
  logic reads_q;                       // words are still to be read
  logic read_q, edge_q, last_q;        // of the word whose address was given a clock before,
  logic read_q2, edge_q2, last_q2;     // and two
  wire to_east  = |(to_column_q & side_i);
  wire to_north = |(to_row_q & side_i);
  assign moves_o = ~u_valid_o | u_ready_i;
  always_ff @(posedge clk_i)
    if (!send_rst_ni) begin
      {sending_o, reads_q, read_q, read_q2, u_valid_o, u_last_o} <= '0;
    end else if (send_i) begin
      sending_o <= 1'b1;
      reads_q   <= 1'b1;
      {to_column_q, to_row_q, send_at_o} <= '0;
    end else if (moves_o) begin
      if (reads_q) begin
        to_column_q <= to_east ? '0 : to_column_q + 1'b1;
        if (to_east) to_row_q <= to_row_q + 1'b1;
        if (!to_east) send_at_o <= send_at_o + 1'b1;
        reads_q <= ~(to_east & to_north);
      end
      {read_q, edge_q, last_q}    <= {reads_q, to_east | to_north, to_east & to_north};
      {read_q2, edge_q2, last_q2} <= {read_q, edge_q, last_q};
      u_valid_o <= read_q2;
      u_last_o  <= read_q2 & last_q2;
      u_o       <= edge_q2 ? '0 : word_i;
      if (u_valid_o & u_last_o) sending_o <= 1'b0;
    end
endmodule
`default_nettype wire
