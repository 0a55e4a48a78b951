// Comparisons and imported measurements in tables of their own in the results file, and where stored figures come
// from. Internal to host/.
#pragma once

#include <compare>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "findings/findings.hpp"
#include "mantissa/host/point.hpp"
#include "mantissa/host/provenance.hpp"
#include "mantissa/host/store.hpp"
#include "store/database.hpp"
#include "store/result_json.hpp"
#include "synthesis/synthesis.hpp"

namespace mantissa::compare {

/// A core as synthesis knows it.
struct CoreKey {
    std::string spec, target, multiplier; ///< "block" or "logic"
    std::string bands = "streamed";       ///< or "constant": it holds a stencil
    std::string part = "core";            ///< or a unit of a resident core: see synthesis_parts()
    friend auto operator<=>(const CoreKey&, const CoreKey&) = default;
};

/// A JSON document with its provenance.
struct StoredDocument {
    results::Json document;
    Provenance provenance;
};

/// The tables `measurement` and `comparison` (name, document, provenance) of a results file, which is made when it is
/// not there; opened to read, it has to be there, and is taken into memory: no put then. Each put is one transaction.
/// May be used from several threads. All throw InvalidInput, one line, when the file cannot be used.
class ComparisonStore {
public:
    explicit ComparisonStore(std::string path, StoreAccess access = StoreAccess::write);

    /// `content`: Store::content_of() its problem; what was measured with another one is not there.
    [[nodiscard]] std::optional<StoredDocument> measurement(const std::string& name,
                                                            const std::string& content = {}) const;
    void put_measurement(const std::string& name, results::Json document, const Provenance& provenance,
                         const std::string& content = {}) const;
    [[nodiscard]] std::optional<StoredDocument> comparison(const std::string& name) const;
    void put_comparison(const std::string& name, const results::Json& document, const Provenance& provenance) const;

    /// Who put a solve; nothing when it is not stored.
    [[nodiscard]] std::optional<Provenance> origin_of(const Point& point) const;
    /// Who put the synthesis, or the placement with `seed`, of a core that holds these figures.
    [[nodiscard]] std::optional<Provenance> origin_of_synthesis(const CoreKey& key, std::uint64_t luts,
                                                                std::uint64_t flip_flops, std::uint64_t depth) const;
    [[nodiscard]] std::optional<Provenance> origin_of_placement(const CoreKey& key, int seed, double mhz) const;

    struct Synthesis {
        synthesis::SynthesisFigures figures;
        std::string tool, sources;
        Provenance provenance;
    };
    /// The newest synthesis of a core, whatever sources and tool it was made with.
    [[nodiscard]] std::optional<Synthesis> newest_synthesis(const CoreKey& key) const;
    struct Placed {
        synthesis::Placement placement;
        Provenance provenance;
    };
    /// The placements of a core of these sources, slowest first.
    [[nodiscard]] std::vector<Placed> placements(const CoreKey& key, const std::string& sources) const;

    /// Every solve, in the order stored, but for those of problems that are in `contents` with other contents of their
    /// files than these.
    [[nodiscard]] std::vector<findings::SolveBeside> solves(const std::map<std::string, std::string>& contents) const;

private:
    /// The copy, or the file, which is open for as long as it is held: threads have one each.
    [[nodiscard]] std::shared_ptr<const results::Database> database() const;

    std::string path_;
    std::shared_ptr<const results::Database> copy_; ///< to read
};

} // namespace mantissa::compare
