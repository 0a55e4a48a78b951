#include "mantissa/sim/cycle_core.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "../../model/cycle_abi.h"
#include "../model_library.hpp"
#include "../upsets/places.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/multilevel/cycle_clocks.hpp"
#include "mantissa/multilevel/words.hpp"
#include "mantissa/sim/upsets.hpp"

namespace mantissa::sim {

namespace {

using multilevel::GridPlan, multilevel::GridWords, multilevel::WordOutcome, multilevel::WordRequest;

/// fx_cycle's registers (rtl/cycle/cycle_registers.svh), and what is in them.
enum Register : std::uint32_t {
    kControl = 0x08,
    kStatus = 0x0C,
    kLevel = 0x10,
    kCycles = 0x14,
    kMode = 0x18,
    kLimitExponent = 0x1C,
    kLimit = 0x20,
    kCount = 0x28,
    kPoint = 0x38,
    kClocks = 0x40
};
constexpr std::uint32_t kFaultDetected = 1U << 11; // of STATUS
constexpr std::uint32_t kStart = 1, kAbort = 2, kAlone = 1, kMostCycles = 0xFFFF'FFFF;
enum End : std::uint32_t { kReached, kEndCycles, kExact, kOverflow };

constexpr int kSharedLevel = 7;        ///< a model for all grids up to it
constexpr std::size_t kMostLevel = 12; ///< half a gigabyte of vectors, and minutes a cycle
constexpr int kMostCentre = 512;       ///< of the stencil's integers
constexpr std::size_t kStepNames = 4;
constexpr int kMostCores = 16, kMostLanes = 256;

class CycleCore final : public multilevel::WordSolver {
public:
    CycleCore(std::size_t level, const std::string& model, const RtlOptions& options, bool checks)
        : library_(model, "mantissa_cycle_model", MANTISSA_CYCLE_VERSION), state_(api().create()),
          counts_(options.counts), trial_(options.trial), checks_(checks), level_(static_cast<std::uint32_t>(level)),
          side_(std::size_t{1} << level) {
        if (trial_) begin_trial(*trial_, api(), state_);
    }
    CycleCore(const CycleCore&) = delete;
    CycleCore& operator=(const CycleCore&) = delete;
    ~CycleCore() override { api().destroy(state_); }

