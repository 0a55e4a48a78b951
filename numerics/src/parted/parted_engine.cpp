#include "mantissa/partition/parted_engine.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "../emulated/fixed_session.hpp"
#include "../emulated/part_links.hpp"
#include "../emulated/session_base.hpp"
#include "exchanger.hpp"
#include "local_system.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/multilevel/cycle_solver.hpp"
#include "mantissa/multilevel/grid_words.hpp"
#include "mantissa/multilevel/word_solve.hpp"
#include "mantissa/row_forms.hpp"
#include "on_every_part.hpp"
#include "parted_cycle_vectors.hpp"
#include "parted_outer.hpp"

namespace mantissa {

namespace {

/// p over the cuts in as few bytes as its format needs, whole words of 4 or 8.
class Links final : public detail::PartLinks {
public:
    Links(detail::Exchanger exchanger, std::uint32_t parts, bool narrow, const detail::LocalSystem& local)
        : exchanger_(std::move(exchanger)), narrow_(narrow), ghost_(local.ghost), all_(parts) {}
    [[nodiscard]] std::span<const std::uint32_t> ghosts() const override { return ghost_; }
    void exchange(std::span<double> p) override { exchanger_.exchange<double>(p); }
    void exchange(std::span<float> p) override { exchanger_.exchange<float>(p); }
    void exchange(std::span<std::int32_t> p) override { exchanger_.exchange<std::int32_t>(p); }
    void exchange(std::span<fixed::Word> p) override {
        if (narrow_) exchanger_.exchange<std::int32_t>(p);
        else exchanger_.exchange<std::int64_t>(p);
    }
    void combine(detail::PartFindings& findings) override {
        exchanger_.gather(findings, std::span(all_));
        findings = all_[0];
        for (std::size_t p = 1; p < all_.size(); ++p) findings.merge(all_[p]);
    }
    void passes(std::uint64_t count) {
        for (; count > 0; --count) exchanger_.iteration();
    }

private:
    detail::Exchanger exchanger_;
    bool narrow_;
    std::vector<std::uint32_t> ghost_;
    std::vector<detail::PartFindings> all_;
};

/// The parts of this process. What is asked of the whole goes to each of them, in threads where there are several.
class PartedSession final : public Session {
public:
    PartedSession(const System& system, const DatapathSpec& spec, const SessionOptions& options,
                  std::shared_ptr<Space> space, Partition partition, const ExchangeOptions& exchange)
        : space_(std::move(space)), partition_(std::make_shared<const Partition>(std::move(partition))), spec_(spec) {
        const std::vector<std::uint32_t> here = space_->here();
        SessionOptions each = options;
        threads_ = each.threads = std::max(1, options.threads / static_cast<int>(here.size()));
        // In the form that rows are made from, so that every part has the same.
        const std::optional<System> converted = spec.fixed_vectors() ? std::nullopt : converted_for(spec.order, system);
        const System& formed = converted ? *converted : system;
        const bool words = spec.fixed_vectors() && detail::has_fixed_fused_session(system, spec, each);
        const bool narrow = spec.p.is_fixed() && spec.p.word_bits <= 32;
        const bool in_floats = !spec.fixed_vectors() && detail::fused_in_floats(spec);
        const std::size_t element = narrow || in_floats ? 4 : 8;
        const detail::HostArrays host =
            detail::host_arrays(*space_, exchange.way, partition_->rows(), element, sizeof(detail::PartFindings));
        for (const std::uint32_t part : here) {
            detail::LocalSystem local = detail::local_system(formed, *partition_, part);
            auto links = std::make_unique<Links>(detail::Exchanger(space_, part, partition_->parts()[part],
                                                                   local.places, element, host, exchange.counts),
                                                 space_->parts(), narrow, local);
            auto session = make_session(local.system, spec, each, links.get(), words);
            links_.push_back(std::move(links));
            place_.push_back({part, std::move(local.owned), std::move(session)});
        }
    }

