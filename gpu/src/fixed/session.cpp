#include "session.hpp"

#include <array>
#include <limits>
#include <vector>

#include "kernels.hpp"
#include "mantissa/fixed_kernels.hpp"
#include "mantissa/gpu/device.hpp"
#include "mantissa/gpu/engine.hpp"
#include "mantissa/kernels.hpp"
#include "memory.cuh"
#include "outer.hpp"
#include "plan.hpp"
#include "refusal.hpp"
#include "resident.cuh"

namespace mantissa::gpu {

namespace {

class FixedSession final : public Session {
public:
    FixedSession(const System& system, const DatapathSpec& spec)
        : spec_(spec), size_(system.size()), u_kind_(!spec.u.is_fixed()            ? FixedU::floating
                                                     : spec.u.word_bits <= kShortU ? FixedU::short_words
                                                                                   : FixedU::long_words),
          words_{Buffer<int>(size_), Buffer<int>(size_), Buffer<int>(size_)}, sums_(2 * kFixedSums + 1), apart_(4),
          result_(1) {
        const DeviceInfo& device = require_device();
        if (u_kind_ == FixedU::short_words) u_short_.allocate(size_);
        else u_long_.allocate(size_);
        for (const Vec v : {Vec::u, Vec::r, Vec::p, Vec::q}) clear(v);
        FixedParams& a = params_;
        set_formats(spec, system.kind(), a);
        a.size = static_cast<long long>(size_);
        a.columns = static_cast<int>(system.row_length());
        a.rows = a.columns == 0 ? 0 : static_cast<int>(size_ / system.row_length());
        a.u_words = u_kind_ == FixedU::short_words ? static_cast<void*>(u_short_.data()) : u_long_.data();
        a.r_words = words_[0].data();
        a.p_words = words_[1].data();
        a.q_words = words_[2].data();
        a.sums = sums_.data();
        a.apart = apart_.data();
        a.result = result_.data();
        const bool short_rows = load_matrix(system);
        plan_memory(device);
        if (short_rows && resident_words(spec)) plan_resident(device);
    }

    void write(Vec v, std::size_t first, std::span<const double> values) override {
        inside(first, values.size());
        if (v != Vec::u) return enter(words_[index(v) - 1], first, values, format(v));
        if (u_kind_ == FixedU::short_words) return enter(u_short_, first, values, format(v));
        std::vector<long long> host(values.size());
        if (u_kind_ == FixedU::floating) {
            std::vector<double> rounded(values.size());
            VectorUnit<double>(spec_.u).convert(values, std::span<double>(rounded));
            std::ranges::transform(rounded, host.begin(), [](double x) { return std::bit_cast<long long>(x); });
        } else {
            std::vector<std::int64_t> words(values.size());
            unfit_ |= FixedUnit<std::int64_t>(spec_.u).convert(values, std::span<std::int64_t>(words));
            host.assign(words.begin(), words.end());
        }
        u_long_.upload(host, first);
    }
    void read(Vec v, std::size_t first, std::span<double> values) const override {
        inside(first, values.size());
        if (v != Vec::u) return leave(words_[index(v) - 1], first, values, format(v));
        if (u_kind_ == FixedU::short_words) return leave(u_short_, first, values, format(v));
        std::vector<long long> host(values.size());
        u_long_.download(host, first);
        for (std::size_t i = 0; i < host.size(); ++i)
            values[i] =
                u_kind_ == FixedU::floating ? std::bit_cast<double>(host[i]) : fixed::to_double(spec_.u, host[i]);
    }
    void clear(Vec v) override {
        if (v != Vec::u) words_[index(v) - 1].zero();
        else if (u_kind_ == FixedU::short_words) u_short_.zero();
        else u_long_.zero();
    }
    void set_scalars(double alpha, double beta) override {
        scalars_ = {};
        scalars_.alpha = exact::convert(spec_.scalar, alpha);
        scalars_.beta = exact::convert(spec_.scalar, beta);
    }
    [[nodiscard]] Scalars scalars() const override { return scalars_; }

