#include "session.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cores.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/hls/kernel.hpp"
#include "mantissa/partition/cuts.hpp"
#include "mantissa/partition/partition.hpp"

namespace mantissa::sim {

namespace {

/// SystemC's kernel is a single object.
std::mutex& simulation() {
    static std::mutex mutex;
    return mutex;
}

/// Where an element of the system is.
struct Seat {
    std::uint32_t core = 0, position = 0;
};

struct Cores {
    std::vector<SparseCoreState> state;
    std::vector<Seat> seat; ///< of each element
    bool overlaps = false;
};

Cores one_core(const CompressedRows& matrix, const DatapathSpec& spec, PassOrder order) {
    Cores out;
    SparseOrder ordered = ordered_rows(matrix, spec, order);
    out.overlaps = ordered.overlaps;
    for (const std::uint32_t position : ordered.rows.position) out.seat.push_back({0, position});
    out.state.resize(1);
    out.state[0].rows = std::move(ordered.rows);
    return out;
}

/// Rows cut into parts of nearly as many entries; each core's own come first, then what it reads of others.
Cores several_cores(const CompressedRows& matrix, const DatapathSpec& spec, int cores) {
    Cores out;
    const Partition partition = cut_contiguous(matrix, static_cast<std::uint32_t>(cores), 1);
    out.seat.resize(matrix.rows());
    for (std::uint32_t c = 0; c < partition.parts().size(); ++c) {
        const Part& part = partition.parts()[c];
        const std::size_t own = part.row.size();
        if (own == 0)
            throw InvalidInput(fmt::format("engine 'systemc': {} cores for {} rows leave one without any; take fewer",
                                           cores, matrix.rows()));
        LocalRows local = local_rows(matrix, partition, c);
        std::vector<std::uint64_t> begin = local.row_begin;
        begin.resize(own + local.ghosts + 1, begin.back()); // ghosts: rows without entries
        std::vector<std::uint32_t> column;
        std::vector<double> value;
        std::vector<std::pair<std::uint32_t, double>> row; // ghosts' numbers come in another order than rows'
        for (std::size_t i = 0; i < own; ++i) {
            row.clear();
            for (std::uint64_t e = local.row_begin[i]; e < local.row_begin[i + 1]; ++e)
                row.emplace_back(local.column[e], local.value[e]);
            std::sort(row.begin(), row.end());
            for (const auto& [j, v] : row) {
                column.push_back(j);
                value.push_back(v);
            }
        }
        SparseCoreState state;
        state.rows = hls::load_rows(CompressedRows(begin, column, value), own, spec, {.lanes = spec.lanes});
        for (std::size_t i = 0; i < own; ++i) out.seat[part.row[i]] = {c, state.rows.position[i]};
        for (const Exchange& e : part.send) state.sends += e.row.size();
        out.state.push_back(std::move(state));
    }
    for (std::uint32_t c = 0; c < partition.parts().size(); ++c) {
        SparseCoreState& state = out.state[c];
        std::size_t ghost = partition.parts()[c].row.size();
        for (const Exchange& e : partition.parts()[c].receive)
            for (const std::uint32_t row : e.row)
                state.ghosts.push_back({e.peer, out.seat[row].position, state.rows.position[ghost++]});
    }
    return out;
}

class SparseSession final : public SystemcSession {
public:
    SparseSession(const System& system, const DatapathSpec& spec, const SystemcOptions& options)
        : SparseSession(system, spec, options,
                        options.sparse.cores > 1
                            ? several_cores(std::get<CompressedRows>(system.matrix()), spec, options.sparse.cores)
                            : one_core(std::get<CompressedRows>(system.matrix()), spec, options.sparse.order)) {}