    void write(Vec v, std::size_t first, std::span<const double> values) override {
        check(first, values.size());
        for (const Place& place : place_) { // its rows that lie in the range
            const std::vector<std::uint32_t>& row = partition_->parts()[place.part].row;
            const auto begin = std::lower_bound(row.begin(), row.end(), first);
            const auto end = std::lower_bound(begin, row.end(), first + values.size());
            std::vector<double> own;
            for (auto i = begin; i != end; ++i) own.push_back(values[*i - first]);
            place.write(v, static_cast<std::size_t>(begin - row.begin()), own);
        }
        known_[static_cast<std::size_t>(v)].clear();
    }
    void read(Vec v, std::size_t first, std::span<double> values) const override {
        check(first, values.size());
        std::vector<double>& whole = known_[static_cast<std::size_t>(v)];
        if (whole.empty()) whole = read_all(v);
        std::copy_n(whole.begin() + static_cast<std::ptrdiff_t>(first), values.size(), values.begin());
    }
    void clear(Vec v) override {
        for (const Place& place : place_) place.session->clear(v);
        known_[static_cast<std::size_t>(v)].clear();
    }
    void set_scalars(double alpha, double beta) override {
        for (const Place& place : place_) place.session->set_scalars(alpha, beta);
    }
    [[nodiscard]] Scalars scalars() const override { return place_.front().session->scalars(); }

    RunReport run(const RunRequest& request) override {
        for (auto& whole : known_) whole.clear();
        std::vector<RunReport> report(place_.size());
        on_every_part([&](std::size_t k) { report[k] = place_[k].session->run(request); });
        links_.front()->passes(report.front().passes);
        return report.front(); // all parts report the same
    }
    /// Each part keeps its rows. (A moving point is restarted from whole vectors.)
    [[nodiscard]] std::unique_ptr<OuterVectors> outer(const System& given,
                                                      std::unique_ptr<OuterVectors> host) override {
        if (spec_.moves()) return host;
        auto iterate = std::make_unique<detail::PartedIterate>(space_, given, partition_of(given), threads_);
        return std::make_unique<detail::PartedOuter>(std::move(iterate), place_, spec_, [this] {
            for (auto& whole : known_) whole.clear();
        });
    }

private:
    using Place = detail::PartSession;

    /// `words`: the fast session in 32-bit integers, which all parts have or none. (The fast one in floating formats is
    /// a matter of the spec alone.)
    static std::unique_ptr<Session> make_session(const System& system, const DatapathSpec& spec,
                                                 const SessionOptions& options, detail::PartLinks* links, bool words) {
        if (words) return detail::make_fixed_fused_session(system, spec, options, links);
        if (spec.fixed_vectors()) return detail::make_fixed_general_session(system, spec, options, links);
        if (auto fused = detail::make_fused_session(system, spec, options, links)) return fused;
        return detail::make_block_session(system, spec, options, links);
    }

    /// Of another matrix with the same owners; its pattern may be another one, too.
    [[nodiscard]] std::shared_ptr<const Partition> partition_of(const System& given) const {
        const auto* const rows = std::get_if<CompressedRows>(&given.matrix());
        if (rows == nullptr) return partition_;
        auto own = std::make_shared<const Partition>(*rows, partition_->owners(), space_->parts());
        return *own == *partition_ ? partition_ : own;
    }

    void check(std::size_t first, std::size_t count) const {
        if (first > partition_->rows() || count > partition_->rows() - first)
            throw InvalidInput("session: elements outside the vector; stay below the system's size");
    }

    template <class Body> void on_every_part(Body&& body) const {
        detail::on_every_part(*space_, space_->here(), body);
    }

    /// A vector's elements from all parts.
    std::vector<double> read_all(Vec v) const {
        std::size_t most = 0;
        for (const Part& part : partition_->parts()) most = std::max(most, part.row.size());
        std::vector<std::vector<double>> gathered(place_.size());
        on_every_part([&](std::size_t k) {
            const Place& place = place_[k];
            std::vector<double> mine(most, 0.0);
            place.read(v, 0, std::span(mine).first(place.owned.size()));
            gathered[k].resize(most * partition_->parts().size());
            space_->gather(place.part, std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(gathered[k])));
        });
        std::vector<double> whole(partition_->rows());
        for (std::size_t p = 0; p < partition_->parts().size(); ++p) {
            const std::vector<std::uint32_t>& row = partition_->parts()[p].row;
            for (std::size_t i = 0; i < row.size(); ++i) whole[row[i]] = gathered.front()[p * most + i];
        }
        return whole;
    }

    std::shared_ptr<Space> space_;
    std::shared_ptr<const Partition> partition_;
    DatapathSpec spec_;
    int threads_ = 1; ///< of each part
    std::vector<std::unique_ptr<Links>> links_;
    std::vector<Place> place_;
    mutable std::array<std::vector<double>, 4> known_; ///< whole vectors as last read; empty: not known
};

class PartedEngine final : public Engine {
public:
    PartedEngine(std::shared_ptr<Space> space, CutMethod method, ExchangeOptions exchange)
        : whole_(make_emulated_engine()), space_(std::move(space)), method_(method), exchange_(std::move(exchange)) {}

