#include "bubbles.cuh"
#include "mantissa/gpu/device.hpp"

namespace mantissa::gpu::bubbles {

namespace {

constexpr int kThreads = 256;

template <class T> dim3 rows_of(const Geometry<T>& g) {
    return {static_cast<unsigned>((g.unknowns() + kThreads - 1) / kThreads), static_cast<unsigned>(g.batch)};
}
template <class T> std::size_t shared_of(const Geometry<T>& g) {
    return sizeof(T) * static_cast<std::size_t>(g.shared_elements());
}

} // namespace

template <class T> void launch_assemble(const Geometry<T>& g, T* a, int lda, long long stride, T* b) {
    assemble<T><<<rows_of(g), kThreads, shared_of(g)>>>(g, a, lda, stride, b);
    check(cudaGetLastError(), "launching the assembly");
}
template <class T> void launch_mean_flow(const Geometry<T>& g, const T* q, double* flow) {
    mean_flow<T><<<static_cast<unsigned>(g.batch), kThreads>>>(g, q, flow);
    check(cudaGetLastError(), "launching the mean flow");
}
template <class T> void launch_judge_rows(const Geometry<T>& g, const T* q, RowJudgement* rows) {
    judge_rows<T><<<rows_of(g), kThreads, shared_of(g)>>>(g, q, rows);
    check(cudaGetLastError(), "launching the residuals");
}

template void launch_assemble<float>(const Geometry<float>&, float*, int, long long, float*);
template void launch_assemble<double>(const Geometry<double>&, double*, int, long long, double*);
template void launch_mean_flow<float>(const Geometry<float>&, const float*, double*);
template void launch_mean_flow<double>(const Geometry<double>&, const double*, double*);
template void launch_judge_rows<float>(const Geometry<float>&, const float*, RowJudgement*);
template void launch_judge_rows<double>(const Geometry<double>&, const double*, RowJudgement*);

} // namespace mantissa::gpu::bubbles
