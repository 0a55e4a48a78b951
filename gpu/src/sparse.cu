// Sparse matrices on the device: upload in a format, products, and the graph-captured Jacobi CG.
#include "mantissa/gpu/sparse_solver.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <functional>
#include <optional>
#include <variant>

#include "graph.hpp"
#include "mantissa/format.hpp"
#include "mantissa/gpu/device.hpp"
#include "mantissa/sparse/complex_blocks.hpp"
#include "mantissa/sparse/reorder.hpp"
#include "mantissa/sparse/sliced_ell.hpp"
#include "sparse_kernels.cuh"
#include "sparse_resident.hpp"
#include "sparse_several.cuh"
#include "textbook_cg.cuh"

namespace mantissa::gpu {

namespace {

/// Threads that share a row: so many that the longest row takes them four rounds, but at most two for each entry of the
/// mean row. (On an H200, of 2 to 32 the best or within 4 % of it, on every matrix that was tried.)
int lanes_for_rows(double mean, std::uint32_t longest) {
    int lanes = 2;
    while (lanes < 32 && 4U * static_cast<unsigned>(lanes) < longest && lanes <= mean) lanes *= 2;
    return lanes;
}
/// Threads that share a row of `mean` blocks: about one for each two.
int lanes_for(double mean, int least) {
    int lanes = least;
    while (lanes < 32 && 2.0 * lanes < mean) lanes *= 2;
    return lanes;
}

const Bands& bands_of(const System& system) {
    const Bands* const bands = std::get_if<Bands>(&system.matrix());
    if (bands == nullptr) throw InvalidInput("band matrix: the system has no bands");
    return *bands;
}

/// What multiplies N vectors at once; all multiply one.
template <int N, class Kind> inline constexpr bool kMultiplies = N == 1 || requires(Kind a) {
    a.slices;
}
|| std::is_same_v<Kind, CrsProduct<typename Kind::Value>>;

class MatrixBase {
public:
    virtual ~MatrixBase() = default;
    virtual void apply(std::span<const double> x, std::span<double> y) const = 0;
    [[nodiscard]] virtual std::function<double()> product_batches(bool dependent) const = 0;
    virtual SparseCgReport solve(std::span<const double> b, double tolerance, std::uint32_t limit, bool jacobi,
                                 std::vector<double>* x, SparseHistory* history) const = 0;
    virtual TextbookReport textbook(std::span<const double> b, const TextbookOptions& options,
                                    std::vector<double>* x) const = 0;
    virtual void apply_several(std::span<const std::vector<double>> x, std::vector<std::vector<double>>& y) const = 0;
    virtual std::vector<SparseCgReport> solve_several(std::span<const std::vector<double>> b, double tolerance,
                                                      std::uint32_t limit, std::vector<std::vector<double>>* x,
                                                      SeveralPlan plan) const = 0;
};

template <class T> class Matrix final : public MatrixBase {
public:
    Matrix(const CompressedRows& a, SparseFormat format)
        : rows_(static_cast<std::uint32_t>(a.rows())), padded_((a.rows() + 3) / 4 * 4), host_(a) {
        static_cast<void>(require_device());
        if (format == SparseFormat::crs) {
            const std::vector<std::uint32_t> row_begin = narrow_row_begin(a);
            upload(row_begin, a.column(), a.value());
            const double mean = static_cast<double>(a.nonzeros()) / std::max<double>(1, rows_);
            std::uint32_t longest = 0;
            for (std::uint32_t i = 0; i < rows_; ++i) longest = std::max(longest, row_begin[i + 1] - row_begin[i]);
            operator_ =
                CrsProduct<T>{begin_.data(), column_.data(), value_.data(), rows_, lanes_for_rows(mean, longest)};
        } else if (format == SparseFormat::bcrs2) {
            operator_ = blocks<2>(a);
        } else if (format == SparseFormat::bcrs4) {
            operator_ = blocks<4>(a);
        } else if (format == SparseFormat::complex2) {
            const ComplexBlocks b = to_complex_blocks(a);
            upload(b.row_begin, b.column, b.value);
            const double mean = static_cast<double>(b.column.size()) / std::max<double>(1, b.block_rows());
            operator_ = ComplexProduct<T>{begin_.data(), column_.data(), value_.data(), b.block_rows(),
                                          std::min(32, lanes_for(mean, 2))};
        } else if (format == SparseFormat::complex_sell) {
            operator_ = sliced_complex(to_sliced_ell(to_complex_blocks(a), kPlainSell));
        } else if (format == SparseFormat::sell || format == SparseFormat::sell_lengths) {
            take_sliced(a, format == SparseFormat::sell ? kPlainSell : sell_by_lengths(a));
        } else {
            const Jds j = to_jds(a);
            upload(j.diagonal_begin, j.column, j.value);
            permutation_ = to_device(j.permutation);
            count_ = to_device(j.row_count);
            if (format == SparseFormat::jds_rows) {
                operator_ = JdsRowProduct<T>{begin_.data(), column_.data(), permutation_.data(),
                                             count_.data(), value_.data(),  rows_};
            } else {
                sums_.allocate(padded_);
                operator_ =
                    JdsProduct<T>{begin_.data(), column_.data(), permutation_.data(), count_.data(), value_.data(),
                                  sums_.data(),  rows_};
            }
        }
        allocate_vectors();
    }

    Matrix(const CompressedRows& a, const SlicedOptions& options)
        : rows_(static_cast<std::uint32_t>(a.rows())), padded_((a.rows() + 3) / 4 * 4), host_(a) {
        static_cast<void>(require_device());
        take_sliced(a, options);
        allocate_vectors();
    }

    explicit Matrix(const System& system)
        : rows_(static_cast<std::uint32_t>(system.size())), padded_((system.size() + 3) / 4 * 4),
          host_(to_compressed_rows(bands_of(system))) {
        static_cast<void>(require_device());
        const Bands& bands = bands_of(system);
        BandProduct<T> product{};
        for (std::size_t b = 0; b < 9; ++b) {
            band_[b] = to_device(std::vector<T>(bands.band(b).begin(), bands.band(b).end()));
            product.band[b] = band_[b].data();
        }
        product.rows = static_cast<long long>(bands.size());
        product.row_length = static_cast<long long>(bands.row_length());
        operator_ = product;
        allocate_vectors();
    }

    void apply(std::span<const double> x, std::span<double> y) const override {
        if (x.size() != rows_ || y.size() != rows_)
            throw InvalidInput("sparse product: x and y have a row's number of elements");
        std::vector<T> host(padded_, T(0));
        std::copy(x.begin(), x.end(), host.begin());
        p_.upload(host);
        check(cudaMemset(q_.data(), 0xFF, q_.size() * sizeof(T)), "cudaMemset"); // no element may stay so
        product();
        q_.download(host);
        std::copy_n(host.begin(), rows_, y.begin());
    }

    std::function<double()> product_batches(bool dependent) const override {
        std::vector<T> host(padded_, T(0));
        for (std::size_t i = 0; i < rows_; ++i) host[i] = static_cast<T>(1.0 + 1e-3 * static_cast<double>(i % 97));
        p_.upload(host);
        // Batches, so that the gaps between launches do not count.
        constexpr int kBatch = 20;
        const auto graph = std::make_shared<Graph>();
        graph->capture([&](cudaStream_t stream) {
            for (int i = 0; i < kBatch; ++i) product(stream, dependent);
        });
        return [graph, timer = std::make_shared<Timer>()] {
            timer->start();
            graph->launch();
            return timer->stop() / kBatch;
        };
    }

    SparseCgReport solve(std::span<const double> b, double tolerance, std::uint32_t limit, bool jacobi,
                         std::vector<double>* solution, SparseHistory* history) const override {
        if (b.size() != rows_) throw InvalidInput("right-hand side: its size is not the matrix's");
        const Buffer<T> inverse = to_device(inverse_diagonal(jacobi));
        const double norm = std::sqrt(squares(b));
        std::vector<double> x(rows_, 0.0), defect(b.begin(), b.end());
        std::optional<HistoryRecorder> recorder;
        if (history != nullptr && norm > 0) recorder.emplace(host_, limit).note(0, norm, norm);
        SparseCgReport report;
        report.end = CgEnd::converged;
        report.true_residual = norm == 0 ? 0 : 1;
        // In double, where the recurrence's residual reached the tolerance and the true one did not, CG goes on from
        // the true one, as long as that gains. (In float x itself ends it.)
        while (norm > 0) {
            const double before = report.true_residual;
            if (recorder) recorder->begin(defect, report.iterations);
            correct(inverse, defect, tolerance * norm, limit, x, report, recorder ? &*recorder : nullptr);
            form_defect(b, x, defect);
            report.true_residual = std::sqrt(squares(defect)) / norm;
            const bool reached = report.true_residual < tolerance * (1 + kReachedSlack);
            const bool more = report.end == CgEnd::converged && !reached;
            if (more && sizeof(T) == 8 && report.true_residual < 0.5 * before && report.iterations < limit) continue;
            if (reached) report.end = CgEnd::converged;
            else if (report.end == CgEnd::converged) report.end = CgEnd::stagnated;
            break;
        }
        if (recorder) *history = recorder->read(report.iterations, norm);
        if (solution != nullptr) *solution = std::move(x);
        return report;
    }

    TextbookReport textbook(std::span<const double> b, const TextbookOptions& options,
                            std::vector<double>* solution) const override {
        const auto begin = std::chrono::steady_clock::now();
        if (b.size() != rows_ || (!options.start.empty() && options.start.size() != rows_))
            throw InvalidInput("right-hand side or start: its size is not the matrix's");
        const std::vector<T> inverse = inverse_diagonal(options.jacobi);
        const Buffer<T> device_inverse = to_device(inverse);
        const auto delta_of = [&](std::span<const double> d) {
            double sum = 0;
            for (std::uint32_t i = 0; i < rows_; ++i) sum += d[i] * d[i] * static_cast<double>(inverse[i]);
            return sum;
        };
        std::vector<T> start(padded_, T(0)), first(padded_, T(0));
        std::copy(options.start.begin(), options.start.end(), start.begin());
        std::vector<double> x(start.begin(), start.begin() + rows_), defect(rows_);
        if (options.start.empty()) defect.assign(b.begin(), b.end());
        else form_defect(b, x, defect);
        std::copy(defect.begin(), defect.end(), first.begin());
        const double norm = std::sqrt(squares(b)), delta = delta_of(defect);
        const double goal = options.tolerance * options.tolerance;
        const bool by_delta = options.test == PcgTest::delta;
        TextbookReport report;
        std::optional<HistoryRecorder> recorder;
        if (options.history && norm > 0) {
            recorder.emplace(host_, options.max_iterations).begin({b.begin(), b.end()}, 0);
            recorder->note(0, std::sqrt(squares(defect)), std::sqrt(squares(defect)));
        }
        const bool solved = by_delta ? delta == 0 : squares(defect) <= goal * norm * norm;
        if (solved) report.end = CgEnd::converged;
        else if (options.max_iterations > 0) {
            const Buffer<T> device_x = to_device(start), r = to_device(first);
            p_.zero();
            q_.zero();
            run_textbook<T>({rows_, device_inverse.data(), p_.data(), q_.data(), late_,
                             [&](cudaStream_t stream, double* partial, SparseStatus* status, bool counts) {
                                 cg_product(stream, device_inverse.data(), partial, status, counts);
                             }},
                            device_x, r,
                            {by_delta ? goal * delta : -1, by_delta ? -1 : goal * norm * norm, options.max_iterations},
                            recorder ? &*recorder : nullptr, options.measure_idle, report);
            device_x.download(start);
            std::copy_n(start.begin(), rows_, x.begin());
            form_defect(b, x, defect);
        }
        report.true_residual = norm == 0 ? std::sqrt(squares(defect)) : std::sqrt(squares(defect)) / norm;
        const double slack = goal * (1 + kReachedSlack) * (1 + kReachedSlack);
        if (report.end == CgEnd::converged &&
            (by_delta ? delta_of(defect) > slack * delta : squares(defect) > slack * norm * norm))
            report.end = CgEnd::stagnated;
        if (recorder) report.history = recorder->read(report.iterations, norm);
        if (solution != nullptr) *solution = std::move(x);
        report.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        return report;
    }

    void apply_several(std::span<const std::vector<double>> x, std::vector<std::vector<double>>& y) const override {
        if (x.size() == 1) apply_together<1>(x, y);
        else apply_together<kMostTogether>(x, y);
    }
    std::vector<SparseCgReport> solve_several(std::span<const std::vector<double>> b, double tolerance,
                                              std::uint32_t limit, std::vector<std::vector<double>>* x,
                                              SeveralPlan plan) const override {
        return b.size() == 1 ? solve_together<1>(b, tolerance, limit, x, resident_one_, plan)
                             : solve_together<kMostTogether>(b, tolerance, limit, x, resident_, plan);
    }

private:
    static constexpr int kMostTogether = 3;
    /// Made when it is first wanted.
    template <int N> struct Resident {
        bool tried = false;
        std::unique_ptr<ResidentMatrix<N, T>> matrix;
        const ResidentMatrix<N, T>* of(const CompressedRows& a) {
            if (!tried) matrix = ResidentMatrix<N, T>::make(a);
            tried = true;
            return matrix.get();
        }
    };
    /// The elements of a row of all vectors together, zeros where there is none.
    template <int N> std::vector<T> together(std::span<const std::vector<double>> vectors) const {
        constexpr std::size_t kStride = Several<T, N>::kStride;
        if (vectors.empty() || vectors.size() > N)
            throw InvalidInput("sparse product of " + std::to_string(vectors.size()) + " vectors: give 1 to " +
                               std::to_string(N));
        std::vector<T> all(padded_ * kStride, T(0));
        for (std::size_t j = 0; j < vectors.size(); ++j) {
            if (vectors[j].size() != rows_)
                throw InvalidInput("sparse product: vector " + std::to_string(j) + " has " +
                                   std::to_string(vectors[j].size()) + " elements, the matrix " +
                                   std::to_string(rows_) + " rows");
            for (std::size_t i = 0; i < rows_; ++i) all[i * kStride + j] = static_cast<T>(vectors[j][i]);
        }
        return all;
    }
    /// work(operator, buffers for its sums of N vectors).
    template <int N, class Work> void with_operator(Work&& work) const {
        std::visit(
            [&](const auto& a) {
                using Kind = std::decay_t<decltype(a)>;
                if constexpr (kMultiplies<N, Kind>) {
                    Kind own = a;
                    Buffer<T> partial;
                    if constexpr (requires { own.slices; }) {
                        if (late_.count != 0) partial.allocate(static_cast<std::size_t>(N) * own.slices);
                        own.partial = partial.data();
                    }
                    work(own);
                } else {
                    throw InvalidInput("sparse product of several vectors: compressed rows and sliced ELL have it; "
                                       "take one of them");
                }
            },
            operator_);
    }
    template <class Kind> double threads_of(const Kind& a) const {
        if constexpr (requires { a.slices; }) return 32.0 * a.slices;
        else if constexpr (requires { a.warps; }) return 32.0 * a.warps;
        else if constexpr (requires { a.lanes; }) return static_cast<double>(a.rows) * a.lanes;
        else return rows_;
    }
    /// As many blocks as have work, and no more than run at once.
    template <class Kernel> static unsigned blocks_at_once(Kernel kernel, double threads, double most_blocks = 1e9) {
        int blocks = 0;
        check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, kSeveralThreads, 0),
              "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
        const double processors = require_device().multiprocessors;
        const double most = std::min(std::max(1, blocks) * processors, most_blocks);
        const double wanted = std::ceil(threads / kSeveralThreads);
        return static_cast<unsigned>(std::clamp(wanted, 1.0, most));
    }

