// The results store: one SQLite file, one row per point, keyed by the point's full configuration.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mantissa/host/dense_point.hpp"
#include "mantissa/host/point.hpp"
#include "mantissa/host/provenance.hpp"
#include "mantissa/host/solve.hpp"

namespace mantissa {

/// Which solves of a store.
enum class StoredPoints : std::uint8_t {
    iterative, ///< of sparse systems and grids
    dense,     ///< dense systems, by LU
};

/// What a store is opened for.
enum class StoreAccess : std::uint8_t { read, write };

/// A results file. Every put() is one transaction of a write-ahead log: a program that is killed loses at most the
/// points it had not put. Several programs may use one file; one object may be used from several threads.
class Store {
public:
    static constexpr int kSchemaVersion = 1;

    /// Opens the file, making it when it is not there. Throws InvalidInput, one line, when it cannot be opened, is no
    /// results file, is damaged (looked for once in each process), or was written by a program of another schema.
    /// To read, the file must be there: what it holds at this moment is taken into memory, and nothing is written.
    explicit Store(const std::string& path, StoreAccess access = StoreAccess::write);
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;
    ~Store();

    // A row of a problem that names files counts for what they held when it was stored alone; put() takes the place of
    // one that does not count. Rows of older programs, which kept no record of it, count. A damaged one does not.
    [[nodiscard]] bool contains(const Point& point) const;
    /// The stored result (without u), if there is one.
    [[nodiscard]] std::optional<SolveResult> find(const Point& point) const;
    /// Stores a result; replaces what was stored for the same point.
    void put(const Point& point, const SolveResult& result, std::size_t unknowns, const Provenance& provenance);
    [[nodiscard]] std::size_t size() const;
    /// A name for what the files hold that a problem names, each as it was when this object first looked; empty where
    /// there is none, or one that cannot be read.
    [[nodiscard]] std::string content_of(const std::string& problem) const;
    /// Lines for the user: files that changed since solves with them were stored, files of which older programs kept no
    /// record, and rows that are damaged; of points that contains() and find() were asked for.
    [[nodiscard]] std::vector<std::string> notes_on_files() const;
    /// A line for each problem whose stored solves are of several contents of its files.
    [[nodiscard]] std::vector<std::string> mixed_contents(StoredPoints which = StoredPoints::iterative) const;

    // The same of dense solves. Their table is made with the first of them, so that older files need no change.
    [[nodiscard]] bool contains(const DensePoint& point) const;
    /// Without x.
    [[nodiscard]] std::optional<DenseResult> find(const DensePoint& point) const;
    void put(const DensePoint& point, const DenseResult& result, std::size_t unknowns, const Provenance& provenance);

    /// From now on these points' rows come in this order, within the places that they have among the others, which stay
    /// where they are. Keys that are not stored are passed over. One transaction; of a store that was opened to read
    /// nothing moves.
    void arrange(const std::vector<std::string>& keys, StoredPoints which = StoredPoints::iterative);

    /// All points in the order stored, as CSV with a header line, or as JSON objects, one a line. The file appears
    /// whole or not at all. Numbers read back exactly. Throws InvalidInput when it cannot be written.
    void export_csv(const std::string& path, StoredPoints which = StoredPoints::iterative) const;
    void export_json_lines(const std::string& path, StoredPoints which = StoredPoints::iterative) const;

private:
    struct Database;
    std::unique_ptr<Database> db_;
};

} // namespace mantissa
