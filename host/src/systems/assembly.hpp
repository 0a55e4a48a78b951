// Rows to a matrix: what SystemBuilder::build() does. Internal to host/.
#pragma once

#include <cstdint>
#include <vector>

#include "mantissa/host/system_builder.hpp"

namespace mantissa {

/// Reads a builder whose rows are complete.
class Assembly {
public:
    explicit Assembly(const SystemBuilder& builder);
    /// Throws InvalidInput as SystemBuilder::build() says.
    [[nodiscard]] CompressedRows matrix();
    [[nodiscard]] std::vector<std::vector<double>> right_hand_sides() const;

private:
    using Entry = SystemBuilder::Entry;
    /// Consecutive rows of the matrix.
    struct Part {
        std::vector<std::uint32_t> length, column;
        std::vector<double> value;
    };
    /// A row as it grows: values by column, and which columns it has.
    struct Row {
        std::vector<double> value;
        std::vector<std::uint8_t> there;
        std::vector<std::uint32_t> columns;
        void add(std::uint32_t column, double v) {
            if (there[column] == 0) {
                there[column] = 1;
                value[column] = 0;
                columns.push_back(column);
            }
            value[column] += v;
        }
    };
    void transpose();
    void check_square() const;
    void sum_row(std::size_t i, Row& row) const;
    void make_rows(std::size_t begin, std::size_t end, Part& part) const;
    [[nodiscard]] std::vector<double> diagonal() const;
    [[nodiscard]] CompressedRows joined(std::vector<Part> parts) const;
    [[nodiscard]] CompressedRows symmetric(CompressedRows rows) const;

    const SystemBuilder& b_;
    std::size_t size_, rows_;
    std::vector<std::uint64_t> in_begin_; ///< of each free variable: where its rows are
    std::vector<std::uint32_t> in_row_;   ///< ascending
    std::vector<double> in_value_;        ///< its coefficient there
    std::vector<std::uint64_t> direct_begin_;
    std::vector<Entry> direct_;    ///< by row, in the order of the calls
    std::vector<double> diagonal_; ///< where entries are dropped
};

} // namespace mantissa
