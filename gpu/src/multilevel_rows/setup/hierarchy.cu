// The levels of smoothed aggregation on the device.
#include "hierarchy.hpp"

#include "mantissa/multilevel/aggregation.hpp"
#include "primitives.hpp"

namespace mantissa::gpu::multilevel_rows {

namespace {

using mantissa::multilevel::AggregationSteps;

/// For each entry of the given matrix, about what circuits and grids take.
constexpr std::size_t kBytes = 56, kScratchBytes = 128;

/// What these steps do not do.
struct NotHere {};

class DeviceSteps final : public AggregationSteps {
public:
    DeviceSteps(const GivenMatrix& given, DeviceHierarchy& h) : h_(h), scratch_(kScratchBytes * given.entries) {
        a_ = scaled(given, h.scale, h.memory, scratch_);
        if (!is_symmetric(a_, scratch_)) throw NotHere();
        kernel_ = first_kernel(h.scale, a_.rows, h.memory);
    }
    Size begin_level() override {
        scratch_.clear();
        SetupLevel& level = h_.level.emplace_back();
        level.a = a_;
        level.kernel = kernel_;
        level.largest = largest_eigenvalue(level.a, level.kernel, scratch_);
        scratch_.clear();
        found_couplings_ = false;
        return {level.a.rows, level.a.entries};
    }
    Coarse coarsen(double threshold) override {
        const SetupLevel& level = h_.level.back();
        if (!std::exchange(found_couplings_, true)) c_ = find_largest_couplings(level.a, scratch_);
        find_links(level.a, threshold, c_, scratch_);
        if (!find_aggregates(level.a, c_, scratch_)) throw NotHere();
        return with_functions();
    }
    Coarse keep_one() override {
        keep_one_aggregate(c_);
        return with_functions();
    }
    double smooth() override {
        SetupLevel& level = h_.level.back();
        level.prolongation = joined(smoothed(level, c_, scratch_), h_.memory, scratch_);
        additions_ = additions(level.a, level.prolongation, scratch_);
        return static_cast<double>(additions_);
    }
    bool project() override {
        if (additions_ > UINT32_MAX) throw NotHere();
        SetupLevel& level = h_.level.back();
        level.restriction = transposed(level.prolongation, h_.memory, scratch_);
        const ScatteredRows ap = times_prolongation(level.a, level.prolongation, additions_, scratch_);
        const ScatteredRows upper = upper_triangle(level.restriction, ap, scratch_);
        mantissa::multilevel::require_numbered_entries(upper.entries);
        double* scale = nullptr;
        a_ = next_matrix(joined(upper, scratch_, scratch_), c_.next_kernel, scale, h_.memory, scratch_);
        if (a_.begin == nullptr) return false;
        scale_ways(level.prolongation, level.restriction, c_.next_kernel, scale);
        kernel_ = c_.next_kernel;
        return true;
    }
    bool invert() override {
        h_.coarsest = dense_inverse(h_.level.back().a, scratch_);
        return !h_.coarsest.empty();
    }

private:
    Coarse with_functions() {
        make_functions(h_.level.back().a, h_.level.back().kernel, c_, h_.memory, scratch_);
        if (!c_.usual) throw NotHere();
        return {c_.aggregates, c_.aggregates};
    }

    DeviceHierarchy& h_;
    Arena scratch_;
    Matrix<double> a_; ///< of the level that begins next, and its kernel
    double* kernel_ = nullptr;
    bool found_couplings_ = false;
    Coarsening c_;
    std::uint64_t additions_ = 0;
};

RealRows back(const Matrix<double>& a) {
    if (a.begin == nullptr) return {};
    return {a.rows, a.columns, from_device(a.begin, std::size_t{a.rows} + 1), from_device(a.column, a.entries),
            from_device(a.value, a.entries)};
}
Matrix<double> there(const RealRows& a, Arena& keep) {
    if (a.begin.empty()) return {};
    return {a.rows,
            a.columns,
            static_cast<std::uint32_t>(a.value.size()),
            keep.copy(std::span(a.begin)),
            keep.copy(std::span(a.column)),
            keep.copy(std::span(a.value))};
}

} // namespace

std::optional<DeviceHierarchy> make_on_device(const GivenMatrix& given) {
    try {
        DeviceHierarchy h(kBytes * given.entries);
        DeviceSteps steps(given, h);
        h.why_not = make_levels(steps, 1);
        return h;
    } catch (const NotHere&) {
        return std::nullopt;
    } catch (const DeviceError& error) {
        if (error.code() != cudaErrorMemoryAllocation) throw;
        static_cast<void>(cudaGetLastError()); // the next launch would report it
        return std::nullopt;
    }
}

DeviceHierarchy bring_to_device(const mantissa::multilevel::Hierarchy& h) {
    std::size_t entries = 0;
    for (const mantissa::multilevel::Level& level : h.level) entries += level.a.value.size();
    DeviceHierarchy to(kBytes * entries);
    to.scale = to.memory.copy(std::span(h.scale));
    for (const mantissa::multilevel::Level& level : h.level)
        to.level.push_back({there(level.a, to.memory), there(level.prolongation, to.memory),
                            there(level.restriction, to.memory), to.memory.copy(std::span(level.kernel)),
                            level.largest});
    to.coarsest = h.coarsest;
    to.why_not = h.why_not;
    return to;
}

mantissa::multilevel::Hierarchy bring_back(const DeviceHierarchy& h) {
    mantissa::multilevel::Hierarchy to;
    to.scale = from_device(h.scale, h.level.front().a.rows);
    for (const SetupLevel& level : h.level)
        to.level.push_back({back(level.a), back(level.prolongation), back(level.restriction), level.largest,
                            from_device(level.kernel, level.a.rows)});
    to.coarsest = h.coarsest;
    to.why_not = h.why_not;
    return to;
}

} // namespace mantissa::gpu::multilevel_rows
