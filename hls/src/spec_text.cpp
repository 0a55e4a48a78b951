// From a DatapathSpec to the kernel's compile-time value, as C++ text.
#include <fmt/format.h>

#include "mantissa/hls/kernel.hpp"

namespace mantissa::hls {

namespace {

std::string text(const Format& f) {
    return fmt::format("{{{}, {}, {}, {}}}", f.fraction_bits, f.exponent_bits, !f.truncates(),
                       !f.truncates() && f.overflow == Overflow::saturate);
}

} // namespace

std::string kernel_source(const DatapathSpec& spec, const std::string& symbol) {
    // Exact products into floating sums are values of the accumulator's format, so that is where they are formed.
    const DotSpec& dot = spec.dot;
    const Format product = dot.exact_product ? (dot.fixed ? spec.r : dot.accumulator) : dot.product;
    const Format accumulator = dot.fixed ? Format{52, 11} : dot.accumulator;
    return fmt::format(R"(#include "mantissa_hls/instantiate.hpp"
namespace {{
constexpr mantissa_hls::Datapath kDatapath{{
    .u = {}, .r = {}, .p = {}, .q = {}, .coefficient = {}, .operand = {}, .row = {}, .tree = {},
    .fixed = {}, .msb = {}, .lsb = {}, .accumulator = {}, .partials = {}, .exact_product = {}, .product = {},
    .scalar = {}, .lanes = {}}};
constexpr mantissa_hls::Kernel kKernel = mantissa_hls::Instance<kDatapath>::kernel("{}");
}} // namespace
extern "C" __attribute__((visibility("default"))) const mantissa_hls::Kernel* {}();
const mantissa_hls::Kernel* {}() {{ return &kKernel; }}
)",
                       text(spec.u), text(spec.r), text(spec.p), text(spec.q), text(spec.coefficient),
                       text(spec.operand), text(spec.row), spec.order == RowOrder::tree, dot.fixed,
                       dot.fixed ? dot.window.msb : 13, dot.fixed ? dot.window.lsb : -50, text(accumulator),
                       dot.fixed ? 1 : spec.partials(), dot.exact_product, text(product), text(spec.scalar), spec.lanes,
                       to_string(spec), symbol, symbol);
}

std::string refusal(const std::string& engine, const DatapathSpec& spec, const System& system,
                    const SessionOptions& options) {
    try {
        spec.validate();
    } catch (const InvalidInput& e) {
        return e.what();
    }
    if (const std::string why = beyond_products(spec); !why.empty()) return why;
    if (options.recurrence != Recurrence::pipelined)
        return fmt::format(
            "engine '{}': it is a pipelined datapath and has no plain recurrence; use the emulated engine", engine);
    const Format formats[] = {spec.u,
                              spec.r,
                              spec.p,
                              spec.q,
                              spec.coefficient,
                              spec.operand,
                              spec.row,
                              spec.scalar,
                              spec.dot.fixed ? spec.r : spec.dot.accumulator,
                              spec.dot.exact_product ? spec.r : spec.dot.product};
    for (const Format& f : formats)
        if (!f.flushes())
            return fmt::format("engine '{}': datapath '{}' has a format with subnormals ({}), and the hardware flushes "
                               "them; leave out ':subnormals' and the IEEE names, or use the emulated engine",
                               engine, to_string(spec), to_string(f));
    if (system.kind() == System::Kind::sparse)
        return fmt::format("engine '{}': it has a line buffer, for stencil and nine-band systems on a grid; use the "
                           "emulated engine for sparse rows",
                           engine);
    if (system.kind() == System::Kind::symmetric)
        return fmt::format(
            "engine '{}': it streams nine bands: give symmetric bands as nine (SymmetricBands::bands()) or "
            "use the emulated engine",
            engine);
    if (system.row_length() > static_cast<std::size_t>(mantissa_hls::kMaxRow))
        return fmt::format("engine '{}': rows of {} elements, and its line buffer holds {}; take a smaller grid or the "
                           "emulated engine",
                           engine, system.row_length(), mantissa_hls::kMaxRow);
    return {};
}

} // namespace mantissa::hls
