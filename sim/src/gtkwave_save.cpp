#include "gtkwave_save.hpp"

#include <filesystem>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "mantissa/base/files.hpp"

namespace mantissa::sim {

namespace {

/// Signals of one scope, in groups.
class SaveFile {
public:
    SaveFile(const std::string& fst_path, std::string scope, const char* title)
        : path_(std::filesystem::path(fst_path).replace_extension(".gtkw").string()), scope_(std::move(scope)) {
        out_ << "[*] Mantissa: " << title << "\n";
        out_ << "[dumpfile] \"" << std::filesystem::path(fst_path).filename().string() << "\"\n";
        out_ << "[timestart] 0\n[sst_width] 240\n[signals_width] 320\n";
    }
    void group(const char* title) { out_ << "@200\n-" << title << "\n"; }
    void wire(const std::string& signal) { out_ << "@28\n" << scope_ << signal << "\n"; }
    void hex(const std::string& signal, int msb) {
        out_ << "@22\n" << scope_ << signal << (msb > 0 ? fmt::format("[{}:0]", msb) : "") << "\n";
    }
    void stream(const std::string& name) {
        for (const char* s : {"tvalid", "tready", "tlast"}) wire(fmt::format("{}_{}", name, s));
    }
    void operands(const DatapathSpec& spec) {
        group("alpha and beta as operands");
        for (const char* s : {"alpha_op", "beta_op"}) hex(s, spec.operand.width() - 1);
        for (const char* s : {"alpha_cls", "beta_cls"}) hex(s, 1);
    }
    void write() const { base::write_file(path_, out_.str()); }

private:
    std::string path_, scope_;
    std::ostringstream out_;
};

} // namespace

void write_gtkwave_save(const std::string& fst_path, const DatapathSpec& spec, bool several) {
    const bool integer = spec.fixed_vectors();
    SaveFile save(fst_path, several ? "model.model_top.core.g_core[0].i_core." : "model.model_top.core.",
                  "one pass of the pipelined CG core");
    save.group("control");
    save.wire("clk_i");
    save.wire("rst_ni");
    save.hex("i_control.in_q", 10);
    if (!integer) save.hex("i_control.left_q", 31); // as long as the integer core's LenW
    save.hex("pass_count", 31);
    save.wire("en");
    save.hex("waiting_o", 16);
    save.hex("errors", 8);
    save.wire("m_axis_pass_tvalid");
    save.wire("m_axis_pass_tready");
    save.hex("m_axis_pass_tdata", 7);
    save.group("streams in");
    for (const char* v : {"u", "r", "p", "q"}) save.stream(fmt::format("s_axis_{}", v));
    if (!integer) {
        save.hex("s_axis_band_tvalid", 8);
        save.hex("s_axis_band_tready", 8);
    }
    save.group("streams out");
    for (const char* v : {"u", "r", "p", "q"}) save.stream(fmt::format("m_axis_{}", v));
    save.operands(spec);
    save.write();
}

void write_sparse_gtkwave_save(const std::string& fst_path, const DatapathSpec& spec) {
    SaveFile save(fst_path, "TOP.sp_core.", "one pass of the sparse core");
    save.group("control");
    save.wire("clk_i");
    save.wire("rst_ni");
    save.hex("i_control.in_q", 10);
    save.hex("pass_count", 31);
    save.wire("linear");
    save.hex("errors", 8);
    save.wire("m_axis_pass_tvalid");
    save.wire("m_axis_pass_tready");
    save.group("the matrix");
    save.stream("s_axis_row");
    save.group("vectors in and out");
    save.stream("s_axis_word");
    save.hex("s_axis_word_tuser", 1);
    save.wire("s_axis_ask_tvalid");
    save.wire("s_axis_ask_tready");
    save.stream("m_axis_word");
    save.operands(spec);
    save.write();
}

} // namespace mantissa::sim
