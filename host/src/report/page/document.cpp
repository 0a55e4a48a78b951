#include "document.hpp"

#include <cmath>

#include <fmt/format.h>

namespace mantissa::report {

namespace {
const Json kNull = nullptr;

std::string text_of(const Json& object, const char* name) {
    const auto it = object.find(name);
    return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}
} // namespace

const Json& Node::operator[](const std::string& name) const {
    const auto it = object_->find(name);
    return it == object_->end() ? kNull : *it;
}

std::string Node::text(const std::string& name) const {
    return text_of(*object_, name.c_str());
}

std::optional<double> Node::number(const std::string& name) const {
    const Json& value = (*this)[name];
    return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

std::string Node::address(const std::string& name) const {
    return document_->address(path_.empty() ? name : path_ + "/" + name);
}

bool Node::is_modelled(const std::string& name) const {
    for (const std::string& field : texts(*object_, "modelled"))
        if (field == name) return true;
    return text(name + "_kind") == "modelled";
}

Cell Node::figure(const std::string& name, int digits) const {
    const Json& value = (*this)[name];
    if (!value.is_number()) return none();
    Cell cell = value.is_number_integer() && value.get<double>() >= 0
                    ? count(value.get<std::uint64_t>(), address(name))
                    : real(value.get<double>(), address(name), digits);
    cell.value = value;
    cell.modelled = is_modelled(name);
    return cell;
}

std::vector<Node> Node::children(const std::string& name) const {
    std::vector<Node> list;
    const Json& items = (*this)[name];
    if (!items.is_array()) return list;
    for (std::size_t i = 0; i < items.size(); ++i)
        if (items[i].is_object())
            list.emplace_back(*document_, items[i], fmt::format("{}{}/{}", path_.empty() ? "" : path_ + "/", name, i));
    return list;
}

std::vector<Node> nodes(const DocumentRow& document, const std::string& name) {
    return Node(document, document.document, {}).children(name);
}

std::vector<std::string> texts(const Json& object, const std::string& name) {
    std::vector<std::string> list;
    const auto it = object.find(name);
    if (it == object.end() || !it->is_array()) return list;
    for (const Json& item : *it)
        if (item.is_string()) list.push_back(item.get<std::string>());
    return list;
}

DocumentOrigins::DocumentOrigins(const DocumentRow& document, Origins& origins) : whole_(document.origin) {
    const auto it = document.document.find("origins");
    if (it == document.document.end() || !it->is_object()) return;
    for (const auto& [id, o] : it->items()) {
        if (!o.is_object()) continue;
        const std::string kind = text_of(o, "kind");
        ids_[id] =
            origins.add(text_of(o, "what"),
                        {"", text_of(o, "commit"), text_of(o, "machine"), text_of(o, "date"), text_of(o, "command")},
                        kind.empty() ? "given" : kind);
    }
}

std::vector<int> DocumentOrigins::of(const Json& object) const {
    std::vector<int> list;
    const auto add = [&](const Json& id) {
        if (!id.is_string()) return;
        if (const auto it = ids_.find(id.get<std::string>()); it != ids_.end()) list.push_back(it->second);
    };
    for (const auto& [name, value] : object.items()) {
        if (name == "origin" || name.ends_with("_origin")) add(value);
        if (name == "origins" && value.is_array())
            for (const Json& id : value) add(id);
    }
    if (list.empty()) list.push_back(whole_);
    return list;
}

} // namespace mantissa::report
