#include "mantissa/sim/rtl_engine.hpp"

#include <algorithm>
#include <bit>
#include <fstream>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "beats.hpp"
#include "core_matrix.hpp"
#include "core_registers.hpp"
#include "core_session.hpp"
#include "gtkwave_save.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/fixed_words.hpp"
#include "mantissa/row_forms.hpp"
#include "mantissa/sim/cycle_core.hpp"
#include "mantissa/sim/resident_core.hpp"
#include "mantissa/sim/sparse_core.hpp"
#include "model_library.hpp"
#include "slabs.hpp"
#include "upsets/places.hpp"

namespace mantissa::sim {

namespace {

mantissa_memory to_c(const MemoryOptions& m) {
    return {m.bytes_per_cycle, m.latency, std::max(m.fifo_beats, 1U), m.stall, m.seed};
}

/// Registers of a core of several stand on a page of their own, after the one of all.
std::uint32_t page(std::size_t core) {
    return static_cast<std::uint32_t>(core + 1) << 8;
}

class Run final : public CoreSession {
public:
    Run(const System& system, const DatapathSpec& spec, Recurrence recurrence, const RtlOptions& options,
        const std::string& model_path)
        : CoreSession(spec, recurrence, options.trial), formats_{spec.u, spec.r, spec.p, spec.q}, options_(options),
          size_(system.size()), row_length_(system.row_length()), matrix_(core_matrix(system, spec)),
          slabs_(slabs(size_, row_length_, spec.lanes, options.cores, matrix_.constant && spec.lanes == 1)),
          model_(std::make_shared<ModelLibrary>(model_path)) {
        for (std::size_t v = 0; v < 4; ++v) {
            for (std::size_t bank = 0; bank < 2; ++bank)
                vectors_[bank][v] = Beats(size_, spec.lanes, formats_[v].width());
        }
        for (std::size_t core = 0; core < slabs_.size(); ++core) set_buffers(core);
        set_memory(options.memory);
        if (trial_) begin_trial(*trial_, api(), model_.state());
        program_system();
        if (!options.trace.path.empty()) {
            if (api().trace(model_.state(), options.trace.path.c_str(), options.trace.first, options.trace.last) != 0)
                throw std::runtime_error("this model was built without trace");
            save_ = {options.trace, api().clock(model_.state()),
                     [path = options.trace.path, spec, several = options.cores > 1] {
                         write_gtkwave_save(path, spec, several);
                     }};
        }
    }

    void write(Vec v, std::size_t first, std::span<const double> values) override {
        check(first, values.size());
        const Format& f = formats_[index(v)];
        Beats& to = vectors_[bank_][index(v)];
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (!f.is_fixed()) {
                to.set(first + i, encode(f, exact::convert(f, values[i])));
                continue;
            }
            const fixed::Rounded rounded = fixed::from_double(f, values[i]);
            unfit_ |= rounded.overflow;
            to.set(first + i, static_cast<std::uint64_t>(rounded.word));
        }
    }
    void read(Vec v, std::size_t first, std::span<double> values) const override {
        check(first, values.size());
        const Format& f = formats_[index(v)];
        const Beats& from = vectors_[bank_][index(v)];
        for (std::size_t i = 0; i < values.size(); ++i) {
            const std::uint64_t word = from.get(first + i);
            values[i] = f.is_fixed() ? fixed::to_double(f, fixed::fit(f, static_cast<fixed::Word>(word)).word)
                                     : decode(f, word);
        }
    }
    void clear(Vec v) override { vectors_[bank_][index(v)].clear(); }

