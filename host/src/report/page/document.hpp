// Reading a comparison or measurement document: fields that may be missing, with their addresses and the marks of
// modelled figures. Internal to host/.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/rows.hpp"
#include "table.hpp"

namespace mantissa::report {

/// An object somewhere in a document.
class Node {
public:
    Node(const DocumentRow& document, const Json& object, std::string path)
        : document_(&document), object_(&object), path_(std::move(path)) {}

    [[nodiscard]] const Json& operator[](const std::string& name) const; ///< null when it is not there
    [[nodiscard]] std::string text(const std::string& name) const;       ///< empty when it is no text
    [[nodiscard]] std::optional<double> number(const std::string& name) const;
    /// A figure with its address: whole numbers as counts, others to `digits`. Marked when the object's list
    /// "modelled" names it or its "NAME_kind" says so.
    [[nodiscard]] Cell figure(const std::string& name, int digits = 4) const;
    [[nodiscard]] bool is_modelled(const std::string& name) const;
    [[nodiscard]] std::string address(const std::string& name) const;
    [[nodiscard]] const Json& object() const { return *object_; }
    /// The objects of its list `name`; empty when it is none.
    [[nodiscard]] std::vector<Node> children(const std::string& name) const;

private:
    const DocumentRow* document_;
    const Json* object_;
    std::string path_;
};

/// The objects of the document's list `name`; empty when it is none.
std::vector<Node> nodes(const DocumentRow& document, const std::string& name);
std::vector<std::string> texts(const Json& object, const std::string& name);

/// The indices in the page's origins of the ids that a comparison document uses.
class DocumentOrigins {
public:
    DocumentOrigins(const DocumentRow& document, Origins& origins);
    /// Those that the object names in "origin", "origins" and "*_origin"; the comparison itself when it names none.
    [[nodiscard]] std::vector<int> of(const Json& object) const;

private:
    std::map<std::string, int> ids_;
    int whole_ = 0;
};

} // namespace mantissa::report
