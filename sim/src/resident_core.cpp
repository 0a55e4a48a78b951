#include "mantissa/sim/resident_core.hpp"

#include <algorithm>
#include <bit>
#include <exception>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "../model/resident_abi.h"
#include "mantissa/errors.hpp"
#include "mantissa/exact.hpp"
#include "model_library.hpp"
#include "resident_registers.hpp"
#include "upsets/places.hpp"

namespace mantissa::sim {

namespace {

namespace rc = resident_core;
constexpr std::size_t kSmallest = 8192; // elements; level 6 has 4225
constexpr std::uint32_t kStart = 1, kAbort = 2;
constexpr std::uint32_t kOverV = 1U << 9, kOverD = 1U << 10, kFaultDetected = 1U << 11;

/// A model of fx_resident, opened for as long as this lives, and one instance of it.
class ResidentModel {
public:
    explicit ResidentModel(const std::string& path)
        : library_(path, "mantissa_resident_model", MANTISSA_RESIDENT_VERSION), state_(api().create()) {}
    ResidentModel(const ResidentModel&) = delete;
    ResidentModel& operator=(const ResidentModel&) = delete;
    ~ResidentModel() { api().destroy(state_); }
    void reset() { api().reset(state_); }
    void write(std::uint32_t address, std::uint32_t value) { api().write_register(state_, address, value); }
    void write_pair(std::uint32_t address, std::uint64_t value) {
        write(address, static_cast<std::uint32_t>(value));
        write(address + 4, static_cast<std::uint32_t>(value >> 32));
    }
    [[nodiscard]] std::uint32_t read(std::uint32_t address) { return api().read_register(state_, address); }
    [[nodiscard]] std::uint64_t read_pair(std::uint32_t address) {
        return read(address) | (std::uint64_t{read(address + 4)} << 32);
    }
    void load(const std::vector<std::uint64_t>& words) { api().load(state_, words.data(), words.size(), 0); }
    /// How many words came.
    std::uint64_t send(std::vector<std::uint64_t>& words) { return api().send(state_, words.data(), words.size(), 0); }
    int run(std::uint64_t most, int (*accepted)(void*, const mantissa_accepted*), void* at) {
        return api().run(state_, most, accepted, at);
    }
    void begin(UpsetTrial& trial) { begin_trial(trial, api(), state_); }
    [[nodiscard]] std::uint64_t clock() { return api().clock(state_); }

private:
    [[nodiscard]] const mantissa_resident_api& api() const { return library_.api(); }

    OpenLibrary<mantissa_resident_api> library_;
    mantissa_resident_state* state_;
};

/// Elements of several cores (fx_resident_slab): with one lane whole rows, else whole tokens.
struct Shares {
    std::size_t each = 0, last = 0, halo = 0; ///< of each core but the last, of the last, and of a neighbour's kept
    Shares(std::size_t size, std::size_t row, int lanes, int cores) {
        const auto n = static_cast<std::size_t>(cores), token = static_cast<std::size_t>(lanes);
        const std::size_t piece = lanes == 1 ? row : token, pieces = (size + piece - 1) / piece;
        each = (pieces + n - 1) / n * piece;
        last = each * (n - 1) < size ? size - each * (n - 1) : 0;
        halo = lanes == 1 ? row : (row / token + 2) * token;
    }
    /// Has each core as many as its neighbours keep of it?
    [[nodiscard]] bool enough() const { return std::min(each, last) >= halo; }
};

ResidentEnd end_of(std::uint32_t status) {
    switch ((status >> 4) & 15) {
    case rc::kEndConverged:
        return ResidentEnd::converged;
    case rc::kEndPasses:
        return ResidentEnd::passes;
    case rc::kEndExact:
        return ResidentEnd::exact;
    case rc::kEndIndefinite:
        return ResidentEnd::indefinite;
    case rc::kEndNotFinite:
        return ResidentEnd::not_finite;
    case rc::kEndWindowOverflow:
        return ResidentEnd::window_overflow;
    case rc::kEndOuterOverflow:
        return ResidentEnd::outer_overflow;
    default:
        return ResidentEnd::fault;
    }
}

class ResidentCore final : public ResidentSolver {
public:
    ResidentCore(const System& system, const DatapathSpec& spec, const std::string& model, const RtlOptions& options)
        : spec_(spec), cores_(options.cores), model_(model), row_length_(system.row_length()), v_(system.size()),
          trial_(options.trial), counts_(options.counts) {
        if (trial_) model_.begin(*trial_);
    }

