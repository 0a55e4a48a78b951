#include "page.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "assets.hpp"
#include "text/counted.hpp"
#include "text/tables/html.hpp"
#include "text/tables/table.hpp"

namespace mantissa::report {

using text::escape, text::escape_breaking, text::escape_json;

namespace {

constexpr std::size_t kHeadFindings = 3;

constexpr const char* kContents = "<nav aria-label=\"Contents\"><ul>\n<li><a href=\"#findings\">Findings</a></li>\n";
constexpr std::string_view kLead =
    "Which number format, in which stage of a solver’s pipeline, on which device, gives a double-precision answer for "
    "the least time and area? Solves by mixed-precision iterative refinement over the pipelined conjugate gradient "
    "method, reduced formats inside and double precision outside.";

/// What the sections' HTML needs beside itself.
struct Assembly {
    Origins& origins;
    Json tables = Json::object(), charts = Json::object(), narrower = Json::object(), long_tables = Json::object();
};

std::string gap_html(const Gap& gap) {
    std::string html = fmt::format("<p class=\"gap\"><strong>{}.</strong>", escape(gap.what));
    if (!gap.mend.empty()) html += fmt::format(" To fill it: <code>{}</code>", escape(gap.mend));
    return html + "</p>\n";
}

std::string block_html(const Text& text, Assembly&) {
    return fmt::format("<p>{}</p>\n", escape(text.plain));
}
std::string block_html(const Heading& heading, Assembly&) {
    return fmt::format("<h3 class=\"part\">{}</h3>\n", escape(heading.plain));
}
std::string block_html(const Gap& gap, Assembly&) {
    return gap_html(gap);
}
std::string block_html(const Table& table, Assembly& page) {
    if (is_long(table)) page.long_tables[table.id] = long_rows_json(table, page.origins);
    return table_html(table, page.origins);
}
std::string block_html(const Figure& figure, Assembly& page) {
    std::string html = fmt::format("<figure id=\"figure-{}\">\n<figcaption><h3>{}</h3><p>{}</p></figcaption>\n",
                                   escape(figure.id), escape(figure.title), escape(figure.text));
    if (figure.vega.is_object() && kVega.empty())
        html += gap_html({"This program was built without Vega, so there is no chart, only its figures",
                          "apt install libjs-vega, then build again"});
    else if (figure.vega.is_object()) {
        const auto described = [&](Json vega) {
            vega["description"] = figure.label;
            return vega;
        };
        page.charts[figure.id] = described(figure.vega);
        for (const Json& vega : figure.narrower) page.narrower[figure.id].push_back(described(vega));
        page.tables[figure.table.id] = table_json(figure.table);
        html +=
            fmt::format("<div class=\"plot\" data-chart=\"{}\"></div>\n<noscript><p class=\"note\">The chart is drawn "
                        "by a script; its figures are in the table below.</p></noscript>\n",
                        escape(figure.id));
    }
    html += block_html(figure.table, page) + "</figure>\n";
    if (!figure.folded) return html;
    return fmt::format("<details class=\"more\"><summary>{}</summary>\n{}</details>\n", escape(figure.title), html);
}

std::string block_html(const Picture& picture, Assembly&) {
    std::string html = fmt::format("<figure>\n<figcaption><h3>{}</h3></figcaption>\n<div class=\"pictures\">\n",
                                   escape(picture.title));
    for (const pictures::Panel& panel : picture.panels) {
        std::string words;
        for (const std::string& line : panel.words) words += (words.empty() ? "" : " ") + line;
        html += fmt::format("<figure><img src=\"data:image/png;base64,{}\" width=\"{}\" height=\"{}\" alt=\"{}\">"
                            "<figcaption>{}</figcaption></figure>\n",
                            pictures::base64_of(pictures::png_of(panel.image)), panel.image.width, panel.image.height,
                            escape(words), escape(words));
    }
    return html + "</div>\n</figure>\n";
}

bool is_half(const Block& block) {
    const auto* figure = std::get_if<Figure>(&block);
    return figure != nullptr && figure->half;
}

std::string section_html(const Section& section, Assembly& page) {
    std::string html = fmt::format("<section id=\"{}\" aria-labelledby=\"h-{}\">\n<h2 id=\"h-{}\">{}</h2>\n",
                                   section.id, section.id, section.id, escape(section.title));
    bool paired = false;
    for (const Block& block : section.blocks) {
        if (is_half(block) != paired) html += paired ? "</div>\n" : "<div class=\"pair\">\n";
        paired = is_half(block);
        html += std::visit([&](const auto& b) { return block_html(b, page); }, block);
    }
    if (paired) html += "</div>\n";
    return html + "</section>\n";
}

/// Nothing but a line that says what is missing?
bool is_empty(const Section& section) {
    return std::ranges::all_of(section.blocks, [](const Block& b) { return std::holds_alternative<Gap>(b); });
}

/// Sections without results, behind one line to click.
std::string empty_sections_html(const std::vector<const Section*>& sections, Assembly& page) {
    if (sections.empty()) return {};
    std::string html =
        fmt::format("<details class=\"empty\"><summary>{} without results, and what fills them</summary>\n",
                    text::counted(sections.size(), "section"));
    for (const Section* section : sections) html += section_html(*section, page);
    return html + "</details>\n";
}

std::string list_html(const std::string& title, const std::vector<std::string>& lines) {
    if (lines.empty()) return {};
    std::string html = fmt::format("<h3>{}</h3>\n<ul>\n", escape(title));
    for (const std::string& line : lines) html += fmt::format("<li>{}</li>\n", escape(line));
    return html + "</ul>\n";
}

/// The head of the page: the verdict in a sentence, three numbers, what to do next, and the designs on two devices.
/// Empty where nothing was compared.
std::string verdict_html(const Summary& summary, const std::vector<Figure>& figures, Assembly& page) {
    if (!summary.verdict) return {};
    std::string html =
        fmt::format("<section id=\"verdict\">\n<h2 class=\"unseen\">The verdict</h2>\n<p class=\"verdict\">{}</p>\n"
                    "<dl class=\"numbers\">\n",
                    escape_breaking(summary.verdict->sentence));
    for (const findings::Headline& h : summary.verdict->numbers)
        html += fmt::format(
            "<div><dt>{}</dt><dd><span class=\"big\">{}</span>{}<span class=\"note\">{}</span></dd></div>\n",
            escape(h.what), h.value.empty() ? "\xE2\x80\x93" : escape(h.value),
            h.modelled && !h.value.empty() ? text::kMark : "", escape_breaking(h.note));
    html += "</dl>\n";
    if (!summary.verdict->next.empty()) {
        html += "<h3>What to do next</h3>\n<ul class=\"next\">\n";
        for (const findings::NextStep& step : summary.verdict->next)
            html += fmt::format("<li>{}: <code>{}</code></li>\n", escape(step.why), escape_breaking(step.command));
        html += "</ul>\n";
    }
    if (!figures.empty()) {
        html += "<div class=\"pair\">\n";
        for (const Figure& figure : figures) html += block_html(figure, page);
        html += "</div>\n";
    }
    return html + "</section>\n";
}

/// Takes the figures of these subjects out of the sections, in the subjects' order.
std::vector<Figure> take_figures(std::vector<Section>& sections, const std::vector<std::string>& subjects) {
    std::vector<Figure> taken;
    for (const std::string& subject : subjects)
        for (Section& section : sections)
            for (std::size_t i = 0; i < section.blocks.size(); ++i)
                if (const auto* figure = std::get_if<Figure>(&section.blocks[i]);
                    figure && figure->subject == subject) {
                    taken.push_back(*figure);
                    taken.back().half = true;
                    taken.back().table.folded = true;
                    section.blocks.erase(section.blocks.begin() + static_cast<std::ptrdiff_t>(i));
                    break;
                }
    return taken;
}

std::string summary_html(const Summary& summary) {
    std::string html =
        "<section id=\"findings\" aria-labelledby=\"h-findings\">\n<h2 id=\"h-findings\">Findings</h2>\n";
    if (summary.findings.empty()) {
        html += gap_html({summary.no_findings, "mantissa sweep experiments/quickstart.toml --store STORE"});
    } else {
        html += "<ol class=\"findings\">\n";
        for (std::size_t i = 0; i < std::min(kHeadFindings, summary.findings.size()); ++i)
            html += fmt::format("<li>{}</li>\n", escape_breaking(summary.findings[i]));
        html += fmt::format("</ol>\n<p class=\"note\">From {}.</p>\n", escape(summary.findings_from));
        if (summary.findings.size() > kHeadFindings)
            html +=
                fmt::format("<details class=\"more\"><summary>{}</summary>\n{}</details>\n",
                            text::counted(summary.findings.size() - kHeadFindings, "further finding"),
                            list_html("Further", {summary.findings.begin() + kHeadFindings, summary.findings.end()}));
    }
    if (!summary.devices.empty() || !summary.assumptions.empty())
        html += "<div class=\"given\">\n<div>" + list_html("Devices", summary.devices) + "</div>\n<div>" +
                list_html("Assumptions", summary.assumptions) + "</div>\n</div>\n";
    html +=
        "<p class=\"key\"><span class=\"mark\">\xE2\x97\x8A</span> after a figure and hollow points in charts: "
        "modelled or estimated, not measured. Numbers in the column Origin lead to the command, commit, machine and "
        "date of a row's figures.</p>\n";
    if (!summary.gaps.empty()) {
        html += "<h3>What the comparison lacks</h3>\n<ul>\n";
        for (const Gap& gap : summary.gaps)
            html += fmt::format("<li>{}. To fill it: {}</li>\n", escape_breaking(gap.what), escape_breaking(gap.mend));
        html += "</ul>\n";
    }
    return html + "</section>\n";
}

std::string origins_html(const Origins& origins, const std::vector<std::string>& stores) {
    std::string html =
        "<section id=\"origins\" aria-labelledby=\"h-origins\">\n<h2 id=\"h-origins\">How each figure was "
        "obtained</h2>\n<details class=\"long\"><summary>Commands, commits, machines and dates</summary>\n<p>Read from";
    for (const std::string& store : stores) html += fmt::format(" <code>{}</code>", escape(store));
    html += ". After each figure of the tables stands its address there, in the attribute <code>data-src</code>, and "
            "its full value, in <code>data-v</code>.</p>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
            "aria-label=\"Origins\"><table id=\"table-origins\"><caption>Origins of the figures</caption>\n";
    const text::Table table("{Number:>1}{What}{Kind}{Command}{Commit}{Machine}{Date}{Rows here:>1}",
                            text::Markup::html);
    html += table.head() + "<tbody>\n";
    for (const Origin& o : origins.cited())
        html += table.row({o.number, o.what, o.kind, text::code(o.command), text::code(o.commit), o.machine,
                           o.first == o.last ? o.first : o.first + " to " + o.last, o.rows},
                          fmt::format(" id=\"origin-{}\"", o.number));
    return html + "</tbody></table></div>\n</details>\n</section>\n";
}

std::string head_html(const Request& request) {
    std::string policy = "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; ";
    policy += fmt::format("style-src 'sha256-{}'; script-src 'sha256-{}'", kStyleHash, kScriptHash);
    if (!kVega.empty()) policy += fmt::format(" 'sha256-{}'", kVegaHash);
    return fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n<style>{}</style>\n"
                       "</head>\n",
                       policy, escape(request.title), kStyle);
}

} // namespace

