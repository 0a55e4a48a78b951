// The systemc engine's sessions.
#include <algorithm>
#include <new>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "cycle/cycle_core.hpp"
#include "mantissa/chebyshev.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/hls/kernel.hpp"
#ifdef MANTISSA_SYSTEMC_RTL
#include "rtl_core.hpp"
#endif
#include "sparse/session.hpp"
#include "system.hpp"

namespace mantissa::sim {

namespace {

constexpr const char* kFifoNames =
    "u_in r_in p_in q_in band_in u_out r_out p_out q_out r_dot p_line p_dot q_dot window";

std::string wrong(const SystemcOptions& o) {
    const ChannelOptions& m = o.memory;
    if (m.channels < 1 || m.channels > Interconnect::kChannels)
        return fmt::format("{} memory channels; there may be 1 to {}", m.channels, Interconnect::kChannels);
    if (m.bytes_per_cycle < 0) return "a memory bandwidth below zero; 0 means no limit";
    if (m.banks < 1 || m.page_bytes < 1 || m.interleave < 1 || m.burst_beats < 1)
        return "banks, page_bytes, interleave and burst_beats are at least 1";
    if (o.stream_fifo < 1 || o.link_fifo < 1) return "a FIFO holds at least one beat";
    const std::string names = std::string(" ") + kFifoNames + " ";
    for (const auto& [name, depth] : o.fifo_depth) {
        if (names.find(" " + name + " ") == std::string::npos)
            return fmt::format("no FIFO is called '{}'; they are {}", name, kFifoNames);
        if (depth < 1) return fmt::format("FIFO {} of depth 0; it holds at least one beat", name);
    }
#ifndef MANTISSA_SYSTEMC_RTL
    if (o.core == CoreKind::rtl) return "this build has no RTL core; build a source tree with the sim folder";
#endif
    if (o.host.core_mhz <= 0 || o.host.mflops <= 0 || o.host.link_mb_per_s <= 0)
        return "the clock and the host's speeds are above zero";
    return wrong(o.sparse);
}

class Run final : public SystemcSession {
public:
    Run(const System& system, const DatapathSpec& spec, Recurrence recurrence, const SystemcOptions& options)
        : spec_(spec), options_(options), formats_{spec.u, spec.r, spec.p, spec.q}, size_(system.size()),
          matrix_(hls::load_matrix(system, spec)), timing_(spec, matrix_, recurrence),
          state_(hls::kernel_for(spec, system.kind(), recurrence).step.state_bytes / sizeof(Line) + 1) {
        job_.spec = &spec_;
        job_.kernel = &hls::kernel_for(spec, system.kind(), recurrence);
        job_.summed = recurrence != Recurrence::chebyshev;
        job_.state = state_.data();
        job_.shape = matrix_.shape;
        job_.options = options;
        job_.timing = &timing_;
        job_.store = &store_;
        job_.words = &words_;
        job_.report = &report_;
        const Format all[] = {spec.u, spec.r, spec.p, spec.q, spec.coefficient};
        for (std::size_t k = 0; k < 5; ++k) {
            const int more = k == 4 && spec.fixed_vectors() ? 1 : 0; // weights and row sums in words
            job_.element_bytes[k] = static_cast<std::size_t>(all[k].width() + more + 7) / 8;
        }
        lay_out();
        for (std::size_t b = 0; b < job_.shape.streams; ++b)
            for (std::size_t i = 0; i < size_; ++i) put(job_.layout.band[b], 4, i, matrix_.stream[b][i]);
        matrix_.stream = {}; // memory has them
        job_.kernel->step.begin(job_.state, &job_.shape);
#ifdef MANTISSA_SYSTEMC_RTL
        if (options.core == CoreKind::rtl) {
            rtl_ = std::make_unique<RtlCore>(system, spec, job_.shape);
            job_.rtl = rtl_.get();
        }
#endif
    }

