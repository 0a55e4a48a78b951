#include "mantissa/gpu/word_cycle.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "../peers/part_timer.hpp"
#include "mantissa/format.hpp"
#include "mantissa/gpu/device.hpp"
#include "placement.hpp"

namespace mantissa::gpu {

using namespace cycle_words;

std::string to_string(WordSolveEnd end) {
    switch (end) {
    case WordSolveEnd::converged:
        return "converged";
    case WordSolveEnd::cycles:
        return "cycles";
    default:
        return "overflow";
    }
}

struct WordCycle::State {
    int n = 0;
    bool in_double = false;
    MadePlan made;
    OuterPlan outer;
    SolveKernel kernel;
    Placement placement;

    State(std::shared_ptr<Peers> peers, int level, const WordStencil& stencil, const CycleSpec& spec);
    WordSolveReport run(int repeats, double norm_b);
    [[nodiscard]] Outcome outcome() const {
        Outcome out;
        check(cudaMemcpy(&out, placement.parts().front().tally[0].outcome, sizeof(out), cudaMemcpyDeviceToHost),
              "cudaMemcpy");
        return out;
    }
    /// The iterate after so many cycles.
    template <class T> void download(std::span<T> u, int cycles) const { placement.download(u.data(), cycles & 1); }
    /// b as the kernel reads it, its edge zero. Returns its 2-norm.
    template <class T> double upload_b(std::span<const T> b) {
        const std::size_t side = static_cast<std::size_t>(n) + 1;
        std::vector<double> squares_of(side); // by rows, so that threads do not matter
        std::uint64_t bits = 0;
#pragma omp parallel for schedule(static) reduction(| : bits)
        for (std::size_t y = 1; y < side - 1; ++y) {
            double sum = 0;
            for (std::size_t x = 1; x + 1 < side; ++x) {
                const T value = b[y * side + x];
                sum += static_cast<double>(value) * static_cast<double>(value);
                if constexpr (std::is_integral_v<T>)
                    bits |= value < 0 ? -static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
            }
            squares_of[y] = sum;
        }
        const double squares = std::accumulate(squares_of.begin(), squares_of.end(), 0.0);
        outer.length_b = std::bit_width(bits);
        const auto row = [&](auto* from, std::size_t y) { return std::span(from + y * side, side); };
        const auto edge_is_zero = [&] {
            const auto zero = [](T x) { return x == T{}; };
            for (std::size_t y = 1; y + 1 < side; ++y)
                if (!zero(b[y * side]) || !zero(b[(y + 1) * side - 1])) return false;
            return std::ranges::all_of(row(b.data(), 0), zero) && std::ranges::all_of(row(b.data(), side - 1), zero);
        };
        if (edge_is_zero()) {
            placement.upload_b(b.data());
            return std::sqrt(squares);
        }
        std::vector<T> inner(b.begin(), b.end());
        for (const std::size_t y : {std::size_t{0}, side - 1}) std::ranges::fill(row(inner.data(), y), T{});
        for (std::size_t y = 1; y + 1 < side; ++y) inner[y * side] = inner[(y + 1) * side - 1] = T{};
        placement.upload_b(inner.data());
        return std::sqrt(squares);
    }
};

WordCycle::State::State(std::shared_ptr<Peers> peers, int level, const WordStencil& stencil, const CycleSpec& spec)
    : n(1 << level), in_double(spec.in_double), made(make_plan(level, stencil, spec, peers->parts())),
      placement(std::move(peers), made) {
    const Sizes& size = made.size;
    const bool short_stored = size.defect == 2;
    outer.stored_bits = short_stored ? kShortStored : kLongStored;
    outer.headroom = !short_stored ? 2 : made.plan.level[0].w <= 10 ? 1 : 0;
    if (placement.parts().size() == 1) kernel = in_double ? double_kernel() : words_kernel(made.words);
    else kernel = in_double ? parted_double_kernel() : parted_words_kernel(made.words);
    made.plan.ring = small_words(made.plan.level[made.plan.first_small].n) * static_cast<int>(size.sum);
    made.plan.ring = (made.plan.ring + 15) / 16 * 16;
}

WordSolveReport WordCycle::State::run(int repeats, double norm_b) {
    Peers& peers = placement.peers();
    for (const int device : peers.distinct()) {
        const OnDevice here(device);
        const std::vector<PartPlan> parts = placement.tell(device, made.plan, outer);
        kernel.load(made.plan, outer, parts);
    }
    const Sizes& size = made.size;
    const std::size_t entering = std::max(size.defect, size.sum);
    const std::size_t lane = 2 * size.wide + size.found + size.leaving / 2 + entering; // of a column, upwards
    const std::size_t rings = kThreads * std::max(2 * rows_up(2) * lane, 4 * kRowsDown * entering);
    WordSolveReport report;
    for (int i = 0; i < repeats; ++i) {
        placement.reset();
        PartTimer timer(peers, 0);
        peers.launch(kernel.kernel, peers.multiprocessors(), kThreads,
                     static_cast<std::size_t>(made.plan.ring) + rings);
        timer.stop();
        peers.wait();
        report.seconds = i == 0 ? timer.seconds() : std::min(report.seconds, timer.seconds());
    }
    const Outcome out = outcome();
    report.end = static_cast<WordSolveEnd>(out.stop);
    report.cycles = out.cycles;
    report.rebuilt = out.rebuilt;
    for (int k = 0; k <= std::min(out.cycles, kHistory - 1); ++k) {
        double norm = 0;
        if (in_double) norm = std::sqrt(std::bit_cast<double>(out.squares[k]));
        else norm = std::ldexp(std::sqrt(static_cast<double>(out.squares[k])), out.stored[k] - 1);
        report.residual.push_back(norm_b > 0 ? norm / norm_b : 0);
    }
    return report;
}

namespace {

/// A part by itself, on the current device.
std::shared_ptr<Peers> this_device() {
    static_cast<void>(require_device());
    int device = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    return std::make_shared<Peers>(std::vector<int>{device});
}

} // namespace

WordCycle::WordCycle(int level, const WordStencil& stencil, const CycleSpec& spec)
    : WordCycle(this_device(), level, stencil, spec) {}

WordCycle::WordCycle(std::shared_ptr<Peers> over, int level, const WordStencil& stencil, const CycleSpec& spec) {
    if (level < 3 || level > 14) throw InvalidInput(fmt::format("level {}: give 3 to 14", level));
    state_ = std::make_unique<State>(std::move(over), level, stencil, spec);
}
int WordCycle::most_parts(int level) {
    return cycle_words::most_parts(level);
}
WordCycle::WordCycle(WordCycle&&) noexcept = default;
WordCycle& WordCycle::operator=(WordCycle&&) noexcept = default;
WordCycle::~WordCycle() = default;

std::size_t WordCycle::nodes() const {
    return (static_cast<std::size_t>(state_->n) + 1) * (static_cast<std::size_t>(state_->n) + 1);
}

WordCorrection WordCycle::correct(std::span<const std::int64_t> d) {
    if (state_->in_double) throw InvalidInput("a cycle in double has no words");
    static_cast<void>(state_->upload_b(d));
    OuterPlan& outer = state_->outer;
    outer.raw = true;
    outer.most_cycles = 1;
    std::ranges::fill(outer.limit, 0ULL);
    static_cast<void>(state_->run(1, 0));
    outer.raw = false;
    WordCorrection c;
    c.words.resize(nodes());
    state_->download(std::span(c.words), 1);
    c.point = state_->outcome().point;
    return c;
}

WordSolveReport WordCycle::solve(std::span<const std::int64_t> b, const WordSolveRequest& request,
                                 std::span<std::int64_t> u, int repeats) {
    if (state_->in_double) throw InvalidInput("a cycle in double solves systems in double");
    OuterPlan& outer = state_->outer;
    const double norm = state_->upload_b(b), limit = request.tolerance * norm;
    outer.most_cycles = request.most_cycles;
    for (int p = 0; p < 64; ++p)
        outer.limit[p] = static_cast<unsigned long long>(std::min(0x1p63, std::ldexp(limit * limit, 2 - 2 * p)));
    WordSolveReport report = state_->run(repeats, norm);
    state_->download(u, report.cycles);
    return report;
}

WordSolveReport WordCycle::solve(std::span<const double> b, const WordSolveRequest& request, std::span<double> u,
                                 int repeats) {
    if (!state_->in_double) throw InvalidInput("a cycle in words solves systems in integers");
    OuterPlan& outer = state_->outer;
    const double norm = state_->upload_b(b), limit = request.tolerance * norm;
    outer.most_cycles = request.most_cycles;
    outer.real_limit = limit * limit;
    WordSolveReport report = state_->run(repeats, norm);
    state_->download(u, report.cycles);
    return report;
}

double WordCycle::bytes_per_node() const {
    const Sizes& size = state_->made.size;
    const CyclePlan& plan = state_->made.plan;
    const auto bytes = [](std::size_t count, double times) { return static_cast<double>(count) * times; };
    const double steps = plan.after > 0 ? 1 : 0;
    double all = bytes(size.defect, 2 + steps) + bytes(size.found, 2) + bytes(size.wide, 3) +
                 0.25 * bytes(size.sum, 1) + 0.25 * bytes(size.leaving, 1);
    double share = 0.25;
    for (int l = 1; l < plan.first_small; ++l, share /= 4)
        all += share * (bytes(size.sum, 1 + steps) + bytes(size.found, 2) + bytes(size.leaving, 1) +
                        0.25 * bytes(size.sum, 1) + 0.25 * bytes(size.leaving, 1));
    return all;
}

} // namespace mantissa::gpu