    // RtlSession
    void set_memory(const MemoryOptions& memory) override {
        const mantissa_memory m = to_c(memory);
        api().set_memory(model_.state(), &m);
    }
    void set_misbehaviour(const Misbehaviour& m) override {
        const mantissa_misbehaviour c{m.stream, static_cast<std::uint32_t>(m.kind), m.beat, m.core};
        api().set_misbehaviour(model_.state(), &c);
    }
    std::uint32_t read_register(std::uint32_t address) override { return api().read_register(model_.state(), address); }
    void write_register(std::uint32_t address, std::uint32_t value) override {
        api().write_register(model_.state(), address, value);
    }
    bool advance(std::uint64_t clocks) override {
        mantissa_stats stats{};
        const int code = api().run(model_.state(), options_.patience, run_limit(clocks), &stats);
        note_run(code, clocks);
        CycleCounts add;
        add.cycles = stats.cycles;
        add.passes = stats.passes;
        add.streaming = stats.streaming;
        add.stalled = stats.stalled;
        std::copy(std::begin(stats.stall), std::end(stats.stall), add.stall.begin());
        add.stall_command = stats.stall_command;
        add.bytes_read = stats.bytes_read;
        add.bytes_written = stats.bytes_written;
        counts_ += add;
        if (options_.counts) *options_.counts += add;
        if (code == 1) {
            std::string what;
            const std::uint32_t waiting = api().waiting(model_.state());
            for (std::size_t k = 0; k < CycleCounts::kStreams; ++k)
                if ((waiting >> k) & 1) what += (what.empty() ? "" : ", ") + stream_name(k);
            if ((waiting >> 17) & 1)
                what += (what.empty() ? "" : ", ") + std::string("the memory to take the next pass");
            fault_ = fmt::format("watchdog: nothing moved for {} clocks; the core waits for {} (clock {}, pass {})",
                                 options_.patience, what.empty() ? "nothing outside itself" : what,
                                 api().clock(model_.state()), read_register(kPassCount) + 1);
        }
        return code == 0;
    }
    [[nodiscard]] std::optional<std::uint64_t> clock() const override { return api().clock(model_.state()); }

private:
    [[nodiscard]] const mantissa_model_api& api() const { return model_.api(); }
    /// Where a core's slab lies in the vectors of both banks: its neighbours' elements are read, and not written.
    void set_buffers(std::size_t core) {
        const Slab& slab = slabs_[core];
        mantissa_buffers buffers{};
        buffers.size = slab.length;
        buffers.halo_first = slab.halo_first;
        buffers.halo_last = slab.halo_last;
        for (std::size_t v = 0; v < 4; ++v) {
            for (std::size_t bank = 0; bank < 2; ++bank) buffers.vectors[bank][v] = vectors_[bank][v].data(slab.first);
            buffers.element_bytes[v] = bytes(formats_[v].width());
        }
        for (std::size_t k = 0; k < matrix_.streams.size(); ++k) {
            buffers.element_bytes[4 + k] = bytes(matrix_.stream_bits);
            buffers.bands[k] = matrix_.streams[k].data(slab.first);
        }
        api().set_buffers(model_.state(), static_cast<std::uint32_t>(core), &buffers);
    }
    static std::uint32_t bytes(int bits) { return static_cast<std::uint32_t>((bits + 7) / 8); }
    static std::size_t index(Vec v) { return static_cast<std::size_t>(v); }
    void check(std::size_t first, std::size_t count) const {
        if (first > size_ || count > size_ - first)
            throw InvalidInput("session: elements outside the vector; stay below the system's size");
    }
    void reset_core() override { api().reset(model_.state()); }
    void before_run() override { write_register(kBank, bank_); }
    void after_run(std::uint32_t status) override { bank_ = (status & kBankBit) != 0 ? 1 : 0; }
    void program_system() override {
        if (slabs_.size() == 1) write_register(kLength, static_cast<std::uint32_t>(size_));
        else program_slabs();
        write_register(kRowLength, static_cast<std::uint32_t>(row_length_));
        write_register(kMode, matrix_.constant ? 1 : 0);
        write_register(kStallLimit, stall_limit());
        if (matrix_.constant && !spec_.fixed_vectors())
            for (std::uint32_t b = 0; b < kBands; ++b) write_pair(kCoefficient + 8 * b, matrix_.registers[b]);
    }

    void program_slabs() {
        for (std::size_t core = 0; core < slabs_.size(); ++core) {
            const Slab& slab = slabs_[core];
            for (const auto& [address, value] :
                 {std::pair{kLength, slab.length}, std::pair{kHaloFirst, slab.halo_first},
                  std::pair{kHaloLast, slab.halo_last}, std::pair{kHaloColumn, matrix_.constant ? slab.column : 0}})
                write_register(page(core) + address, static_cast<std::uint32_t>(value));
        }
    }

