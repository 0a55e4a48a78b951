// Sessions of the gpu engine.
#include "mantissa/gpu/engine.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/engine_outer.cuh"
#include "engine/engine_pass.cuh"
#include "engine/engine_rows.cuh"
#include "engine/outer_vectors.hpp"
#include "fixed/session.hpp"
#include "mantissa/gpu/device.hpp"
#include "mantissa/kernels.hpp"
#include "multilevel_words/engine_cycles.hpp"
#include "native/native.hpp"

namespace mantissa {

namespace gpu {
namespace {

template <class Unit, class Element> class GpuSession final : public Session {
    using T = typename Unit::Carrier;

public:
    GpuSession(const System& system, const DatapathSpec& spec)
        : spec_(spec), size_(system.size()), margin_(system.row_length() + 1), u_(size_), r_(size_),
          p_(size_ + 2 * margin_), q_(size_), words_(2 * kEngineWords + 1), lanes_(2 * 3 * spec.partials()),
          result_(1) {
        const DeviceInfo& device = require_device();
        u_.zero();
        r_.zero();
        p_.zero();
        q_.zero();
        Params& a = params_;
        set_formats(spec, system.kind(), a);
        a.size = static_cast<long long>(size_);
        a.row_length = static_cast<long long>(system.row_length());
        if (const auto converted = converted_for(spec.order, system)) load_matrix(*converted);
        else load_matrix(system);
        a.u = u_.data();
        a.r = r_.data();
        a.p = p_.data() + margin_;
        a.q = q_.data();
        a.words = words_.data();
        a.lanes = lanes_.data();
        a.result = result_.data();
        // Blocks take their elements in chunks of whole rounds over the partial sums.
        const auto ceiling = [](std::size_t x, std::size_t y) { return (x + y - 1) / y; };
        blocks_ = static_cast<unsigned>(std::clamp<std::size_t>(ceiling(size_, kEngineThreads), 1,
                                                                static_cast<std::size_t>(device.multiprocessors)));
        const std::size_t rounds = std::clamp<std::size_t>(size_ / blocks_ / 8192, 1, kMaxChunks / blocks_);
        a.chunk =
            static_cast<long long>(ceiling(ceiling(size_, blocks_ * rounds), kMaxBinadePartials) * kMaxBinadePartials);
        a.chunks = static_cast<int>(ceiling(size_, static_cast<std::size_t>(a.chunk)));
        blocks_ = std::min(blocks_, static_cast<unsigned>(a.chunks));
        const auto terms = static_cast<long long>(ceiling(size_, static_cast<std::size_t>(a.partials)));
        // Blocks keep their vectors where they have one tile each and rows reach little beyond it.
        const bool near = system.kind() != System::Kind::sparse && a.chunk <= kTile &&
                          blocks_ == static_cast<unsigned>(a.chunks) && a.chunks <= kMostBlocks &&
                          margin_ <= kMostMargin;
        if (near) {
            q_odd_.allocate(size_);
            a.q_odd = q_odd_.data();
        }
        if (spec.dot.fixed) {
            kernel_ = kernel<DotWay::fixed>(near);
        } else if (BinadePlan::fits(spec.dot.accumulator, a.partials, terms)) {
            kernel_ = kernel<DotWay::binades>(near);
            plan_binades(terms);
        } else {
            kernel_ = kernel<DotWay::lanes>(near);
        }
        int resident = 0;
        check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel_, kEngineThreads, shared_bytes_),
              "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
        if (resident < 1) throw DeviceError("engine_run", "not one block fits a multiprocessor");
    }

    void write(Vec v, std::size_t first, std::span<const double> values) override {
        inside(first, values.size());
        std::vector<T> host(values.size());
        const Format f[] = {spec_.u, spec_.r, spec_.p, spec_.q};
        VectorUnit<T>(f[static_cast<std::size_t>(v)]).convert(values, std::span<T>(host));
        if (v == Vec::u) {
            u_.upload(host, first);
        } else {
            std::vector<Element> elements;
            to_elements(host, elements);
            buffer(v).upload(elements, first + lead(v));
        }
    }
    void read(Vec v, std::size_t first, std::span<double> values) const override {
        inside(first, values.size());
        if (v == Vec::u) {
            std::vector<T> host(values.size());
            u_.download(host, first);
            std::transform(host.begin(), host.end(), values.begin(), [](T x) { return to_value(x); });
        } else {
            std::vector<Element> host(values.size());
            const_cast<GpuSession*>(this)->buffer(v).download(host, first + lead(v));
            std::transform(host.begin(), host.end(), values.begin(), [](Element x) { return to_value(x); });
        }
    }
    void clear(Vec v) override {
        if (v == Vec::u) u_.zero();
        else buffer(v).zero();
    }
    void set_scalars(double alpha, double beta) override {
        scalars_ = {};
        scalars_.alpha = exact::convert(spec_.scalar, alpha);
        scalars_.beta = exact::convert(spec_.scalar, beta);
    }
    [[nodiscard]] Scalars scalars() const override { return scalars_; }