    void write(Vec v, std::size_t first, std::span<const double> values) override {
        check(first, values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto [word, overflow] = hls::stored_word(format(v), values[i]);
            unfit_ |= overflow;
            hls::store_word(at(v, first + i), bytes(v), word);
        }
    }
    void read(Vec v, std::size_t first, std::span<double> values) const override {
        check(first, values.size());
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = hls::stored_value(format(v), hls::load_word(at(v, first + i), bytes(v)));
    }
    void clear(Vec v) override {
        for (SparseCoreState& core : cores_.cores())
            std::ranges::fill(core.vector[static_cast<std::size_t>(v)], std::uint64_t{0});
    }
    void set_scalars(double alpha, double beta) override {
        words_ = {};
        words_.alpha = word(alpha);
        words_.beta = word(beta);
    }
    [[nodiscard]] Scalars scalars() const override { return hls::scalars_of(spec_, words_); }
    RunReport run(const RunRequest& request) override {
        if (request.passes == 0) {
            RunReport none;
            none.cycles = 0;
            return none;
        }
        const Simulation lock;
        RunReport out =
            cores_.run(request, word(request.rho_stop), words_, std::exchange(unfit_, false), spec_, report_);
        report_.core_seconds = static_cast<double>(report_.cycles) / (options_.sparse.core_mhz * 1e6);
        if (options_.last_report) *options_.last_report = report_;
        return out;
    }
    [[nodiscard]] SystemReport report() const override { return report_; }

private:
    SparseSession(const System& system, const DatapathSpec& spec, const SystemcOptions& options, Cores cores)
        : spec_(spec), options_(options), kernel_(hls::kernel_for(spec, System::Kind::sparse)), size_(system.size()),
          seat_(std::move(cores.seat)), cores_(kernel_, options.sparse, std::move(cores.state), spec, cores.overlaps) {}

    [[nodiscard]] const Format& format(Vec v) const {
        const Format* const all[] = {&spec_.u, &spec_.r, &spec_.p, &spec_.q};
        return *all[static_cast<std::size_t>(v)];
    }
    [[nodiscard]] std::size_t bytes(Vec v) const {
        const std::uint32_t all[] = {kernel_.u_word, kernel_.r_word, kernel_.p_word, kernel_.q_word};
        return all[static_cast<std::size_t>(v)];
    }
    [[nodiscard]] std::byte* at(Vec v, std::size_t i) const {
        auto& memory = cores_.cores()[seat_[i].core].vector[static_cast<std::size_t>(v)];
        return reinterpret_cast<std::byte*>(memory.data()) + seat_[i].position * bytes(v);
    }
    [[nodiscard]] std::uint64_t word(double x) const {
        return hls::to_word(spec_.scalar, exact::convert(spec_.scalar, x));
    }
    void check(std::size_t first, std::size_t count) const {
        if (first > size_ || count > size_ - first)
            throw InvalidInput("session: elements outside the vector; stay below the system's size");
    }

    DatapathSpec spec_;
    SystemcOptions options_;
    const mantissa_hls::Kernel& kernel_;
    std::size_t size_;
    std::vector<Seat> seat_;
    mutable SparseCores cores_;
    mantissa_hls::ScalarWords words_;
    SystemReport report_;
    bool unfit_ = false;
};

} // namespace

Simulation::Simulation() {
    simulation().lock();
}
Simulation::~Simulation() {
    simulation().unlock();
}

std::string wrong(const SparseCoreOptions& o) {
    if (o.cores < 1 || o.cores > 64) return fmt::format("{} sparse cores; there may be 1 to 64", o.cores);
    if (o.channels < 1 || o.channels > 32) return fmt::format("{} channels a core; there may be 1 to 32", o.channels);
    if (o.channel_bytes < 0 || o.link_words < 0) return "a bandwidth below zero; 0 means no limit";
    if (o.channel_mhz <= 0 || o.core_mhz <= 0) return "clocks are above zero";
    if (o.stall < 0 || o.stall >= 1) return fmt::format("a stall probability of {}; it is from 0 to below 1", o.stall);
    if (o.fifo_beats < 1) return "a FIFO holds at least one beat";
    if (o.cores > 1 && o.order != PassOrder::two_part)
        return "several sparse cores exchange p' between the two parts of a pass: they cannot overlap; take two_part";
    return {};
}

std::unique_ptr<Session> load_sparse_cores(const System& system, const DatapathSpec& spec,
                                           const SystemcOptions& options) {
    return std::make_unique<SparseSession>(system, spec, options);
}

} // namespace mantissa::sim
