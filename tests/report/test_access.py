#!/usr/bin/env python3
"""A report in Chromium for every reader: headings in order, names, contrast of each text, and the order of drawing.

    test_access.py MANTISSA CHROMIUM
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import results
from browser import Browser

PROGRAM, CHROMIUM = sys.argv[1], sys.argv[2]
SECONDS = 240
DRAWN = "document.readyState === 'complete' && !!document.documentElement.dataset.charts"

# [texts looked at, [element, text, contrast] of those below 4.5 : 1 against the nearest opaque background behind them].
CONTRAST = """(() => {
  const light = colour => {
    const v = colour.match(/[0-9.]+/g).map(Number);
    const l = v.slice(0, 3).map(x => x / 255).map(x => x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
    return {light: 0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2], opaque: v.length < 4 || v[3] > 0.99};
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), weak = [];
  let seen = 0;
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || e.closest('script, style, noscript, svg')) continue;
    if (e.getBoundingClientRect().width === 0) continue;
    let behind = {light: 1};
    for (let p = e; p; p = p.parentElement) {
      const back = light(getComputedStyle(p).backgroundColor);
      if (back.opaque) { behind = back; break; }
    }
    const front = light(getComputedStyle(e).color);
    const contrast = (Math.max(front.light, behind.light) + 0.05) / (Math.min(front.light, behind.light) + 0.05);
    ++seen;
    if (contrast < 4.5) weak.push([e.tagName, e.textContent.slice(0, 40), contrast]);
  }
  return [seen, weak];
})()"""

NAMELESS = """Array.from(document.querySelectorAll('button, a, summary, input, th')).filter(
    e => !(e.textContent.trim() || e.getAttribute('aria-label') || (e.labels && e.labels.length))).map(e => e.outerHTML)"""


def made_page(folder):
    store = results.sweep(PROGRAM, folder)
    results.add_synthesis(store)
    results.add_documents(store)
    page = folder / "report.html"
    subprocess.run([PROGRAM, "report", store, "-o", page], check=True, stdout=subprocess.DEVNULL, timeout=120)
    return page


class Access(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="mantissa_report_")
        cls.page = made_page(pathlib.Path(cls.scratch.name))

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def setUp(self):
        self.browser = Browser(CHROMIUM, SECONDS)
        self.addCleanup(self.browser.__exit__)
        self.browser.load(self.page.as_uri(), DRAWN)

    def test_headings_descend_one_level_at_a_time(self):
        levels = self.browser.value("Array.from(document.querySelectorAll('h1, h2, h3, h4')).map(h => Number(h.tagName[1]))")
        self.assertEqual(levels.count(1), 1)
        self.assertGreater(levels.count(2), 5)
        self.assertEqual([(a, b) for a, b in zip([0] + levels, levels) if b > a + 1], [])
        self.assertEqual(self.browser.value("document.documentElement.lang"), "en")
        self.assertTrue(self.browser.value("document.title"))

    def test_whatever_is_used_or_heads_a_column_has_a_name(self):
        self.browser.value("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        self.assertGreater(self.browser.value("document.querySelectorAll('button').length"), 10)
        self.assertEqual(self.browser.value(NAMELESS), [])

    def test_every_text_stands_out_in_light_and_dark(self):
        for scheme in ("light", "dark"):
            self.browser.call("Emulation.setEmulatedMedia", page=True,
                              features=[{"name": "prefers-color-scheme", "value": scheme}])
            self.browser.value("document.querySelectorAll('details').forEach(d => { d.open = true; })")
            seen, weak = self.browser.value(CONTRAST)
            self.assertGreater(seen, 500)
            self.assertEqual(weak, [], scheme)


class Drawing(unittest.TestCase):
    """The charts of the first screen come first; paper has them all."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="mantissa_report_")
        self.addCleanup(scratch.cleanup)
        self.page = made_page(pathlib.Path(scratch.name))
        self.browser = Browser(CHROMIUM, SECONDS)
        self.addCleanup(self.browser.__exit__)

    def load_without_timers(self):
        """The page as its first screen leaves it: what comes later hangs on a timer."""
        self.browser.call("Emulation.setDeviceMetricsOverride", page=True, width=1280, height=1024, deviceScaleFactor=1,
                          mobile=False)
        self.browser.call("Page.addScriptToEvaluateOnNewDocument", page=True, source="window.setTimeout = () => 0;")
        self.browser.load(self.page.as_uri(), "!!document.documentElement && !!document.documentElement.dataset.first")

    def test_the_first_screen_is_drawn_before_the_rest(self):
        self.load_without_timers()
        drawn, low = self.browser.value("""(() => {
            const has = Array.from(document.querySelectorAll('[data-chart]')).filter(p => p.querySelector('svg'));
            return [has.length, has.filter(p => p.getBoundingClientRect().top > innerHeight).length];})()""")
        self.assertEqual((drawn, low), (1, 0))

    def test_paper_has_all_charts(self):
        self.load_without_timers()
        self.browser.value("""window.addEventListener('afterprint', () => {
            window.onPaper = Array.from(document.querySelectorAll('[data-chart]')).map(p => p.querySelector('svg') !== null);
        }); 0""")
        self.browser.call("Page.printToPDF", page=True, preferCSSPageSize=True)
        on_paper = self.browser.value("window.onPaper")
        self.assertGreater(len(on_paper), 8)
        self.assertTrue(all(on_paper), on_paper)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