    std::array<Format, 4> formats_; // of u, r, p, q
    RtlOptions options_;
    std::size_t size_, row_length_;
    CoreMatrix matrix_;
    std::vector<Slab> slabs_; // a core's each
    Model model_;
    std::array<std::array<Beats, 4>, 2> vectors_; // [bank][vector]
    unsigned bank_ = 0;                           // that holds u, r, p, q now
};

class RtlEngine final : public Engine {
public:
    explicit RtlEngine(RtlOptions options) : options_(std::move(options)) {}
    [[nodiscard]] std::string name() const override { return "rtl"; }
    [[nodiscard]] std::string description() const override {
        return "the SystemVerilog core under Verilator, clock by clock; models are built on first use";
    }
    [[nodiscard]] std::string refusal(const DatapathSpec& spec, const System& system,
                                      const SessionOptions& options) const override {
        if (std::string why = free_sums_refusal(spec); !why.empty()) return why;
        if (options.recurrence == Recurrence::plain)
            return "the RTL cores run the pipelined recurrence and Chebyshev's; take one of them, or the emulated "
                   "engine";
        if (options.recurrence == Recurrence::chebyshev)
            if (std::string why = chebyshev_refusal(system); !why.empty()) return why;
        if (system.kind() == System::Kind::sparse) {
            if (options_.cores != 1)
                return fmt::format("{} cores share the solve of a grid only; a sparse matrix runs on one core",
                                   options_.cores);
            return sparse_core_refusal(spec, system);
        }
        if (options_.cores != 1 && !spec.fixed_vectors())
            return fmt::format("{} cores share one solve with fixed-point words only; use one core, or fx18.16",
                               options_.cores);
        if (std::string why = core_refusal(spec, system); !why.empty()) return why;
        return slabs_refusal(system.size(), system.row_length(), spec.lanes, options_.cores,
                             system.kind() == System::Kind::stencil);
    }
    [[nodiscard]] std::unique_ptr<Session> load(const System& system, const DatapathSpec& spec,
                                                const SessionOptions& options) const override {
        spec.validate();
        if (const std::string why = free_sums_refusal(spec); !why.empty()) throw InvalidInput(why);
        if (system.kind() == System::Kind::sparse && options.recurrence == Recurrence::pipelined && options_.cores == 1)
            return load_sparse_core(system, spec, options_);
        if (const std::string why = refusal(spec, system, options); !why.empty())
            throw InvalidInput(fmt::format("engine rtl, datapath {}: {}", to_string(spec), why));
        const std::optional<System> converted = spec.fixed_vectors() ? std::nullopt : converted_for(spec.order, system);
        const System& formed = converted ? *converted : system;
        ModelRequest request;
        request.parameters = core_parameters(spec, formed);
        for (const auto& extra : options_.extra)
            std::erase_if(request.parameters, [&](const auto& p) { return p.first == extra.first; });
        request.parameters.insert(request.parameters.end(), options_.extra.begin(), options_.extra.end());
        if (options.recurrence == Recurrence::chebyshev) request.parameters.emplace_back("Chebyshev", kStepPairs);
        request.cores = options_.cores;
        request.trace = !options_.trace.path.empty();
        request.rules = options_.rules;
        return std::make_unique<Run>(formed, spec, options.recurrence, options_, trial_model(request, options_));
    }
    [[nodiscard]] std::string resident_refusal(const DatapathSpec& spec, const System& system,
                                               const Format& iterate) const override {
        if (std::string why = mantissa::resident_refusal(spec, system, iterate); !why.empty()) return why;
        return resident_core_refusal(spec, system, options_.cores);
    }
    [[nodiscard]] std::unique_ptr<ResidentSolver> resident(const System& system, const DatapathSpec& spec,
                                                           const Format& iterate, int) const override {
        if (const std::string why = resident_refusal(spec, system, iterate); !why.empty()) throw InvalidInput(why);
        return make_resident_core(system, spec, iterate, options_);
    }
    [[nodiscard]] std::string cycle_refusal(const System& system, const CycleSpec& spec) const override {
        if (std::string why = multilevel::word_cycle_refusal(name(), system, spec); !why.empty()) return why;
        return cycle_core_refusal(*multilevel::grid_words(system), spec, options_.cores);
    }
    [[nodiscard]] std::unique_ptr<Cycle> cycle(const System& system, const CycleSpec& spec, int) const override {
        if (const std::string why = cycle_refusal(system, spec); !why.empty()) throw InvalidInput(why);
        const auto grid = *multilevel::grid_words(system);
        return multilevel::make_cycle_of_words(grid, spec, make_cycle_core(grid, spec, options_));
    }
    [[nodiscard]] std::string cycles_refusal(const System& system, const CycleSpec& spec,
                                             const CycleLoop& loop) const override {
        if (std::string why = cycle_refusal(system, spec); !why.empty()) return why;
        return multilevel::word_cycles_refusal(name(), system, spec, loop);
    }
    [[nodiscard]] std::unique_ptr<CycleSolver> cycles(const System& system, const CycleSpec& spec,
                                                      const CycleLoop& loop) const override {
        if (const std::string why = cycles_refusal(system, spec, loop); !why.empty()) throw InvalidInput(why);
        const auto grid = *multilevel::grid_words(system);
        return multilevel::make_cycle_solver(grid, loop, make_cycle_core(grid, spec, options_));
    }

private:
    [[nodiscard]] std::string chebyshev_refusal(const System& system) const {
        if (system.kind() == System::Kind::sparse)
            return "recurrence chebyshev: the sparse core runs pipelined CG only; take a grid, or the emulated engine";
        if (options_.cores != 1)
            return fmt::format("recurrence chebyshev: {} cores share sums of pipelined CG only; use one core",
                               options_.cores);
        return {};
    }