    WordOutcome solve(std::span<const std::int64_t> b, const WordRequest& request,
                      std::vector<std::int64_t>& u) override {
        if (request.most_cycles == 0 && !request.alone)
            throw InvalidInput("the cycle core runs one cycle or more; give a limit from 1");
        WordOutcome out;
        try {
            out = answered(b, request, u);
        } catch (const std::runtime_error& error) {
            if (!trial_ || !core_does_not_serve(error)) throw;
            out.end = CycleSolveEnd::fault; // a host's access to a bus that does not answer times out
        }
        if (out.end == CycleSolveEnd::fault) {
            if (!trial_) throw std::runtime_error("cycle model: the core has ended with a fault");
            ++trial_->faults;
            u.assign(b.size(), 0);
            api().reset(state_);
        }
        if (trial_) trial_->clocks = api().clock(state_);
        return out;
    }
    [[nodiscard]] bool trusted() const override { return false; }

private:
    /// Throws where the core does not answer.
    WordOutcome answered(std::span<const std::int64_t> b, const WordRequest& request, std::vector<std::int64_t>& u) {
        program(request);
        // The streams have neither the edge to the north nor that to the east.
        words_.clear();
        for (std::size_t y = 0; y < side_; ++y)
            for (std::size_t x = 0; x < side_; ++x)
                words_.push_back(static_cast<std::uint64_t>(b[y * (side_ + 1) + x]));
        api().load(state_, words_.data(), words_.size(), 0);
        write(kControl, kStart);
        WordOutcome out;
        const bool hung = api().run(state_, trial_ ? trial_->most_clocks : 0, saw, &out.history) != 0;
        if (hung) {
            trial_->hung = true;
            write(kControl, kAbort);
            out.end = CycleSolveEnd::fault;
            return out;
        }
        out.end = end();
        out.cycles = read(kCount);
        out.clocks = read(kClocks) | std::uint64_t{read(kClocks + 4)} << 32;
        if (out.cycles > (request.alone ? 1 : request.most_cycles)) { // a counter that an upset has moved
            out.cycles = 0;
            out.end = CycleSolveEnd::fault;
        }
        if (out.end == CycleSolveEnd::fault) {
            note_checks();
            return out;
        }
        if (counts_) {
            counts_->cycles += *out.clocks;
            counts_->passes += out.cycles;
        }
        const std::uint64_t got = api().send(state_, words_.data(), words_.size(), 0);
        if (got != words_.size()) {
            if (!trial_)
                throw std::runtime_error(fmt::format("cycle model: {} words of U, not {}", got, words_.size()));
            out.end = CycleSolveEnd::fault;
            return out;
        }
        if (checks_ && end() == CycleSolveEnd::fault) { // words of U are looked at on their way out, too
            out.end = CycleSolveEnd::fault;
            note_checks();
            return out;
        }
        u.assign(b.size(), 0);
        for (std::size_t y = 0; y < side_; ++y)
            for (std::size_t x = 0; x < side_; ++x)
                u[y * (side_ + 1) + x] = static_cast<std::int64_t>(words_[y * side_ + x]);
        if (request.alone && !point_correction(u)) out.end = CycleSolveEnd::overflow;
        return out;
    }
    /// Of a cycle alone the core hands out e and the shift that makes c of it. False where a word does not fit.
    bool point_correction(std::vector<std::int64_t>& u) {
        const auto shift = static_cast<std::int32_t>(read(kPoint));
        bool fits = true;
        for (std::int64_t& word : u) {
            word = multilevel::half(word, shift);
            fits = fits && std::abs(word) < std::int64_t{1} << multilevel::kMostWordBits;
        }
        return fits;
    }
    void program(const WordRequest& request) {
        const std::uint64_t most = request.alone ? 1 : std::min<std::uint64_t>(request.most_cycles, kMostCycles);
        write(kLevel, level_);
        write(kMode, request.alone ? kAlone : 0);
        write(kCycles, static_cast<std::uint32_t>(most));
        write(kLimit, static_cast<std::uint32_t>(request.tolerance.t));
        write(kLimit + 4, static_cast<std::uint32_t>(request.tolerance.t >> 32));
        write(kLimitExponent, static_cast<std::uint32_t>(request.tolerance.point));
    }
    /// Was it one of the core's checks that ended the run?
    void note_checks() {
        if (trial_ && (read(kStatus) & kFaultDetected) != 0) ++trial_->detected;
    }
    static void saw(void* at, const mantissa_verdict* now) {
        static_cast<std::vector<multilevel::WordVerdict>*>(at)->push_back({now->exponent, now->squares});
    }
    [[nodiscard]] CycleSolveEnd end() {
        switch ((read(kStatus) >> 4) & 15) {
        case kReached:
        case kExact:
            return CycleSolveEnd::reached;
        case kEndCycles:
            return CycleSolveEnd::limit;
        case kOverflow:
            return CycleSolveEnd::overflow;
        default:
            return CycleSolveEnd::fault;
        }
    }
    [[nodiscard]] const mantissa_cycle_api& api() const { return library_.api(); }
    void write(std::uint32_t address, std::uint32_t value) { api().write_register(state_, address, value); }
    [[nodiscard]] std::uint32_t read(std::uint32_t address) { return api().read_register(state_, address); }