    ResidentReport solve(std::span<const fixed::Word> b, const ResidentRequest& request) override {
        check(b, request);
        try {
            return answered(b, request);
        } catch (const std::runtime_error& error) {
            if (!core_does_not_serve(error)) throw;
            fault_ = error.what();
        }
        // A host's access to a bus that does not answer times out, and it resets the core.
        model_.reset();
        std::fill(v_.begin(), v_.end(), 0);
        if (trial_) {
            ++trial_->faults;
            trial_->clocks = model_.clock();
        }
        ResidentReport report;
        report.end = ResidentEnd::fault;
        return report;
    }
    void read(std::size_t first, std::span<fixed::Word> v) const override {
        if (first > v_.size() || v.size() > v_.size() - first)
            throw InvalidInput("resident: elements outside the vector; stay below the system's size");
        for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<fixed::Word>(v_[first + i]);
    }
    [[nodiscard]] std::string fault() const override { return fault_; }

private:
    /// Throws where the core does not answer.
    ResidentReport answered(std::span<const fixed::Word> b, const ResidentRequest& request) {
        program(request);
        std::vector<std::uint64_t> words(b.size());
        std::transform(b.begin(), b.end(), words.begin(), [](fixed::Word w) { return static_cast<std::uint64_t>(w); });
        model_.load(words);
        Watch watch{.spec = &spec_, .request = &request};
        model_.write(rc::kControl, kStart);
        const int how = model_.run(trial_ ? trial_->most_clocks : 0, Watch::accepted, &watch);
        if (trial_) trial_->hung |= how == 1;
        const bool stopped = how != 0;
        ResidentReport report = this->report();
        if (stopped) {
            model_.write(rc::kControl, kAbort);
            report.end = ResidentEnd::stopped;
        }
        if (watch.failure) std::rethrow_exception(watch.failure);
        report.history = std::move(watch.history);
        if (counts_) {
            counts_->cycles += *report.cycles;
            counts_->passes += report.passes;
        }
        fault_.clear();
        if (how == 1) fault_ = "watchdog: the solve has not ended";
        if (report.passes > request.max_passes || report.steps > report.passes) { // a counter that an upset has moved
            fault_ = fmt::format("PASS_COUNT is {} and STEPS {} after a solve of {} passes at most", report.passes,
                                 report.steps, request.max_passes);
            report.passes = std::min(report.passes, request.max_passes);
            report.steps = std::min(report.steps, report.passes);
        }
        take(report);
        if (trial_) {
            if (how == 0 && report.end == ResidentEnd::fault) ++trial_->faults;
            trial_->clocks = model_.clock();
        }
        return report;
    }

    /// What looks on while the model is clocked.
    struct Watch {
        const DatapathSpec* spec;
        const ResidentRequest* request;
        std::vector<ResidentPoint> history{};
        std::exception_ptr failure{};

        static int accepted(void* at, const mantissa_accepted* now) {
            auto& self = *static_cast<Watch*>(at);
            try {
                self.history.push_back({now->passes, now->steps, now->exponent, decode(self.spec->scalar, now->rr)});
                return !self.request->watch || self.ends() || self.request->watch(self.history.back()) ? 1 : 0;
            } catch (...) {
                self.failure = std::current_exception();
                return 0;
            }
        }
        /// Does the solve end here by itself? Who watches is not asked then.
        [[nodiscard]] bool ends() const { return history.back().passes >= request->max_passes; }
    };