    template <int N>
    void apply_together(std::span<const std::vector<double>> x, std::vector<std::vector<double>>& y) const {
        constexpr std::size_t kStride = Several<T, N>::kStride;
        std::vector<T> host = together<N>(x);
        const Buffer<T> from = to_device(host);
        Buffer<T> to(host.size());
        check(cudaMemset(to.data(), 0xFF, to.size() * sizeof(T)), "cudaMemset"); // no element may stay so
        with_operator<N>([&](const auto& a) {
            using Kind = std::decay_t<decltype(a)>;
            launch(several_product<N, Kind>, blocks_at_once(several_product<N, Kind>, threads_of(a)), kSeveralThreads,
                   nullptr, false, a, from.data(), to.data());
        });
        to.download(host);
        y.assign(x.size(), std::vector<double>(rows_));
        for (std::size_t j = 0; j < x.size(); ++j)
            for (std::size_t i = 0; i < rows_; ++i) y[j][i] = static_cast<double>(host[i * kStride + j]);
    }

    template <int N>
    std::vector<SparseCgReport> solve_together(std::span<const std::vector<double>> b, double tolerance,
                                               std::uint32_t limit, std::vector<std::vector<double>>* solution,
                                               Resident<N>& resident, SeveralPlan plan) const {
        const std::size_t columns = b.size();
        const ResidentMatrix<N, T>* const on_chip = plan == SeveralPlan::stream ? nullptr : resident.of(host_);
        if (plan == SeveralPlan::resident && on_chip == nullptr)
            throw InvalidInput(
                "resident solve: the matrix does not fit the multiprocessors' shared memory, or has rows "
                "of more than " +
                std::to_string(ResidentMatrix<N, T>::kLongestResident) + " entries; leave the plan to the solver");
        std::vector<std::vector<double>> x(columns, std::vector<double>(rows_, 0.0)), defect(b.begin(), b.end());
        std::vector<SparseCgReport> report(columns);
        std::vector<double> norm(columns);
        std::vector<T> inverse = inverse_diagonal(true);
        inverse.resize(padded_, T(0));
        const Buffer<T> device_inverse = to_device(inverse);
        std::vector<bool> active(columns);
        for (std::size_t j = 0; j < columns; ++j) {
            if (b[j].size() != rows_) throw InvalidInput("right-hand side: its size is not the matrix's");
            norm[j] = std::sqrt(squares({b[j].data(), b[j].size()}));
            active[j] = norm[j] > 0;
            report[j].end = CgEnd::converged;
            report[j].true_residual = active[j] ? 1 : 0;
            report[j].resident = on_chip != nullptr;
        }
        constexpr std::size_t kStride = Several<T, N>::kStride;
        Buffer<T> p(padded_ * kStride), q(padded_ * kStride);
        q.zero();
        // Columns go on from their true residuals as a single one does (see solve()), and keep their directions.
        for (bool again = false; std::find(active.begin(), active.end(), true) != active.end(); again = true) {
            std::vector<double> goal(columns, 0.0);
            for (std::size_t j = 0; j < columns; ++j) {
                if (active[j]) goal[j] = tolerance * norm[j];
                else std::ranges::fill(defect[j], 0.0); // nothing to solve, so nothing changes
            }
            correct_together<N>(device_inverse, {defect.data(), defect.size()}, goal, active, limit, again, p, q, x,
                                report, on_chip);
            for (std::size_t j = 0; j < columns; ++j) {
                if (!active[j]) continue;
                SparseCgReport& r = report[j];
                const double before = r.true_residual;
                form_defect({b[j].data(), b[j].size()}, {x[j].data(), x[j].size()},
                            {defect[j].data(), defect[j].size()});
                r.true_residual = std::sqrt(squares({defect[j].data(), defect[j].size()})) / norm[j];
                const bool reached = r.true_residual < tolerance * (1 + kReachedSlack);
                active[j] = r.end == CgEnd::converged && !reached && sizeof(T) == 8 && r.true_residual < 0.5 * before &&
                            r.iterations < limit;
                if (active[j]) continue;
                if (reached) r.end = CgEnd::converged;
                else if (r.end == CgEnd::converged) r.end = CgEnd::stagnated;
            }
        }
        if (solution != nullptr) *solution = std::move(x);
        return report;
    }