    OpenLibrary<mantissa_cycle_api> library_;
    mantissa_cycle_state* state_;
    std::shared_ptr<CycleCounts> counts_;
    std::shared_ptr<UpsetTrial> trial_;
    bool checks_; // the core's parameter Checks
    std::uint32_t level_;
    std::size_t side_;                 // nodes a row in the streams
    std::vector<std::uint64_t> words_; // of D, then of U
};

/// M0 and S0, M1 and S1, ...: weights in the order of their use.
void append_steps(CoreParameters& list, const std::vector<multilevel::StepWeight>& steps,
                  const std::array<std::pair<const char*, const char*>, kStepNames>& names) {
    for (std::size_t k = 0; k < steps.size(); ++k) {
        list.emplace_back(names.at(k).first, steps[k].significand);
        list.emplace_back(names.at(k).second, steps[k].shift);
    }
}

} // namespace

std::string cycle_core_refusal(const GridWords& grid, const CycleSpec& spec, int cores) {
    if (grid.levels() > kMostLevel)
        return fmt::format("preconditioner multilevel: a simulated core has cycles for grids of up to 2^{} + 1 nodes a "
                           "side; take mantissa solve --engine hls",
                           kMostLevel);
    if (grid.centre > kMostCentre)
        return fmt::format("preconditioner multilevel: the cycle core's stencils have integers of up to {}, and this "
                           "one's middle is {}; take mantissa solve --engine hls",
                           kMostCentre, grid.centre);
    const GridPlan plan = multilevel::grid_plan(grid, spec);
    const auto& first = plan.level.front();
    const bool alike = std::all_of(plan.level.begin(), plan.level.end(), [&](const auto& level) {
        return level.w == first.w && level.f == first.f && level.e == first.e && level.phi == first.phi;
    });
    if (!alike)
        return fmt::format("preconditioner multilevel:{}: the cycle core has the same bits on all levels; give one "
                           "number for each of w, f and e, or take mantissa solve --engine hls",
                           to_string(spec));
    return cycle_cores_refusal(spec, static_cast<int>(grid.levels()), cores);
}

std::string cycle_lanes_refusal(int lanes, int level) {
    const int most = std::min(kMostLanes, 1 << level);
    if (lanes >= 1 && lanes <= most && std::has_single_bit(static_cast<unsigned>(lanes))) return {};
    return fmt::format("lanes {}: a cycle core has a power of two, up to {} on rows of 2^{} nodes", lanes, most, level);
}

std::string cycle_cores_refusal(const CycleSpec& spec, int level, int cores) {
    if (cores < 1 || cores > kMostCores) return fmt::format("cores {}: give 1 to {} cycle cores", cores, kMostCores);
    const multilevel::CycleSlabs slabs(static_cast<std::size_t>(spec.before), static_cast<std::size_t>(spec.after),
                                       cores);
    if (slabs.split <= level) return {};
    return fmt::format(
        "cores {}: a grid of 2^{} + 1 nodes a side has too few rows for as many, of which each keeps {} rows "
        "of its neighbours; take fewer cores, or a grid of level {}",
        cores, level, slabs.halo, slabs.split);
}

CoreParameters cycle_core_parameters(const GridWords& grid, const CycleSpec& spec, int most, int stored, int lanes,
                                     int cores) {
    const GridPlan plan = multilevel::grid_plan(grid, spec);
    const auto& words = plan.level.front();
    CoreParameters list = {{"Lanes", lanes},
                           {"BusWords", multilevel::bus_words(lanes)},
                           {"W", words.w},
                           {"F", words.f},
                           {"E", words.e},
                           {"Guard", plan.guard},
                           {"Phi", words.phi},
                           {"Before", static_cast<int>(plan.before.size())},
                           {"After", static_cast<int>(plan.after.size())},
                           {"Centre", plan.centre},
                           {"East", plan.east},
                           {"North", plan.north},
                           {"Corner", plan.corner},
                           {"Z", plan.inverse},
                           {"ZC", plan.inverse_point},
                           {"MaxLevel", most},
                           {"StoredLevel", stored}};
    if (cores > 1) list.emplace_back("Cores", cores);
    append_steps(list, plan.before, {{{"M0", "S0"}, {"M1", "S1"}, {"M2", "S2"}, {"M3", "S3"}}});
    append_steps(list, plan.after, {{{"N0", "T0"}, {"N1", "T1"}, {"N2", "T2"}, {"N3", "T3"}}});
    return list;
}

std::unique_ptr<multilevel::WordSolver> make_cycle_core(const GridWords& grid, const CycleSpec& spec,
                                                        const RtlOptions& options) {
    // (Where upsets are looked for, memories are as long as the grid needs: bits that nothing reads would be masked.)
    const int least = options.trial ? 0 : kSharedLevel;
    const int level = std::max(least, static_cast<int>(grid.levels()));
    if (std::string why = cycle_lanes_refusal(options.cycle_lanes, level); !why.empty()) throw InvalidInput(why);
    ModelRequest request;
    request.parameters = cycle_core_parameters(grid, spec, level, level, options.cycle_lanes, options.cores);
    for (auto& [name, value] : request.parameters)
        if (name == "BusWords") value = 1; // the harness has a word a beat
    const bool checks = std::find(options.extra.begin(), options.extra.end(),
                                  std::pair<std::string, int>("Checks", 1)) != options.extra.end();
    if (checks) request.parameters.emplace_back("Checks", 1);
    return std::make_unique<CycleCore>(grid.levels(), trial_model(request, options), options, checks);
}

} // namespace mantissa::sim
