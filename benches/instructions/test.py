#!/usr/bin/env python3
"""Tests how counts are read and compared; needs neither valgrind nor `packer`.

    python3 benches/instructions/test.py
"""

import unittest

import count

RECORD = {"with": "glibc 2.36, valgrind-3.19.0", "repository": "abc", "counts": {"one": 1000, "two": 2000}}


class Verdict(unittest.TestCase):
    def verdict(self, one, two, record=RECORD, head="abc"):
        lines, code = count.verdict(record, head, {"one": one, "two": two})
        return "\n".join(lines), code

    def test_counts_within_the_tolerance_pass(self):
        said, code = self.verdict(1050, 1900)
        self.assertEqual(code, 0)
        self.assertIn("+5.00%", said)
        self.assertIn("-5.00%", said)
        self.assertNotIn("grown", said)
        self.assertNotIn("fallen", said)

    def test_one_that_has_grown_more_fails_and_is_named(self):
        said, code = self.verdict(1051, 2000)
        self.assertEqual(code, 1)
        self.assertIn("grown by more than 5%: one", said)

    def test_one_that_has_fallen_more_passes_and_is_to_be_recorded(self):
        said, code = self.verdict(1000, 1899)
        self.assertEqual(code, 0)
        self.assertIn("fallen or new: two; `--record`", said)

    def test_one_that_falls_does_not_hide_one_that_grows(self):
        said, code = self.verdict(500, 2200)
        self.assertEqual(code, 1)
        self.assertIn("fallen or new: one", said)
        self.assertIn("grown by more than 5%: two", said)

    def test_a_new_run_is_to_be_recorded(self):
        said, code = self.verdict(1000, 7, {**RECORD, "counts": {"one": 1000}})
        self.assertEqual(code, 0)
        self.assertIn("not recorded", said)
        self.assertIn("fallen or new: two", said)

    def test_without_a_record_the_counts_are_shown_and_nothing_fails(self):
        said, code = self.verdict(1_234_567, 2, None)
        self.assertEqual(code, 0)
        self.assertIn("1,234,567", said)
        self.assertIn("nothing was compared", said)

    def test_counts_of_another_repository_are_not_compared(self):
        said, code = self.verdict(1000, 2000, head="def")
        self.assertEqual(code, 1)
        self.assertIn("not the one that was recorded with", said)


class Reading(unittest.TestCase):
    def test_the_total_is_the_summary_at_the_end(self):
        self.assertEqual(count.total("desc: x\nevents: Ir\nfn=main\n3 summary: 7\nsummary: 12345\n"), 12345)

    def test_a_file_without_one_is_an_error(self):
        with self.assertRaises(SystemExit):
            count.total("events: Ir\n")

    def test_the_spread_is_a_share_of_the_least(self):
        self.assertAlmostEqual(count.spread([102, 100, 101]), 0.02)


if __name__ == "__main__":
    unittest.main()
