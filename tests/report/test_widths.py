#!/usr/bin/env python3
"""A report of sparse cores, one of grids and one of upsets, on a screen of 1280 px and on a telephone's 390 px: the verdict, the
front, nothing off the edge, no letter below 12 px. Pictures of both are kept.

    test_widths.py MANTISSA CHROMIUM PICTURES
"""
import base64
import pathlib
import shlex
import sqlite3
import subprocess
import sys
import tempfile
import unittest

import results
from browser import Browser

PROGRAM, CHROMIUM, PICTURES = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
SECONDS = 400
DRAWN = "document.readyState === 'complete' && !!document.documentElement.dataset.charts"

# [size, text] of each text that can be seen and is smaller than 12 px; of a chart as it is scaled on the page.
SMALL = """(() => {
  const small = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement, text = walker.currentNode.textContent.trim();
    if (!text || e.closest('script, style, noscript') || !e.getBoundingClientRect().width) continue;
    const svg = e.closest('svg');
    const scale = svg ? svg.getBoundingClientRect().width / Number(svg.getAttribute('width')) : 1;
    const size = parseFloat(getComputedStyle(e).fontSize) * scale;
    if (size < 11.99) small.push([size, text.slice(0, 40)]);
  }
  return small;
})()"""
# Tables that are wider than their place, and cells that begin or end outside the screen.
OFF_THE_EDGE = """(() => {
  const off = [];
  for (const s of document.querySelectorAll('.scroll'))
    if (s.clientWidth && s.scrollWidth > s.clientWidth + 1) off.push([s.getAttribute('aria-label'), s.scrollWidth]);
  for (const c of document.querySelectorAll('.scroll td, .scroll th')) {
    const box = c.getBoundingClientRect();
    if (box.width && (box.right > innerWidth + 1 || box.left < -1)) off.push([c.textContent.slice(0, 40), box.right]);
  }
  return off.slice(0, 5);
})()"""
LETTERS = """(() => {
  const svg = document.querySelector('#verdict figure svg'), place = svg.closest('.plot');
  return [svg.querySelectorAll('.mark-symbol.role-mark path').length, svg.querySelectorAll('.mark-line path').length,
          Array.from(svg.querySelectorAll('text')).map(t => t.textContent).filter(t => /^[A-Z]$/.test(t)).join(''),
          svg.getBoundingClientRect().width, place.clientWidth, place.scrollWidth];
})()"""