    void write(Vec v, std::size_t first, std::span<const double> values) override {
        check(first, values.size());
        const std::size_t k = index(v);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto [word, overflow] = hls::stored_word(formats_[k], values[i]);
            job_.unfit |= overflow;
            put(job_.layout.vector[job_.bank][k], k, first + i, word);
        }
        moved_ += values.size() * job_.element_bytes[k];
        if (v == Vec::r) formed_ += values.size(); // an outer step gives the inner solver a new residual
    }
    void read(Vec v, std::size_t first, std::span<double> values) const override {
        check(first, values.size());
        const std::size_t k = index(v);
        const std::uint64_t base = job_.layout.vector[job_.bank][k];
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = hls::stored_value(
                formats_[k], hls::load_word(at(base + (first + i) * job_.element_bytes[k]), job_.element_bytes[k]));
        moved_ += values.size() * job_.element_bytes[k];
    }
    void clear(Vec v) override { // the core's memory clears itself: nothing travels
        const std::size_t k = index(v);
        const auto from = store_.begin() + static_cast<std::ptrdiff_t>(job_.layout.vector[job_.bank][k]);
        std::fill(from, from + static_cast<std::ptrdiff_t>(size_ * job_.element_bytes[k]),
                  static_cast<unsigned char>(0));
    }
    void set_scalars(double alpha, double beta) override {
        words_ = {};
        words_.alpha = word(alpha);
        words_.beta = word(beta);
        last_pair_.reset();
    }
    [[nodiscard]] Scalars scalars() const override {
        return last_pair_ ? *last_pair_ : hls::scalars_of(spec_, words_);
    }

    RunReport run(const RunRequest& request) override {
        charge_host();
        job_.rho_stop = word(request.rho_stop);
        job_.rho_stop_from = request.rho_stop_from;
        job_.passes = request.passes;
        const std::vector<StepPair> pairs = job_.summed ? std::vector<StepPair>() : operand_pairs(spec_, request);
        job_.given.clear();
        for (const StepPair& pair : pairs)
            job_.given.push_back({hls::to_word(spec_.operand, pair.alpha), hls::to_word(spec_.operand, pair.beta)});
        fault_.clear();
        RunReport out;
        out.cycles = 0;
        if (request.passes == 0) return out;
        JobResult result;
        {
            const Simulation lock;
            result = CoreSystem::instance().run(job_);
        }
        out.passes = result.passes;
        if (!job_.summed && result.passes > 0)
            last_pair_ = Scalars{.alpha = pairs[result.passes - 1].alpha, .beta = pairs[result.passes - 1].beta};
        out.sigma_guards = result.sigma_guards;
        out.words = result.words;
        out.cycles = result.cycles;
        out.end = result.end;
        report_.core_seconds = static_cast<double>(report_.cycles) / (options_.host.core_mhz * 1e6);
        if (!result.deadlock.empty()) {
            out.end = RunEnd::fault;
            fault_ = result.deadlock;
        }
        if (options_.last_report) *options_.last_report = report_;
        return out;
    }
    [[nodiscard]] std::string fault() const override {
        return fault_;
    }
    [[nodiscard]] SystemReport report() const override {
        charge_host();
        return report_;
    }

private:
    struct alignas(64) Line {
        std::byte bytes[64]{};
    };
    static std::size_t index(Vec v) {
        return static_cast<std::size_t>(v);
    }
    [[nodiscard]] std::uint64_t word(double x) const {
        return hls::to_word(spec_.scalar, exact::convert(spec_.scalar, x));
    }
    void check(std::size_t first, std::size_t count) const {
        if (first > size_ || count > size_ - first)
            throw InvalidInput("session: elements outside the vector; stay below the system's size");
    }
    [[nodiscard]] const std::byte* at(std::uint64_t address) const {
        return reinterpret_cast<const std::byte*>(store_.data()) + address;
    }
    void put(std::uint64_t base, std::size_t vector, std::size_t i, std::uint64_t value) {
        const std::size_t bytes = job_.element_bytes[vector];
        hls::store_word(reinterpret_cast<std::byte*>(store_.data()) + base + i * bytes, bytes, value);
    }
    /// Vectors begin on different banks and channels, as a designer would place them: they are read in step.
    void lay_out() {
        const std::size_t lanes = job_.kernel->step.lanes, padded = (size_ + lanes - 1) / lanes * lanes;
        const std::uint64_t page = options_.memory.page_bytes,
                            turn = page * static_cast<unsigned>(options_.memory.banks);
        std::uint64_t end = 0, k = 0;
        const auto place = [&](std::size_t bytes) {
            const std::uint64_t base = (end + turn - 1) / turn * turn +
                                       k % static_cast<unsigned>(options_.memory.banks) * page +
                                       k % static_cast<unsigned>(options_.memory.channels) * options_.memory.interleave;
            ++k;
            end = base + padded * bytes;
            return base;
        };
        for (auto& bank : job_.layout.vector)
            for (std::size_t v = 0; v < 4; ++v) bank[v] = place(job_.element_bytes[v]);
        for (std::size_t b = 0; b < job_.shape.streams; ++b) job_.layout.band[b] = place(job_.element_bytes[4]);
        job_.layout.bytes = end;
        store_.assign(end, 0);
    }
    /// The host's time since the last run: what it moved and what it formed.
    void charge_host() const {
        const HostOptions& h = options_.host;
        const double transfer = static_cast<double>(moved_) / (h.link_mb_per_s * 1e6);
        const double compute = static_cast<double>(formed_) * h.flops_per_element / (h.mflops * 1e6);
        report_.host_transfer_seconds += transfer;
        report_.host_compute_seconds += compute;
        report_.host_seconds += h.overlap ? std::max(transfer, compute) : transfer + compute;
        moved_ = formed_ = 0;
    }

