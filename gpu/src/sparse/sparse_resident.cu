#include "sparse/sparse_resident.hpp"

#include <algorithm>
#include <utility>

#include "mantissa/sparse/formats.hpp"
#include "sparse/sparse_resident.cuh"
#include "sparse/sparse_resident_layout.hpp"

namespace mantissa::gpu {

namespace {

/// Seconds of the launch; the kernel is loaded before them.
template <int N, int K, class T> double time_resident_solve(ResidentSolve<N, T> s, std::uint32_t blocks) {
    const auto kernel = several_resident<N, K, T>;
    const std::size_t shared = s.shape.template bytes<T>(Several<T, N>::kStride);
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
          "cudaFuncSetAttribute of several_resident");
    void* arguments[] = {&s};
    Timer timer;
    timer.start();
    check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), dim3(blocks), dim3(kResidentThreads<N>),
                                      arguments, shared, nullptr),
          "launch of several_resident");
    return timer.stop();
}

/// Static shared memory of the kernels, with room to spare.
constexpr std::size_t kSharedBesides = 4096;

} // namespace

template <int N, class T> std::unique_ptr<ResidentMatrix<N, T>> ResidentMatrix<N, T>::make(const CompressedRows& a) {
    constexpr std::uint32_t kRowsABlock = 16; // at least: fewer blocks meet sooner
    const DeviceInfo& device = require_device();
    const auto processors = static_cast<std::uint32_t>(device.multiprocessors);
    const std::size_t room = device.shared_per_block - kSharedBesides;
    const auto rows = static_cast<std::uint32_t>(a.rows());
    if (a.nonzeros() * (sizeof(T) + 2) > room * processors) return nullptr;
    for (std::uint32_t i = 0; i < rows; ++i)
        if (a.row_begin()[i + 1] - a.row_begin()[i] > kLongestResident) return nullptr;
    const auto layout = ResidentLayoutMaker<N, T>(a, std::clamp(rows / kRowsABlock, 1U, processors)).make();
    if (!layout || layout->shape.most_rows > kResidentRows<N> * kResidentDepth<N> ||
        layout->shape.template bytes<T>(Several<T, N>::kStride) > room)
        return nullptr;
    std::unique_ptr<ResidentMatrix> m(new ResidentMatrix);
    m->blocks_ = static_cast<std::uint32_t>(layout->part.size() - 1);
    m->shape_ = layout->shape;
    m->part_ = to_device(layout->part);
    m->row_ = to_device(layout->row);
    m->slices_ = to_device(layout->slices);
    m->begin_ = to_device(layout->begin);
    m->column_ = to_device(layout->column);
    m->ghosts_ = to_device(layout->ghosts);
    m->ghost_ = to_device(layout->ghost);
    m->early_ = to_device(layout->early);
    m->value_ = to_device(layout->value);
    return m;
}

template <int N, class T>
double ResidentMatrix<N, T>::solve(const T* inverse, const T* r, T* x, T* p, SeveralState<N>* state, bool again) const {
    Buffer<Packet> packets(std::size_t{4 * N} * blocks_);
    packets.zero();
    Buffer<unsigned long long> barrier(1);
    barrier.zero();
    const ResidentSolve<N, T> s{part_.data(),
                                row_.data(),
                                slices_.data(),
                                begin_.data(),
                                column_.data(),
                                ghosts_.data(),
                                ghost_.data(),
                                early_.data(),
                                value_.data(),
                                inverse,
                                r,
                                x,
                                p,
                                packets.data(),
                                barrier.data(),
                                state,
                                shape_,
                                again};
    constexpr std::uint32_t kDeep = kResidentRows<N>;
    double seconds = 0;
    const auto launch = [&]<int... K>(std::integer_sequence<int, K...>) { // the first depth that suffices
        static_cast<void>(
            ((shape_.most_rows <= K * kDeep && (seconds = time_resident_solve<N, K>(s, blocks_), true)) || ...));
    };
    if constexpr (N == 1) launch(std::integer_sequence<int, 1, 2, 4, 6, kResidentDepth<N>>{});
    else launch(std::integer_sequence<int, 1, 2, 3, 5, 8, kResidentDepth<N>>{});
    return seconds;
}

template class ResidentMatrix<1, float>;
template class ResidentMatrix<3, float>;
template class ResidentMatrix<1, double>;
template class ResidentMatrix<3, double>;

} // namespace mantissa::gpu