    [[nodiscard]] std::string name() const override { return whole_->name(); }
    [[nodiscard]] std::string description() const override {
        return fmt::format("{}, over {} parts", whole_->description(), space_->parts());
    }
    [[nodiscard]] std::string refusal(const DatapathSpec& spec, const System& system,
                                      const SessionOptions& options) const override {
        if (std::string why = whole_->refusal(spec, system, options); !why.empty()) return why;
        if (!spec.fixed_vectors() && !spec.dot.fixed)
            return fmt::format(
                "datapath '{0}' over {1} parts: sums in floating point depend on their order; give exact "
                "ones, --spec '{0},dot=fixed[13:-50]', integers, as --spec fx18.16, or cycles, --preconditioner "
                "multilevel",
                to_string(spec), space_->parts());
        if (spec.has_blocks())
            return fmt::format("datapath '{}' over {} parts: blocks of MX words would be cut; leave one of the two out",
                               to_string(spec), space_->parts());
        return parts_refusal(system);
    }
    [[nodiscard]] std::unique_ptr<Session> load(const System& system, const DatapathSpec& spec,
                                                const SessionOptions& options) const override {
        if (const std::string why = refusal(spec, system, options); !why.empty()) throw InvalidInput(why);
        return std::make_unique<PartedSession>(system, spec, options, space_,
                                               parts_of(system, space_->parts(), method_), exchange_);
    }
    [[nodiscard]] std::string cycle_refusal(const System& system, const CycleSpec&) const override {
        return parts_refusal(system);
    }
    [[nodiscard]] std::unique_ptr<Cycle> cycle(const System& system, const CycleSpec& spec,
                                               int threads) const override {
        if (const std::string why = parts_refusal(system); !why.empty()) throw InvalidInput(why);
        return cycle_of_parts(system, spec, threads);
    }
    [[nodiscard]] std::unique_ptr<CycleVectors> cycle_vectors(const System& system, const CycleSpec& spec,
                                                              int threads) const override {
        if (const std::string why = parts_refusal(system); !why.empty()) throw InvalidInput(why);
        return std::make_unique<detail::PartedCycleVectors>(system, cycle_of_parts(system, spec, threads), threads);
    }
    [[nodiscard]] std::string cycles_refusal(const System& system, const CycleSpec& spec,
                                             const CycleLoop& loop) const override {
        if (std::string why = parts_refusal(system); !why.empty()) return why;
        return whole_->cycles_refusal(system, spec, loop);
    }
    [[nodiscard]] std::unique_ptr<CycleSolver> cycles(const System& system, const CycleSpec& spec,
                                                      const CycleLoop& loop) const override {
        if (const std::string why = cycles_refusal(system, spec, loop); !why.empty()) throw InvalidInput(why);
        const auto grid = *multilevel::grid_words(system);
        return multilevel::make_cycle_solver(grid, loop,
                                             multilevel::make_parted_word_solver(space_, grid, spec, exchange_));
    }

private:
    [[nodiscard]] std::string parts_refusal(const System& system) const {
        const std::size_t most = most_parts(system);
        if (space_->parts() > most)
            return fmt::format("{} parts: this system has rows for at most {}", space_->parts(), most);
        if (system.kind() == System::Kind::sparse && method_ == CutMethod::bisection && !has_metis())
            return "bisection: this Mantissa was built without METIS; cut by contiguous or rcm";
        return {};
    }

    [[nodiscard]] std::unique_ptr<multilevel::PartedCycle> cycle_of_parts(const System& system, const CycleSpec& spec,
                                                                          int threads) const {
        return multilevel::make_cycle_of_parts(space_, parts_of(system, space_->parts(), method_), system, spec,
                                               exchange_, threads);
    }

    std::unique_ptr<Engine> whole_;
    std::shared_ptr<Space> space_;
    CutMethod method_;
    ExchangeOptions exchange_;
};

} // namespace

std::size_t most_parts(const System& system) {
    return system.kind() == System::Kind::sparse ? system.size() : system.size() / system.row_length() / 2;
}

Partition parts_of(const System& system, std::uint32_t parts, CutMethod method) {
    if (const auto* rows = std::get_if<CompressedRows>(&system.matrix())) return cut(*rows, parts, method);
    return cut_strips(static_cast<std::uint32_t>(system.row_length()),
                      static_cast<std::uint32_t>(system.size() / system.row_length()), parts);
}

std::unique_ptr<Engine> make_parted_engine(std::shared_ptr<Space> space, CutMethod method, ExchangeOptions exchange) {
    return std::make_unique<PartedEngine>(std::move(space), method, std::move(exchange));
}

} // namespace mantissa