    DatapathSpec spec_;
    SystemcOptions options_;
    Format formats_[4];
    std::size_t size_;
    hls::LoadedMatrix matrix_;
    CoreTiming timing_;
    std::vector<Line> state_;
    Store store_;
    mantissa_hls::ScalarWords words_;
    std::optional<Scalars> last_pair_; ///< the last pass, where alpha and beta are given
    Job job_;
    mutable SystemReport report_;
    mutable std::uint64_t moved_ = 0, formed_ = 0; ///< bytes; elements
    std::string fault_;
#ifdef MANTISSA_SYSTEMC_RTL
    std::unique_ptr<RtlCore> rtl_;
#endif
};

class SystemcEngine final : public Engine {
public:
    explicit SystemcEngine(SystemcOptions options) : options_(std::move(options)) {
        if (const std::string why = wrong(options_); !why.empty()) throw InvalidInput("engine 'systemc': " + why);
    }
    [[nodiscard]] std::string name() const override { return "systemc"; }
    [[nodiscard]] std::string description() const override {
        return "the HLS datapath as timed SystemC processes with bounded FIFOs, DMA and a memory controller";
    }
    [[nodiscard]] std::string refusal(const DatapathSpec& spec, const System& system,
                                      const SessionOptions& options) const override {
        if (options_.core == CoreKind::rtl && (spec.fixed_vectors() || !adds_products(spec.order)))
            return fmt::format(
                "engine 'systemc' with the RTL core: its socket is that of floating cores whose rows are "
                "products, and this is '{}'; use the HLS stages or the rtl engine",
                to_string(spec));
        if (options_.core == CoreKind::rtl && options.recurrence != Recurrence::pipelined)
            return "engine 'systemc' with the RTL core: its socket is that of pipelined CG; use the HLS stages or the "
                   "rtl "
                   "engine";
        return hls::refusal("systemc", spec, system, options);
    }
    [[nodiscard]] std::unique_ptr<Session> load(const System& system, const DatapathSpec& spec,
                                                const SessionOptions& options) const override {
        if (const std::string why = refusal(spec, system, options); !why.empty()) throw InvalidInput(why);
        if (system.kind() == System::Kind::sparse) return load_sparse_cores(system, spec, options_);
        return std::make_unique<Run>(system, spec, options.recurrence, options_);
    }
    [[nodiscard]] std::string cycle_refusal(const System& system, const CycleSpec& spec) const override {
        return multilevel::word_cycle_refusal(name(), system, spec);
    }
    [[nodiscard]] std::unique_ptr<mantissa::Cycle> cycle(const System& system, const CycleSpec& spec,
                                                         int) const override {
        if (const std::string why = cycle_refusal(system, spec); !why.empty()) throw InvalidInput(why);
        const auto grid = *multilevel::grid_words(system);
        return multilevel::make_cycle_of_words(grid, spec, make_timed_cycle_core(grid, spec, options_));
    }
    [[nodiscard]] std::string cycles_refusal(const System& system, const CycleSpec& spec,
                                             const CycleLoop& loop) const override {
        return multilevel::word_cycles_refusal(name(), system, spec, loop);
    }
    [[nodiscard]] std::unique_ptr<CycleSolver> cycles(const System& system, const CycleSpec& spec,
                                                      const CycleLoop& loop) const override {
        if (const std::string why = cycles_refusal(system, spec, loop); !why.empty()) throw InvalidInput(why);
        const auto grid = *multilevel::grid_words(system);
        return multilevel::make_cycle_solver(grid, loop, make_timed_cycle_core(grid, spec, options_));
    }

private:
    SystemcOptions options_;
};

} // namespace

