// Sessions of the gpu engine.
#include "mantissa/gpu/engine.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "engine_pass.cuh"
#include "mantissa/gpu/device.hpp"
#include "mantissa/kernels.hpp"

namespace mantissa {

namespace gpu {
namespace {

/// Vectors on the host in the session's element type.
template <class Carrier> void to_elements(const std::vector<Carrier>& from, std::vector<UpperHalf>& to) {
    to.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i)
        to[i].bits = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(from[i])) >> 16);
}
template <class Carrier> void to_elements(std::vector<Carrier>& from, std::vector<Carrier>& to) {
    to.swap(from);
}
double to_value(UpperHalf x) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16);
}
double to_value(float x) {
    return x;
}
double to_value(double x) {
    return x;
}

template <class Unit, class Element> class GpuSession final : public Session {
    using T = typename Unit::Carrier;

public:
    GpuSession(const System& system, const DatapathSpec& spec)
        : spec_(spec), size_(system.size), margin_(system.row_length() + 1), u_(size_), r_(size_),
          p_(size_ + 2 * margin_), q_(size_), words_(2 * kEngineWords), lanes_(3 * spec.partials()), result_(1) {
        const DeviceInfo& device = require_device();
        u_.zero();
        r_.zero();
        p_.zero();
        q_.zero();
        Params& a = params_;
        a.u_unit = Unit(spec.u);
        a.r_unit = Unit(spec.r);
        a.p_unit = Unit(spec.p);
        a.q_unit = Unit(spec.q);
        a.operand = Unit(spec.operand);
        a.row = Unit(spec.row);
        if (!spec.dot.exact_product) a.product = Unit(spec.dot.product);
        if (!spec.dot.fixed) a.accumulator = DoubleUnit(spec.dot.accumulator);
        a.scalar = DoubleUnit(spec.scalar);
        a.kind = system.kind;
        a.order = spec.order;
        a.fixed = spec.dot.fixed;
        a.exact_product = spec.dot.exact_product;
        a.window = spec.dot.window;
        a.window_unit = std::ldexp(1.0, -a.window.lsb);
        a.window_limit = std::ldexp(1.0, a.window.width() - 1);
        a.partials = spec.partials();
        a.size = static_cast<long long>(size_);
        a.row_length = static_cast<long long>(system.row_length());
        load_matrix(system);
        a.u = u_.data();
        a.r = r_.data();
        a.p = p_.data() + margin_;
        a.q = q_.data();
        a.words = words_.data();
        a.lanes = lanes_.data();
        a.result = result_.data();
        int resident = 0;
        check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, engine_run<Unit, Element>, kEngineThreads, 0),
              "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
        if (resident < 1) throw DeviceError("engine_run", "not one block fits a multiprocessor");
        const std::size_t wanted = (size_ + kEngineThreads - 1) / kEngineThreads;
        blocks_ = static_cast<unsigned>(std::max<std::size_t>(
            1,
            std::min<std::size_t>(wanted, static_cast<std::size_t>(device.multiprocessors * std::min(resident, 2)))));
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
        check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(engine_run<Unit, Element>), dim3(blocks_),
                                          dim3(kEngineThreads), arguments, 0, nullptr),
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

private:
    using Params = EngineParams<Unit, Element>;

    void inside(std::size_t first, std::size_t count) const {
        if (first > size_ || count > size_ - first)
            throw InvalidInput("session: elements outside the vector; stay below the system's size");
    }
    Buffer<Element>& buffer(Vec v) { return v == Vec::r ? r_ : v == Vec::p ? p_ : q_; }
    [[nodiscard]] std::size_t lead(Vec v) const { return v == Vec::p ? margin_ : 0; }

    void load_matrix(const System& system) {
        const VectorUnit<T> unit(spec_.coefficient);
        const auto rounded = [&](std::span<const double> values) {
            std::vector<T> host(values.size());
            unit.convert(values, std::span<T>(host));
            return host;
        };
        if (system.kind == System::Kind::stencil) {
            std::ranges::copy(rounded(system.stencil.coefficients), params_.coefficient);
        } else if (system.kind == System::Kind::bands) {
            for (int b = 0; b < kBands; ++b) {
                band_[b] = to_device(rounded(system.bands.band[b]));
                params_.band[b] = band_[b].data();
            }
        } else {
            row_begin_ = to_device(system.sparse.row_begin);
            column_ = to_device(system.sparse.column);
            value_ = to_device(rounded(system.sparse.value));
            params_.row_begin = row_begin_.data();
            params_.column = column_.data();
            params_.value = value_.data();
        }
    }

    DatapathSpec spec_;
    std::size_t size_, margin_;
    Params params_{};
    Buffer<T> u_;
    Buffer<Element> r_, p_, q_;
    std::array<Buffer<T>, kBands> band_;
    Buffer<std::uint64_t> row_begin_;
    Buffer<std::uint32_t> column_;
    Buffer<T> value_;
    Buffer<unsigned long long> words_;
    Buffer<double> lanes_;
    Buffer<EngineResult> result_;
    Scalars scalars_;
    unsigned blocks_ = 1;
};

bool all_float(const DatapathSpec& s) {
    for (const Format& f : {s.u, s.r, s.p, s.q, s.coefficient, s.operand, s.row})
        if (!float_unit_fits(f)) return false;
    if (s.dot.fixed && (s.dot.window.lsb < -1000 || s.dot.window.lsb > 1000)) return false;
    return s.dot.exact_product || float_unit_fits(s.dot.product);
}
bool short_vectors(const DatapathSpec& s) {
    return s.r.fraction_bits <= 7 && s.p.fraction_bits <= 7 && s.q.fraction_bits <= 7;
}

class GpuEngine final : public Engine {
public:
    [[nodiscard]] std::string name() const override { return "gpu"; }
    [[nodiscard]] std::string description() const override {
        const DeviceInfo& d = require_device();
        return "the same arithmetic in CUDA on " + d.name + " (" + std::to_string(d.multiprocessors) +
               " multiprocessors)";
    }
    [[nodiscard]] std::string refusal(const DatapathSpec& spec, const System&,
                                      const SessionOptions& options) const override {
        try {
            spec.validate();
        } catch (const InvalidInput& e) {
            return e.what();
        }
        if (options.recurrence != Recurrence::pipelined)
            return "engine gpu runs the pipelined recurrence only; use --engine emulated for the plain one";
        return {};
    }
    [[nodiscard]] std::unique_ptr<Session> load(const System& system, const DatapathSpec& spec,
                                                const SessionOptions& options) const override {
        if (const std::string no = refusal(spec, system, options); !no.empty()) throw InvalidInput(no);
        if (!all_float(spec)) return std::make_unique<GpuSession<DoubleUnit, double>>(system, spec);
        if (short_vectors(spec)) return std::make_unique<GpuSession<FloatUnit, UpperHalf>>(system, spec);
        return std::make_unique<GpuSession<FloatUnit, float>>(system, spec);
    }
};

} // namespace
} // namespace gpu

std::unique_ptr<Engine> make_gpu_engine() {
    if (const std::string missing = gpu::device_missing(); !missing.empty())
        throw InvalidInput("engine gpu: " + missing);
    return std::make_unique<gpu::GpuEngine>();
}

} // namespace mantissa
