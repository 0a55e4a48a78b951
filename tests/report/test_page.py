#!/usr/bin/env python3
"""Opens a report in Chromium: it renders without a complaint or a request, and its numbers are the store's.

    test_page.py MANTISSA CHROMIUM
"""
import json
import pathlib
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

import results
from browser import Browser

PROGRAM, CHROMIUM = sys.argv[1], sys.argv[2]
SECONDS = 240

CELLS = """Array.from(document.querySelectorAll('[data-v]')).map(
    c => [c.dataset.src || '', c.dataset.v, c.textContent])"""
LUMINANCE = """
(() => {
  const style = getComputedStyle(document.documentElement), out = {};
  const light = name => {
    const probe = document.createElement('i');
    probe.style.color = style.getPropertyValue(name);
    document.body.append(probe);
    const c = getComputedStyle(probe).color.match(/[0-9.]+/g).map(Number).slice(0, 3).map(v => v / 255)
      .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    probe.remove();
    return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
  };
  for (const n of ['--paper','--ink','--ink-soft','--accent','--s1','--s2','--s3','--s4','--s5','--s6','--s7','--s8'])
    out[n] = light(n);
  return out;
})()"""


def stored(database, address):
    """The value that an address names, read with SQL."""
    _, table, row, *path = address.split("/")
    column = {"measurement": "document", "comparison": "document"}.get(table)
    if column is None:
        column, path = path[0], path[1:]
    (value,) = database.execute(f"SELECT {column} FROM {table} WHERE rowid = ?", (int(row),)).fetchone()
    if not path:
        return value
    value = json.loads(value)
    for step in path:
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="mantissa_report_")
        folder = pathlib.Path(cls.scratch.name)
        cls.store = results.sweep(PROGRAM, folder)
        results.add_synthesis(cls.store)
        results.add_documents(cls.store)
        cls.page = folder / "report.html"
        made = subprocess.run([PROGRAM, "report", cls.store, "-o", cls.page], check=True, capture_output=True,
                              text=True, timeout=120)
        cls.printed = made.stdout
        cls.browser = Browser(CHROMIUM, SECONDS)
        cls.browser.load(cls.page.as_uri(),
                         "document.readyState === 'complete' && !!document.documentElement.dataset.charts")
        cls.database = sqlite3.connect(cls.store)

    @classmethod
    def tearDownClass(cls):
        cls.database.close()
        cls.browser.__exit__()
        cls.scratch.cleanup()

    def test_prints_the_findings_and_where_the_page_is(self):
        sentence = self.browser.value("document.querySelector('main > section .verdict').textContent").replace("\u200b", "")
        self.assertEqual(self.printed.splitlines()[-2], f"Verdict: {sentence}")
        self.assertIn(str(self.page), self.printed.splitlines()[-1])
        found = self.browser.value("Array.from(document.querySelectorAll('ol.findings li')).map(e => e.textContent)")
        self.assertGreater(len(found), 1)
        for finding in found:
            self.assertIn(finding.replace("\u200b", ""), self.printed)
        # A comparison's sentences are formed from its figures; what was stored as such is not repeated.
        for stored_sentence in results.comparison()["findings"]:
            self.assertNotIn(stored_sentence, self.printed)

    def test_findings_agree_with_the_stored_figures(self):
        first = self.browser.value("document.querySelector('ol.findings li').textContent")
        found = re.search(r"at (\S+): (\d+) of CG in double; ", first) or re.search(r"at (\S+):()", first)
        problem = found[1]
        rows = self.database.execute(
            "SELECT spec, inner_iterations FROM points WHERE problem = ? AND scheme = 'residual-guided' AND inner = 10 "
            "AND tolerance = 1e-10 AND status = 'converged'", (problem,)).fetchall()
        rows += [(d["spec"], d["inner_iterations"]) for d in results.comparison()["designs"] if d["problem"] == problem]
        needs = {spec: iterations for spec, iterations in rows if int(re.match(r"s(\d+)e", spec)[1]) < 30}
        self.assertGreater(len(needs), 10)
        fewest = min(needs.values())
        winners = [spec for spec, iterations in needs.items() if iterations == fewest]
        self.assertIn(f"of the {len(needs)} datapaths below 30 fraction bits that these results hold", first)
        self.assertRegex(first, rf"needs? the fewest, {fewest}\b")
        self.assertTrue(any(spec in first for spec in winners), (first, winners))

    def test_texts_of_the_store_stay_texts(self):
        self.assertIsNone(self.browser.value("window.broken === undefined ? null : window.broken"))
        self.assertEqual(self.browser.value("document.querySelectorAll('img').length"), 0)
        self.assertIn(results.HOSTILE, self.browser.value("document.body.textContent"))

    def test_every_chart_draws_its_rows(self):
        charts = self.browser.value("document.documentElement.dataset.charts")
        self.assertGreaterEqual(int(charts), 9)
        data = json.loads(self.browser.value("document.getElementById('report-data').textContent"))
        self.assertEqual(len(data["charts"]), int(charts))
        for name, chart in data["charts"].items():
            with self.subTest(chart=name):
                self.browser.value("document.querySelectorAll('details.more').forEach(d => { d.open = true; })")
                svg = f"document.querySelector('[data-chart=\"{name}\"] svg')"
                self.assertTrue(self.browser.value(f"{svg} !== null"))
                self.assertGreater(self.browser.value(f"{svg}.getBoundingClientRect().height"), 80)
                marks = self.browser.value(f"{svg}.querySelectorAll('.mark-symbol path, .mark-line path').length")
                names = next(s["domain"] for s in chart["scales"] if s["name"] == "colour")
                rows = data["tables"][chart["data"][0]["table"]]["rows"]
                rows = [r for r in rows if set(map(str, r.values())) & set(names)]
                if name == "convergence":
                    lines = self.browser.value(f"{svg}.querySelectorAll('.mark-line path').length")
                    self.assertEqual(lines, len(names))
                else:
                    self.assertGreaterEqual(marks, len(names))
                self.assertGreaterEqual(len(rows), len(names))
                self.assertNotIn("NaN", self.browser.value(f"{svg}.outerHTML"))

    def test_numbers_are_those_of_the_store(self):
        cells = self.browser.value(CELLS)
        sourced = [c for c in cells if c[0]]
        self.assertGreater(len(sourced), 400)
        tables = {c[0].split("/")[1] for c in sourced}
        self.assertEqual(tables, {"points", "synthesis", "netlist", "measurement", "comparison"})
        for address, text, _ in sourced:
            value = json.loads(text)
            with self.subTest(address=address):
                self.assertEqual(value, stored(self.database, address))
                self.assertIs(type(value), type(stored(self.database, address)))

    def test_shown_texts_are_the_values_rounded(self):
        checked = 0
        for address, text, shown in self.browser.value(CELLS):
            value = json.loads(text)
            plain = shown.replace("\u202f", "").replace("\u25ca", "")
            if not isinstance(value, (int, float)) or not re.fullmatch(r"-?[0-9.]+(e[+-][0-9]+)?", plain):
                continue
            if address.endswith(("clock_hz", "bytes_per_second", "area_share", "share_of_copy")):
                continue  # shown in MHz, GB/s and per cent
            checked += 1
            with self.subTest(address=address, shown=shown):
                self.assertAlmostEqual(float(plain), value, delta=6e-3 * abs(value) + 5e-3 * (value > 0.5))
        self.assertGreater(checked, 300)

    def test_charts_and_tables_have_the_same_numbers(self):
        data = json.loads(self.browser.value("document.getElementById('report-data').textContent"))
        shown = self.browser.value("""Object.fromEntries(Array.from(document.querySelectorAll('table')).map(t => [t.id,
            Array.from(t.tBodies[0].rows).map(
                r => Array.from(r.cells).map(c => c.dataset.v === undefined ? null : c.dataset.v))]))""")
        for name, table in data["tables"].items():
            columns = [c["id"] for c in table["columns"] if not c["hidden"]]
            for row, cells in zip(table["rows"], shown["table-" + name], strict=True):
                for column, cell in zip(columns, cells):
                    if cell is not None:
                        self.assertEqual(json.loads(cell), row[column], (name, column))
                    elif isinstance(row[column], (int, float)):
                        self.fail(f"{name}: {column} is a number without its full value")

    def test_slices_follow_from_the_stored_counts(self):
        columns = "SELECT luts, memory_luts, flip_flops, paired FROM"
        rows = self.database.execute(f"{columns} synthesis UNION ALL {columns} netlist")
        expected = sorted((a + b + c - d + 1) // 2 for a, b, c, d in rows)
        shown = self.browser.value("""Array.from(document.querySelectorAll('#table-area-slices tbody tr')).filter(
            r => r.textContent.includes('ours')).map(r => Number(r.cells[3].dataset.v))""")
        self.assertEqual(sorted(shown), expected)

    def test_modelled_figures_are_marked(self):
        self.assertEqual(self.browser.value("""Array.from(document.querySelectorAll(
            '[data-src*="/rows/"][data-src$="/seconds"], [data-src*="/rows/"][data-src$="/clock_hz"]')).filter(
            c => !c.querySelector('.mark')).length"""), 0)
        self.assertEqual(self.browser.value("""document.querySelectorAll(
            '[data-src*="/peers/"] .mark, [data-src*="s0/points"] .mark').length"""), 0)
        hollow = self.browser.value("""document.querySelectorAll(
            '[data-chart^="designs"] .mark-symbol path[fill="var(--paper)"]').length""")
        self.assertEqual(hollow, len(results.comparison()["rows"]))

    def test_every_row_names_origins_that_are_there(self):
        self.assertEqual(self.browser.value("""Array.from(document.querySelectorAll('td.origins')).filter(
            c => c.querySelectorAll('a').length === 0).length"""), 0)
        self.assertEqual(self.browser.value("""Array.from(document.querySelectorAll('a[href^="#"]')).filter(
            a => !document.getElementById(a.getAttribute('href').slice(1))).length"""), 0)

    def test_a_point_tells_its_row(self):
        place = self.browser.value("""(() => {
            const mark = document.querySelector('[data-chart^="designs"] .mark-symbol path[fill="var(--paper)"]');
            mark.scrollIntoView({block: 'center'});
            const b = mark.getBoundingClientRect();
            return [b.x + b.width / 2, b.y + b.height / 2];
        })()""")
        for _ in range(2):
            self.browser.call("Input.dispatchMouseEvent", page=True, type="mouseMoved", x=place[0], y=place[1])
        self.assertFalse(self.browser.value("document.getElementById('tip').hidden"))
        tip = self.browser.value("document.getElementById('tip').textContent")
        self.assertIn("Specification", tip)
        self.assertIn("s14e8,u=s23e8,row=s20e8,dot=fixed[13:-50]", tip)

    def test_tables_serve_keyboard_and_readers(self):
        self.assertEqual(self.browser.value("""Array.from(document.querySelectorAll('figure')).filter(
            f => !f.querySelector('table')).length"""), 0)
        self.assertEqual(self.browser.value("""Array.from(document.querySelectorAll('table')).filter(
            t => !t.caption || !t.caption.textContent || t.querySelectorAll('thead th:not([scope=col])').length ||
                 t.querySelectorAll('tbody th:not([scope=row])').length).length"""), 0)
        self.assertEqual(self.browser.value("""Array.from(document.querySelectorAll('.scroll')).filter(
            s => s.tabIndex !== 0 || !s.getAttribute('aria-label')).length"""), 0)
        self.assertEqual(self.browser.value("""Array.from(document.querySelectorAll('.plot')).filter(
            p => !/chart/.test(p.getAttribute('aria-label'))).length"""), 0)
        names = "new Set(Array.from(document.querySelectorAll('[id]')).map(e => e.id)).size"
        self.assertEqual(self.browser.value(names),
                         self.browser.value("document.querySelectorAll('[id]').length"))
        # Tab, Tab, ... reaches the line that opens a table, and Enter opens it.
        for _ in range(60):
            for kind in ("keyDown", "keyUp"):
                self.browser.call("Input.dispatchKeyEvent", page=True, type=kind, key="Tab", windowsVirtualKeyCode=9)
            if self.browser.value("document.activeElement.tagName") == "SUMMARY":
                break
        self.assertEqual(self.browser.value("document.activeElement.tagName"), "SUMMARY")
        self.browser.call("Input.dispatchKeyEvent", page=True, type="keyDown", key="Enter", text="\r",
                          windowsVirtualKeyCode=13)
        self.browser.call("Input.dispatchKeyEvent", page=True, type="keyUp", key="Enter", windowsVirtualKeyCode=13)
        self.assertTrue(self.browser.value("document.activeElement.parentElement.open"))

    def test_colours_stand_out_in_light_and_dark(self):
        for scheme in ("light", "dark"):
            self.browser.call("Emulation.setEmulatedMedia", page=True,
                              features=[{"name": "prefers-color-scheme", "value": scheme}])
            lights = self.browser.value(LUMINANCE)
            self.assertEqual(lights["--paper"] > 0.5, scheme == "light")
            for name, light in lights.items():
                low, high = sorted((light, lights["--paper"]))
                contrast = (high + 0.05) / (low + 0.05)
                needed = {"--paper": 1, "--ink": 10, "--ink-soft": 4.5, "--accent": 4.5}.get(name, 3)
                self.assertGreaterEqual(contrast, needed, (scheme, name))
        self.browser.call("Emulation.setEmulatedMedia", page=True, features=[])

    def test_prints(self):
        pdf = self.browser.call("Page.printToPDF", page=True, preferCSSPageSize=True)["data"]
        self.assertGreater(len(pdf), 100_000)

    def test_whole_run_without_complaint_or_request(self):
        complaints = self.browser.named("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        self.assertEqual(complaints, [])
        asked = {e["params"]["request"]["url"] for e in self.browser.named("Network.requestWillBeSent")}
        self.assertEqual(asked, {self.page.as_uri()})


    def test_the_head_is_the_verdict(self):
        v = self.browser.value
        document = results.comparison()
        fastest = min(document["rows"], key=lambda row: row["seconds"])
        sentence = v("document.querySelector('main > section .verdict').textContent").replace("\u200b", "")
        self.assertIn(f"{fastest['spec']} on {document['devices'][0]['name']} solves poisson2d:level=5", sentence)
        self.assertIn(f"{1e3 * fastest['seconds']:.3g} ms (modelled)", sentence)
        numbers = v("Array.from(document.querySelectorAll('.numbers .big')).map(e => e.textContent)")
        gpu = next(p["seconds"] for p in document["peers"] if p["engine"] == "gpu")
        self.assertEqual(len(numbers), 3)
        self.assertEqual(numbers[2], f"{fastest['seconds'] / gpu:.0f} times slower than the GPU")
        self.assertTrue(v("document.querySelector('#verdict figure svg') !== null"), "the designs stand beside it")
        solve, area = v("Array.from(document.querySelectorAll('#verdict .next code')).map(e => e.textContent)")
        words = shlex.split(solve.replace("\u200b", ""))
        self.assertEqual(words[:6], ["mantissa", "solve", "--problem", "poisson2d:level=5", "--spec", fastest["spec"]])
        self.assertIn("synthesize", area)
        # What the page tells the reader to type runs.
        subprocess.run([PROGRAM, *words[1:]], check=True, stdout=subprocess.DEVNULL, timeout=120)

    def test_timed_runs_have_their_spread(self):
        rows = self.browser.value("""Array.from(document.querySelectorAll('#table-time-1 tbody tr')).map(
            r => [r.cells[1].textContent, r.cells[4].textContent])""")
        self.assertIn(["GPU", "320 \u00b5s to 410 \u00b5s"], rows)
        self.assertEqual([spread for kind, spread in rows if kind == "CPU"], ["\u2013"], "one run was kept")

    def test_empty_sections_and_origins_are_folded(self):
        v = self.browser.value
        self.assertEqual(v("Array.from(document.querySelectorAll('main > section')).filter(s => s.querySelector(':scope > .gap')"
                           " && !s.querySelector('table')).length"), 0)
        self.assertFalse(v("document.querySelector('#origins details').open"))
        v("location.hash = '#origin-1'; new Promise(done => setTimeout(done, 200))")
        self.assertTrue(v("document.querySelector('#origins details').open"), "a link opens what it leads to")

    def test_tables_sort_and_filter(self):
        v = self.browser.value
        column = "Array.from(document.querySelector('#table-points').tBodies[0].rows).filter(r => !r.hidden).map(r => Number(r.cells[6].dataset.v))"
        button = "document.querySelector('#table-points thead').rows[0].cells[6].querySelector('button')"
        before = v(column)
        v(f"{button}.click()")
        self.assertEqual(v(column), sorted(before))
        self.assertEqual(v(f"{button}.parentElement.getAttribute('aria-sort')"), "ascending")
        v(f"{button}.click()")
        self.assertEqual(v(column), sorted(before, reverse=True))
        v("(() => { const i = document.querySelector('#table-points').closest('details').querySelector('input');"
          " i.value = 's17e8 level=4'; i.dispatchEvent(new Event('input')); })()")
        left = v("Array.from(document.querySelector('#table-points').tBodies[0].rows).filter(r => !r.hidden).map(r => r.textContent.replaceAll('\u200b', ''))")
        self.assertTrue(left and len(left) < len(before))
        for row in left:
            self.assertIn("s17e8", row)
            self.assertIn("level=4", row)


class ManyPoints(unittest.TestCase):
    def test_five_thousand_points_make_a_small_page(self):
        with tempfile.TemporaryDirectory(prefix="mantissa_report_") as name, Browser(CHROMIUM, SECONDS) as browser:
            folder = pathlib.Path(name)
            store = results.sweep(PROGRAM, folder)
            results.many_points(store, 5000)
            page = folder / "report.html"
            subprocess.run([PROGRAM, "report", store, "-o", page], check=True, stdout=subprocess.DEVNULL, timeout=120)
            self.assertLess(page.stat().st_size, 2e6)
            browser.load(page.as_uri(),
                         "document.readyState === 'complete' && !!document.documentElement.dataset.charts")
            v = browser.value
            self.assertEqual(v("document.querySelector('#table-points').tBodies[0].rows.length"), 20)
            v("document.querySelector('#table-points').closest('details').open = true;"
              " new Promise(done => setTimeout(done, 300))")
            cells = v("Array.from(document.querySelectorAll('#table-points [data-v]')).map(c => [c.dataset.src || '', c.dataset.v])")
            self.assertEqual(v("document.querySelector('#table-points').tBodies[0].rows.length"), 5000)
            database = sqlite3.connect(store)
            sourced = [c for c in cells if c[0]]
            self.assertGreater(len(sourced), 15000)
            for address, value in sourced[:: len(sourced) // 200]:
                self.assertEqual(json.loads(value), stored(database, address), address)
            database.close()
            self.assertEqual(browser.named("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"), [])


    def test_five_thousand_points_are_shown_in_about_a_second(self):
        with tempfile.TemporaryDirectory(prefix="mantissa_report_") as name:
            folder = pathlib.Path(name)
            store = results.sweep(PROGRAM, folder)
            results.many_points(store, 5000)
            page = folder / "report.html"
            subprocess.run([PROGRAM, "report", store, "-o", page], check=True, stdout=subprocess.DEVNULL, timeout=120)
            spent = min(self.seconds_to_show(page, "charts") for _ in range(3))
            first = min(self.seconds_to_show(page, "first") for _ in range(3))
        # Parsing, scripts, layout and painting together. The aim is 1 s on a processor of its own; where others use the
        # caches and the other half of a core, the same work has taken a third more. The first screen meets it there too.
        self.assertLess(spent, 1.33)
        self.assertLess(first, 1)

    @staticmethod
    def seconds_to_show(page, mark):
        """Processor time of the process that shows the page, from an empty page to its first screen, or its last chart."""
        with Browser(CHROMIUM, SECONDS) as browser:
            browser.call("Performance.enable", page=True)
            def spent():
                metrics = browser.call("Performance.getMetrics", page=True)["metrics"]
                return next(m["value"] for m in metrics if m["name"] == "ProcessTime")
            before = spent()
            browser.load(page.as_uri(), f"document.readyState === 'complete' && !!document.documentElement.dataset.{mark}")
            return spent() - before


class Changes(unittest.TestCase):
    def test_lists_what_differs_and_counts_the_rest(self):
        with tempfile.TemporaryDirectory(prefix="mantissa_report_") as name:
            folder = pathlib.Path(name)
            store = results.sweep(PROGRAM, folder)
            results.add_synthesis(store)
            older = folder / "older.sqlite"
            shutil.copy(store, older)
            database = sqlite3.connect(older)
            number = database.execute("SELECT COUNT(*) FROM points").fetchone()[0]
            key, = database.execute("SELECT spec FROM points WHERE rowid = 3").fetchone()
            database.execute("UPDATE points SET inner_iterations = inner_iterations * 2 WHERE rowid = 3")
            database.execute("DELETE FROM points WHERE rowid = 4")
            database.execute("UPDATE netlist SET luts = luts + 1000 WHERE spec = 's23e11'")
            database.commit()
            database.close()
            page = folder / "report.html"
            subprocess.run([PROGRAM, "report", store, "--against", older, "-o", page], check=True,
                           stdout=subprocess.DEVNULL, timeout=120)
            text = page.read_text()
            self.assertIn(f"{number - 2} solves the same, 1 different; 1 here only, 0 in the older results only.", text)
            table = re.search(r'<table id="table-changes-solves">.*?</table>', text, re.S)[0]
            self.assertEqual(table.count("<tr>"), 2)
            self.assertIn(">0.50<", table)
            self.assertIn("s23e11", re.search(r'<table id="table-changes-parts">.*?</table>', text, re.S)[0])


class WithoutScripts(unittest.TestCase):
    def test_tables_are_there(self):
        with tempfile.TemporaryDirectory(prefix="mantissa_report_") as name, Browser(CHROMIUM, SECONDS) as browser:
            folder = pathlib.Path(name)
            store = results.sweep(PROGRAM, folder)
            page = folder / "report.html"
            subprocess.run([PROGRAM, "report", store, "-o", page], check=True, stdout=subprocess.DEVNULL, timeout=120)
            browser.call("Emulation.setScriptExecutionDisabled", page=True, value=True)
            browser.load(page.as_uri(), "document.readyState === 'complete'")
            self.assertEqual(browser.value("document.querySelectorAll('svg').length"), 0)
            self.assertGreater(browser.value("document.querySelectorAll('tbody tr').length"), 60)
            self.assertGreater(browser.value("document.querySelectorAll('noscript p').length"), 0)
            self.assertIn("No comparison in these results", browser.value("document.body.textContent"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