    RunReport run(const RunRequest& request) override {
        RunReport report;
        if (request.passes == 0) return report;
        params_.start = scalars_;
        params_.passes = request.passes;
        params_.rho_stop = exact::convert(spec_.scalar, request.rho_stop);
        params_.rho_stop_from = request.rho_stop_from;
        words_.zero();
        void* arguments[] = {&params_};
        check(cudaLaunchCooperativeKernel(kernel_, dim3(blocks_), dim3(kEngineThreads), arguments, shared_bytes_,
                                          nullptr),
              "launch of engine_run");
        check(cudaDeviceSynchronize(), "engine_run");
        EngineResult result{};
        result_.download(std::span(&result, 1));
        scalars_ = result.scalars;
        report.passes = result.passes;
        report.end = result.end;
        report.sigma_guards = result.guards;
        return report;
    }

    std::unique_ptr<OuterVectors> outer(const System& given, std::unique_ptr<OuterVectors> host) override {
        if (!DeviceOuter::takes(given)) return host;
        return std::make_unique<Outer>(*this, given);
    }

private:
    using Params = EngineParams<Unit, Element>;

    class Outer final : public DeviceOuter {
    public:
        Outer(GpuSession& session, const System& given) : DeviceOuter(given), session_(session) {}

    private:
        void form_direction(double scale, bool keep) override {
            outer_direction<<<blocks(), kOuterThreads>>>(d_.data(), scale, session_.params_.p, keep, matrix_.size,
                                                         direction_.data(), scratch_.data());
            check(cudaGetLastError(), "launch of outer_direction");
        }
        void begin(double projection, bool keep) override {
            outer_restart<Unit, Element>
                <<<blocks(), kOuterThreads>>>(session_.params_, direction_.data(), projection, keep);
            check(cudaGetLastError(), "launch of outer_restart");
        }
        void form_correction(double alpha) override {
            outer_correction<Unit, Element>
                <<<blocks(), kOuterThreads>>>(session_.params_, alpha, scratch_.data(), broken_.data());
            check(cudaGetLastError(), "launch of outer_correction");
        }

        GpuSession& session_;
    };

    template <DotWay Way> static const void* kernel(bool near) {
        return near ? reinterpret_cast<const void*>(engine_run<Unit, Element, Way, true>)
                    : reinterpret_cast<const void*>(engine_run<Unit, Element, Way, false>);
    }
    void inside(std::size_t first, std::size_t count) const {
        if (first > size_ || count > size_ - first)
            throw InvalidInput("session: elements outside the vector; stay below the system's size");
    }
    Buffer<Element>& buffer(Vec v) { return v == Vec::r ? r_ : v == Vec::p ? p_ : q_; }
    [[nodiscard]] std::size_t lead(Vec v) const { return v == Vec::p ? margin_ : 0; }

    void plan_binades(long long terms) {
        BinadePlan& b = params_.binades;
        const Format& f = spec_.dot.accumulator;
        b.partials = params_.partials;
        b.shift = std::countr_zero(static_cast<unsigned>(b.partials));
        b.chunks = params_.chunks;
        b.chunk = params_.chunk;
        b.fraction = f.fraction_bits;
        b.smallest = std::max(f.min_normal(), 0x1p-900);
        b.limit = std::min(std::ldexp(1.0, f.max_exponent()), 0x1p900);
        b.slack = BinadePlan::slack_for(b.fraction, terms);
        const std::size_t sequences = 3 * static_cast<std::size_t>(b.partials),
                          chunks = static_cast<std::size_t>(b.chunks);
        chunk_sums_.allocate(sequences * 2 * chunks);
        crossings_.allocate(sequences * static_cast<std::size_t>(b.slots()));
        first_.allocate(2 * sequences * chunks);
        first_binades_.allocate(sequences * chunks);
        starts_.allocate(sequences);
        tails_.allocate(sequences * chunks);
        counts_.allocate(sequences * chunks);
        b.sums = chunk_sums_.data();
        b.crossings = crossings_.data();
        b.first_floors = first_.data();
        b.first_term = first_.data() + sequences * chunks;
        b.first_binade = first_binades_.data();
        b.start = starts_.data();
        b.tail = tails_.data();
        b.counts = counts_.data();
        shared_bytes_ = sizeof(BinadeShared);
        check(
            cudaFuncSetAttribute(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes_)),
            "cudaFuncSetAttribute");
    }