    /// As correct(), for all active columns.
    template <int N>
    void correct_together(const Buffer<T>& inverse, std::span<const std::vector<double>> d,
                          const std::vector<double>& goal, const std::vector<bool>& active, std::uint32_t limit,
                          bool again, const Buffer<T>& p, const Buffer<T>& q, std::vector<std::vector<double>>& x,
                          std::vector<SparseCgReport>& report, const ResidentMatrix<N, T>* on_chip) const {
        constexpr std::size_t kStride = Several<T, N>::kStride;
        std::vector<T> host = together<N>(d);
        Buffer<T> c(host.size()), r = to_device(host);
        SeveralState<N> state{};
        std::uint32_t made = 0;
        for (std::size_t j = 0; j < d.size(); ++j) {
            state.goal[j] = goal[j] * goal[j];
            if (active[j]) made = std::max(made, report[j].iterations);
        }
        state.limit = limit - made;
        Buffer<SeveralState<N>> device_state(1);
        device_state.upload(std::span(&state, 1));
        double seconds = 0;
        if (on_chip != nullptr) {
            seconds = on_chip->solve(inverse.data(), r.data(), c.data(), p.data(), device_state.data(), again);
            device_state.download(std::span(&state, 1));
        } else {
            seconds = stream_together<N>(inverse, c, r, p, q, again, device_state, state);
        }
        for (SparseCgReport& one : report) one.seconds += seconds;
        c.download(host);
        for (std::size_t j = 0; j < d.size(); ++j) {
            if (!active[j]) continue;
            report[j].iterations += state.iterations[j];
            report[j].end = state.end[j];
            for (std::size_t i = 0; i < rows_; ++i) x[j][i] += static_cast<double>(host[i * kStride + j]);
        }
    }

