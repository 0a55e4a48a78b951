// The sections of the report, each from the rows of the stores. Internal to host/.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "findings/dense.hpp"
#include "findings/upsets.hpp"
#include "findings/verdict.hpp"
#include "pictures/image.hpp"
#include "report/charts/chart.hpp"
#include "report/page/table.hpp"
#include "report/rows.hpp"

namespace mantissa::report {

/// What could not be shown, and what to run or install for it.
struct Gap {
    std::string what; ///< "No synthesis results"
    std::string mend; ///< a command, or what to install
};

/// After "No solves in these results" and its like, where a comparison's document brings its own: they are not lacking
/// from the page.
inline std::string beside_comparison(const Rows& rows) {
    return rows.comparisons.empty() ? "" : ", but for those within the comparison";
}

struct Text {
    std::string plain;
};

struct Heading {
    std::string plain;
};

/// Pictures side by side, each with its words.
struct Picture {
    std::string title;
    std::vector<pictures::Panel> panels;
};

using Block = std::variant<Text, Heading, Figure, Table, Gap, Picture>;

struct Section {
    std::string id, title;
    std::vector<Block> blocks;
};

/// The cells of Tables 1 to 5 that the stores have, the paper's beside them. `paper` is the folder of its tables.
Section paper_section(const Rows& rows, Origins& origins, const std::string& paper);
/// Relative defect against inner iterations.
Section convergence_section(const Rows& rows);
/// Iterations against the vectors' fraction bits, with stepwise and wide row sums and a narrow and wide u.
Section iterations_section(const Rows& rows);
/// Slices and multipliers against fraction bits, operators, placements.
Section area_section(const Rows& rows, Origins& origins, const std::string& paper);
/// Engines on the same points: the same iterations, and the cycles of those that have them.
Section engines_section(const Rows& rows);
/// What the figure of designs for a problem on a device is of.
inline std::string designs_subject(const std::string& comparison, const std::string& problem,
                                   const std::string& device) {
    return comparison + "\n" + problem + "\n" + device;
}
/// Designs: time, area, what bounds them, the Pareto front; the paper's section 5.5.
Section designs_section(const Rows& rows, Origins& origins);
/// Designs beside GPU and CPU.
Section time_section(const Rows& rows, Origins& origins);
/// The GPU's passes against its memory bandwidth.
Section roofline_section(const Rows& rows);
/// Pictures of the solves whose problem is of a mesh: the matrix's pattern, the map or the surface. Nothing where no
/// solve is.
std::optional<Section> meshes_section(const Rows& rows);
/// Dense systems: the factors' error over n, the steps over the format, which formats suffice. Nothing where no dense
/// solve is.
std::optional<Section> dense_section(const Rows& rows);
/// The stored dense solves as the findings take them.
std::vector<findings::DenseSolve> dense_solves(const Rows& rows);
/// Campaigns of upsets: outcomes, where those were that were not masked, what to do next. Nothing where none is.
std::optional<Section> upsets_section(const Rows& rows);
/// Answers of `mantissa tune`: area against time, the front drawn. Nothing where none is.
std::optional<Section> tuned_section(const Rows& rows);
/// The stored campaigns as the findings take them.
std::vector<findings::UpsetCampaign> upset_campaigns(const Rows& rows);
/// Solves and parts that both hold, with other figures. Both are of the page's sets of results: `older` is not cited.
Section changes_section(const Rows& rows, const Rows& older);
/// Every point of the stores.
Section points_section(const Rows& rows);

struct Summary {
    std::optional<findings::Verdict> verdict;  ///< of the latest comparison
    std::vector<std::string> verdict_subjects; ///< of the figures that stand beside it
    std::vector<std::string> findings;         ///< the first three stand at the head
    std::string findings_from;                 ///< what they come from
    std::string no_findings;                   ///< why there are none
    std::vector<std::string> devices, assumptions;
    std::vector<Gap> gaps; ///< of the comparison
};
Summary summary_of(const Rows& rows);

} // namespace mantissa::report
