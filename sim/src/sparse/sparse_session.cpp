// A session of the sparse core: its vectors stay in the core, and come out when somebody reads them.
#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "../../model/sparse_abi.h"
#include "../beats.hpp"
#include "../core_registers.hpp"
#include "../core_session.hpp"
#include "../gtkwave_save.hpp"
#include "../model_library.hpp"
#include "../upsets/places.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/fixed_words.hpp"
#include "mantissa/sim/sparse_core.hpp"

namespace mantissa::sim {

namespace {

constexpr std::size_t kMatrix = 4; // the matrix's stream among CycleCounts::stall

/// A model of sp_core, opened for as long as this lives, and one instance of it.
class SparseModel {
public:
    explicit SparseModel(const std::string& path)
        : library_(path, "mantissa_sparse_model", MANTISSA_SPARSE_VERSION), state_(api().create()) {}
    SparseModel(const SparseModel&) = delete;
    SparseModel& operator=(const SparseModel&) = delete;
    ~SparseModel() { api().destroy(state_); }
    [[nodiscard]] const mantissa_sparse_api& api() const { return library_.api(); }
    [[nodiscard]] mantissa_sparse_state* state() const { return state_; }

private:
    OpenLibrary<mantissa_sparse_api> library_;
    mantissa_sparse_state* state_;
};

class SparseRun final : public CoreSession {
public:
    SparseRun(const System& system, const DatapathSpec& spec, SparseStream stream, const RtlOptions& options,
              const std::string& model_path)
        : CoreSession(spec, Recurrence::pipelined, options.trial), stream_(std::move(stream)), options_(options),
          size_(system.size()), word_bits_(std::max({spec.u.width(), spec.r.width(), spec.p.width(), spec.q.width()})),
          model_(model_path) {
        if (api().row_words != stream_.beat_words)
            throw std::logic_error("sparse core: the model's beats are not the stream's");
        for (std::size_t v = 0; v < 4; ++v) vectors_[v].words = Beats(size_, spec.lanes, word_bits_);
        set_memory(options.memory);
        api().set_matrix(model_.state(), stream_.beats.data(), stream_.order.beats(), stream_.beat_bytes);
        if (trial_) begin_trial(*trial_, api(), model_.state());
        program_system();
        if (!options.trace.path.empty()) {
            if (api().trace(model_.state(), options.trace.path.c_str(), options.trace.first, options.trace.last) != 0)
                throw std::logic_error("sparse core: this model was built without trace");
            save_ = {options.trace, api().clock(model_.state()),
                     [path = options.trace.path, spec] { write_sparse_gtkwave_save(path, spec); }};
        }
    }

    void write(Vec v, std::size_t first, std::span<const double> values) override {
        check(first, values.size());
        Vector& to = vectors_[index(v)];
        if (values.size() == size_) to.in_core = false; // nothing of it stays
        else attempt([&] { fetch(v); });
        for (std::size_t i = 0; i < values.size(); ++i) {
            const fixed::Rounded rounded = fixed::from_double(format(v), values[i]);
            unfit_ |= rounded.overflow;
            to.words.set(stream_.order.position()[first + i], static_cast<std::uint64_t>(rounded.word));
        }
        to.here = true;
    }
    void read(Vec v, std::size_t first, std::span<double> values) const override {
        check(first, values.size());
        fetch(v);
        const Vector& from = vectors_[index(v)];
        for (std::size_t i = 0; i < values.size(); ++i) {
            const std::uint64_t word = from.words.get(stream_.order.position()[first + i]);
            values[i] = fixed::to_double(format(v), fixed::fit(format(v), static_cast<fixed::Word>(word)).word);
        }
    }
    void clear(Vec v) override {
        vectors_[index(v)].words.clear();
        vectors_[index(v)].here = true;
        vectors_[index(v)].in_core = false;
    }