std::unique_ptr<Engine> make_systemc_engine(const SystemcOptions& options) {
    return std::make_unique<SystemcEngine>(options);
}

std::string to_text(const SystemReport& r) {
    const auto part = [](double x, double of) { return of > 0 ? 100 * x / of : 0; };
    const auto cycles = static_cast<double>(r.cycles);
    std::string text =
        fmt::format("{} passes, {} clocks, {:.1f} per pass: {:.1f} % streaming, {:.1f} % closing and scalars, "
                    "{:.1f} % waiting for writes to land\n",
                    r.passes, r.cycles, r.passes > 0 ? cycles / static_cast<double>(r.passes) : 0,
                    part(static_cast<double>(r.streaming), cycles), part(static_cast<double>(r.closing), cycles),
                    part(static_cast<double>(r.landing), cycles));
    text += fmt::format(
        "host {:.3g} s ({:.3g} arithmetic, {:.3g} transfers), core {:.3g} s: the outer loop takes {:.2f} %\n",
        r.host_seconds, r.host_compute_seconds, r.host_transfer_seconds, r.core_seconds, 100 * r.host_share());
    text += fmt::format("{:<10} {:>12} {:>12}\n", "stage", "beats", "stalled");
    for (const StageReport& s : r.stages) text += fmt::format("{:<10} {:>12} {:>12}\n", s.name, s.steps, s.stalls);
    text += fmt::format("{:<10} {:>6} {:>6} {:>14} {:>14}\n", "FIFO", "depth", "most", "stalls full", "stalls empty");
    for (const FifoReport& f : r.fifos)
        text += fmt::format("{:<10} {:>6} {:>6} {:>14} {:>14}\n", f.name, f.depth, f.high_water, f.writer_stalls,
                            f.reader_stalls);
    for (std::size_t k = 0; k < r.channels.size(); ++k) {
        const ChannelReport& c = r.channels[k];
        text += fmt::format("channel {}: {} bytes read, {} written, {} page hits, {} misses, {:.1f} % busy\n", k,
                            c.bytes_read, c.bytes_written, c.page_hits, c.page_misses, part(c.busy, cycles));
    }
    return text;
}

} // namespace mantissa::sim

namespace mantissa {

std::unique_ptr<Engine> make_systemc_engine() {
    return sim::make_systemc_engine(sim::SystemcOptions{});
}

} // namespace mantissa
