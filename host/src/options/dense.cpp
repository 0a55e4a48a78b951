// Every option of a dense solve. To add one: a field in DenseOptions, an entry here, and its user in dense/.
#include "mantissa/host/dense.hpp"
#include "mantissa/host/options.hpp"

namespace mantissa::options {

namespace {

constexpr double kMostSteps = 100'000;

const std::string& word(const Value& value) {
    return std::get<std::string>(value);
}
std::uint32_t count(const Value& value) {
    return static_cast<std::uint32_t>(std::get<std::uint64_t>(value));
}

std::vector<Option> declared_dense() {
    std::vector<Option> all{
        {.name = "lu",
         .type = Type::text,
         .help = "arithmetic of the factors, as lu:half,acc=fixed[15:-34],pivot=partial; lu:double,sum=free by the "
                 "GPU's own kernels; or tensor:half-pair (half, bfloat, bfloat-pair), by its tensor cores; with "
                 "--engine gpu alone the fastest to double accuracy",
         .default_text = "lu:half,acc=fixed[15:-34],scale=top",
         .set_dense = [](DenseOptions& o, const Value& v) { o.spec = parse_lu_spec(word(v)); }},
        {.name = "method",
         .type = Type::choice,
         .help = "factors, or the inverse in their place",
         .choices = {"lu", "gauss-jordan"},
         .default_text = "lu",
         .set_dense = [](DenseOptions& o, const Value& v) { o.method = parse_dense_method(word(v)); }},
        {.name = "refine",
         .type = Type::choice,
         .help = "to double accuracy",
         .choices = {"none", "ir", "gmres-ir"},
         .default_text = "gmres-ir",
         .set_dense = [](DenseOptions& o, const Value& v) { o.refinement = parse_dense_refinement(word(v)); }},
        {.name = "refine-steps",
         .type = Type::whole,
         .help = "refinement steps at most",
         .high = kMostSteps,
         .default_text = "50",
         .earlier = "steps",
         .set_dense = [](DenseOptions& o, const Value& v) { o.max_steps = count(v); }},
        {.name = "gmres-steps",
         .type = Type::whole,
         .help = "GMRES steps of one refinement step, at most",
         .low = 1,
         .high = kMostSteps,
         .default_text = "50",
         .since = "0.2",
         .earlier = "krylov",
         .set_dense = [](DenseOptions& o, const Value& v) { o.krylov = count(v); }},
        {.name = "gmres-tolerance",
         .type = Type::number,
         .help = "where GMRES ends, on the preconditioned residual; earlier where the solve needs no more",
         .high = 1,
         .open = true,
         .default_text = "1e-08",
         .earlier = "krylov_tolerance",
         .set_dense = [](DenseOptions& o, const Value& v) { o.krylov_tolerance = std::get<double>(v); }},
        {.name = "scale",
         .type = Type::truth,
         .help = "scale the rows and columns of the matrix by powers of two",
         .default_text = "true",
         .no = "unscaled",
         .set_dense = [](DenseOptions& o, const Value& v) { o.scale = std::get<bool>(v); }},
    };
    for (Option& option : all) {
        option.group = Group::dense;
        option.with_dense = true;
        option.parsed = option.type == Type::choice;
    }
    return all;
}

} // namespace

const Option& dense(Dense which) {
    return dense()[static_cast<std::size_t>(which)];
}

std::span<const Option> dense() {
    static const std::vector<Option> kOptions = declared_dense();
    return kOptions;
}

} // namespace mantissa::options