    /// Two kernels an iteration until all columns have ended; returns seconds.
    template <int N>
    double stream_together(const Buffer<T>& inverse, const Buffer<T>& c, const Buffer<T>& r, const Buffer<T>& p,
                           const Buffer<T>& q, bool again, const Buffer<SeveralState<N>>& device_state,
                           SeveralState<N>& state) const {
        double seconds = 0;
        using Part = Elements<T, N>;
        const auto groups = static_cast<long long>(padded_ / Part::kRows);
        // Every block reads a sum of each other: few blocks, but for vectors that only many of them move fast.
        const double few = (rows_ < 400000 ? 2.0 : 6.0) * require_device().multiprocessors;
        const unsigned update_blocks = blocks_at_once(several_update<N, T>, static_cast<double>(groups), few);
        with_operator<N>([&](const auto& a) {
            using Kind = std::decay_t<decltype(a)>;
            const unsigned blocks =
                blocks_at_once(several_apply<N, Kind>, threads_of(a), rows_ < 400000 ? 2 * few : few);
            // [update | update | product | rows in pieces], 2 N sums of every block each
            Buffer<double> sums(std::size_t{2 * N} * (2 * update_blocks + blocks + late_.count));
            sums.zero();
            double* const first = sums.data();
            double* const second = first + std::size_t{2 * N} * update_blocks;
            double* const products = second + std::size_t{2 * N} * update_blocks;
            const auto places = [&](std::uint32_t i) {
                return SeveralSums{i % 2 == 0 ? first : second, i % 2 == 0 ? second : first, products,
                                   products + std::size_t{2 * N} * blocks, late_.count};
            };
            const auto apply = [&](cudaStream_t stream, bool dependent, bool counts) {
                launch(several_apply<N, Kind>, blocks, kSeveralThreads, stream, dependent, a, inverse.data(), p.data(),
                       q.data(), static_cast<long long>(rows_), device_state.data(), places(0), counts);
            };
            constexpr std::uint32_t kBatch = 32; // an even number
            Graph graph;
            graph.capture([&](cudaStream_t stream) {
                for (std::uint32_t i = 0; i < kBatch; ++i) {
                    launch(several_update<N, T>, update_blocks, kSeveralThreads, stream, true, inverse.data(), c.data(),
                           r.data(), p.data(), q.data(), groups, blocks, device_state.data(), places(i));
                    apply(stream, true, true);
                }
            });
            Timer timer;
            timer.start();
            launch(several_begin<N, T>, update_blocks, kSeveralThreads, nullptr, false, inverse.data(), c.data(),
                   r.data(), p.data(), groups, again, places(0));
            apply(nullptr, false, false);
            for (std::uint64_t launched = 0; state.all_done == 0; launched += kBatch) {
                graph.launch();
                device_state.download(std::span(&state, 1));
                if (launched > std::uint64_t{state.limit} + 2 * kBatch)
                    throw DeviceError("several_update", "the solver did not come to an end");
            }
            seconds = timer.stop();
        });
        return seconds;
    }

