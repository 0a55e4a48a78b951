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
    /// `campaign`: the key that all its rows have; of a problem that names files what they hold is put to it, unless an
    /// older program began this campaign, which kept no record of that. Throws InvalidInput for a file that is none of
    /// this program's.
    FlipStore(const std::string& path, std::string campaign, const std::string& problem);
    FlipStore(const FlipStore&) = delete;
    FlipStore& operator=(const FlipStore&) = delete;
    ~FlipStore();

    /// Keeps what the campaign is of, for the report: `upset_campaign` and `upset_place`.
    void describe(const Request& request, const Reference& reference);
    /// Those with numbers below `count`.
    [[nodiscard]] std::vector<Flip> below(std::uint64_t count);
    void put(const Flip& flip);
    /// A line for the user on the files; empty: nothing to say.
    [[nodiscard]] const std::string& note() const { return note_; }

private:
    void commit();

    struct Database;
    std::unique_ptr<Database> db_;
    std::string campaign_, note_;
    bool open_ = false; ///< a transaction is
    std::chrono::steady_clock::time_point since_;
};

} // namespace mantissa::upset
