#include <algorithm>
#include <string>

#include "jordan_kernels.cuh"
#include "layout.cuh"
#include "mantissa/format.hpp"
#include "mantissa/gpu/device.hpp"
#include "mantissa/gpu/gauss_jordan.hpp"

namespace mantissa::gpu {

namespace {

using namespace dense;

template <class T> class Jordan {
public:
    Jordan(std::size_t n, std::size_t sides, bool inverse)
        : n_(n), sides_(sides), pitch_((n + 31) / 32 * 32), columns_(n + sides), blocks_(divided(n, kJordanThreads)),
          m_(pitch_ * columns_), a_(n * n), b_(n * sides), factors_(kJordanPanel * pitch_),
          applied_(kJordanPanel * pitch_), rows_(columns_ * kJordanPanel), pivot_(n), x_(n * sides),
          inverse_(inverse ? n * n : 0), order_(n), pivot_row_(n), end_(3), keys_(2 * blocks_ * blocks_),
          values_(2 * blocks_ * kJordanPanel) {
        if (blocks_ > static_cast<unsigned>(require_device().multiprocessors))
            throw InvalidInput("n = " + std::to_string(n) + ": Gauss-Jordan takes " + std::to_string(kJordanThreads) +
                               " rows on each of the device's multiprocessors, " +
                               std::to_string(kJordanThreads * require_device().multiprocessors) + " in all");
        applied_.zero();
        factors_.zero();
    }

    double run(const std::vector<T>& a, const std::vector<T>& b, Timer& timer) {
        a_.upload(a);
        if (sides_ != 0) b_.upload(b);
        columns_of(a_, n_, m_.data());
        columns_of(b_, sides_, m_.data() + n_ * pitch_);
        check(cudaMemset(order_.data(), 0xFF, n_ * sizeof(int)), "cudaMemset");
        end_.zero();
        keys_.zero();
        values_.zero();
        const int width = static_cast<int>(columns_), all = static_cast<int>(n_);
        JordanParams<T> p{m_.data(),
                          static_cast<long long>(pitch_),
                          all,
                          width,
                          0,
                          inverse_.size() != 0,
                          factors_.data(),
                          applied_.data(),
                          rows_.data(),
                          order_.data(),
                          pivot_row_.data(),
                          pivot_.data(),
                          keys_.data(),
                          values_.data(),
                          end_.data()};
        timer.start();
        for (p.first = 0; p.first < all; p.first += kJordanPanel) {
            void* arguments[] = {&p};
            check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(jordan_panel<T>), dim3(blocks_),
                                              dim3(kJordanThreads), arguments, 0, nullptr),
                  "launch of jordan_panel");
            jordan_rows<T><<<divided(columns_, 64), 64>>>(p);
            const unsigned down = divided(pitch_ / (16 / sizeof(T)), kJordanThreads);
            // Enough blocks to fill the device, each with enough columns to be worth its factors.
            const int wanted = static_cast<int>(
                divided(columns_ * down, 4 * static_cast<std::size_t>(require_device().multiprocessors)));
            const int strip = std::max(8, (wanted + 3) / 4 * 4);
            jordan_apply<T>
                <<<dim3(down, divided(columns_, static_cast<std::size_t>(strip))), kJordanThreads>>>(p, strip);
        }
        jordan_gather<T><<<1024, 256>>>(p, x_.data(), static_cast<int>(sides_), inverse_.data());
        check(cudaGetLastError(), "launch of Gauss-Jordan");
        return timer.stop();
    }

    void finish(GaussJordanResult<T>& r) {
        std::vector<int> end(3);
        end_.download(end);
        if (end[0] < 0) throw DeviceError("Gauss-Jordan", "a block waited too long for the others");
        r.end = static_cast<LuEnd>(end[0]);
        r.at = end[0] != 0 ? static_cast<std::size_t>(end[1]) : n_;
        if (end[0] == 0 && end[2] != 0) r.end = LuEnd::not_finite;
        r.x.resize(n_ * sides_);
        r.inverse.resize(inverse_.size());
        if (end[0] != 0) return;
        if (sides_ != 0) x_.download(r.x);
        if (inverse_.size() != 0) inverse_.download(r.inverse);
    }

private:
    std::size_t n_, sides_, pitch_, columns_;
    unsigned blocks_;
    Buffer<T> m_, a_, b_, factors_, applied_, rows_, pivot_, x_, inverse_;
    Buffer<int> order_, pivot_row_, end_;
    Buffer<Packet16> keys_, values_;

    void columns_of(const Buffer<T>& from, std::size_t columns, T* to) const {
        if (columns == 0) return;
        by_columns<T><<<dim3(divided(columns, 32), divided(pitch_, 32)), dim3(32, 8)>>>(
            from.data(), static_cast<int>(n_), static_cast<int>(columns), to, static_cast<long long>(pitch_));
        check(cudaGetLastError(), "launch of by_columns");
    }
};

} // namespace

template <class T>
GaussJordanResult<T> gauss_jordan(const std::vector<T>& a, const std::vector<T>& b, std::size_t n, std::size_t sides,
                                  bool inverse, int repeat) {
    if (a.size() != n * n)
        throw InvalidInput("the matrix: " + std::to_string(a.size()) + " elements; it is not square of " +
                           std::to_string(n));
    if (b.size() != n * sides)
        throw InvalidInput("the right-hand sides: " + std::to_string(b.size()) + " elements; " + std::to_string(sides) +
                           " of " + std::to_string(n) + " want " + std::to_string(n * sides));
    if (n > 32768) throw InvalidInput("n = " + std::to_string(n) + ": Gauss-Jordan takes up to 32768");
    if (repeat < 1) throw InvalidInput("repeat: " + std::to_string(repeat) + "; give 1 or more");
    GaussJordanResult<T> r;
    if (n == 0) return r;
    Jordan<T> solver(n, sides, inverse);
    Timer timer;
    for (int i = 0; i < repeat; ++i) r.seconds.push_back(solver.run(a, b, timer));
    solver.finish(r);
    return r;
}

template GaussJordanResult<float> gauss_jordan(const std::vector<float>&, const std::vector<float>&, std::size_t,
                                               std::size_t, bool, int);
template GaussJordanResult<double> gauss_jordan(const std::vector<double>&, const std::vector<double>&, std::size_t,
                                                std::size_t, bool, int);

} // namespace mantissa::gpu
