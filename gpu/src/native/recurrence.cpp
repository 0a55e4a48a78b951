// Native solves by a recurrence of the library, preconditioned from the right: it runs on A D^-1, whose entries are
// formed once, so that it costs an iteration nothing, and the residual is the system's own.
#include <string>
#include <utility>

#include "device_threads.hpp"
#include "mantissa/recurrence/native_solver.hpp"
#include "native.hpp"
#include "recurrence/recurrence.hpp"

namespace mantissa::gpu {

namespace {

SlicedOptions sliced_options(const CompressedRows& a, SparseFormat format) {
    return format == SparseFormat::sell_lengths ? sell_by_lengths(a, device_threads()) : kPlainSell;
}

} // namespace

std::string recurrence_refusal(const System& system, const recurrence::Definition& definition) {
    const std::string name(definition.name.view());
    if (!has_device_recurrence(definition))
        return "recurrence " + name + ": engine gpu has no native kernels for it; use --engine emulated";
    if (system.kind() == System::Kind::stencil)
        return "recurrence " + name + ": engine gpu's native kernels take rows, and this is a constant stencil; " +
               "leave the recurrence out for CG";
    return {};
}

std::unique_ptr<NativeSolver> make_native_recurrence(const CompressedRows& a, bool single, const NativeChoice& choice,
                                                     std::optional<SparseFormat> format) {
    const recurrence::Definition& definition = *choice.recurrence;
    NativeFacts facts;
    facts.columns = facts.rows = a.rows();
    facts.why_not = std::string(definition.name.view()) + " runs on one device and streams its matrix";
    PickedPlan plan = pick_plan(facts, choice.plan);
    const SparseFormat sliced = format.value_or(stream_format(a));
    // (Complex blocks are rows like others here.)
    const bool by_lengths = sliced == SparseFormat::sell_lengths;
    plan.why += by_lengths ? "; in SELL by lengths" : "; in SELL";
    const SparseFormat as = by_lengths ? SparseFormat::sell_lengths : SparseFormat::sell;
    std::vector<double> inverse = recurrence::inverse_diagonal(a, choice.jacobi);
    auto runner =
        make_device_recurrence(definition, recurrence::with_columns_scaled(a, inverse), sliced_options(a, as), single);
    return recurrence::make_restarted(a, std::move(plan), single, std::move(inverse), std::move(runner));
}

} // namespace mantissa::gpu