    RunReport run(const RunRequest& request) override {
        RunReport report;
        params_.rho_stop = exact::convert(spec_.scalar, request.rho_stop);
        bool over_memory = resident_ == nullptr;
        while (report.passes < request.passes && report.end == RunEnd::passes) {
            const std::uint64_t left = request.passes - report.passes;
            params_.start = scalars_;
            // Where a pass is beyond the resident kernel's integers, that pass runs over memory.
            params_.passes = over_memory && resident_ != nullptr ? 1 : left;
            params_.rho_stop_from = request.rho_stop_from > report.passes ? request.rho_stop_from - report.passes : 1;
            params_.unfit = unfit_;
            const FixedResult result = launch(over_memory);
            if (result.passes > 0) unfit_ = false;
            report.passes += result.passes;
            report.sigma_guards += result.guards;
            report.end = result.end;
            if (result.passes > 0) scalars_ = result.scalars;
            over_memory = resident_ == nullptr || result.beyond;
            take_words(report);
        }
        return report;
    }

    std::unique_ptr<OuterVectors> outer(const System& given, std::unique_ptr<OuterVectors> host) override {
        if (!DeviceOuter::takes(given)) return host;
        return make_fixed_outer({&params_, spec_.u, spec_.r, spec_.p, u_kind_, &unfit_}, given);
    }

private:
    static std::size_t index(Vec v) { return static_cast<std::size_t>(v); }
    [[nodiscard]] const Format& format(Vec v) const {
        return v == Vec::u ? spec_.u : v == Vec::r ? spec_.r : v == Vec::p ? spec_.p : spec_.q;
    }
    void inside(std::size_t first, std::size_t count) const {
        if (first > size_ || count > size_ - first)
            throw InvalidInput("session: elements outside the vector; stay below the system's size");
    }
    void enter(Buffer<int>& to, std::size_t first, std::span<const double> values, const Format& f) {
        std::vector<std::int32_t> host(values.size());
        unfit_ |= FixedUnit<std::int32_t>(f).convert(values, std::span<std::int32_t>(host));
        to.upload(host, first);
    }
    static void leave(const Buffer<int>& from, std::size_t first, std::span<double> values, const Format& f) {
        std::vector<std::int32_t> host(values.size());
        from.download(host, first);
        FixedUnit<std::int32_t>(f).to_doubles(std::span<const std::int32_t>(host), values);
    }

    /// Do the resident kernels' integers hold the rows?
    bool load_matrix(const System& system) {
        const fixed::ProductRows rows = fixed::product_rows(system, spec_);
        const bool fits = plan_rows(rows, spec_, params_.kind, params_);
        const auto upload = [](const std::vector<fixed::Word>& words) {
            return to_device(std::vector<int>(words.begin(), words.end()));
        };
        if (params_.kind == System::Kind::bands)
            for (std::size_t b = 0; b < kBands; ++b) {
                band_[b] = upload(rows.bands[b]);
                params_.band[b] = band_[b].data();
            }
        if (params_.kind != System::Kind::sparse) return fits;
        const auto& m = std::get<CompressedRows>(system.matrix());
        row_begin_ = to_device(m.row_begin());
        column_ = to_device(m.column());
        value_ = upload(rows.value);
        params_.row_begin = row_begin_.data();
        params_.column = column_.data();
        params_.value = value_.data();
        return fits;
    }
    void plan_memory(const DeviceInfo& device) {
        memory_ = fixed_memory_kernel(u_kind_);
        int each = 0;
        check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, memory_, kMemoryThreads, 0),
              "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
        if (each < 1) throw DeviceError("fixed_memory", "not one block fits a multiprocessor");
        const std::size_t wanted = (size_ + kMemoryThreads - 1) / kMemoryThreads;
        memory_blocks_ = static_cast<unsigned>(std::min(wanted, static_cast<std::size_t>(std::min(each, 4)) *
                                                                    static_cast<std::size_t>(device.multiprocessors)));
    }
    void plan_resident(const DeviceInfo& device) {
        shape_ = fixed_resident_shape(params_.columns, params_.rows, device.multiprocessors);
        if (shape_.rows == 0) return;
        resident_ = fixed_resident_kernel(shape_, params_.row, u_kind_);
        if (resident_ == nullptr) return;
        const int longest = std::max({spec_.r.word_bits, spec_.p.word_bits, spec_.q.word_bits});
        const int each = shape_.rows * shape_.columns; // products of a thread's sum
        params_.limbs = 2 * (longest - 1) + std::bit_width(static_cast<unsigned>(each - 1)) <= 43 ? 2 : 3;
        packets_.allocate(4 * static_cast<std::size_t>(shape_.blocks) * static_cast<std::size_t>(params_.columns));
        packets_.zero();
        params_.packets = packets_.data();
    }
    FixedResult launch(bool over_memory) {
        sums_.zero();
        apart_.zero();
        void* arguments[] = {&params_};
        if (over_memory) {
            check(
                cudaLaunchCooperativeKernel(memory_, dim3(memory_blocks_), dim3(kMemoryThreads), arguments, 0, nullptr),
                "launch of fixed_memory");
        } else {
            const auto threads = static_cast<unsigned>(shape_.threads);
            check(cudaLaunchCooperativeKernel(resident_, dim3(shape_.blocks), dim3(threads), arguments,
                                              resident_bytes(shape_.rows, shape_.columns, params_.row, shape_.threads),
                                              nullptr),
                  "launch of fixed_resident");
        }
        check(cudaDeviceSynchronize(), "a run in fixed-point words");
        FixedResult result{};
        result_.download(std::span(&result, 1));
        params_.first_tag += static_cast<unsigned>(result.passes);
        return result;
    }
    void take_words(RunReport& report) const {
        unsigned long long apart[4];
        apart_.download(apart);
        const auto bits = [&](Vec v) {
            const Format& f = format(v);
            return f.is_fixed() ? std::clamp(static_cast<int>(std::bit_width(apart[index(v)])), 1, f.word_bits + 1) : 0;
        };
        report.words.merge({bits(Vec::u), bits(Vec::r), bits(Vec::p), bits(Vec::q)});
    }