    void load_matrix(const System& system) {
        if (system.kind() != System::Kind::sparse) return rows_.load_grid(system, spec_, 0, size_, params_);
        const CompressedRows& rows = std::get<CompressedRows>(system.matrix());
        rows_.load_sparse(rows.row_begin(), rows.column(), rounded_coefficients<T>(spec_, rows.value()), params_);
    }

    DatapathSpec spec_;
    std::size_t size_, margin_;
    Params params_{};
    Buffer<T> u_;
    Buffer<Element> r_, p_, q_;
    EngineRows<Unit, Element> rows_;
    Buffer<unsigned long long> words_;
    Buffer<Element> q_odd_;
    Buffer<double> lanes_, chunk_sums_, first_, starts_, tails_;
    Buffer<Piece> crossings_;
    Buffer<int> counts_, first_binades_;
    std::size_t shared_bytes_ = 0;
    Buffer<EngineResult> result_;
    Scalars scalars_;
    unsigned blocks_ = 1;
    const void* kernel_ = nullptr;
};

class GpuEngine final : public Engine {
public:
    [[nodiscard]] std::string name() const override { return "gpu"; }
    [[nodiscard]] std::string description() const override {
        const DeviceInfo& d = require_device();
        return "the same arithmetic in CUDA on " + d.name + " (" + std::to_string(d.multiprocessors) +
               " multiprocessors)";
    }
    [[nodiscard]] std::string refusal(const DatapathSpec& spec, const System& system,
                                      const SessionOptions& options) const override {
        try {
            spec.validate();
        } catch (const InvalidInput& e) {
            return e.what();
        }
        if (const std::string why = free_sums_refusal(spec); !why.empty()) return why;
        if (const std::string why = blocks_refusal(spec, "engine gpu"); !why.empty()) return why;
        if (const std::string why = row_form_refusal(spec.order, system); !why.empty()) return why;
        if (options.recurrence != Recurrence::pipelined)
            return "engine gpu runs the pipelined recurrence only; use --engine emulated for others";
        if (system.size() >= std::size_t{1} << 32)
            return "engine gpu runs systems of fewer than 2^32 unknowns; use --engine emulated for larger ones";
        if (spec.fixed_vectors()) return fixed_refusal(spec, system);
        return {};
    }
    [[nodiscard]] std::unique_ptr<Session> load(const System& system, const DatapathSpec& spec,
                                                const SessionOptions& options) const override {
        if (const std::string no = refusal(spec, system, options); !no.empty()) throw InvalidInput(no);
        if (spec.fixed_vectors()) return make_fixed_session(system, spec);
        return with_element_kind(spec, [&]<class Unit, class Element>() -> std::unique_ptr<Session> {
            return std::make_unique<GpuSession<Unit, Element>>(system, spec);
        });
    }
    [[nodiscard]] std::string cycles_refusal(const System& system, const CycleSpec& spec,
                                             const CycleLoop& loop) const override {
        return gpu::cycles_refusal(system, spec, loop);
    }
    [[nodiscard]] std::unique_ptr<CycleSolver> cycles(const System& system, const CycleSpec& spec,
                                                      const CycleLoop& loop) const override {
        return gpu::make_cycles(system, spec, loop);
    }
    [[nodiscard]] bool has_native() const override { return true; }
    [[nodiscard]] std::string native_refusal(const DatapathSpec& spec, const System& system,
                                             const NativeChoice& choice) const override {
        return gpu::native_refusal(spec, system, choice);
    }
    [[nodiscard]] std::unique_ptr<NativeSolver> native(const System& system, const DatapathSpec& spec,
                                                       const NativeChoice& choice) const override {
        return make_native(system, spec, choice);
    }
};

} // namespace
} // namespace gpu

std::unique_ptr<Engine> make_gpu_engine() {
    if (const std::string missing = gpu::device_missing(); !missing.empty())
        throw InvalidInput("engine gpu: " + missing);
    gpu::check(cudaFree(nullptr), "creation of the device's context"); // a tenth of a second that no solve should pay
    return std::make_unique<gpu::GpuEngine>();
}

} // namespace mantissa
