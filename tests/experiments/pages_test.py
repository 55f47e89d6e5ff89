#!/usr/bin/env python3
"""Pages of series and of figures, as a browser shows them: complete, on wide and narrow windows, and on paper."""

import os
import re
import subprocess
import unittest

from browser import Browser
from starting import PROGRAM, READS

HERE = os.environ["TEST_TMPDIR"]
SERIES = "run --nodes 3,4 --threads 1 --warmup 20us --duration 100us --system drtmh,farm --out series".split()
WITHHELD = "run --nodes 3,4 --threads 1 --warmup 20us --duration 50us --y p999 --out withheld".split()
NARROW = 360
PAPER = 700  # of A4, between its margins

IMAGES = "[...document.images].map(image => image.complete && image.naturalWidth > 0)"
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
# Elements that scroll by themselves, and so are cut off on paper.
CUT_OFF = "[...document.querySelectorAll('pre, table')].filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1).length"
LETTERS = "Math.min(...[...document.querySelectorAll('p, td, pre')].map(e => parseFloat(getComputedStyle(e).fontSize)))"


def start(*arguments):
    """Runs the program, and gives what it says of itself."""
    return subprocess.run([PROGRAM, *arguments], cwd=HERE, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stderr


class PagesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def check_page(self, path, images):
        """All that holds of every page."""
        page = self.browser
        page.medium("screen")
        page.resize(1200)
        page.open(os.path.join(HERE, path))
        self.assertEqual(page.complaints(), [])
        self.assertEqual(page.value(IMAGES), [True] * images)
        self.assertGreater(page.value("document.querySelectorAll('table tr').length"), 3)
        self.assertTrue(page.value("document.title").startswith("verbena: "))
        for width in 1200, NARROW:
            page.resize(width)
            self.assertEqual(page.value("innerWidth"), width)
            self.assertEqual(page.value(WIDER), 0, "the page is wider than a window of %d pixels" % width)
            self.assertGreaterEqual(page.value(LETTERS), 12, "letters are too small to be read")
        self.assertLessEqual(page.value("Math.max(0, ...[...document.images].map(image => image.width))"), NARROW)
        page.medium("print")
        page.resize(PAPER)
        page.value("document.querySelectorAll('details').forEach(one => one.open = true)")
        self.assertEqual(page.value(WIDER), 0)
        self.assertEqual(page.value(CUT_OFF), 0, "what scrolls is cut off on paper")
        paper = page.paper()
        self.assertTrue(paper.startswith(b"%PDF-"))
        self.assertGreaterEqual(len(re.findall(rb"/Type\s*/Page\b", paper)), 1)

    def test_a_series_has_its_plots_and_numbers(self):
        start(*SERIES)
        self.check_page("series/index.html", images=2)
        self.assertIn("trace digest", self.browser.value("document.querySelector('details').textContent"))
        self.assertIn("farm", self.browser.value("document.querySelector('pre').textContent"))

    def test_a_plot_without_values_says_so(self):
        said = start(*WITHHELD)
        self.assertIn("verbena: no plot of run over nodes: no measurement tells p999 [us]; a longer --duration may\n", said)
        self.check_page("withheld/index.html", images=0)
        self.assertIn("no measurement tells p999 [us]", self.browser.value("document.querySelector('p.unknown').textContent"))

    def test_a_shard_says_what_is_missing(self):
        start(*SERIES[:-1], "part", "--shard", "2/3")
        self.check_page("part/index.html", images=2)
        self.assertIn("2/3: 3 of 4 points are missing", self.browser.value("document.querySelector('table').textContent"))

    def test_figures_have_their_plots_and_claims(self):
        start("reproduce", READS, "--out", "figures")
        self.check_page("figures/index.html", images=1)
        self.assertIn("T2", self.browser.value("document.querySelector('tr.fails').textContent"))


if __name__ == "__main__":
    unittest.main()