Report make_report(const Request& request, const Provenance& page) {
    Origins origins;
    const Rows rows = read_stores(request.stores, origins);
    const Summary summary = summary_of(rows);
    std::vector<Section> sections = {designs_section(rows, origins),
                                     time_section(rows, origins),
                                     iterations_section(rows),
                                     area_section(rows, origins, request.paper),
                                     convergence_section(rows),
                                     paper_section(rows, origins, request.paper),
                                     roofline_section(rows),
                                     engines_section(rows),
                                     points_section(rows)};
    auto dense = dense_section(rows), upsets = upsets_section(rows);
    // Of results that are all dense, or all upsets, the other sections would only say what they lack.
    if ((dense || upsets) && rows.points.empty() && rows.comparisons.empty() && rows.synthesis.empty())
        sections.clear();
    if (upsets) sections.insert(sections.empty() ? sections.end() : sections.end() - 1, std::move(*upsets));
    if (auto tuned = tuned_section(rows)) sections.insert(sections.begin(), std::move(*tuned));
    if (dense) sections.insert(sections.begin(), std::move(*dense));
    if (!request.against.empty()) {
        Origins unused; // the older files' figures stand beside the newer ones, whose origins count
        sections.insert(sections.begin(), changes_section(rows, read_stores(request.against, unused)));
    }
    if (auto meshes = meshes_section(rows)) sections.insert(sections.end() - 1, std::move(*meshes));
    Assembly assembly{origins};
    const std::vector<Figure> head = take_figures(sections, summary.verdict_subjects);
    std::string body = verdict_html(summary, head, assembly) + summary_html(summary), contents = kContents;
    std::vector<const Section*> empty;
    for (const Section& section : sections) {
        if (is_empty(section)) {
            empty.push_back(&section);
            continue;
        }
        body += section_html(section, assembly);
        contents += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", section.id, escape(section.title));
    }
    body += empty_sections_html(empty, assembly);
    contents += "<li><a href=\"#origins\">How each figure was obtained</a></li>\n</ul></nav>\n";
    body += origins_html(origins, request.stores);

    Report report;
    report.findings = summary.findings;
    if (summary.verdict) report.verdict = summary.verdict->sentence;
    report.charts = assembly.charts.size();
    std::string& html = report.html;
    html = head_html(request);
    html += "<body>\n<a class=\"skip\" href=\"#main\">Skip to the findings</a>\n";
    html += fmt::format("<header><h1>{}</h1>\n{}{}</header>\n", escape(request.title),
                        summary.verdict ? "" : fmt::format("<p class=\"lead\">{}</p>\n", kLead), contents);
    html += "<main id=\"main\">\n" + body;
    if (summary.verdict) html += fmt::format("<p class=\"note\">{}</p>\n", kLead);
    for (const std::string& line : rows.notes) html += fmt::format("<p class=\"note\">{}.</p>\n", escape(line));
    report.notes = rows.notes;
    html += "</main>\n";
    html += fmt::format("<footer><p>Written by mantissa {} at commit <code>{}</code> on {}, {}, with "
                        "<code>{}</code>.</p>\n",
                        escape(page.version), escape(page.commit), escape(page.date), escape(page.machine),
                        escape(page.command));
    if (!kVega.empty())
        html +=
            "<p>Charts: Vega, © 2015–2021 UW Interactive Data Lab, BSD-3-Clause; its licence and those of its parts "
            "stand in this page’s source.</p>\n";
    html += "</footer>\n";
    const Json data = {{"stores", request.stores},
                       {"tables", assembly.tables},
                       {"charts", assembly.charts},
                       {"narrower", assembly.narrower},
                       {"long", assembly.long_tables}};
    html += fmt::format("<script type=\"application/json\" id=\"report-data\">{}</script>\n",
                        escape_json(data.dump(-1, ' ', false, Json::error_handler_t::replace)));
    if (!kVega.empty()) html += fmt::format("<script>{}</script>\n", kVega);
    html += fmt::format("<script>{}</script>\n</body>\n</html>\n", kScript);
    return report;
}

} // namespace mantissa::report
