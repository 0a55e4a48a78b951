// Strong couplings, aggregates by them, and the near-kernel function on each aggregate. Nodes are unknowns.
//
// On the processor aggregates are found one after the other: a node that has strong couplings is a root where no root
// before it is within two of them, its reach. Here every node waits for the lower ones within reach: a root marks all
// nodes there, and a node is a root once all lower ones are others'.
#include "mantissa/multilevel/aggregation.hpp"
#include "primitives.hpp"
#include "steps.hpp"

namespace mantissa::gpu::multilevel_rows {

namespace {

__global__ void find_most(const Matrix<double> a, double dominated, double* most, std::uint8_t* alone) {
    const std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= a.rows) return;
    double largest = 0, sum = 0;
    for (std::uint32_t k = a.begin[row]; k < a.begin[row + 1]; ++k) {
        if (a.column[k] == row) continue;
        const double v = fabs(a.value[k]);
        largest = largest < v ? v : largest;
        sum += v;
    }
    most[row] = largest;
    alone[row] = (0 < sum ? sum : 0) <= dominated ? 1 : 0;
}
__global__ void find_strong(const Matrix<double> a, double threshold, const double* most, const std::uint8_t* alone,
                            std::uint32_t* link, std::uint32_t* links) {
    const std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= a.rows) return;
    const double here = most[row];
    const bool is_alone = alone[row] != 0;
    std::uint32_t count = 0;
    for (std::uint32_t k = a.begin[row]; k < a.begin[row + 1]; ++k) {
        const std::uint32_t other = a.column[k];
        const double there = most[other];
        const bool strong = other != row && !is_alone && alone[other] == 0 &&
                            fabs(a.value[k]) >= threshold * (there < here ? there : here);
        link[k] = strong ? other : kNone;
        count += strong ? 1 : 0;
    }
    links[row] = count;
}
__global__ void join_links(const Matrix<double> a, const std::uint32_t* link, const std::uint32_t* begin,
                           std::uint32_t* neighbour) {
    const std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= a.rows) return;
    std::uint32_t to = begin[row];
    for (std::uint32_t k = a.begin[row]; k < a.begin[row + 1]; ++k)
        if (link[k] != kNone) neighbour[to++] = link[k];
}

enum Mark : std::uint8_t { undecided, root, other };

/// Marks of all nodes, past a multiprocessor's own cache, and of the block's nodes beside them in shared memory.
struct Marks {
    volatile std::uint8_t *all, *near;
    std::uint32_t first; ///< of the block's kThreadsOfSetup nodes
    __device__ __forceinline__ unsigned of(std::uint32_t node) const {
        return node - first < kThreadsOfSetup ? near[node - first] : all[node];
    }
    __device__ __forceinline__ void set(std::uint32_t node, Mark to) const {
        all[node] = to;
        if (node - first < kThreadsOfSetup) near[node - first] = to;
    }
};

/// A node on its way to be a root or another's. It waits for some lower nodes at a time, so that looks at them are
/// under way together. They ascend, so that those which are decided last come last.
class Deciding {
public:
    __device__ Deciding(const std::uint32_t* reach, std::uint32_t length, std::uint32_t node)
        : at_(reach), end_(reach + length), node_(node) {
        for (std::uint32_t& a : awaited_) a = kNone;
    }
    /// Returns what the node is, as far as it is known; `changed`: something is known that was not.
    __device__ Mark look(const Marks& marks, bool& changed) {
        if (marks.of(node_) == other || marks.all[node_] == other) return other;
#pragma unroll
        for (std::uint32_t& a : awaited_) {
            if (a != kNone || at_ == end_) continue;
            a = *at_++;
            if (a > node_) {
                a = kNone;
                at_ = end_;
            }
        }
        unsigned found[kTogether];
#pragma unroll
        for (int q = 0; q < kTogether; ++q) found[q] = awaited_[q] == kNone ? other : marks.of(awaited_[q]);
        bool waits = at_ != end_, saw_root = false;
#pragma unroll
        for (int q = 0; q < kTogether; ++q) {
            saw_root = saw_root || found[q] == root;
            if (found[q] == undecided) {
                waits = true;
            } else {
                changed = changed || awaited_[q] != kNone;
                awaited_[q] = kNone;
            }
        }
        return saw_root ? other : waits ? undecided : root;
    }

private:
    static constexpr int kTogether = 4;
    const std::uint32_t *at_, *end_;
    std::uint32_t node_, awaited_[kTogether];
};

