// The hls engine's sessions: vectors as words in memory, passes through the compiled kernel. Sparse rows have a kernel
// of their own, whose vectors stand by position.
#include "mantissa/hls/engine.hpp"

#include <algorithm>
#include <new>
#include <optional>
#include <vector>

#include "mantissa/chebyshev.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/hls/cycles.hpp"
#include "mantissa/hls/kernel.hpp"
#include "mantissa/hls/sparse_kernel.hpp"

namespace mantissa {

namespace {

using mantissa_hls::Kernel;

/// Zeroed memory on a cache line.
class Buffer {
public:
    Buffer() = default;
    explicit Buffer(std::size_t bytes) : storage_(bytes / sizeof(Line) + 1) {}
    [[nodiscard]] std::byte* data() { return reinterpret_cast<std::byte*>(storage_.data()); }
    [[nodiscard]] const std::byte* data() const { return reinterpret_cast<const std::byte*>(storage_.data()); }
    void clear() { std::fill(storage_.begin(), storage_.end(), Line{}); }

private:
    struct alignas(64) Line {
        std::byte bytes[64]{};
    };
    std::vector<Line> storage_;
};

class HlsSession final : public Session {
public:
    HlsSession(const System& system, const DatapathSpec& spec, Recurrence recurrence)
        : spec_(spec), given_(recurrence == Recurrence::chebyshev),
          kernel_(hls::kernel_for(spec, system.kind(), recurrence)), formats_{spec.u, spec.r, spec.p, spec.q},
          word_bytes_{kernel_.u_word, kernel_.r_word, kernel_.p_word, kernel_.q_word}, size_(system.size()),
          state_(std::max(kernel_.pass.state_bytes, kernel_.sparse.state_bytes)) {
        const std::size_t lanes = sparse() ? kernel_.sparse.lanes : kernel_.pass.beat_lanes,
                          padded = (size_ + lanes - 1) / lanes * lanes;
        for (std::size_t v = 0; v < 4; ++v) vectors_[v] = Buffer(padded * word_bytes_[v]);
        if (sparse()) {
            rows_ = hls::load_rows(std::get<CompressedRows>(system.matrix()), size_, spec, {.lanes = spec.lanes});
            kernel_.sparse.begin(state_.data(), &rows_.shape);
            return;
        }
        const hls::LoadedMatrix matrix = hls::load_matrix(system, spec);
        for (std::size_t b = 0; b < matrix.shape.streams; ++b) {
            bands_[b] = Buffer(padded * kernel_.coefficient_word);
            for (std::size_t i = 0; i < size_; ++i)
                hls::store_word(bands_[b].data() + i * kernel_.coefficient_word, kernel_.coefficient_word,
                                matrix.stream[b][i]);
        }
        kernel_.pass.begin(state_.data(), &matrix.shape);
    }

    void write(Vec v, std::size_t first, std::span<const double> values) override {
        check(first, values.size());
        const std::size_t k = index(v);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto [word, overflow] = hls::stored_word(formats_[k], values[i]);
            unfit_ |= overflow;
            hls::store_word(vectors_[k].data() + place(first + i) * word_bytes_[k], word_bytes_[k], word);
        }
    }
    void read(Vec v, std::size_t first, std::span<double> values) const override {
        check(first, values.size());
        const std::size_t k = index(v);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = hls::stored_value(
                formats_[k], hls::load_word(vectors_[k].data() + place(first + i) * word_bytes_[k], word_bytes_[k]));
    }
    void clear(Vec v) override { vectors_[index(v)].clear(); }
    void set_scalars(double alpha, double beta) override {
        words_ = {};
        last_pair_.reset();
        words_.alpha = word(alpha);
        words_.beta = word(beta);
    }
    [[nodiscard]] Scalars scalars() const override {
        return given_ && last_pair_ ? *last_pair_ : hls::scalars_of(spec_, words_);
    }