    // RtlSession
    void set_memory(const MemoryOptions& m) override {
        const mantissa_memory memory{m.bytes_per_cycle, m.latency, std::max(m.fifo_beats, 1U), m.stall, m.seed};
        api().set_memory(model_.state(), &memory);
    }
    void set_misbehaviour(const Misbehaviour& m) override {
        constexpr std::uint64_t kNever = ~std::uint64_t{0};
        using Kind = Misbehaviour::Kind;
        if (m.kind != Kind::none && m.stream != kMatrix)
            throw InvalidInput("sparse core: only the matrix's stream, number 4, can misbehave");
        api().misbehave(model_.state(),
                        m.kind == Kind::early_last ? m.beat
                        : m.kind == Kind::no_last  ? kNever - 1
                                                   : kNever,
                        m.kind == Kind::ends ? m.beat : kNever);
    }
    std::uint32_t read_register(std::uint32_t address) override { return api().read_register(model_.state(), address); }
    void write_register(std::uint32_t address, std::uint32_t value) override {
        api().write_register(model_.state(), address, value);
    }
    bool advance(std::uint64_t clocks) override {
        mantissa_sparse_stats stats{};
        const int code = api().run(model_.state(), options_.patience, run_limit(clocks), &stats);
        note_run(code, clocks);
        CycleCounts add;
        add.cycles = stats.cycles;
        add.passes = stats.passes;
        add.streaming = stats.beats;
        add.stalled = add.stall[kMatrix] = stats.waited;
        add.bytes_read = stats.beats * stream_.beat_bytes;
        counts_ += add;
        if (options_.counts) *options_.counts += add;
        if (code == 1)
            fault_ =
                fmt::format("watchdog: nothing moved for {} clocks; the core waits for the matrix (clock {}, pass {})",
                            options_.patience, api().clock(model_.state()), read_register(kPassCount) + 1);
        return code == 0;
    }
    RunReport run(const RunRequest& request) override {
        const RunReport report = CoreSession::run(request);
        if (report.end != RunEnd::fault) return report;
        // What it left in the core is half updated: the vectors are again as they went in or came out last.
        for (Vector& vector : vectors_) {
            vector.here = true;
            vector.in_core = false;
        }
        return report;
    }
    [[nodiscard]] std::optional<std::uint64_t> clock() const override { return api().clock(model_.state()); }

private:
    /// Words in the order of positions. Where neither flag is set, nobody has written it: it is 0 in both places.
    struct Vector {
        Beats words;
        bool here = false;    // the core does not have these words yet
        bool in_core = false; // the core has newer words
    };

    [[nodiscard]] const mantissa_sparse_api& api() const { return model_.api(); }
    [[nodiscard]] const Format& format(Vec v) const {
        const std::array<const Format*, 4> all = {&spec_.u, &spec_.r, &spec_.p, &spec_.q};
        return *all[index(v)];
    }
    static std::size_t index(Vec v) { return static_cast<std::size_t>(v); }
    void check(std::size_t first, std::size_t count) const {
        if (first > size_ || count > size_ - first)
            throw InvalidInput("session: elements outside the vector; stay below the system's size");
    }
    void fetch(Vec v) const {
        Vector& vector = vectors_[index(v)];
        if (!vector.in_core) return;
        const std::uint64_t beats = stream_.order.slices();
        if (api().send(model_.state(), static_cast<std::uint32_t>(v), vector.words.data(), beats) != beats)
            throw std::runtime_error("sparse core: the core does not answer with a whole vector");
        vector.in_core = false;
        save_.at(api().clock(model_.state()));
    }
    void reset_core() override { api().reset(model_.state()); }
    void program_system() override {
        write_register(kLength, static_cast<std::uint32_t>(size_));
        write_register(kMode, stream_.order.delta() ? 1 : 0);
        write_register(kStallLimit, stall_limit());
    }
    void before_run() override {
        const std::uint64_t beats = stream_.order.slices();
        for (std::uint32_t v = 0; v < 4; ++v) {
            if (!vectors_[v].here) continue;
            if (api().load(model_.state(), v, vectors_[v].words.data(), beats) != beats)
                throw std::runtime_error("sparse core: the core takes no word of a vector");
            vectors_[v].here = false;
        }
        if (const std::uint32_t errors = read_register(kErrors); errors != 0)
            throw std::runtime_error("sparse core: the core refused a vector: " + describe_errors(errors));
    }
    void after_run(std::uint32_t /*status*/) override {
        for (Vector& vector : vectors_) vector.in_core = true;
    }
    /// What the outer loop reads leaves the core while its run can still end in a fault.
    void settle() override {
        if (!trial_) return;
        fetch(Vec::u);
        fetch(Vec::p);
        trial_->clocks = api().clock(model_.state());
    }

    SparseStream stream_;
    RtlOptions options_;
    std::size_t size_;
    int word_bits_;
    SparseModel model_;
    mutable std::array<Vector, 4> vectors_;
};

} // namespace

std::unique_ptr<Session> load_sparse_core(const System& system, const DatapathSpec& spec, const RtlOptions& options) {
    if (const std::string why = sparse_core_refusal(spec, system); !why.empty())
        throw InvalidInput(fmt::format("engine rtl, datapath {}: {}", to_string(spec), why));
    SparseStream stream(std::get<CompressedRows>(system.matrix()), spec, options.trial != nullptr);
    ModelRequest request;
    request.parameters = sparse_core_parameters(spec, stream);
    for (const auto& extra : options.extra)
        std::erase_if(request.parameters, [&](const auto& p) { return p.first == extra.first; });
    request.parameters.insert(request.parameters.end(), options.extra.begin(), options.extra.end());
    request.trace = !options.trace.path.empty();
    return std::make_unique<SparseRun>(system, spec, std::move(stream), options, trial_model(request, options));
}

} // namespace mantissa::sim