    /// 1 / a_ii, or ones.
    [[nodiscard]] std::vector<T> inverse_diagonal(bool jacobi) const {
        std::vector<T> inverse(rows_, T(1));
        for (std::uint32_t i = 0; jacobi && i < rows_; ++i) {
            double diagonal = 0;
            for (std::uint64_t k = host_.row_begin()[i]; k < host_.row_begin()[i + 1]; ++k)
                if (host_.column()[k] == i) diagonal += host_.value()[k];
            if (!(diagonal > 0))
                throw InvalidInput("Jacobi preconditioner: diagonal element " + std::to_string(i) +
                                   " is not above zero; solve without it");
            inverse[i] = static_cast<T>(1 / diagonal);
        }
        return inverse;
    }
    static double squares(std::span<const double> v) {
        double sum = 0;
        for (const double x : v) sum += x * x;
        return sum;
    }
    /// d = b - A x in double precision, on the host.
    void form_defect(std::span<const double> b, std::span<const double> x, std::span<double> d) const {
        for (std::uint32_t i = 0; i < rows_; ++i) {
            d[i] = b[i];
            for (std::uint64_t k = host_.row_begin()[i]; k < host_.row_begin()[i + 1]; ++k)
                d[i] -= host_.value()[k] * x[host_.column()[k]];
        }
    }