    RunReport run(const RunRequest& request) override {
        RunReport report;
        const std::uint64_t stop = word(request.rho_stop);
        const std::vector<StepPair> pairs = given_ ? operand_pairs(spec_, request) : std::vector<StepPair>();
        while (report.passes < request.passes && report.end == RunEnd::passes) {
            mantissa_hls::PassRequest pass{words_.alpha, words_.beta, stop,
                                           report.passes + 1 >= request.rho_stop_from ? 1U : 0U};
            if (given_) {
                const StepPair& pair = pairs[report.passes];
                pass.alpha = hls::to_word(spec_.operand, pair.alpha);
                pass.beta = hls::to_word(spec_.operand, pair.beta);
                last_pair_ = Scalars{.alpha = pair.alpha, .beta = pair.beta};
            }
            mantissa_hls::ScalarResult result;
            if (sparse()) sparse_pass(pass, result);
            else grid_pass(pass, result);
            report.words.merge(hls::word_use(spec_, result));
            if (unfit_) result = hls::overflowed(); // a write() that no word held
            unfit_ = false;
            words_ = result.words;
            ++report.passes;
            report.sigma_guards += result.guarded;
            report.end = hls::run_end(result.end);
        }
        return report;
    }

private:
    [[nodiscard]] bool sparse() const { return kernel_.sparse.lanes != 0; }
    /// Where element i of a vector stands.
    [[nodiscard]] std::size_t place(std::size_t i) const { return rows_.position.empty() ? i : rows_.position[i]; }
    void grid_pass(const mantissa_hls::PassRequest& request, mantissa_hls::ScalarResult& result) {
        mantissa_hls::Memory memory;
        memory.u = vectors_[0].data();
        memory.r = vectors_[1].data();
        memory.p = vectors_[2].data();
        memory.q = vectors_[3].data();
        for (std::size_t b = 0; b < kBands; ++b) memory.band[b] = bands_[b].data();
        kernel_.pass.pass(state_.data(), &memory, &request, &result);
    }
    void sparse_pass(const mantissa_hls::PassRequest& request, mantissa_hls::ScalarResult& result) {
        const mantissa_hls::SparseMemory memory{vectors_[0].data(),      vectors_[1].data(),  vectors_[2].data(),
                                                vectors_[3].data(),      rows_.column.data(), rows_.coefficient.data(),
                                                rows_.slice_begin.data()};
        kernel_.sparse.begin_pass(state_.data(), &request);
        kernel_.sparse.update(state_.data(), &memory, 0, rows_.slices);
        kernel_.sparse.rows(state_.data(), &memory, 0, rows_.slices);
        kernel_.sparse.scalars(state_.data(), &request, &result);
    }
    static std::size_t index(Vec v) { return static_cast<std::size_t>(v); }
    [[nodiscard]] std::uint64_t word(double x) const {
        return hls::to_word(spec_.scalar, exact::convert(spec_.scalar, x));
    }
    void check(std::size_t first, std::size_t count) const {
        if (first > size_ || count > size_ - first)
            throw InvalidInput("session: elements outside the vector; stay below the system's size");
    }

    DatapathSpec spec_;
    bool given_; ///< alpha and beta come with a run
    const Kernel& kernel_;
    Format formats_[4];
    std::size_t word_bytes_[4];
    std::size_t size_;
    Buffer vectors_[4];
    Buffer bands_[kBands];
    hls::SparseRows rows_; // of sparse rows
    Buffer state_;
    mantissa_hls::ScalarWords words_;
    std::optional<Scalars> last_pair_; ///< the last pass, where they are given
    bool unfit_ = false;
};

class HlsEngine final : public Engine {
public:
    [[nodiscard]] std::string name() const override { return "hls"; }
    [[nodiscard]] std::string description() const override {
        return "the HLS-style C++ datapath, untimed (" + std::to_string(hls::builtin_kernels().size()) +
               " datapaths built in, others compiled on first use)";
    }
    [[nodiscard]] std::string refusal(const DatapathSpec& spec, const System& system,
                                      const SessionOptions& options) const override {
        return hls::refusal("hls", spec, system, options);
    }
    [[nodiscard]] std::unique_ptr<Session> load(const System& system, const DatapathSpec& spec,
                                                const SessionOptions& options) const override {
        if (const std::string why = refusal(spec, system, options); !why.empty()) throw InvalidInput(why);
        return std::make_unique<HlsSession>(system, spec, options.recurrence);
    }
    [[nodiscard]] std::string cycle_refusal(const System& system, const CycleSpec& spec) const override {
        return multilevel::word_cycle_refusal(name(), system, spec);
    }
    [[nodiscard]] std::unique_ptr<Cycle> cycle(const System& system, const CycleSpec& spec, int) const override {
        if (const std::string why = cycle_refusal(system, spec); !why.empty()) throw InvalidInput(why);
        const auto grid = *multilevel::grid_words(system);
        return multilevel::make_cycle_of_words(grid, spec, hls::make_cycle_core(grid, spec));
    }
    [[nodiscard]] std::string cycles_refusal(const System& system, const CycleSpec& spec,
                                             const CycleLoop& loop) const override {
        return multilevel::word_cycles_refusal(name(), system, spec, loop);
    }
    [[nodiscard]] std::unique_ptr<CycleSolver> cycles(const System& system, const CycleSpec& spec,
                                                      const CycleLoop& loop) const override {
        if (const std::string why = cycles_refusal(system, spec, loop); !why.empty()) throw InvalidInput(why);
        const auto grid = *multilevel::grid_words(system);
        return multilevel::make_cycle_solver(grid, loop, hls::make_cycle_core(grid, spec));
    }
};

} // namespace

std::unique_ptr<Engine> make_hls_engine() {
    return std::make_unique<HlsEngine>();
}

} // namespace mantissa
