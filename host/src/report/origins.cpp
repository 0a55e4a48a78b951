#include "origins.hpp"

#include <algorithm>

namespace mantissa::report {

int Origins::add(const std::string& what, const Provenance& provenance, const std::string& kind) {
    auto it = std::find_if(list_.begin(), list_.end(), [&](const Origin& o) {
        return o.what == what && o.command == provenance.command && o.commit == provenance.commit &&
               o.machine == provenance.machine && o.kind == kind;
    });
    if (it == list_.end()) {
        Origin fresh;
        fresh.what = what;
        fresh.command = provenance.command;
        fresh.commit = provenance.commit;
        fresh.machine = provenance.machine;
        fresh.kind = kind;
        fresh.first = fresh.last = provenance.date;
        list_.push_back(std::move(fresh));
        return static_cast<int>(list_.size()) - 1;
    }
    // ISO dates sort as text.
    if (!provenance.date.empty()) {
        if (it->first.empty() || provenance.date < it->first) it->first = provenance.date;
        if (provenance.date > it->last) it->last = provenance.date;
    }
    return static_cast<int>(it - list_.begin());
}

int Origins::cite(int index) {
    Origin& origin = list_.at(static_cast<std::size_t>(index));
    if (origin.number == 0) origin.number = ++last_number_;
    ++origin.rows;
    return origin.number;
}

std::vector<Origin> Origins::cited() const {
    std::vector<Origin> list;
    for (const Origin& o : list_)
        if (o.number != 0) list.push_back(o);
    std::sort(list.begin(), list.end(), [](const Origin& a, const Origin& b) { return a.number < b.number; });
    return list;
}

} // namespace mantissa::report
