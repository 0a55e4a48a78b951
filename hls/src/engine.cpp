// The hls engine's sessions: vectors as words in memory, passes through the compiled kernel.
#include "mantissa/hls/engine.hpp"

#include <algorithm>
#include <new>
#include <vector>

#include "mantissa/exact.hpp"
#include "mantissa/hls/kernel.hpp"

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
    HlsSession(const System& system, const DatapathSpec& spec)
        : spec_(spec), kernel_(hls::kernel_for(spec, system.kind())), formats_{spec.u, spec.r, spec.p, spec.q},
          word_bytes_{kernel_.u_word, kernel_.r_word, kernel_.p_word, kernel_.q_word}, size_(system.size()),
          state_(kernel_.pass.state_bytes) {
        const std::size_t lanes = kernel_.pass.beat_lanes, padded = (size_ + lanes - 1) / lanes * lanes;
        for (std::size_t v = 0; v < 4; ++v) vectors_[v] = Buffer(padded * word_bytes_[v]);
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
        std::byte* at = vectors_[k].data() + first * word_bytes_[k];
        for (const double x : values) {
            const auto [word, overflow] = hls::stored_word(formats_[k], x);
            unfit_ |= overflow;
            hls::store_word(at, word_bytes_[k], word);
            at += word_bytes_[k];
        }
    }
    void read(Vec v, std::size_t first, std::span<double> values) const override {
        check(first, values.size());
        const std::size_t k = index(v);
        const std::byte* at = vectors_[k].data() + first * word_bytes_[k];
        for (double& x : values) {
            x = hls::stored_value(formats_[k], hls::load_word(at, word_bytes_[k]));
            at += word_bytes_[k];
        }
    }
    void clear(Vec v) override { vectors_[index(v)].clear(); }
    void set_scalars(double alpha, double beta) override {
        words_ = {};
        words_.alpha = word(alpha);
        words_.beta = word(beta);
    }
    [[nodiscard]] Scalars scalars() const override { return hls::scalars_of(spec_, words_); }

    RunReport run(const RunRequest& request) override {
        mantissa_hls::Memory memory;
        memory.u = vectors_[0].data();
        memory.r = vectors_[1].data();
        memory.p = vectors_[2].data();
        memory.q = vectors_[3].data();
        for (std::size_t b = 0; b < kBands; ++b) memory.band[b] = bands_[b].data();
        RunReport report;
        const std::uint64_t stop = word(request.rho_stop);
        while (report.passes < request.passes && report.end == RunEnd::passes) {
            const mantissa_hls::PassRequest pass{words_.alpha, words_.beta, stop,
                                                 report.passes + 1 >= request.rho_stop_from ? 1U : 0U};
            mantissa_hls::ScalarResult result;
            kernel_.pass.pass(state_.data(), &memory, &pass, &result);
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
    static std::size_t index(Vec v) { return static_cast<std::size_t>(v); }
    [[nodiscard]] std::uint64_t word(double x) const {
        return hls::to_word(spec_.scalar, exact::convert(spec_.scalar, x));
    }
    void check(std::size_t first, std::size_t count) const {
        if (first > size_ || count > size_ - first)
            throw InvalidInput("session: elements outside the vector; stay below the system's size");
    }

    DatapathSpec spec_;
    const Kernel& kernel_;
    Format formats_[4];
    std::size_t word_bytes_[4];
    std::size_t size_;
    Buffer vectors_[4];
    Buffer bands_[kBands];
    Buffer state_;
    mantissa_hls::ScalarWords words_;
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
        return std::make_unique<HlsSession>(system, spec);
    }
};

} // namespace

std::unique_ptr<Engine> make_hls_engine() {
    return std::make_unique<HlsEngine>();
}

} // namespace mantissa