    DatapathSpec spec_;
    std::size_t size_;
    FixedU u_kind_;
    FixedParams params_{};
    Buffer<int> u_short_;
    Buffer<long long> u_long_;         ///< or the bits of a double
    std::array<Buffer<int>, 3> words_; ///< r, p and q
    std::array<Buffer<int>, kBands> band_;
    Buffer<std::uint64_t> row_begin_;
    Buffer<std::uint32_t> column_;
    Buffer<int> value_;
    Buffer<unsigned long long> sums_, packets_, apart_;
    Buffer<FixedResult> result_;
    const void *resident_ = nullptr, *memory_ = nullptr;
    ResidentShape shape_;
    unsigned memory_blocks_ = 1;
    Scalars scalars_;
    bool unfit_ = false;
};

} // namespace

std::string fixed_refusal(const DatapathSpec& spec, const System& system) {
    if (const std::string why = fixed_spec_refusal(spec); !why.empty()) return why;
    try {
        const fixed::ProductRows rows = fixed::product_rows(system, spec);
        const bool constant = system.kind() == System::Kind::stencil;
        if (!constant && rows.longest > 32)
            return fmt::format("engine gpu: {}: a coefficient takes {} bits, and words of a matrix have 32: shorten "
                               "coef= or use --engine emulated",
                               to_string(spec), rows.longest);
    } catch (const InvalidInput& e) {
        return fmt::format("datapath '{}': {}", to_string(spec), e.what());
    }
    return {};
}

std::unique_ptr<Session> make_fixed_session(const System& system, const DatapathSpec& spec) {
    return std::make_unique<FixedSession>(system, spec);
}

} // namespace mantissa::gpu

bool mantissa::one_chip_holds(const System& system, const DatapathSpec& spec) {
    using namespace mantissa::gpu;
    if (system.kind() == System::Kind::sparse || !spec.fixed_vectors() || !resident_words(spec)) return false;
    if (!device_missing().empty() || !fixed_refusal(spec, system).empty()) return false;
    const auto columns = system.row_length();
    const ResidentShape shape = fixed_resident_shape(
        static_cast<int>(columns), static_cast<int>(system.size() / columns), require_device().multiprocessors);
    FixedParams params{};
    return shape.rows != 0 && plan_rows(fixed::product_rows(system, spec), spec, system.kind(), params);
}
