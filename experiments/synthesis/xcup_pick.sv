// sp_pick on the multiplexers after an UltraScale+ slice's LUTs: a LUT chooses one of four, MUXF7 to MUXF9 among LUTs.
// Vendor tools find them by themselves; yosys's mapping does not beyond eight inputs.
module sp_pick #(
  parameter integer W   = 18,
  parameter integer Log = 3,
  localparam integer N  = 1 << Log
) (
  input  wire [N*W-1:0] word_i,
  input  wire [Log-1:0] number_i,
  output wire [W-1:0]   word_o
);
  genvar b, m;
  generate
    for (b = 0; b < W; b = b + 1) begin : g_bit
      wire [N-1:0] bits;
      for (m = 0; m < N; m = m + 1) begin : g_word
        assign bits[m] = word_i[m*W+b];
      end
      if (Log == 1) begin : g_two
        assign word_o[b] = number_i[0] ? bits[1] : bits[0];
      end else begin : g_more
        wire [N/4-1:0] four;
        for (m = 0; m < N / 4; m = m + 1) begin : g_four
          assign four[m] = number_i[1] ? (number_i[0] ? bits[4*m+3] : bits[4*m+2]) : (number_i[0] ? bits[4*m+1] : bits[4*m]);
        end
        if (Log == 2) begin : g_lut
          assign word_o[b] = four[0];
        end else begin : g_f7
          wire [N/8-1:0] eight;
          for (m = 0; m < N / 8; m = m + 1) begin : g_eight
            MUXF7 i_mux (.I0(four[2*m]), .I1(four[2*m+1]), .S(number_i[2]), .O(eight[m]));
          end
          if (Log == 3) begin : g_done
            assign word_o[b] = eight[0];
          end else begin : g_f8
            wire [N/16-1:0] sixteen;
            for (m = 0; m < N / 16; m = m + 1) begin : g_sixteen
              MUXF8 i_mux (.I0(eight[2*m]), .I1(eight[2*m+1]), .S(number_i[3]), .O(sixteen[m]));
            end
            if (Log == 4) begin : g_done
              assign word_o[b] = sixteen[0];
            end else begin : g_f9
              wire [N/32-1:0] left;
              for (m = 0; m < N / 32; m = m + 1) begin : g_left
                MUXF9 i_mux (.I0(sixteen[2*m]), .I1(sixteen[2*m+1]), .S(number_i[4]), .O(left[m]));
              end
              if (Log == 5) begin : g_done
                assign word_o[b] = left[0];
              end else begin : g_beyond
                assign word_o[b] = left[number_i[Log-1:5]];
              end
            end
          end
        end
      end
    end
  endgenerate
endmodule