/// Blocks take nodes in ascending order as they begin, so that whom a node waits for is at work or done.
__global__ void __launch_bounds__(kThreadsOfSetup)
    find_roots(const ScatteredRows reach, std::uint8_t* mark, unsigned* ticket) {
    constexpr unsigned kRest = 64; // ns, of a warp that sees nothing new: others shall get through to memory
    __shared__ unsigned turn;
    __shared__ std::uint8_t near[kThreadsOfSetup];
    if (threadIdx.x == 0) turn = atomicAdd(ticket, 1U);
    near[threadIdx.x] = undecided;
    __syncthreads();
    const Marks marks{mark, near, turn * kThreadsOfSetup};
    const std::uint32_t node = marks.first + threadIdx.x, lane = threadIdx.x & 31;
    const std::uint32_t start = node < reach.rows ? reach.start[node] : 0,
                        length = node < reach.rows ? reach.length[node] : 0;
    bool waits = length != 0;
    if (node < reach.rows && !waits) marks.set(node, other);
    Deciding deciding(reach.column + start, length, node);
    while (__any_sync(~0U, waits)) {
        bool changed = false;
        const Mark is = waits ? deciding.look(marks, changed) : undecided;
        if (is != undecided) marks.set(node, is);
        waits = waits && is == undecided;
        for (unsigned roots = __ballot_sync(~0U, is == root); roots != 0; roots &= roots - 1) { // by the whole warp
            const int of = __ffs(static_cast<int>(roots)) - 1;
            const std::uint32_t from = __shfl_sync(~0U, start, of), size = __shfl_sync(~0U, length, of);
            for (std::uint32_t k = lane; k < size; k += 32) marks.set(reach.column[from + k], other);
        }
        if (!__any_sync(~0U, changed || is != undecided)) __nanosleep(kRest);
    }
}
__global__ void count_roots(std::uint32_t nodes, const std::uint8_t* mark, std::uint32_t* count) {
    const std::uint32_t node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node < nodes) count[node] = mark[node] == root ? 1 : 0;
}
__global__ void gather_neighbours(std::uint32_t nodes, const std::uint32_t* begin, const std::uint32_t* neighbour,
                                  const std::uint8_t* mark, const std::uint32_t* number, std::uint32_t* of) {
    const std::uint32_t node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes || mark[node] != root) return;
    of[node] = number[node];
    for (std::uint32_t k = begin[node]; k < begin[node + 1]; ++k) of[neighbour[k]] = number[node];
}
/// Who is left joins the aggregate of his strongest neighbour that is in one. `left` counts who has none: such a node
/// is joined strongly with nobody, for a node that is would be a root where nobody around it is in an aggregate.
__global__ void join_strongest(const Matrix<double> a, const std::uint32_t* link, const std::uint8_t* alone,
                               const std::uint32_t* of, std::uint32_t* joined, std::uint32_t* left) {
    const std::uint32_t node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= a.rows) return;
    std::uint32_t found = of[node];
    if (found == kNone && alone[node] == 0) {
        double strongest = 0;
        for (std::uint32_t k = a.begin[node]; k < a.begin[node + 1]; ++k) {
            if (link[k] == kNone || of[link[k]] == kNone || !(fabs(a.value[k]) > strongest)) continue;
            strongest = fabs(a.value[k]);
            found = of[link[k]];
        }
    }
    joined[node] = found;
    left[node] = found == kNone && alone[node] == 0 ? 1 : 0;
}
__global__ void number_left(std::uint32_t nodes, std::uint32_t roots, const std::uint8_t* alone,
                            const std::uint32_t* number, std::uint32_t* of) {
    const std::uint32_t node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node < nodes && of[node] == kNone && alone[node] == 0) of[node] = roots + number[node];
}

/// Keys to order nodes by: aggregates, and after them who is in none.
__global__ void key_nodes(std::uint32_t nodes, std::uint32_t aggregates, const std::uint32_t* of, std::uint32_t* key) {
    const std::uint32_t node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node < nodes) key[node] = of[node] == kNone ? aggregates : of[node];
}
/// The kernel, of length one on each aggregate, and the length that it had.
__global__ void normalise(std::uint32_t aggregates, const Ordered members, const double* kernel, double* value,
                          double* length, std::uint32_t* unusual) {
    constexpr double kDependent = 1e-8;
    const std::uint32_t g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= aggregates) return;
    double sum = 0;
    for (std::uint32_t m = members.begin[g]; m < members.begin[g + 1]; ++m)
        sum += kernel[members.position[m]] * kernel[members.position[m]];
    const double norm = sqrt(sum);
    if (!(norm > kDependent * norm)) *unusual = 1;
    for (std::uint32_t m = members.begin[g]; m < members.begin[g + 1]; ++m)
        value[members.position[m]] = kernel[members.position[m]] / norm;
    length[g] = norm;
}

} // namespace

