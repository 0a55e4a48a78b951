// Vectors of floating formats, over BlockAlgebra.
#include <algorithm>
#include <vector>

#include "algebra.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/kernels.hpp"
#include "mantissa/narrow/block_format.hpp"

namespace mantissa::recurrence {

namespace {

class FloatAlgebra final : public Algebra {
public:
    FloatAlgebra(const System& system, const DatapathSpec& spec, const Definition& definition, int threads)
        : algebra_(system, spec, threads) {
        for (std::size_t v = 0; v < definition.vectors; ++v) {
            const Field field = definition.vector[v].field;
            formats_.push_back(format_of(spec, field));
            blocks_.push_back(field == Field::p ? spec.p_blocks : narrow::BlockFormat{});
            vectors_.emplace_back(system.size(), 0.0);
        }
    }

    [[nodiscard]] std::size_t size() const override { return algebra_.size(); }
    bool write(std::size_t v, std::span<const double> values) override {
        VectorUnit<double>(formats_[v]).convert(values, vectors_[v]);
        into_blocks(v);
        return true;
    }
    void clear(std::size_t v) override { std::ranges::fill(vectors_[v], 0.0); }
    void read(std::size_t v, std::size_t first, std::span<double> values) const override {
        std::copy_n(vectors_[v].begin() + static_cast<std::ptrdiff_t>(first), values.size(), values.begin());
    }
    void update(std::size_t result, std::size_t a, double s, std::size_t b, bool minus) override {
        if (minus) algebra_.sub_scaled(formats_[result], vectors_[a], s, vectors_[b], vectors_[result]);
        else algebra_.add_scaled(formats_[result], vectors_[a], s, vectors_[b], vectors_[result]);
        into_blocks(result);
    }
    void copy(std::size_t result, std::size_t a) override {
        VectorUnit<double>(formats_[result]).convert(vectors_[a], vectors_[result]);
        into_blocks(result);
    }
    void apply(std::size_t result, std::size_t a) override {
        algebra_.apply(vectors_[a], formats_[result], vectors_[result]);
        into_blocks(result);
    }
    DotResult dot(std::size_t a, std::size_t b) override { return algebra_.dot(vectors_[a], vectors_[b]); }
    void peek(std::size_t u, double s, std::size_t p, std::size_t first, std::span<double> values) const override {
        const std::span<const double> x(vectors_[u]), y(vectors_[p]);
        VectorUnit<double>(formats_[u])
            .add_scaled(x.subspan(first, values.size()), s, y.subspan(first, values.size()), values);
    }

private:
    void into_blocks(std::size_t v) {
        if (blocks_[v].given()) narrow::round_blocks(blocks_[v], vectors_[v], vectors_[v]);
    }

    BlockAlgebra algebra_;
    std::vector<Format> formats_;
    std::vector<narrow::BlockFormat> blocks_; ///< into which each vector is rounded after its format; none of most
    std::vector<std::vector<double>> vectors_;
};

} // namespace

std::unique_ptr<Algebra> make_float_algebra(const System& system, const DatapathSpec& spec,
                                            const Definition& definition, int threads) {
    return std::make_unique<FloatAlgebra>(system, spec, definition, threads);
}

} // namespace mantissa::recurrence
