// A comparison's rows as sentences and verdicts read them. Internal to findings/.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "comparison/document.hpp"

namespace mantissa::findings {

using comparison::ComparisonDocument;
using comparison::text_of;

/// A row of the document with what sentences ask of it beside its figures.
struct Row : comparison::Row {
    std::string design; ///< its specification, and whether its vectors stay on the chip
    int bits = 0;       ///< of its vectors
    [[nodiscard]] bool same_design(const Row& other) const {
        return design == other.design && multiplier == other.multiplier;
    }
    [[nodiscard]] double by(bool area) const { return area ? area_time : seconds; }
};

/// Those with a time and an area.
std::vector<Row> rows_on(const ComparisonDocument& document, const std::string& problem, const std::string& device);

/// The least of `rows` by time, or by area times time; nullptr of none.
const Row* least(const std::vector<Row>& rows, bool area, const std::function<bool(const Row&)>& wanted = {});

std::size_t count_designs(const std::vector<Row>& rows);

/// The largest problem that has rows; empty where none has.
std::string problem_with_rows(const ComparisonDocument& document);

/// The ids of the devices that have rows for `problem`, in the document's order.
using Devices = std::vector<std::pair<std::string, std::vector<Row>>>;
Devices devices_with_rows(const ComparisonDocument& document, const std::string& problem);
/// A design that stands on several devices counts once.
std::size_t count_designs(const Devices& devices);

/// 0 where there is none.
inline double seconds_of(const comparison::Peer& peer) {
    return peer.seconds;
}
inline double seconds_of(const comparison::CycleRow& row) {
    return row.seconds;
}
inline double seconds_of(const comparison::SparseRow& row) {
    return row.seconds.value_or(0);
}
/// The fastest of those that `fits` takes and that have a time; nullptr of none.
template <class Item, class Fits> const Item* fastest_of(const std::vector<Item>& items, const Fits& fits) {
    const Item* first = nullptr;
    for (const Item& item : items)
        if (fits(item) && seconds_of(item) > 0 && (first == nullptr || seconds_of(item) < seconds_of(*first)))
            first = &item;
    return first;
}
} // namespace mantissa::findings
