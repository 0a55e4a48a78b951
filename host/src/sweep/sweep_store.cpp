// Which results file a sweep opens, and for what.
#include <algorithm>

#include "mantissa/base/files.hpp"
#include "mantissa/host/sweep.hpp"
#include "store/database.hpp"

namespace mantissa {

std::size_t lacking(const Sweep& sweep, const Store& store) {
    const auto missing = [&store](const auto& point) { return !store.contains(point); };
    return static_cast<std::size_t>(std::ranges::count_if(sweep.points, missing) +
                                    std::ranges::count_if(sweep.dense, missing));
}

std::unique_ptr<Store> open_store(const Sweep& sweep, const std::string& by, const std::string& path) {
    if (results::access_to(path) == results::Access::read) {
        auto store = std::make_unique<Store>(path, StoreAccess::read);
        if (lacking(sweep, *store) == 0) return store;
    }
    base::check_store_path(by, path);
    return std::make_unique<Store>(path);
}

} // namespace mantissa
