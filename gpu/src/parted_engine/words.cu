#include <array>
#include <bit>
#include <vector>

#include "../fixed/kernels.hpp"
#include "../fixed/outer_kernels.cuh"
#include "../fixed/plan.hpp"
#include "launch.cuh"
#include "mantissa/fixed_kernels.hpp"
#include "mantissa/kernels.hpp"
#include "outer.hpp"
#include "part_array.cuh"
#include "sessions.hpp"
#include "word_pass.cuh"

namespace mantissa::gpu {

namespace {

/// U: int for short words of u, long long for long ones, double for a floating u.
template <class U> class PartedWords final : public Session {
public:
    PartedWords(const System& system, const DatapathSpec& spec, std::shared_ptr<Peers> peers, CutMethod method)
        : spec_(spec), size_(system.size()), places_(peers, part_maps(system, peers->parts(), method)),
          u_(places_), words_{PartArray<int>(places_), PartArray<int>(places_), PartArray<int>(places_)},
          runner_(places_, words_[1], system.row_length()) {
        const fixed::ProductRows rows = fixed::product_rows(system, spec);
        for (int k = 0; k < places_.parts(); ++k) load_part(k, system, rows);
    }

    void write(Vec v, std::size_t first, std::span<const double> values) override {
        inside(first, values.size());
        if (v != Vec::u) return enter<std::int32_t>(words_[index(v) - 1], first, values, format(v));
        if constexpr (std::is_same_v<U, double>) {
            std::vector<double> rounded(values.size());
            VectorUnit<double>(spec_.u).convert(values, std::span<double>(rounded));
            u_.write(first, rounded);
        } else {
            enter<std::conditional_t<sizeof(U) == 4, std::int32_t, std::int64_t>>(u_, first, values, format(v));
        }
    }
    void read(Vec v, std::size_t first, std::span<double> values) const override {
        inside(first, values.size());
        const auto leave = [&](const auto& from, auto&& host) {
            from.read(first, host);
            for (std::size_t i = 0; i < host.size(); ++i) {
                if constexpr (std::is_same_v<std::decay_t<decltype(host[i])>, double>) values[i] = host[i];
                else values[i] = fixed::to_double(format(v), host[i]);
            }
        };
        if (v == Vec::u) leave(u_, std::vector<U>(values.size()));
        else leave(words_[index(v) - 1], std::vector<int>(values.size()));
    }
    void clear(Vec v) override {
        if (v == Vec::u) u_.zero();
        else words_[index(v) - 1].zero();
    }
    void set_scalars(double alpha, double beta) override {
        scalars_ = {};
        scalars_.alpha = exact::convert(spec_.scalar, alpha);
        scalars_.beta = exact::convert(spec_.scalar, beta);
    }
    [[nodiscard]] Scalars scalars() const override { return scalars_; }

    RunReport run(const RunRequest& request) override {
        const auto prepare = [this](int k) {
            runner_.params(k).unfit = unfit_;
            const OnDevice here(places_.peers->device(k));
            apart_[static_cast<std::size_t>(k)].zero();
        };
        return runner_.run_all(request, spec_.scalar, scalars_, prepare, [this](RunReport& report) {
            unfit_ = false;
            take_words(report);
        });
    }

    std::unique_ptr<OuterVectors> outer(const System& given, std::unique_ptr<OuterVectors> host) override {
        if (!DeviceOuter::takes(given)) return host;
        return std::make_unique<Outer>(*this, given);
    }

private:
    class Outer final : public PartedOuter {
    public:
        Outer(PartedWords& session, const System& given) : PartedOuter(session.places_, given), session_(session) {
            for_parts([&](int) { unfit_.emplace_back(1); });
        }

    private:
        void form_direction(int k, double scale, bool keep) override {
            const FixedParams& a = session_.runner_.params(k);
            fixed_direction<<<blocks(k), kOuterThreads>>>(d_.data(k), 1 / scale, session_.spec_.p, a.p_words, keep,
                                                          a.size, direction_.data(k), scratch_.data(k));
            check(cudaGetLastError(), "launch of fixed_direction");
        }
        void begin(int k, double share, bool keep) override {
            const FixedParams& a = session_.runner_.params(k);
            const auto size = static_cast<std::size_t>(a.size);
            Buffer<unsigned>& unfit = unfit_[static_cast<std::size_t>(k)];
            unfit.zero();
            fixed_restart<<<blocks(k), kOuterThreads>>>(session_.spec_.r, session_.spec_.p, direction_.data(k), share,
                                                        keep, a.size, a.r_words, a.p_words, unfit.data());
            check(cudaGetLastError(), "launch of fixed_restart");
            check(cudaMemsetAsync(a.u_words, 0, size * sizeof(U)), "cudaMemset");
            check(cudaMemsetAsync(a.q_words, 0, size * sizeof(int)), "cudaMemset");
        }
        void begun() override {
            for_parts([&](int k) {
                unsigned unfit = 0;
                unfit_[static_cast<std::size_t>(k)].download(std::span(&unfit, 1));
                session_.unfit_ |= unfit != 0;
            });
        }
        void form_correction(int k, double alpha) override {
            const FixedParams& a = session_.runner_.params(k);
            fixed_correction<U><<<blocks(k), kOuterThreads>>>(
                session_.spec_.u, session_.spec_.p, static_cast<const U*>(a.u_words), a.p_words, alpha, a.size,
                scratch_.data(k), broken_[static_cast<std::size_t>(k)].data());
            check(cudaGetLastError(), "launch of fixed_correction");
        }

        PartedWords& session_;
        std::vector<Buffer<unsigned>> unfit_;
    };

    static std::size_t index(Vec v) { return static_cast<std::size_t>(v); }
    [[nodiscard]] const Format& format(Vec v) const {
        return v == Vec::u ? spec_.u : v == Vec::r ? spec_.r : v == Vec::p ? spec_.p : spec_.q;
    }
    void inside(std::size_t first, std::size_t count) const {
        if (first > size_ || count > size_ - first)
            throw InvalidInput("session: elements outside the vector; stay below the system's size");
    }
    template <class Word, class Element>
    void enter(PartArray<Element>& to, std::size_t first, std::span<const double> values, const Format& f) {
        std::vector<Word> host(values.size());
        unfit_ |= FixedUnit<Word>(f).convert(values, std::span<Word>(host));
        to.write(first, std::vector<Element>(host.begin(), host.end()));
    }
    void load_part(int k, const System& system, const fixed::ProductRows& rows) {
        const OnDevice here(places_.peers->device(k));
        const PartMap& m = places_.maps[static_cast<std::size_t>(k)];
        FixedParams& a = runner_.params(k);
        set_formats(spec_, system.kind(), a);
        plan_rows(rows, spec_, a.kind, a);
        a.size = static_cast<long long>(m.elements);
        a.columns = static_cast<int>(system.row_length());
        a.rows = a.columns == 0 ? 0 : static_cast<int>(m.elements / system.row_length());
        const auto upload = [](std::span<const fixed::Word> words) {
            return to_device(std::vector<int>(words.begin(), words.end()));
        };
        auto& bands = band_.emplace_back();
        if (a.kind == System::Kind::bands)
            for (std::size_t b = 0; b < kBands; ++b) {
                bands[b] = upload(std::span(rows.bands[b]).subspan(static_cast<std::size_t>(m.first), m.elements));
                a.band[b] = bands[b].data();
            }
        if (a.kind == System::Kind::sparse) {
            std::vector<int> own(m.entry.size());
            for (std::size_t e = 0; e < own.size(); ++e) own[e] = static_cast<int>(rows.value[m.entry[e]]);
            value_.push_back(to_device(own));
            row_begin_.push_back(to_device(m.row_begin));
            column_.push_back(to_device(m.column));
            a.value = value_.back().data();
            a.row_begin = row_begin_.back().data();
            a.column = column_.back().data();
        }
        a.u_words = u_.data(k);
        a.r_words = words_[0].data(k);
        a.p_words = words_[1].data(k);
        a.q_words = words_[2].data(k);
        a.apart = apart_.emplace_back(4).data();
    }
    void take_words(RunReport& report) const {
        unsigned long long apart[4] = {};
        for (const auto& of_part : apart_) {
            unsigned long long mine[4];
            of_part.download(mine);
            for (int v = 0; v < 4; ++v) apart[v] |= mine[v];
        }
        const auto bits = [&](Vec v) {
            const Format& f = format(v);
            return f.is_fixed() ? std::clamp(static_cast<int>(std::bit_width(apart[index(v)])), 1, f.word_bits + 1) : 0;
        };
        report.words.merge({bits(Vec::u), bits(Vec::r), bits(Vec::p), bits(Vec::q)});
    }

    DatapathSpec spec_;
    std::size_t size_;
    PartPlaces places_;
    PartArray<U> u_;
    std::array<PartArray<int>, 3> words_; ///< r, p and q
    PartRunner<WordPass<U>> runner_;
    std::vector<std::array<Buffer<int>, kBands>> band_;
    std::vector<Buffer<std::uint64_t>> row_begin_;
    std::vector<Buffer<std::uint32_t>> column_;
    std::vector<Buffer<int>> value_;
    std::vector<Buffer<unsigned long long>> apart_;
    Scalars scalars_;
    bool unfit_ = false;
};

} // namespace

std::unique_ptr<Session> make_parted_words(const System& system, const DatapathSpec& spec, std::shared_ptr<Peers> peers,
                                           CutMethod method) {
    if (!spec.u.is_fixed()) return std::make_unique<PartedWords<double>>(system, spec, std::move(peers), method);
    if (spec.u.word_bits <= kShortU) return std::make_unique<PartedWords<int>>(system, spec, std::move(peers), method);
    return std::make_unique<PartedWords<long long>>(system, spec, std::move(peers), method);
}

} // namespace mantissa::gpu