    /// x += c with A c = d, solved from c = 0 until the recursion's ||r|| is below `goal` or the report's iterations
    /// reach `limit`; counts and the end go to the report.
    void correct(const Buffer<T>& inverse, const std::vector<double>& d, double goal, std::uint32_t limit,
                 std::vector<double>& x, SparseCgReport& report, const HistoryRecorder* history) const {
        const Buffer<double> rhs = to_device(d);
        Buffer<T> c(padded_), r(padded_);
        p_.zero();
        q_.zero();
        // [update buffer 0 | update buffer 1 | products], each two sums of every block
        Buffer<double> partial(6 * kSparseBlocks);
        partial.zero();
        Buffer<SparseStatus> status(1);
        status.zero();
        const long long n = rows_;
        double* const part[3] = {partial.data(), partial.data() + 2 * kSparseBlocks,
                                 partial.data() + 4 * kSparseBlocks};
        constexpr int kBatch = 32; // iterations of one graph, an even number
        const std::uint32_t left = limit - report.iterations;
        Graph graph;
        graph.capture([&](cudaStream_t stream) {
            for (int i = 0; i < kBatch; ++i) {
                sparse_update<T><<<kSparseBlocks, kSparseThreads, 0, stream>>>(
                    inverse.data(), c.data(), r.data(), p_.data(), q_.data(), n, part[i % 2], part[2], part[1 - i % 2],
                    goal * goal, left, status.data(), late_);
                check(cudaGetLastError(), "launch of sparse_update");
                if (history != nullptr)
                    history->record(stream, part[1 - i % 2] + kSparseBlocks, c.data(), status.data());
                cg_product(stream, inverse.data(), part[2], status.data(), true);
            }
        });
        Timer timer;
        timer.start();
        sparse_begin<T>
            <<<kSparseBlocks, kSparseThreads>>>(rhs.data(), inverse.data(), c.data(), r.data(), p_.data(), n, part[0]);
        check(cudaGetLastError(), "launch of sparse_begin");
        cg_product(nullptr, inverse.data(), part[2], status.data(), false);
        SparseStatus now{};
        // One look at the status for each graph.
        for (std::uint64_t launched = 0; now.done == 0; launched += kBatch) {
            graph.launch();
            status.download(std::span(&now, 1));
            if (launched > std::uint64_t{left} + 2 * kBatch)
                throw DeviceError("sparse_update", "the solver did not come to an end");
        }
        report.seconds += timer.stop();
        report.iterations += now.iterations;
        report.end = now.end;
        std::vector<T> host(padded_);
        c.download(host);
        for (std::uint32_t i = 0; i < rows_; ++i) x[i] += static_cast<double>(host[i]);
    }

