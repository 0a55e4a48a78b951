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
    var heads = element.tHead.rows[0].cells, cells = element.tBodies[0].rows[row].cells;
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

  function draw(place) {
    var spec = data.charts[place.dataset.chart];
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
    return view.runAsync();
  }

  function drawn(place) {
    return Promise.resolve(place).then(draw).then(function () {
      return 1;
    }, function (fault) {
      place.textContent = "This chart could not be drawn; its figures are in the table below.";
      console.error(place.dataset.chart + ": " + fault);
      return 0;
    });
  }
  Promise.all(Array.prototype.map.call(plots, drawn)).then(function (counts) {
    root.dataset.charts = String(counts.reduce(function (sum, one) { return sum + one; }, 0));
  });
})();
