// Draws the report's charts with Vega from the tables of the page, and shows a point's row on hover.
(function () {
  "use strict";
  var root = document.documentElement;
  var data = JSON.parse(document.getElementById("report-data").textContent);

  // Short pages print whole: the tables behind a line to click open for paper.
  window.addEventListener("beforeprint", function () {
    document.querySelectorAll("details:not([open]):not(.long)").forEach(function (d) {
      d.open = true;
      d.dataset.forPaper = "";
    });
  });
  window.addEventListener("afterprint", function () {
    document.querySelectorAll("details[data-for-paper]").forEach(function (d) {
      d.open = false;
      delete d.dataset.forPaper;
    });
  });

  // A link into a folded part opens it.
  function openTarget() {
    var target = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
    for (var e = target; e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
    if (target) target.scrollIntoView();
  }
  window.addEventListener("hashchange", openTarget);
  openTarget();

  // Tables sort, filter and download. A row keeps its number in the chart's data in rowsOf, whatever its place.
  var rowsOf = new Map(), fillers = new Map();

  // The stored value where the cell has one, else what it shows; numbers as numbers.
  function valueOf(cell) {
    var stored = cell.dataset.v === undefined ? null : JSON.parse(cell.dataset.v);
    if (typeof stored === "number") return stored;
    var text = cell.querySelector(".none") ? "" : (typeof stored === "string" ? stored : cell.textContent);
    var plain = text.replace(/[\u200b\u25ca]/g, "").trim();
    return plain !== "" && isFinite(plain) ? Number(plain) : plain;
  }

  // Empty cells last, numbers before words.
  function compare(a, b) {
    if (a === "" || b === "") return a === b ? 0 : (a === "" ? 2 : -2);
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return typeof a === "number" ? a - b : a.localeCompare(b);
  }

  function sortBy(table, column, head) {
    var down = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    table.querySelectorAll("thead th").forEach(function (th) { th.removeAttribute("aria-sort"); });
    head.setAttribute("aria-sort", down === 1 ? "ascending" : "descending");
    var keyed = rowsOf.get(table).map(function (row, i) { return { row: row, key: valueOf(row.cells[column]), i: i }; });
    keyed.sort(function (a, b) {
      var order = compare(a.key, b.key);
      return Math.abs(order) === 2 && (a.key === "" || b.key === "") ? order : down * order || a.i - b.i;
    });
    table.tBodies[0].append.apply(table.tBodies[0], keyed.map(function (k) { return k.row; }));
  }

  function csvOf(table) {
    var lines = [Array.prototype.map.call(table.tHead.rows[0].cells, function (c) { return c.textContent.trim(); })];
    Array.prototype.forEach.call(table.tBodies[0].rows, function (row) {
      if (!row.hidden) lines.push(Array.prototype.map.call(row.cells, valueOf));
    });
    return lines.map(function (line) {
      return line.map(function (v) { return /[",\n]/.test(v) ? '"' + String(v).replace(/"/g, '""') + '"' : v; }).join(",");
    }).join("\n") + "\n";
  }

  function addTools(table) {
    var rows = Array.prototype.slice.call(table.tBodies[0].rows);
    rowsOf.set(table, rows);
    if (rows.length < 4) return;
    Array.prototype.forEach.call(table.tHead.rows[0].cells, function (head, column) {
      var button = document.createElement("button");
      button.type = "button";
      button.append.apply(button, head.childNodes);
      button.addEventListener("click", function () { sortBy(table, column, head); });
      head.append(button);
    });
    var tools = document.createElement("div"), input = document.createElement("input");
    var save = document.createElement("button"), shown = document.createElement("span");
    tools.className = "tools";
    input.type = "search";
    input.placeholder = "rows that hold ...";
    input.setAttribute("aria-label", "Filter the rows of: " + table.caption.textContent);
    shown.setAttribute("role", "status");
    input.addEventListener("input", function () {
      var words = input.value.toLowerCase().split(/\s+/), left = 0;
      rows.forEach(function (row) {
        var text = row.textContent.replace(/\u200b/g, "").toLowerCase();
        row.hidden = !words.every(function (word) { return text.includes(word); });
        if (!row.hidden) ++left;
      });
      shown.textContent = input.value === "" ? "" : left + " of " + rows.length + " rows";
    });
    save.type = "button";
    save.textContent = "Download as CSV";
    save.addEventListener("click", function () {
      var link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([csvOf(table)], { type: "text/csv" }));
      link.download = table.id + ".csv";
      link.click();
      URL.revokeObjectURL(link.href);
    });
    tools.append(input, save, shown);
    table.parentElement.before(tools);
  }
  // On a narrow screen a row stands as a list: each cell with its column's name before it.
  function nameCells(table) {
    Array.prototype.forEach.call(table.tHead.rows[0].cells, function (head, column) {
      document.styleSheets[0].insertRule("@media screen and (max-width: 48rem) { #" + CSS.escape(table.id) +
        " tbody tr > :nth-child(" + (column + 1) + ")::before { content: " + JSON.stringify(head.textContent.trim()) + "; } }",
        document.styleSheets[0].cssRules.length);
    });
  }
  // The rows of a long table are data until it is opened.
  function cellHtml(column, row, base) {
    if (column.cells) return column.cells[column.at[row]].replace("{r}", base);
    var value = String(column.v[row]), text = column.x[row] === 0 ? value : column.x[row];
    return column.form.replace("{v}", value).replace("{r}", base).replace("{x}", text);
  }
  function fillLong(table, rows) {
    var html = "", strong = new Set(rows.strong);
    for (var r = 0; r < rows.rows; ++r) {
      html += strong.has(r) ? '<tr class="strong">' : "<tr>";
      for (var c = 0; c < rows.columns.length; ++c) html += cellHtml(rows.columns[c], r, rows.bases[r]);
      html += "</tr>";
    }
    table.tBodies[0].innerHTML = html;
  }
  document.querySelectorAll("table").forEach(nameCells);
  root.dataset.named = "";
  document.querySelectorAll("table").forEach(function (table) {
    var rows = data.long[table.id.replace(/^table-/, "")];
    if (!rows) return addTools(table);
    var fill = function () {
      if (rowsOf.has(table)) return;
      fillLong(table, rows);
      addTools(table);
    };
    table.closest("details").addEventListener("toggle", fill, { once: true });
    fillers.set(table, fill);
  });

  var plots = document.querySelectorAll("[data-chart]");
  if (plots.length === 0 || typeof mantissaRequire === "undefined") {
    root.dataset.charts = "0";
    return;
  }

  var dataflow = mantissaRequire("vega-dataflow");
  mantissaRequire("vega-util").extend(dataflow.transforms, mantissaRequire("vega-transforms"),
    mantissaRequire("vega-view-transforms"), mantissaRequire("vega-encode"));
  var parse = mantissaRequire("vega-parser").parse;
  var View = mantissaRequire("vega-view").View;
  var interpreter = mantissaRequire("vega-interpreter").expressionInterpreter;

  var tip = document.createElement("div");
  tip.id = "tip";
  tip.setAttribute("role", "tooltip");
  tip.hidden = true;
  document.body.appendChild(tip);

  // The row's cells as the table shows them, so that a chart says what its table says.
  function fillTip(table, row) {
    var element = document.getElementById("table-" + table);
    if (fillers.has(element)) fillers.get(element)();
    var heads = element.tHead.rows[0].cells, cells = rowsOf.get(element)[row].cells;
    var list = document.createElement("dl");
    for (var i = 0; i < cells.length; ++i) {
      if (cells[i].querySelector(".none") || cells[i].classList.contains("origins")) continue;
      var name = document.createElement("dt"), value = document.createElement("dd");
      name.textContent = heads[i].textContent;
      value.textContent = cells[i].textContent;
      list.append(name, value);
    }
    tip.replaceChildren(list);
  }

  function placeTip(event) {
    var x = Math.min(event.clientX + 14, root.clientWidth - tip.offsetWidth - 8);
    var y = event.clientY + 14;
    if (y + tip.offsetHeight > root.clientHeight) y = event.clientY - tip.offsetHeight - 14;
    tip.style.left = Math.max(8, x) + "px";
    tip.style.top = Math.max(8, y) + "px";
  }

  // The widest drawing that has room: letters do not shrink. What is in a closed part will be as wide as what holds it.
  function drawingFor(place) {
    var holder = place;
    while (holder.clientWidth === 0 && holder.parentElement) holder = holder.parentElement;
    function widthOf(spec) { return spec.width + spec.padding.left + spec.padding.right; }
    return (data.narrower[place.dataset.chart] || []).reduce(function (spec, next) {
      return widthOf(spec) > holder.clientWidth ? next : spec;
    }, data.charts[place.dataset.chart]);
  }

  function draw(place) {
    var spec = drawingFor(place);
    var table = null;
    spec.data.forEach(function (set) {
      if (!set.table) return;
      table = set.table;
      set.values = data.tables[table].rows;
      delete set.table;
    });
    // Expressions are walked as trees, not compiled, so the page's policy can forbid eval.
    var view = new View(parse(spec, null, { ast: true }), {
      container: place, renderer: "svg", hover: true, expr: interpreter, logLevel: mantissaRequire("vega-util").Warn
    });
    view.tooltip(function (handler, event, item, value) {
      if (value === null || value === undefined || typeof value.row_ !== "number") {
        tip.hidden = true;
        return;
      }
      fillTip(table, value.row_);
      tip.hidden = false;
      placeTip(event);
    });
    return view.runAsync().then(function (drawnView) {
      // Letters of 12 px do not shrink with a narrow column: the place scrolls then.
      var svg = place.querySelector("svg");
      if (svg) svg.style.setProperty("--least", svg.getAttribute("width") + "px");
      return drawnView;
    });
  }

  // What is on the first screen is drawn at once, the rest a chart at a time, so that the page can be read meanwhile.
  var count = 0, later = [];
  function drawn(place) {
    return Promise.resolve(place).then(draw).then(function () {
      ++count;
    }, function (fault) {
      place.textContent = "This chart could not be drawn; its figures are in the table below.";
      console.error(place.dataset.chart + ": " + fault);
    });
  }
  function drawLater() {
    var place = later.shift();
    if (place) drawn(place).then(function () { setTimeout(drawLater); });
    else root.dataset.charts = String(count);
  }
  // Promises of drawing are kept before the browser lays the paper out: they wait for no timer.
  window.addEventListener("beforeprint", function () {
    later.splice(0).forEach(drawn);
  });
  var first = [];
  plots.forEach(function (place) {
    var box = place.getBoundingClientRect(); // without a width: in a closed part
    (box.width > 0 && box.top < root.clientHeight ? first : later).push(place);
  });
  Promise.all(first.map(drawn)).then(function () {
    root.dataset.first = String(count);
    setTimeout(drawLater);
  });
})();