Coarsening find_largest_couplings(const Matrix<double>& a, Arena& scratch) {
    Coarsening c;
    c.most = scratch.get<double>(a.rows);
    c.alone = scratch.get<std::uint8_t>(a.rows);
    find_most<<<blocks_of(a.rows), kThreadsOfSetup>>>(a, mantissa::multilevel::kAlone, c.most, c.alone);
    c.link = scratch.get<std::uint32_t>(a.entries);
    c.of = scratch.get<std::uint32_t>(a.rows);
    check(cudaGetLastError(), "find_largest_couplings");
    return c;
}

void find_links(const Matrix<double>& a, double threshold, Coarsening& c, Arena& scratch) {
    c.neighbours = {a.rows, a.rows, 0, scratch.get<std::uint32_t>(std::size_t{a.rows} + 1), nullptr, nullptr};
    std::uint32_t* const begin = c.neighbours.begin;
    find_strong<<<blocks_of(a.rows), kThreadsOfSetup>>>(a, threshold, c.most, c.alone, c.link, begin);
    c.neighbours.entries = sum_counts(begin, a.rows, begin, scratch);
    c.neighbours.column = scratch.get<std::uint32_t>(c.neighbours.entries);
    join_links<<<blocks_of(a.rows), kThreadsOfSetup>>>(a, c.link, begin, c.neighbours.column);
    check(cudaGetLastError(), "find_links");
}

bool find_aggregates(const Matrix<double>& a, Coarsening& c, Arena& scratch) {
    constexpr std::uint64_t kMostReach = 64; // for each entry, and more where there are few
    const unsigned blocks = blocks_of(a.rows);
    const std::uint64_t most = std::clamp<std::uint64_t>(kMostReach * a.entries, 1 << 24, UINT32_MAX);
    if (additions(c.neighbours, c.neighbours, scratch) > most) return false;
    const ScatteredRows reach = nodes_in_reach(c.neighbours, scratch);
    auto* const mark = scratch.zeros<std::uint8_t>(a.rows);
    find_roots<<<blocks, kThreadsOfSetup>>>(reach, mark, scratch.zeros<unsigned>(1));
    auto* const number = scratch.get<std::uint32_t>(std::size_t{a.rows} + 1);
    count_roots<<<blocks, kThreadsOfSetup>>>(a.rows, mark, number);
    const std::uint32_t roots = sum_counts(number, a.rows, number, scratch);
    auto* const gathered = scratch.get<std::uint32_t>(a.rows);
    check(cudaMemsetAsync(gathered, 0xff, a.rows * sizeof *gathered), "cudaMemset");
    gather_neighbours<<<blocks, kThreadsOfSetup>>>(a.rows, c.neighbours.begin, c.neighbours.column, mark, number,
                                                   gathered);
    join_strongest<<<blocks, kThreadsOfSetup>>>(a, c.link, c.alone, gathered, c.of, number);
    c.aggregates = roots + sum_counts(number, a.rows, number, scratch);
    if (c.aggregates != roots) number_left<<<blocks, kThreadsOfSetup>>>(a.rows, roots, c.alone, number, c.of);
    check(cudaGetLastError(), "find_aggregates");
    return true;
}

void keep_one_aggregate(Coarsening& c) {
    check(cudaMemsetAsync(c.of, 0, sizeof *c.of), "cudaMemset");
    c.aggregates = 1;
}

void make_functions(const Matrix<double>& a, const double* kernel, Coarsening& c, Arena& keep, Arena& scratch) {
    if (c.aggregates == 0) return;
    auto* const key = scratch.get<std::uint32_t>(a.rows);
    key_nodes<<<blocks_of(a.rows), kThreadsOfSetup>>>(a.rows, c.aggregates, c.of, key);
    const Ordered members = order_by(key, a.rows, c.aggregates, scratch);
    c.value = scratch.zeros<double>(a.rows);
    c.next_kernel = keep.get<double>(c.aggregates);
    auto* const unusual = scratch.zeros<std::uint32_t>(1);
    normalise<<<blocks_of(c.aggregates), kThreadsOfSetup>>>(c.aggregates, members, kernel, c.value, c.next_kernel,
                                                            unusual);
    check(cudaGetLastError(), "make_functions");
    c.usual = one_from_device(unusual) == 0;
}

} // namespace mantissa::gpu::multilevel_rows
