// Native solves by a recurrence of the library, preconditioned from the right: it runs on A D^-1, whose entries are
// formed once, so that it costs an iteration nothing, and the residual is the system's own.
#include <string>
#include <utility>

#include <fmt/format.h>

#include "device_threads.hpp"
#include "mantissa/gpu/device.hpp"
#include "mantissa/recurrence/native_solver.hpp"
#include "native.hpp"
#include "recurrence/recurrence.hpp"

namespace mantissa::gpu {

namespace {

SlicedOptions sliced_options(const CompressedRows& a, SparseFormat format) {
    return format == SparseFormat::sell_lengths ? sell_by_lengths(a, device_threads()) : kPlainSell;
}

std::string name_of(const NativeChoice& choice) {
    return choice.restart != 0 ? "gmres" : std::string(choice.recurrence->name.view());
}

/// A basis of restart + 1 vectors, and a few others.
void require_room_for_basis(std::size_t rows, std::size_t restart, bool single) {
    const double bytes = static_cast<double>(restart + 5) * static_cast<double>(rows) * (single ? 4 : 8);
    std::size_t free = 0, all = 0;
    check(cudaMemGetInfo(&free, &all), "cudaMemGetInfo");
    if (bytes > static_cast<double>(free))
        throw InvalidInput(fmt::format("gmres({}): its basis takes {:.1f} GB, and the device has {:.1f} GB free; give "
                                       "fewer steps, or bicgstab",
                                       restart, 1e-9 * bytes, 1e-9 * static_cast<double>(free)));
}

} // namespace

std::string recurrence_refusal(const System& system, const NativeChoice& choice) {
    const std::string name = name_of(choice);
    if (choice.restart == 0 && !has_device_recurrence(*choice.recurrence))
        return "recurrence " + name + ": engine gpu has no native kernels for it; use --engine emulated";
    if (system.kind() == System::Kind::stencil)
        return "recurrence " + name + ": engine gpu's native kernels take rows, and this is a constant stencil; " +
               "leave the recurrence out for CG";
    return {};
}

std::unique_ptr<NativeSolver> make_native_recurrence(const CompressedRows& a, bool single, const NativeChoice& choice,
                                                     std::optional<SparseFormat> format) {
    NativeFacts facts;
    facts.columns = facts.rows = a.rows();
    facts.why_not = name_of(choice) + " runs on one device and streams its matrix";
    PickedPlan plan = pick_plan(facts, choice.plan);
    const SparseFormat sliced = format.value_or(stream_format(a));
    // (Complex blocks are rows like others here.)
    const bool by_lengths = sliced == SparseFormat::sell_lengths;
    plan.why += by_lengths ? "; in SELL by lengths" : "; in SELL";
    const SparseFormat as = by_lengths ? SparseFormat::sell_lengths : SparseFormat::sell;
    std::vector<double> inverse = recurrence::inverse_diagonal(a, choice.jacobi);
    const CompressedRows scaled = recurrence::with_columns_scaled(a, inverse);
    const SlicedOptions options = sliced_options(a, as);
    if (choice.restart != 0) require_room_for_basis(a.rows(), choice.restart, single);
    auto runner = choice.restart != 0 ? make_device_gmres(scaled, options, choice.restart, single)
                                      : make_device_recurrence(*choice.recurrence, scaled, options, single,
                                                               recurrence::given_of(choice));
    return recurrence::make_restarted(a, std::move(plan), single, std::move(inverse), std::move(runner));
}

} // namespace mantissa::gpu
