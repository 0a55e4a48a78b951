#include "compare.hpp"

#include "join.hpp"

namespace mantissa::compare {

comparison::ComparisonDocument run_comparison(const Comparison& comparison, const GatherOptions& options) {
    Gathered gathered;
    gather(comparison, options, gathered);
    const Provenance here = current_provenance(options.command);
    const std::vector<Row> rows = join(comparison, gathered, here);
    const std::vector<Row> constant = join_constant(comparison, gathered, here);
    comparison::ComparisonDocument document = comparison_document(comparison, gathered, rows, constant, here);
    if (!options.stored_only) ComparisonStore(options.store).put_comparison(comparison.name, to_json(document), here);
    return document;
}

} // namespace mantissa::compare
