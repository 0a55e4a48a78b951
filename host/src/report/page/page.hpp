// The report: one HTML page that holds all it needs. Internal to host/.
#pragma once

#include <string>
#include <vector>

#include "mantissa/host/provenance.hpp"
#include "report/sections/sections.hpp"

namespace mantissa::report {

struct Request {
    std::vector<std::string> stores; ///< paths of results files, at least one
    std::string paper;               ///< folder of the paper's tables; empty: the installed or source one
    std::string title = "Mantissa report";
    std::vector<std::string> against; ///< older results files to compare with; may be empty
};

struct Report {
    std::string html;
    std::string verdict; ///< the sentence at the page's head; empty where nothing was compared
    std::vector<std::string> findings;
    std::vector<std::string> notes; ///< for whoever reads the page, which holds them too
    std::size_t charts = 0;
};

/// Reads the stores and assembles the page. `page` is this run's provenance, printed at its foot. Throws InvalidInput
/// for stores that cannot be read.
Report make_report(const Request& request, const Provenance& page);

} // namespace mantissa::report