    RtlOptions options_;
};

} // namespace

CycleCounts& CycleCounts::operator+=(const CycleCounts& other) {
    cycles += other.cycles;
    passes += other.passes;
    streaming += other.streaming;
    stalled += other.stalled;
    for (std::size_t k = 0; k < kStreams; ++k) stall[k] += other.stall[k];
    stall_command += other.stall_command;
    bytes_read += other.bytes_read;
    bytes_written += other.bytes_written;
    return *this;
}

std::string stream_name(std::size_t stream) {
    constexpr const char* kNames = "urpq";
    if (stream < 4) return fmt::format("{} in", kNames[stream]);
    if (stream < 13) return fmt::format("band {} in", stream - 4);
    return stream < 17 ? fmt::format("{} out", kNames[stream - 13]) : "pass beats";
}

std::string describe_errors(std::uint32_t errors) {
    constexpr std::pair<std::uint32_t, const char*> kTexts[] = {
        {kBadLength, "the vector length is zero"},
        {kBadRowLength, "the row length is below 3 (or the lanes), above the line buffer or above the vector length"},
        {kBusy, "registers were written or a start was asked for while the core was busy"},
        {kEndedEarly, "a stream raised tlast before its last beat"},
        {kEndedLate, "a stream's last beat came without tlast"},
        {kStalled, "nothing moved for longer than STALL_LIMIT"},
        {kAborted, "the run was aborted"},
        {kNoPasses, "no passes were asked for"},
        {kStillOffered, "a start was asked for while beats of an earlier run were still offered"}};
    std::string text;
    for (const auto& [bit, what] : kTexts)
        if ((errors & bit) != 0) text += (text.empty() ? "" : "; ") + std::string(what);
    return text.empty() ? "no error flag" : text;
}

std::unique_ptr<Engine> make_rtl_engine(RtlOptions options) {
    return std::make_unique<RtlEngine>(std::move(options));
}

} // namespace mantissa::sim

namespace mantissa {

/// The registry's rtl engine: default memory, progress of model builds on a terminal. Throws InvalidInput where the
/// tools that build models are missing, or the RTL's sources.
std::unique_ptr<Engine> make_rtl_engine();
std::unique_ptr<Engine> make_rtl_engine() {
    if (const std::string why = sim::why_no_models(); !why.empty()) throw ToolFailure(why);
    sim::RtlOptions options;
    sim::require_sources(options.cache);
    options.cache.progress = sim::terminal_progress();
    return sim::make_rtl_engine(std::move(options));
}

} // namespace mantissa
