#include "gtkwave_save.hpp"

#include <filesystem>
#include <sstream>

#include <fmt/format.h>

#include "mantissa/base/files.hpp"

namespace mantissa::sim {

void write_gtkwave_save(const std::string& fst_path, const DatapathSpec& spec, bool several) {
    const std::filesystem::path fst = fst_path;
    const bool integer = spec.fixed_vectors();
    const std::string core = several ? "model.model_top.core.g_core[0].i_core." : "model.model_top.core.";
    std::filesystem::path save = fst;
    save.replace_extension(".gtkw");
    std::ostringstream out;
    out << "[*] Mantissa: one pass of the pipelined CG core\n";
    out << "[dumpfile] \"" << fst.filename().string() << "\"\n";
    out << "[timestart] 0\n[sst_width] 240\n[signals_width] 320\n";
    const auto group = [&](const char* title) { out << "@200\n-" << title << "\n"; };
    const auto hex = [&](const std::string& signal, int msb) {
        out << "@22\n" << core << signal << (msb > 0 ? fmt::format("[{}:0]", msb) : "") << "\n";
    };
    const auto wire = [&](const std::string& signal) { out << "@28\n" << core << signal << "\n"; };
    group("control");
    wire("clk_i");
    wire("rst_ni");
    hex("i_control.in_q", 10);
    if (!integer) hex("i_control.left_q", 31); // as long as the integer core's LenW
    hex("pass_count", 31);
    wire("en");
    hex("waiting_o", 16);
    hex("errors", 8);
    wire("m_axis_pass_tvalid");
    wire("m_axis_pass_tready");
    hex("m_axis_pass_tdata", 7);
    group("streams in");
    for (const char* v : {"u", "r", "p", "q"})
        for (const char* s : {"tvalid", "tready", "tlast"}) wire(fmt::format("s_axis_{}_{}", v, s));
    if (!integer) {
        hex("s_axis_band_tvalid", 8);
        hex("s_axis_band_tready", 8);
    }
    group("streams out");
    for (const char* v : {"u", "r", "p", "q"})
        for (const char* s : {"tvalid", "tready", "tlast"}) wire(fmt::format("m_axis_{}_{}", v, s));
    group("alpha and beta as operands");
    for (const char* s : {"alpha_op", "beta_op"}) hex(s, spec.operand.width() - 1);
    for (const char* s : {"alpha_cls", "beta_cls"}) hex(s, 1);
    base::write_file(save.string(), out.str());
}

} // namespace mantissa::sim
