#include <algorithm>
#include <numeric>

#include "kernels.cuh"
#include "mantissa/format.hpp"
#include "mantissa/gpu/device.hpp"

namespace mantissa::gpu {

namespace {

using namespace dense;

/// The device's memory of a run.
template <class T> struct Surfaces {
    Buffer<T> original, first, second;
    Buffer<unsigned long long> counts{4 * kPaperPasses}, barrier{1};
    Buffer<unsigned> rows, columns, best_place;
    Buffer<T> best_value;
    Buffer<int> end{2};
    int blocks;

    Surfaces(const std::vector<T>& values, std::size_t n, int wanted)
        : first(values.size()), second(values.size()), rows(n), columns(n) {
        const int all = require_device().multiprocessors;
        if (wanted < 0 || wanted > all)
            throw InvalidInput("multiprocessors: " + std::to_string(wanted) + " of " + std::to_string(all));
        blocks = wanted == 0 ? all : wanted;
        best_place.allocate(static_cast<std::size_t>(blocks));
        best_value.allocate(static_cast<std::size_t>(blocks));
        original = to_device(values);
    }

    /// One run from the original: its seconds.
    double run(const void* kernel, std::size_t n, std::size_t pitch, Timer& timer) {
        const std::size_t bytes = original.size() * sizeof(T);
        for (Buffer<T>* s : {&first, &second})
            check(cudaMemcpyAsync(s->data(), original.data(), bytes, cudaMemcpyDeviceToDevice), "cudaMemcpyAsync");
        counts.zero();
        barrier.zero();
        check(cudaMemset(end.data(), 0xFF, 2 * sizeof(int)), "cudaMemset");
        PaperParams p{{first.data(), second.data()},
                      static_cast<int>(n),
                      static_cast<int>(pitch),
                      counts.data(),
                      barrier.data(),
                      rows.data(),
                      columns.data(),
                      best_value.data(),
                      best_place.data(),
                      end.data()};
        void* arguments[] = {&p};
        timer.start();
        check(cudaLaunchCooperativeKernel(kernel, dim3(static_cast<unsigned>(blocks)), dim3(kPaperThreads), arguments,
                                          0, nullptr),
              "launch of the paper's algorithm");
        return timer.stop();
    }

    /// LuEnd and step.
    void finish(LuEnd& how, std::size_t& at, PaperLedger& ledger) {
        std::vector<int> found(2);
        end.download(found);
        if (found[0] < 0) throw DeviceError("the paper's algorithm", "a block waited too long for the others");
        how = static_cast<LuEnd>(found[0]);
        at = static_cast<std::size_t>(found[1]);
        std::vector<unsigned long long> c(4 * kPaperPasses);
        counts.download(c);
        for (std::size_t i = 0; i < kPaperPasses; ++i) ledger[i] = {c[4 * i], c[4 * i + 1], c[4 * i + 2], c[4 * i + 3]};
    }
};

template <class T, PaperPivot Pivot> const void* lu_kernel(const PaperOptions& o) {
    if (o.one_texel) return reinterpret_cast<const void*>(paper_lu_kernel<T, PaperPivot::none, false, true>);
    return o.count ? reinterpret_cast<const void*>(paper_lu_kernel<T, Pivot, true, false>)
                   : reinterpret_cast<const void*>(paper_lu_kernel<T, Pivot, false, false>);
}
template <class T> const void* lu_kernel(const PaperOptions& o) {
    switch (o.pivot) {
    case PaperPivot::none:
        return lu_kernel<T, PaperPivot::none>(o);
    case PaperPivot::partial:
        return lu_kernel<T, PaperPivot::partial>(o);
    default:
        return lu_kernel<T, PaperPivot::full>(o);
    }
}

/// The permutation that exchanges of place k with place to[k] make.
std::vector<std::uint32_t> exchanged(const Buffer<unsigned>& to, std::size_t n, std::size_t steps) {
    std::vector<unsigned> with(n);
    to.download(with);
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0U);
    for (std::size_t k = 0; k < steps; ++k) std::swap(order[k], order[with[k]]);
    return order;
}

void check_size(std::size_t n, std::size_t given, std::size_t wanted, const char* what) {
    if (given != wanted)
        throw InvalidInput(std::string(what) + ": " + std::to_string(given) + " elements; " + std::to_string(n) +
                           " unknowns want " + std::to_string(wanted));
    if (n > 65535) throw InvalidInput("n = " + std::to_string(n) + ": the paper's algorithms take up to 65535");
}
void check_options(const PaperOptions& o) {
    if (o.repeat < 1) throw InvalidInput("repeat: " + std::to_string(o.repeat) + "; give 1 or more");
    if (o.one_texel && (o.pivot != PaperPivot::none || o.count))
        throw InvalidInput("one_texel: without pivoting and without counts only");
}

} // namespace

