// From a DatapathSpec to the kernel's compile-time value, as C++ text.
#include <fmt/format.h>

#include "mantissa/hls/kernel.hpp"

namespace mantissa::hls {

namespace {

std::string text(const Format& f) {
    if (f.is_fixed())
        return fmt::format("{{{}, 0, {}, false, {}}}", f.fraction_bits, f.rounding == Rounding::nearest_up,
                           f.word_bits);
    return fmt::format("{{{}, {}, {}, {}}}", f.fraction_bits, f.exponent_bits, !f.truncates(),
                       !f.truncates() && f.overflow == Overflow::saturate);
}

const char* form(const DatapathSpec& spec, System::Kind kind) {
    if (kind == System::Kind::sparse) return "gathered";
    if (spec.fixed_vectors()) return kind == System::Kind::stencil ? "integers" : "flux";
    switch (spec.order) {
    case RowOrder::tree:
        return "tree";
    case RowOrder::flux:
        return "flux";
    case RowOrder::second_difference:
        return "second_difference";
    case RowOrder::chain:
        break;
    }
    return "chain";
}

constexpr std::string_view kStencil = " stencil", kStreamed = " streamed", kSparse = " sparse",
                           kChebyshev = " chebyshev";

} // namespace

std::string kernel_name(const DatapathSpec& spec, System::Kind kind, Recurrence recurrence) {
    const std::string_view suffix = recurrence == Recurrence::chebyshev ? kChebyshev : std::string_view();
    if (!spec.fixed_vectors()) return to_string(spec).append(suffix);
    DatapathSpec words = spec;
    words.order = RowOrder::chain;
    return to_string(words)
        .append(kind == System::Kind::stencil  ? kStencil
                : kind == System::Kind::sparse ? kSparse
                                               : kStreamed)
        .append(suffix);
}

KernelName parse_kernel_name(const std::string& name) {
    const std::string spec = name.substr(0, name.find(' '));
    const auto has = [&](std::string_view word) { return name.find(word) != std::string::npos; };
    return {parse_spec(spec),
            has(kStreamed) ? System::Kind::symmetric
            : has(kSparse) ? System::Kind::sparse
                           : System::Kind::stencil,
            has(kChebyshev) ? Recurrence::chebyshev : Recurrence::pipelined};
}

std::string kernel_source(const DatapathSpec& spec, System::Kind kind, Recurrence recurrence,
                          const std::string& symbol) {
    // Exact products into floating sums are values of the accumulator's format, so that is where they are formed.
    // Fields that a datapath does not use get some floating format.
    const bool sparse = kind == System::Kind::sparse;
    const DotSpec& dot = spec.dot;
    const Format none{52, 11};
    const bool window = dot.fixed || dot.exact;
    const Format product = spec.fixed_vectors() ? none
                           : dot.exact_product  ? (dot.fixed ? spec.r : dot.accumulator)
                                                : dot.product;
    const Format accumulator = window ? none : dot.accumulator;
    return fmt::format(R"(#include "mantissa_hls/{}instantiate.hpp"
namespace {{
constexpr mantissa_hls::Datapath kDatapath{{
    .u = {}, .r = {}, .p = {}, .q = {}, .coefficient = {}, .operand = {}, .row = {},
    .form = mantissa_hls::RowForm::{}, .exact = {}, .fixed = {}, .msb = {}, .lsb = {}, .accumulator = {},
    .partials = {}, .exact_product = {}, .product = {}, .scalar = {}, .lanes = {},
    .given = {}}};
constexpr mantissa_hls::Kernel kKernel = mantissa_hls::{}<kDatapath>::kernel("{}");
}} // namespace
extern "C" __attribute__((visibility("default"))) const mantissa_hls::Kernel* {}();
const mantissa_hls::Kernel* {}() {{ return &kKernel; }}
)",
                       sparse ? "sparse/" : "", text(spec.u), text(spec.r), text(spec.p), text(spec.q),
                       text(spec.coefficient), text(spec.operand), text(spec.fixed_vectors() ? none : spec.row),
                       form(spec, kind), dot.exact, dot.fixed, dot.fixed ? dot.window.msb : 13,
                       dot.fixed ? dot.window.lsb : -50, text(accumulator), window ? 1 : spec.partials(),
                       dot.exact_product, text(product), text(spec.scalar), spec.lanes,
                       recurrence == Recurrence::chebyshev, sparse ? "SparseInstance" : "Instance",
                       kernel_name(spec, kind, recurrence), symbol, symbol);
}

} // namespace mantissa::hls