    void check(std::span<const fixed::Word> b, const ResidentRequest& request) const {
        if (b.size() != v_.size())
            throw InvalidInput(
                fmt::format("resident: the right-hand side has {} elements and the system {}", b.size(), v_.size()));
        if (request.inner < 1) throw InvalidInput("resident: give 1 or more inner passes");
        if (request.relax < 0 || request.relax > kMostRelax)
            throw InvalidInput(fmt::format("resident: relax {}: give 0 to {} bits", request.relax, kMostRelax));
        const double t = request.tolerance.t;
        if (!(t >= 0) || exact::convert(spec_.scalar, t) != t)
            throw InvalidInput(fmt::format("resident: the tolerance's word {} is no value of {} from 0 up", t,
                                           to_string(spec_.scalar)));
        const auto most = [](std::uint64_t passes) { return passes > 0xFFFF'FFFF; };
        if (most(request.max_passes)) throw InvalidInput("resident: the core counts passes in 32 bits; give fewer");
        constexpr int kMost = 10000;
        if (std::abs(request.headroom) > kMost || std::abs(request.tolerance.x) > kMost)
            throw InvalidInput(
                fmt::format("resident: exponents have 16 bits; give a headroom and a tolerance within 2^{}", kMost));
    }
    /// V as the core sends it, its words checked on their way too. What they are worth after a fault is for who knows
    /// b to say.
    void take(ResidentReport& report) {
        const std::uint64_t got = model_.send(v_);
        if (got != v_.size()) {
            std::fill(v_.begin(), v_.end(), 0);
            fault_ = fmt::format("the core sent {} words of V, not {}", got, v_.size());
        }
        if (const std::uint32_t status = model_.read(rc::kStatus); (status & kFaultDetected) != 0) {
            fault_ = "fault_detected: one of the core's checks failed";
            report.end = end_of(status); // FAULT, whatever it was before
            return;
        }
        if (!fault_.empty()) report.end = ResidentEnd::fault;
    }
    void program(const ResidentRequest& request) {
        // A core that has lost its way ends by itself: no state stands longer than a pass over the words, four clocks
        // each at most, and what closes it.
        model_.write(rc::kStallLimit, static_cast<std::uint32_t>(4 * v_.size() + 16384));
        model_.write(rc::kLength, static_cast<std::uint32_t>(v_.size()));
        model_.write(rc::kRowLength, static_cast<std::uint32_t>(row_length_));
        if (cores_ > 1)
            model_.write(rc::kShare,
                         static_cast<std::uint32_t>(Shares(v_.size(), row_length_, spec_.lanes, cores_).each));
        model_.write(rc::kInner, static_cast<std::uint32_t>(std::min<std::uint64_t>(request.inner, 0xFFFF'FFFF)));
        model_.write(rc::kPasses, static_cast<std::uint32_t>(request.max_passes));
        model_.write_pair(rc::kTolerance, encode(spec_.scalar, request.tolerance.t));
        model_.write(rc::kToleranceExponent, static_cast<std::uint32_t>(request.tolerance.x));
        model_.write(rc::kHeadroom, static_cast<std::uint32_t>(request.headroom));
        model_.write(rc::kRelax, static_cast<std::uint32_t>(request.relax));
    }
    ResidentReport report() {
        const auto longest = [&](std::uint32_t address) {
            return static_cast<int>(std::bit_width(model_.read_pair(address))) + 1;
        };
        const std::uint32_t status = model_.read(rc::kStatus);
        ResidentReport report;
        report.end = end_of(status);
        report.passes = model_.read(rc::kPassCount);
        report.steps = model_.read(rc::kSteps);
        report.formed_again = model_.read(rc::kFormedAgain);
        report.overflows = model_.read(rc::kOverflows);
        report.sigma_guards = model_.read(rc::kSigmaGuards);
        report.headroom = static_cast<std::int32_t>(model_.read(rc::kHeadroomNow));
        report.e = static_cast<std::int32_t>(model_.read(rc::kExponent));
        report.rr = decode(spec_.scalar, model_.read_pair(rc::kRr));
        report.overflow_v = (status & kOverV) != 0;
        report.overflow_d = (status & kOverD) != 0;
        if (report.passes > 0)
            report.words = {longest(rc::kWordsU), longest(rc::kWordsR), longest(rc::kWordsP), longest(rc::kWordsQ)};
        report.cycles = model_.read_pair(rc::kCycles);
        return report;
    }

    DatapathSpec spec_;
    int cores_;
    ResidentModel model_;
    std::size_t row_length_;
    std::vector<std::uint64_t> v_; // as it was sent after the last solve
    std::shared_ptr<UpsetTrial> trial_;
    std::shared_ptr<CycleCounts> counts_;
    std::string fault_;
};

} // namespace

std::string resident_core_refusal(const DatapathSpec& spec, const System& system, int cores) {
    constexpr int kMostCores = 16;
    if (std::string why = core_refusal(spec, system); !why.empty()) return why;
    if (system.size() > (std::size_t{1} << 28)) return "the resident core's vectors have at most 2^28 elements";
    if (cores > kMostCores) return fmt::format("{} resident cores: 2 to {} share a system", cores, kMostCores);
    if (const Shares shares(system.size(), system.row_length(), spec.lanes, cores); cores > 1 && !shares.enough())
        return fmt::format(
            "{} resident cores: each keeps {} elements of its neighbours, and {} of {} are left for the last "
            "core; take fewer",
            cores, shares.halo, shares.last, system.size());
    return {};
}

CoreParameters resident_core_parameters(const DatapathSpec& spec, const System& system, const Format& iterate,
                                        int outer_lanes, int cores) {
    CoreParameters list = core_parameters(spec, system);
    list.emplace_back("MaxLength", static_cast<int>(std::max(kSmallest, std::bit_ceil(system.size()))));
    list.emplace_back("OuterLanes", outer_lanes > 0 ? outer_lanes : spec.lanes);
    list.emplace_back("VW", iterate.word_bits);
    list.emplace_back("VF", iterate.fraction_bits);
    list.emplace_back("DW", 64);
    list.emplace_back("DF", kDefectFraction);
    if (cores > 1) list.emplace_back("Cores", cores);
    return list;
}

std::unique_ptr<ResidentSolver> make_resident_core(const System& system, const DatapathSpec& spec,
                                                   const Format& iterate, const RtlOptions& options) {
    if (options.cores > 1 && spec.lanes > 1 && options.outer_lanes == 1)
        throw InvalidInput("resident: several cores of several lanes take two or more outer lanes");
    ModelRequest request;
    request.parameters = resident_core_parameters(spec, system, iterate, options.outer_lanes, options.cores);
    for (const auto& extra : options.extra)
        std::erase_if(request.parameters, [&](const auto& p) { return p.first == extra.first; });
    request.parameters.insert(request.parameters.end(), options.extra.begin(), options.extra.end());
    return std::make_unique<ResidentCore>(system, spec, trial_model(request, options), options);
}

} // namespace mantissa::sim