template <class T> PaperResult<T> paper_lu(const std::vector<T>& a, std::size_t n, const PaperOptions& o) {
    check_size(n, a.size(), n * n, "the matrix");
    check_options(o);
    PaperResult<T> r;
    if (n == 0) return r;
    Surfaces<T> s(a, n, o.multiprocessors);
    Timer timer;
    for (int i = 0; i < o.repeat; ++i) r.seconds.push_back(s.run(lu_kernel<T>(o), n, n, timer));
    s.finish(r.end, r.at, r.ledger);
    r.values.resize(a.size());
    r.other.resize(a.size());
    s.first.download(r.values);
    s.second.download(r.other);
    // The step that found no pivot did not exchange.
    const std::size_t steps = o.pivot == PaperPivot::none ? 0 : std::min(n, r.at);
    r.rows = exchanged(s.rows, n, steps);
    r.columns = exchanged(s.columns, n, steps);
    return r;
}

template <class T>
PaperResult<T> paper_gauss_jordan(const std::vector<T>& a, const std::vector<T>& b, std::size_t n, std::size_t sides,
                                  const PaperOptions& o) {
    check_size(n, a.size(), n * n, "the matrix");
    check_size(n, b.size(), n * sides, "the right-hand sides");
    check_options(o);
    if (o.pivot != PaperPivot::none) throw InvalidInput("pivot: the paper's Gauss-Jordan has none");
    PaperResult<T> r;
    if (n == 0 || sides == 0) return r;
    const std::size_t pitch = n + sides;
    std::vector<T> both(n * pitch);
    for (std::size_t i = 0; i < n; ++i) {
        std::copy_n(&a[i * n], n, &both[i * pitch]);
        std::copy_n(&b[i * sides], sides, &both[i * pitch + n]);
    }
    Surfaces<T> s(both, n, o.multiprocessors);
    Timer timer;
    const void* const kernel = o.one_texel ? reinterpret_cast<const void*>(paper_gauss_jordan_kernel<T, false, true>)
                               : o.count   ? reinterpret_cast<const void*>(paper_gauss_jordan_kernel<T, true, false>)
                                           : reinterpret_cast<const void*>(paper_gauss_jordan_kernel<T, false, false>);
    for (int i = 0; i < o.repeat; ++i) r.seconds.push_back(s.run(kernel, n, pitch, timer));
    s.finish(r.end, r.at, r.ledger);
    // Each step leaves the whole of what it drew on one surface, the first after an even number of them.
    (r.at % 2 == 0 ? s.first : s.second).download(both);
    r.values.resize(n * sides);
    for (std::size_t i = 0; i < n; ++i) std::copy_n(&both[i * pitch + n], sides, &r.values[i * sides]);
    return r;
}

template PaperResult<float> paper_lu(const std::vector<float>&, std::size_t, const PaperOptions&);
template PaperResult<double> paper_lu(const std::vector<double>&, std::size_t, const PaperOptions&);
template PaperResult<float> paper_gauss_jordan(const std::vector<float>&, const std::vector<float>&, std::size_t,
                                               std::size_t, const PaperOptions&);
template PaperResult<double> paper_gauss_jordan(const std::vector<double>&, const std::vector<double>&, std::size_t,
                                                std::size_t, const PaperOptions&);

} // namespace mantissa::gpu
