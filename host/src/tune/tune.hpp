// `mantissa tune`: which datapath and how many cores of it solve a problem on a device at the least cost
// (docs/tune.md). Internal to host/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/device.hpp"
#include "cores.hpp"
#include "mantissa/host/solve.hpp"
#include "space.hpp"
#include "store/result_json.hpp"

namespace mantissa::tuning {

/// No design is looked at that takes so many times the iterations of CG in double.
inline constexpr double kMostRatio = 8;

/// Points of a space that are solved whole, at most, where the request names no number.
inline constexpr std::size_t kMostOfSpace = 200;

enum class Goal : std::uint8_t { time, area, area_time, energy };
const char* to_string(Goal goal);

struct TuneRequest {
    std::string problem; ///< canonical text
    compare::Device device;
    Goal goal = Goal::area_time;
    std::optional<double> most_area;       ///< share of the device
    std::optional<double> most_iterations; ///< times those of CG in double
    double budget = 600;                   ///< seconds
    std::string store, command;            ///< results file; as typed
    std::uint64_t seed = 1;
    std::optional<std::size_t> most; ///< points solved whole, of all spaces together; else kMostOfSpace of each
    int netlists = 3;                ///< designs to synthesise, at most
    int sides = 3;                   ///< right-hand sides that decide between the best, the problem's own among them
    double tolerance = 1e-10;
    double fill = 0.85;
    int threads = 1;
    Narrowing narrowing;
};

/// A datapath with its solve.
struct Design {
    Choice choice;
    SolveOptions options;
    std::uint64_t iterations = 0, outer = 0;
    std::vector<double> side_iterations; ///< of each right-hand side over those of CG in double
    double judged = 0;                   ///< iterations that decide: the sides' mean ratio, times CG's in double
};

/// A design on so many cores, of so many lanes.
struct Placed {
    std::size_t design = 0; ///< into TuneResult::designs
    Build build;
    compare::Estimate estimate;
    double cost = 0;
    bool front = false;
};

struct TuneResult {
    std::vector<Design> designs; ///< that reached the tolerance
    /// By area, those that no other beats in both area and time; of modelled ones only those that no other would beat
    /// with the model's largest errors against them.
    std::vector<Placed> front;
    std::size_t near_front = 0; ///< modelled, and left out of it for that reason
    std::vector<Placed> best;   ///< by cost, one of each design; the first is the winner
    double reference = 0;       ///< iterations of CG in double
    double points = 0;          ///< of the space
    std::size_t solved = 0, coarse = 0, failed = 0, modelled = 0, refused = 0, open = 0, stored_before = 0;
    std::map<std::string, std::size_t> refusals; ///< why, and how many
    std::map<Part, ModelError> errors;           ///< of the winner's kind of core
    std::optional<bool> same_rtl;                ///< are the table's cores of this RTL? Not looked at without a winner.
    std::string end;
    std::vector<std::string> notes;
    double seconds = 0;
};

/// Searches. Throws InvalidInput before any work for a request that cannot be met.
TuneResult tune(const TuneRequest& request);

/// The cost of a design on so many cores; infinite where it breaks a limit.
double cost_of(const TuneRequest& request, const compare::Estimate& estimate, double iterations, double reference);

/// Are these the same design on as many cores and lanes?
bool same_place(const Placed& a, const Placed& b);
/// Puts the front and the designs next to the best into the request's results file, in the place of an earlier answer
/// for the same problem, device and goal.
void store_answer(const TuneRequest& request, const TuneResult& result);
results::Json tune_json(const TuneRequest& request, const TuneResult& result);
std::string tune_text(const TuneRequest& request, const TuneResult& result);
/// The winner's solve, to be typed.
std::string solve_command(const TuneRequest& request, const Placed& placed, const SolveOptions& options);

} // namespace mantissa::tuning