class Widths(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="mantissa_report_")
        folder = pathlib.Path(cls.scratch.name)
        cls.document = results.sparse_comparison()
        cls.pages = {}
        for name, documents in (("sparse", [("comparison", "sparse", cls.document)]), ("grid", None)):
            (folder / name).mkdir()
            (folder / name / "s.toml").write_text('[[grid]]\nproblem = "poisson2d:level=3"\nformat = ["s10e8", "s17e8"]\n')
            store = folder / name / "s.sqlite"
            subprocess.run([PROGRAM, "sweep", "--threads", "1", folder / name / "s.toml"], check=True,
                           stdout=subprocess.DEVNULL, timeout=120)
            results.add_documents(store, documents)
            cls.pages[name] = folder / f"{name}.html"
            subprocess.run([PROGRAM, "report", store, "-o", cls.pages[name]], check=True, stdout=subprocess.DEVNULL,
                           timeout=120)
        store = folder / "grid" / "s.sqlite"
        database = sqlite3.connect(store)
        database.executescript("DELETE FROM points; DROP TABLE comparison; DROP TABLE measurement")
        database.close()
        results.add_upsets(store)
        cls.pages["upsets"] = folder / "upsets.html"
        subprocess.run([PROGRAM, "report", store, "-o", cls.pages["upsets"]], check=True, stdout=subprocess.DEVNULL,
                       timeout=120)
        PICTURES.mkdir(parents=True, exist_ok=True)
        cls.browser = Browser(CHROMIUM, SECONDS)

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.scratch.cleanup()

    def open(self, name, width):
        self.browser.call("Emulation.setDeviceMetricsOverride", page=True, width=width, height=900, deviceScaleFactor=1,
                          mobile=False)
        self.browser.call("Page.navigate", page=True, url="about:blank")
        self.browser.load(self.pages[name].as_uri(), DRAWN)

    def picture(self, name, width):
        height = min(2400, self.browser.value("document.documentElement.scrollHeight"))
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        taken = self.browser.call("Page.captureScreenshot", page=True, format="png", captureBeyondViewport=True, clip=clip)
        (PICTURES / f"{name}_{width}.png").write_bytes(base64.b64decode(taken["data"]))

    def test_nothing_is_off_the_edge_or_too_small_to_read(self):
        for name in self.pages:
            for width in (1280, 390):
                self.open(name, width)
                self.picture(name, width)
                with self.subTest(page=name, width=width):
                    self.assertEqual(self.browser.value("document.documentElement.scrollWidth"), width)
                    self.assertEqual(self.browser.value(SMALL), [])
                    self.assertEqual(self.browser.value(OFF_THE_EDGE), [])

    def test_sparse_cores_have_a_verdict_cards_and_a_front(self):
        large = [r for r in self.document["sparse"] if r["problem"] == "mtx:matrix.mtx" and "clock_hz" in r]
        fastest = min(large, key=lambda r: r["seconds"])
        front = [r for r in large if r["pareto"]]
        self.assertGreater(len(front), 3)
        for width in (1280, 390):
            self.open("sparse", width)
            v = self.browser.value
            sentence = v("document.querySelector('.verdict').textContent").replace("\u200b", "")
            self.assertIn(f"{fastest['spec']} with {fastest['label']} on A card solves mtx:matrix.mtx", sentence)
            self.assertIn("the fastest of 10 sparse cores", sentence)
            cards = v("Array.from(document.querySelectorAll('.numbers > div')).map(d => [d.querySelector('dt').textContent,"
                      " d.querySelector('.big').textContent])")
            self.assertEqual(cards[0], ["iterations against CG in double", f"{741 / 451:.2f} \u00d7"])
            self.assertEqual(cards[1][0], "of the device")
            self.assertEqual(cards[1][1], f"{100 * fastest['area_share']:.0f} %")
            self.assertRegex(cards[2][1], r"^[0-9.]+ times (slower|faster) than the processor$")
            self.assertEqual(len(cards), 4)
            steps = v("Array.from(document.querySelectorAll('#verdict .next code')).map(e => e.textContent)")
            self.assertEqual(shlex.split(steps[0]), ["mantissa", "solve", "--problem", "mtx:matrix.mtx", "--spec", fastest["spec"],
                                                     "--inner", "25", "--tolerance", "1e-08", "--jacobi"])
            self.assertEqual(shlex.split(steps[1]), ["mantissa", "synthesize", "--spec", fastest["spec"], "--operator", "sparse",
                                                     "--target", "xcup"])
            symbols, lines, letters, drawn, room, wanted = v(LETTERS)
            self.assertEqual((symbols, lines), (len(large), 1), "all its designs, and the front")
            self.assertTrue(set(letters) <= set("ABCDEFGHIJ"[:len(front)]) and letters, letters)
            self.assertLessEqual(wanted, room + 1, "the chart has room as it is")
            self.assertGreater(drawn, 0.6 * room, "and uses it")
            strong = v("document.querySelectorAll('#verdict table tr.strong').length")
            self.assertEqual(strong, len(front))
            table = v("Array.from(document.querySelectorAll('table[id^=\"table-sparse\"] caption')).map(c => c.textContent)")
            self.assertEqual([t.rsplit(": ", 1)[1] for t in table], ["mtx:matrix.mtx", "poisson3d:level=3"])

    def test_upsets_have_a_bar_for_each_campaign(self):
        for width in (1280, 390):
            self.open("upsets", width)
            v = self.browser.value
            svg = "document.querySelector('[data-chart=upsets] svg')"
            # [x, y, width, colour] of each part of a bar, on the page.
            parts = v(f"Array.from({svg}.querySelectorAll('.mark-rect.role-mark path')).map(p => {{ const b = p.getBoundingClientRect();"
                      " return [b.x, Math.round(b.y), b.width, p.getAttribute('fill')]; })")
            bars = {}
            for x, y, long, colour in parts:
                bars.setdefault(y, []).append((x, long, colour))
            self.assertEqual([len(bars[y]) for y in sorted(bars)], [5, 2, 4, 3], "outcomes that occurred")
            room = v(f"{svg}.closest('.plot').clientWidth")
            for bar in bars.values():
                self.assertEqual(min(bar)[2], "var(--s7)", "masked stands first")
                self.assertAlmostEqual(sum(long for _, long, _ in bar), sum(long for _, long, _ in next(iter(bars.values()))), delta=1)
            first = sorted(bars[min(bars)])
            self.assertAlmostEqual(first[0][1] / sum(long for _, long, _ in first), 70 / 200, delta=0.01)
            texts = v(f"Array.from({svg}.querySelectorAll('text')).map(t => t.textContent)")
            self.assertIn("resident core with Checks, bits of memories", texts)
            self.assertEqual(texts.count("200 upsets"), 4)
            self.assertLessEqual(v(f"{svg}.getBoundingClientRect().width"), room + 1)
            self.assertIsNone(v("window.broken === undefined ? null : window.broken"))
        found = v("Array.from(document.querySelectorAll('ol.findings li')).map(e => e.textContent)")
        self.assertIn("25.0 % (50 of 200) ended in a false convergence without Checks, none of 200 with Checks", found[0])
        rows = v("document.querySelectorAll('#table-upset-modules tbody tr').length")
        self.assertEqual(rows, 16, "four modules of four campaigns")
        complaints = self.browser.named("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        self.assertEqual(complaints, [])

    def test_a_row_on_a_telephone_names_its_cells(self):
        self.open("sparse", 390)
        name = "getComputedStyle(document.querySelector('table[id^=\"table-sparse\"] tbody td:last-child'), '::before').content"
        self.assertIn("Origin", self.browser.value(name))
        self.open("sparse", 1280)
        self.assertEqual(self.browser.value(name), "none")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
