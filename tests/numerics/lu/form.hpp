// One operation, formed by the library's exact arithmetic or by MPFR: what the references of eliminations are given.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "judge.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/operation.hpp"

namespace mantissa::test {

inline double form_exact(Operation op, const Format& f, double a, double b, double c) {
    switch (op) {
    case Operation::convert:
        return exact::convert(f, a);
    case Operation::add:
        return exact::add(f, a, b);
    case Operation::sub:
        return exact::sub(f, a, b);
    case Operation::mul:
        return exact::mul(f, a, b);
    case Operation::div:
        return exact::div(f, a, b);
    default:
        return exact::fma(f, a, b, c);
    }
}

/// MPFR's results; a judge for each format.
class JudgeForm {
public:
    double operator()(Operation op, const Format& f, double a, double b, double c) const {
        const std::string key = to_string(f);
        auto& judge = judges_->try_emplace(key, nullptr).first->second;
        if (!judge) judge = std::make_shared<judge::Judge>(f, 53);
        judge->form(op, a, b, c);
        return judge->result(f);
    }

private:
    std::shared_ptr<std::map<std::string, std::shared_ptr<judge::Judge>>> judges_ =
        std::make_shared<std::map<std::string, std::shared_ptr<judge::Judge>>>();
};

} // namespace mantissa::test
