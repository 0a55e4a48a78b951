#include <algorithm>
#include <array>
#include <string>

#include "delayed.cuh"
#include "layout.cuh"
#include "mantissa/format.hpp"
#include "mantissa/gpu/device.hpp"
#include "mantissa/gpu/lu_full.hpp"
#include "resident.cuh"

namespace mantissa::gpu {

namespace {

using namespace dense;

/// An instance of the kernel on the chip.
struct Resident {
    int rows; ///< of a thread
    int kept; ///< columns in registers
    const void* kernel;
    int packets; ///< of a column
};
template <class T, int R, int Kept> Resident resident() {
    return {R, Kept, reinterpret_cast<const void*>(resident_lu<T, R, Kept>), ResidentLu<T, R, Kept>::kPackets};
}
/// By ascending rows.
template <class T> const auto& residents();
template <> const auto& residents<float>() {
    static const std::array all{resident<float, 1, 28>(), resident<float, 2, 24>(), resident<float, 3, 22>(),
                                resident<float, 4, 16>(), resident<float, 5, 14>(), resident<float, 6, 13>()};
    return all;
}
template <> const auto& residents<double>() {
    static const std::array all{resident<double, 1, 20>(), resident<double, 2, 14>(), resident<double, 3, 11>(),
                                resident<double, 4, 9>()};
    return all;
}

/// Columns of a block.
int columns_of_block(std::size_t n, int blocks) {
    return static_cast<int>(divided(n, static_cast<std::size_t>(blocks)));
}
template <class T> std::size_t shared_bytes(const Resident& r, std::size_t n, int blocks) {
    return static_cast<std::size_t>(std::max(0, columns_of_block(n, blocks) - r.kept)) *
           static_cast<std::size_t>(r.rows) * kResidentLuThreads * sizeof(T);
}
/// Null where n does not fit.
template <class T> const Resident* resident_for(std::size_t n, int blocks) {
    const DeviceInfo& device = require_device();
    constexpr std::size_t kStatic = 4096; // of ResidentLu::Shared, and what the system takes
    for (const Resident& r : residents<T>())
        if (static_cast<std::size_t>(r.rows) * kResidentLuThreads >= n &&
            columns_of_block(n, blocks) <= kResidentSlots &&
            shared_bytes<T>(r, n, blocks) + kStatic <= device.shared_per_block)
            return &r;
    return nullptr;
}

inline constexpr int kPending = 8;
template <class T> struct Passes;
template <> struct Passes<float> {
    static constexpr int kThreads = 512;
    static constexpr std::size_t kTail = 3072;
    using Instance = DelayedLu<float, kPending, 4, 0, kThreads>;
    static const void* kernel() { return reinterpret_cast<const void*>(delayed_lu<float, kPending, 4, 0, kThreads>); }
};
template <> struct Passes<double> {
    static constexpr int kThreads = 512;
    static constexpr std::size_t kTail = 2048;
    using Instance = DelayedLu<double, kPending, 4, 4, kThreads>;
    static const void* kernel() { return reinterpret_cast<const void*>(delayed_lu<double, kPending, 4, 4, kThreads>); }
};

template <class T> class FullLu {
public:
    FullLu(const std::vector<T>& a, std::size_t n, FullLuMethod method, int blocks)
        : n_(n), pitch_((n + 31) / 32 * 32), blocks_(blocks), whole_(pitch_ * n), a_(pitch_ * n), out_(n * n),
          row_position_(n), column_position_(n), end_(2), tail_end_(2) {
        Buffer<T> by_rows(n * n);
        by_rows.upload(a);
        turn(by_rows, whole_, pitch_);
        first_ = method == FullLuMethod::passes           ? steps_by_passes(kLastSteps)
                 : resident_for<T>(n, blocks_) != nullptr ? 0
                                                          : steps_by_passes(Passes<T>::kTail);
        if (method == FullLuMethod::resident && first_ != 0)
            throw InvalidInput("n = " + std::to_string(n) + ": on this device's chip there is place for " +
                               std::to_string(full_lu_resident_most<T>()));
        prepare_tail();
        if (first_ != 0) prepare_passes();
    }

    double run(Timer& timer) {
        check(cudaMemcpyAsync(a_.data(), whole_.data(), a_.size() * sizeof(T), cudaMemcpyDeviceToDevice),
              "cudaMemcpyAsync");
        end_.zero();
        tail_end_.zero();
        keys_.zero();
        columns_.zero();
        if (first_ != 0) {
            barrier_.zero();
            factors_.zero();
        }
        timer.start();
        if (first_ != 0) passes();
        tail();
        const T* const factors = first_ != 0 ? factors_.data() : a_.data();
        into_positions<T><<<grid(n_), 256>>>(factors, static_cast<long long>(pitch_), static_cast<int>(n_),
                                             row_position_.data(), column_position_.data(), out_.data(),
                                             static_cast<long long>(n_));
        check(cudaGetLastError(), "launch of full pivoting");
        return timer.stop();
    }

    void finish(FullLuResult<T>& r) {
        std::vector<int> end(2), tail_end(2);
        end_.download(end);
        tail_end_.download(tail_end);
        if (end[0] < 0 || tail_end[0] < 0) throw DeviceError("full pivoting", "a block waited too long for the others");
        r.end = static_cast<LuEnd>(end[0] != 0 ? end[0] : tail_end[0]);
        r.at = end[0] != 0 ? static_cast<std::size_t>(end[1]) : first_ + static_cast<std::size_t>(tail_end[1]);
        r.lu.resize(n_ * n_);
        Buffer<T> by_rows(n_ * n_);
        turn(out_, by_rows, n_);
        by_rows.download(r.lu);
        r.rows = inverse(row_position_);
        r.columns = inverse(column_position_);
    }

private:
    static constexpr std::size_t kLastSteps = 64; ///< where passes go on to the end
    std::size_t n_, pitch_, first_ = 0;
    int blocks_, tail_blocks_ = 0;
    std::size_t tail_shared_ = 0;
    const Resident* resident_ = nullptr;
    Buffer<T> whole_, a_, out_, factors_, l_, u_;
    Buffer<int> row_position_, column_position_, rows_, names_, tail_rows_, tail_columns_, end_, tail_end_;
    Buffer<Packet16> keys_, columns_, pass_keys_;
    Buffer<unsigned long long> barrier_;

    /// Passes take steps by kPending.
    [[nodiscard]] std::size_t steps_by_passes(std::size_t tail) const {
        return n_ <= tail ? 0 : (n_ - tail + kPending - 1) / kPending * kPending;
    }
    static dim3 grid(std::size_t n) { return {divided(n, 256), static_cast<unsigned>(std::min<std::size_t>(n, 4096))}; }

    void turn(const Buffer<T>& from, Buffer<T>& to, std::size_t pitch) const {
        by_columns<T><<<dim3(divided(n_, 32), divided(pitch, 32)), dim3(32, 8)>>>(
            from.data(), static_cast<int>(n_), static_cast<int>(n_), to.data(), static_cast<long long>(pitch));
        check(cudaGetLastError(), "launch of by_columns");
    }

    void prepare_tail() {
        const std::size_t left = n_ - first_;
        resident_ = resident_for<T>(left, blocks_);
        if (resident_ == nullptr) throw DeviceError("full pivoting", "this device's chip is too small for the tail");
        tail_blocks_ = static_cast<int>(std::min<std::size_t>(left, static_cast<std::size_t>(blocks_)));
        tail_shared_ = shared_bytes<T>(*resident_, left, tail_blocks_);
        check(cudaFuncSetAttribute(resident_->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(tail_shared_)),
              "cudaFuncSetAttribute");
        const auto blocks = static_cast<std::size_t>(tail_blocks_);
        keys_.allocate(2 * blocks * blocks);
        columns_.allocate(2 * blocks * static_cast<std::size_t>(resident_->packets));
    }

    void prepare_passes() {
        constexpr std::size_t kBand = Passes<T>::Instance::kVector * Passes<T>::kThreads;
        const auto blocks = static_cast<std::size_t>(blocks_);
        if (divided(n_, kBand) > blocks)
            throw InvalidInput("n = " + std::to_string(n_) + ": too many rows for this device's full pivoting");
        check(cudaFuncSetAttribute(Passes<T>::kernel(), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(Passes<T>::Instance::kShared)),
              "cudaFuncSetAttribute");
        factors_.allocate(pitch_ * n_);
        l_.allocate(kPending * pitch_);
        l_.zero();
        u_.allocate(kPending * pitch_);
        for (Buffer<int>* b : {&rows_, &names_, &tail_rows_, &tail_columns_}) b->allocate(n_);
        pass_keys_.allocate(2 * blocks * blocks);
        barrier_.allocate(1);
    }

    void passes() {
        const int n = static_cast<int>(n_);
        pass_keys_.zero();
        count_up<<<64, 256>>>(rows_.data(), n);
        count_up<<<64, 256>>>(names_.data(), n);
        DelayedLuParams<T> p{a_.data(),
                             static_cast<long long>(pitch_),
                             n,
                             static_cast<int>(n_ - first_),
                             factors_.data(),
                             l_.data(),
                             u_.data(),
                             rows_.data(),
                             names_.data(),
                             row_position_.data(),
                             column_position_.data(),
                             pass_keys_.data(),
                             barrier_.data(),
                             end_.data()};
        void* arguments[] = {&p};
        check(cudaLaunchCooperativeKernel(Passes<T>::kernel(), dim3(static_cast<unsigned>(blocks_)),
                                          dim3(Passes<T>::kThreads), arguments, Passes<T>::Instance::kShared, nullptr),
              "launch of delayed_lu");
    }

    void tail() {
        const std::size_t left = n_ - first_;
        // Where the passes ended early there is no tail.
        if (first_ != 0)
            check(cudaMemcpyAsync(tail_end_.data(), end_.data(), sizeof(int), cudaMemcpyDeviceToDevice),
                  "cudaMemcpyAsync");
        ResidentLuParams<T> p{a_.data() + first_ * pitch_ + first_,
                              static_cast<long long>(pitch_),
                              static_cast<int>(left),
                              first_ != 0 ? tail_rows_.data() : row_position_.data(),
                              first_ != 0 ? tail_columns_.data() : column_position_.data(),
                              keys_.data(),
                              columns_.data(),
                              tail_end_.data(),
                              T(0.9)};
        void* arguments[] = {&p};
        check(cudaLaunchCooperativeKernel(resident_->kernel, dim3(static_cast<unsigned>(tail_blocks_)),
                                          dim3(kResidentLuThreads), arguments, tail_shared_, nullptr),
              "launch of resident_lu");
        if (first_ != 0)
            embed_tail<T><<<grid(left), 256>>>(a_.data(), static_cast<long long>(pitch_), static_cast<int>(first_),
                                               static_cast<int>(n_), rows_.data(), names_.data(), factors_.data(),
                                               tail_rows_.data(), tail_columns_.data(), row_position_.data(),
                                               column_position_.data(), end_.data());
    }

    [[nodiscard]] std::vector<std::uint32_t> inverse(const Buffer<int>& position) const {
        std::vector<int> at(n_);
        position.download(at);
        std::vector<std::uint32_t> order(n_);
        for (std::size_t i = 0; i < n_; ++i) order[static_cast<std::size_t>(at[i])] = static_cast<std::uint32_t>(i);
        return order;
    }
};

} // namespace

template <class T> std::size_t full_lu_resident_most() {
    std::size_t n = 0;
    for (const Resident& r : residents<T>())
        for (std::size_t m = static_cast<std::size_t>(r.rows) * kResidentLuThreads; m > n; --m)
            if (resident_for<T>(m, require_device().multiprocessors) != nullptr) n = m;
    return n;
}

template <class T> FullLuResult<T> full_lu(const std::vector<T>& a, std::size_t n, const FullLuOptions& options) {
    if (a.size() != n * n)
        throw InvalidInput("the matrix: " + std::to_string(a.size()) + " elements; it is not square of " +
                           std::to_string(n));
    if (n > 65535) throw InvalidInput("n = " + std::to_string(n) + ": full pivoting takes up to 65535");
    if (options.repeat < 1) throw InvalidInput("repeat: " + std::to_string(options.repeat) + "; give 1 or more");
    FullLuResult<T> r;
    if (n == 0) return r;
    const int all = require_device().multiprocessors;
    if (options.multiprocessors < 0 || options.multiprocessors > all)
        throw InvalidInput("multiprocessors: " + std::to_string(options.multiprocessors) + " of " +
                           std::to_string(all));
    FullLu<T> solver(a, n, options.method, options.multiprocessors == 0 ? all : options.multiprocessors);
    Timer timer;
    for (int i = 0; i < options.repeat; ++i) r.seconds.push_back(solver.run(timer));
    solver.finish(r);
    return r;
}

template std::size_t full_lu_resident_most<float>();
template std::size_t full_lu_resident_most<double>();
template FullLuResult<float> full_lu(const std::vector<float>&, std::size_t, const FullLuOptions&);
template FullLuResult<double> full_lu(const std::vector<double>&, std::size_t, const FullLuOptions&);

} // namespace mantissa::gpu
