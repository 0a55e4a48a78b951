// The upsets of a campaign in a results file: the table `upset`, with what the campaign is of beside it. Internal to
// host/.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "campaign.hpp"

namespace mantissa::upset {

/// For one thread at a time. What was put is kept within two seconds, and when this ends.
class FlipStore {
public:
    /// `campaign`: the key that all its rows have. Throws InvalidInput for a file that is none of this program's.
    FlipStore(const std::string& path, std::string campaign);
    FlipStore(const FlipStore&) = delete;
    FlipStore& operator=(const FlipStore&) = delete;
    ~FlipStore();

    /// Keeps what the campaign is of, for the report: `upset_campaign` and `upset_place`.
    void describe(const Request& request, const Reference& reference);
    /// Those with numbers below `count`.
    [[nodiscard]] std::vector<Flip> below(std::uint64_t count);
    void put(const Flip& flip);

private:
    void commit();

    struct Database;
    std::unique_ptr<Database> db_;
    std::string campaign_;
    bool open_ = false; ///< a transaction is
    std::chrono::steady_clock::time_point since_;
};

} // namespace mantissa::upset