    using Operator =
        std::variant<CrsProduct<T>, BlockProduct<T, 2>, BlockProduct<T, 4>, ComplexProduct<T>, JdsRowProduct<T>,
                     JdsProduct<T>, SlicedProduct<T, 4>, SlicedProduct<T, 8>, SlicedComplexProduct<T>, BandProduct<T>>;

    static Buffer<T> values_to_device(const std::vector<double>& value) {
        if constexpr (std::is_same_v<T, double>) return to_device(value);
        else return to_device(std::vector<T>(value.begin(), value.end()));
    }
    void upload(const std::vector<std::uint32_t>& begin, const std::vector<std::uint32_t>& column,
                const std::vector<double>& value) {
        begin_ = to_device(begin);
        column_ = to_device(column);
        value_ = values_to_device(value);
    }
    template <int B> BlockProduct<T, B> blocks(const CompressedRows& a) {
        const Bcrs b = to_bcrs(a, B);
        upload(b.row_begin, b.column, b.value);
        const double mean = static_cast<double>(b.column.size()) / std::max<double>(1, b.block_rows());
        return {begin_.data(), column_.data(), value_.data(), b.block_rows(),
                std::max(B, std::min(32, B * lanes_for(mean, 1)))};
    }
    void upload(const SlicedEll& s) {
        std::vector<DeviceSlice> slices;
        slices.reserve(s.slice.size());
        for (const SlicedEll::Slice& k : s.slice)
            slices.push_back(
                {k.begin, k.steps | static_cast<std::uint32_t>(std::countr_zero(k.lanes)) << 26, k.row, k.long_row});
        slice_ = to_device(slices);
        column_ = to_device(s.column);
        value_ = values_to_device(s.value);
        permutation_ = to_device(s.permutation);
    }
    SlicedComplexProduct<T> sliced_complex(const SlicedEll& s) {
        upload(s);
        return {slice_.data(),
                column_.data(),
                permutation_.data(),
                value_.data(),
                static_cast<std::uint32_t>(s.slice.size()),
                s.rows};
    }
    template <int U> SlicedProduct<T, U> sliced(const SlicedEll& s) {
        upload(s);
        std::vector<uint2> long_rows;
        for (const SlicedEll::LongRow& r : s.long_row) long_rows.push_back({r.first_slice, r.pieces});
        if (!long_rows.empty()) {
            long_row_ = to_device(long_rows);
            count_ = to_device(std::vector<std::uint32_t>(long_rows.size(), 0));
            sums_.allocate(s.slice.size());
            late_sums_.allocate(2 * long_rows.size());
            late_sums_.zero();
            late_ = {late_sums_.data(), static_cast<std::uint32_t>(long_rows.size())};
        }
        return {slice_.data(),
                column_.data(),
                permutation_.data(),
                value_.data(),
                static_cast<std::uint32_t>(s.slice.size()),
                rows_,
                long_row_.data(),
                sums_.data(),
                count_.data()};
    }
    /// Rows that take many steps have more of them under way.
    void take_sliced(const CompressedRows& a, const SlicedOptions& options) {
        const SlicedEll s = to_sliced_ell(a, options);
        if (options.depth == 0 || options.depth > 4) operator_ = sliced<8>(s);
        else operator_ = sliced<4>(s);
    }
    void allocate_vectors() {
        p_.allocate(padded_);
        q_.allocate(padded_);
    }
    /// Blocks of 256 threads, no more than are at work at once: a second wave of blocks starts later than a second row.
    [[nodiscard]] unsigned blocks_for(double threads) const {
        return static_cast<unsigned>(std::clamp(threads / 256, 1.0, 8.0 * require_device().multiprocessors) + 0.999);
    }
    void product(cudaStream_t stream = nullptr, bool dependent = false) const {
        std::visit(
            [&](const auto& a) {
                using Kind = std::decay_t<decltype(a)>;
                launch(sparse_product<Kind>, blocks_for(threads_of(a)), 256, stream, dependent, a, p_.data(),
                       q_.data());
            },
            operator_);
    }
    void cg_product(cudaStream_t stream, const T* inverse, double* partial, SparseStatus* status, bool counts) const {
        std::visit(
            [&](const auto& a) {
                using Kind = std::decay_t<decltype(a)>;
                sparse_apply<Kind><<<kSparseBlocks, kSparseThreads, 0, stream>>>(a, inverse, p_.data(), q_.data(),
                                                                                 rows_, partial, status, counts, late_);
            },
            operator_);
        check(cudaGetLastError(), "launch of sparse_apply");
    }

