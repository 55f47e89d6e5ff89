#!/usr/bin/env python3
"""Programs with a planted bug: `hunt` finds each within some seeds. Prints how many each took.

canaries_test.py [--seeds=N] [--starts=N] PROGRAM...: `--starts` tells from how many first seeds, of which the median counts.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys

FOUND = {1: "crashed", 4: "not verified", 6: "stuck", 7: "not deterministic"}


def seeds_until_found(program, first, most):
    """How many seeds from `first` on it took, and as what the bug showed; None: it was not found."""
    command = [program, "hunt", "--from", str(first), "--seeds", str(most), "--no-shrink"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode == 0:
        return None
    outcome = FOUND.get(done.returncode)
    seeds = [int(seed) for seed in re.findall(r"(?m)^%s +seed (\d+): " % outcome, done.stdout)]
    if outcome is None or not seeds:
        sys.exit("%s: exit code %d\n%s%s" % (program, done.returncode, done.stdout, done.stderr))
    return min(seeds) - first + 1, outcome


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--starts", type=int, default=1)
    parser.add_argument("programs", nargs="+", metavar="PROGRAM")
    asked = parser.parse_args()
    missed = []
    for program in asked.programs:
        results = [seeds_until_found(os.path.realpath(program), 1 + 100_000 * start, asked.seeds) for start in range(asked.starts)]
        name = os.path.basename(program)
        found = [result for result in results if result]
        if len(found) < len(results):
            missed.append(name)
        median = statistics.median([result[0] for result in found]) if found else None
        print("| %s | %s | %s | %s |" % (name, median, ", ".join(str(result and result[0]) for result in results),
                                         ", ".join(sorted({result[1] for result in found}))), flush=True)
    if missed:
        sys.exit("not found: " + ", ".join(missed))


main()
