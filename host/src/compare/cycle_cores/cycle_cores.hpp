// Cycle cores in a comparison: multilevel cycles beside cores of CG. Internal to host/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <toml++/toml.h>

#include "comparison/document.hpp"
#include "mantissa/format.hpp"
#include "mantissa/multilevel/cycle_spec.hpp"
#include "store/result_json.hpp"
#include "text/tables/table.hpp"

namespace mantissa {
struct Provenance;
}
namespace mantissa::text {
class TomlText;
}

namespace mantissa::synthesis {
struct SynthesisRequest;
}

namespace mantissa::compare {

struct Comparison;
struct CoreKey;
struct Gathered;
struct GatherContext;

/// A table [[cycle]], for one of its cycles.
struct CycleDesign {
    CycleSpec cycle;
    Format outer;                        ///< of u and the defect
    std::vector<std::uint64_t> lanes;    ///< powers of two
    std::vector<std::uint64_t> cores{1}; ///< that share the grid, with so many lanes each
    std::vector<std::uint64_t> mapped;   ///< lanes of cores whose netlists are made, for the area of all
    std::vector<std::size_t> devices;    ///< into Comparison::devices
    std::optional<double> clock_mhz;     ///< in place of the device's
    std::vector<std::string> gpu_runs;   ///< paths of files that gpu_word_cycle_bench wrote
};

/// The tables [[cycle]] of a comparison file whose problems and devices are read already.
std::vector<CycleDesign> read_cycle_designs(const text::TomlText& file, const Comparison& comparison,
                                            const std::string& folder);
/// A file of `gpu`; throws InvalidInput where it is none that gpu_word_cycle_bench wrote.
results::Json read_word_cycle_runs(const std::string& path);
/// Why there is no cycle core for this system; empty where there is. (Words were looked at when the file was read.)
std::string cycle_system_refusal(const CycleDesign& design, const System& system);
/// Solves them on the emulated engine, where the store has not done it.
void gather_cycle_solves(GatherContext& context);
/// The netlist of so many of a design's cores with so many lanes on a family, its rows for grids of 2^level + 1 nodes a
/// side. The vectors in it are those of a smaller grid, for a memory_share tells theirs.
synthesis::SynthesisRequest cycle_core_request(const CycleDesign& design, const std::string& target,
                                               std::uint64_t lanes, std::uint64_t cores, std::size_t level);
/// The grid, 0 without one, that rows in netlists are for: that of the largest grid. So many cores must share it.
CoreKey key_of_cycle_core(const synthesis::SynthesisRequest& request);
std::size_t cycle_rows_level(const Gathered& gathered);
/// A row for each problem, cycle, device and number of lanes; a GPU's cycles on the same grid after those of their
/// problem.
std::vector<comparison::CycleRow> cycle_core_rows(const Comparison& comparison, Gathered& gathered,
                                                  const Provenance& here);
/// A cell of a table, marked where `modelled` names its key.
text::Cell marked(const std::vector<std::string>& modelled, std::string_view key, text::Cell cell);
/// The rows of a document as a table; empty without rows. `best` are the document's rows of CG.
std::string cycle_cores_text(const std::vector<comparison::CycleRow>& rows, const std::vector<comparison::Row>& best);

} // namespace mantissa::compare