    std::uint32_t rows_;
    std::size_t padded_;
    CompressedRows host_; ///< for the diagonal and the true residual
    Buffer<std::uint32_t> begin_, column_, permutation_, count_;
    Buffer<T> value_, sums_;
    Buffer<DeviceSlice> slice_;
    Buffer<uint2> long_row_;
    Buffer<double> late_sums_;
    LateProducts late_;
    std::array<Buffer<T>, 9> band_;
    mutable Buffer<T> p_, q_;
    mutable Resident<1> resident_one_;
    mutable Resident<kMostTogether> resident_;
    Operator operator_;
};

} // namespace

struct SparseMatrix::Impl {
    std::unique_ptr<MatrixBase> matrix;
};

SparseMatrix::SparseMatrix(const CompressedRows& a, SparseFormat format, SparsePrecision precision)
    : impl_(std::make_unique<Impl>()) {
    if (precision == SparsePrecision::single_precision) impl_->matrix = std::make_unique<Matrix<float>>(a, format);
    else impl_->matrix = std::make_unique<Matrix<double>>(a, format);
}
SparseMatrix::SparseMatrix(const CompressedRows& a, const SlicedOptions& options, SparsePrecision precision)
    : impl_(std::make_unique<Impl>()) {
    if (precision == SparsePrecision::single_precision) impl_->matrix = std::make_unique<Matrix<float>>(a, options);
    else impl_->matrix = std::make_unique<Matrix<double>>(a, options);
}
SparseMatrix::SparseMatrix(const System& system, SparsePrecision precision) : impl_(std::make_unique<Impl>()) {
    if (precision == SparsePrecision::single_precision) impl_->matrix = std::make_unique<Matrix<float>>(system);
    else impl_->matrix = std::make_unique<Matrix<double>>(system);
}
SparseMatrix::~SparseMatrix() = default;
SparseMatrix::SparseMatrix(SparseMatrix&&) noexcept = default;

void SparseMatrix::apply(std::span<const double> x, std::span<double> y) const {
    impl_->matrix->apply(x, y);
}
double SparseMatrix::time_product(int repeats) const {
    const std::function<double()> batch = product_batches();
    std::vector<double> seconds;
    for (int i = 0; i < repeats + 2; ++i) {
        const double s = batch();
        if (i >= 2) seconds.push_back(s);
    }
    std::ranges::sort(seconds);
    return seconds[seconds.size() / 2];
}
std::function<double()> SparseMatrix::product_batches(bool dependent) const {
    return impl_->matrix->product_batches(dependent);
}
SparseCgReport SparseMatrix::solve(std::span<const double> b, double tolerance, std::uint32_t max_iterations,
                                   bool jacobi, std::vector<double>* x, SparseHistory* history) const {
    return impl_->matrix->solve(b, tolerance, max_iterations, jacobi, x, history);
}
TextbookReport SparseMatrix::textbook(std::span<const double> b, const TextbookOptions& options,
                                      std::vector<double>* x) const {
    return impl_->matrix->textbook(b, options, x);
}

void SparseMatrix::apply_several(std::span<const std::vector<double>> x, std::vector<std::vector<double>>& y) const {
    impl_->matrix->apply_several(x, y);
}
std::vector<SparseCgReport> SparseMatrix::solve_several(std::span<const std::vector<double>> b, double tolerance,
                                                        std::uint32_t max_iterations,
                                                        std::vector<std::vector<double>>* x, SeveralPlan plan) const {
    return impl_->matrix->solve_several(b, tolerance, max_iterations, x, plan);
}

namespace {

TimedChoice choose_as_it_is(const CompressedRows& a, SparsePrecision precision) {
    TimedChoice timed;
    timed.reports = report_formats(a, precision == SparsePrecision::single_precision ? 4 : 8);
    for (const FormatReport& r : timed.reports)
        timed.seconds.push_back(SparseMatrix(a, r.format, precision).time_product());
    timed.choice = choose_format(timed.reports, timed.seconds);
    return timed;
}

} // namespace

TimedChoice choose_on_device(const CompressedRows& a, SparsePrecision precision, bool try_reordered) {
    TimedChoice timed = choose_as_it_is(a, precision);
    if (!try_reordered) return timed;
    TimedChoice other = choose_as_it_is(permuted(a, reverse_cuthill_mckee(a)), precision);
    other.reordered = true;
    other.choice.why += ", both behind reverse Cuthill-McKee";
    return *std::ranges::min_element(other.seconds) < *std::ranges::min_element(timed.seconds) ? other : timed;
}

} // namespace mantissa::gpu
