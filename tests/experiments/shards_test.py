#!/usr/bin/env python3
"""Series and figures that several machines measure in parts: put together they are what one machine makes of them."""

import json
import os
import re
import shutil
import subprocess
import unittest

from starting import PROGRAM, READS, StartingTest

SERIES = "bench read --nodes 2,4 --threads 1 --duration 20us --warmup 5us --payload 8..64*2".split()
SHARDS = ["1/3", "2/3", "3/3"]


class ShardsTest(StartingTest):
    def points(self, out):
        return set(os.listdir(self.path(out, "points")))

    def shards(self, *command):
        """Measures each shard into a directory of its own, and gives their names."""
        outs = ["part-%s" % shard[0] for shard in SHARDS]
        for shard, out in zip(SHARDS, outs):
            self.accept(*command, "--shard", shard, "--out", out)
        return outs

    def expect_equal(self, out, other, names):
        for name in names:
            self.assertEqual(self.read(out, name), self.read(other, name), name)
        self.assertEqual(self.points(out), self.points(other))


def rows(table):
    """The lines of a series' table that tell of its points."""
    return [line for line in table.splitlines() if line.startswith(("2 ", "4 ", "nodes"))]


class Series(ShardsTest):
    def test_that_is_put_together_is_the_whole(self):
        whole = self.accept(*SERIES, "--out", "whole")
        parts = self.shards(*SERIES)
        gathered = self.accept(*SERIES, "--out", "gathered", "--gather", ",".join(parts))
        self.assertEqual(rows(gathered), rows(whole))
        self.assertEqual(len(rows(whole)), 9)
        self.assertIn("8: 8 measured before, 0 failed", gathered)
        names = ["points.csv"] + [name for name in os.listdir(self.path("whole")) if name.startswith("plot")]
        self.expect_equal("gathered", "whole", names)
        results = [json.loads(self.read(out, "results.json")) for out in ("gathered", "whole")]
        self.assertEqual(results[0]["config"]["command_line"], results[1]["config"]["command_line"])
        for member in ("results", "trace_digest", "means", "failed"):
            self.assertEqual(results[0][member], results[1][member])
        self.assertNotIn("shard", results[0])

    def test_has_each_point_in_one_shard_and_neighbours_in_different_ones(self):
        parts = [self.points(out) for out in self.shards(*SERIES)]
        self.assertEqual(sorted(len(part) for part in parts), [2, 3, 3])
        self.assertEqual(len(set().union(*parts)), 8)
        for out in "part-1", "part-2", "part-3":
            nodes = [result["values"]["nodes"] for result in json.loads(self.read(out, "results.json"))["results"]]
            self.assertEqual(set(nodes), {2, 4}, "what costs much and little is in every shard")
        self.shards(*SERIES)
        self.assertEqual([self.points(out) for out in ("part-1", "part-2", "part-3")], parts)

    def test_that_is_a_shard_says_what_is_missing(self):
        table = self.accept(*SERIES, "--shard", "2/3", "--out", "part")
        self.assertRegex(table, r"(?m)^shard +2/3: 5 of 8 points are missing, which other shards measure$")
        document = json.loads(self.read("part", "results.json"))
        self.assertEqual(document["shard"], "2/3")
        self.assertEqual(len(document["missing"]), 5)
        self.assertEqual(document["failed"], [])
        again = self.accept(*document["missing"][0].split()[1:], "--json", "-")
        self.assertEqual(len(json.loads(again)["results"]), 1)
        page = self.read("part", "index.html").decode()
        self.assertIn("2/3: 5 of 8 points are missing", page)
        self.assertEqual(page.count("<td>missing</td>"), 5)

    def test_may_be_measured_into_one_directory_by_all(self):
        for shard in SHARDS:
            table = self.accept(*SERIES, "--shard", shard, "--out", "shared")
        self.assertIn("3/3: 0 of 8 points are missing", table)
        self.assertIn("8: 8 measured before", self.accept(*SERIES, "--out", "shared"))

    def test_of_which_points_are_missing_is_refused_by_their_names(self):
        parts = self.shards(*SERIES)
        shutil.rmtree(self.path(parts[2]))
        said = self.refuse("", *SERIES, "--out", "gathered", "--gather", ",".join(parts[:2]))
        self.assertIn("--gather part-1,part-2: has 6 of 8 points", said)
        self.assertRegex(said, r"missing are verbena bench read .* and 1 more, which the same command measures without --gather")
        self.assertIn("8: 6 measured before", self.accept(*SERIES, "--out", "gathered"))
        self.refuse(re.escape("part-3: is no directory of results"), *SERIES, "--out", "other", "--gather", ",".join(parts))

    def test_that_finds_nothing_leaves_no_directory(self):
        os.makedirs(self.path("empty", "points"))
        for directory in "empty", "missing":
            self.refuse("--gather " + directory, *SERIES, "--out", "gathered", "--gather", directory)
            self.refuse("--gather " + directory, "run", "--nodes", "3,4", "--out", "gathered/runs", "--gather", directory)
        self.assertFalse(os.path.exists(self.path("gathered")))

    def test_verified_in_parts_passes(self):
        self.accept("run", "--nodes", "3", "--threads", "1,2", "--duration", "50us", "--warmup", "20us", "--verify", "--shard", "1/2",
                   "--out", "part")
        verification = json.loads(self.read("part", "results.json"))["verification"]
        self.assertEqual((verification["passed"], verification["summary"]), (True, "1 of 1 measurements passed"))


class OtherPrograms(ShardsTest):
    """Shards whose points have other names, since their program's file, its libraries or their times are not the same."""

    def gather(self, *, ok):
        command = [*SERIES, "--out", "gathered", "--gather", "part-1,part-2,part-3"]
        return self.accept(*command) if ok else self.refuse("", *command)

    def change(self, out, change_name=lambda parts: parts, change_document=lambda document: document):
        """Makes the points of a directory those of another program."""
        for name in self.points(out):
            stem, extension = os.path.splitext(name)
            other = "-".join(change_name(stem.split("-"))) + extension
            document = change_document(json.loads(self.read(out, "points", name)))
            os.remove(self.path(out, "points", name))
            self.write(os.path.join(out, "points", other), json.dumps(document))

    def test_whose_libraries_are_as_new(self):
        whole = self.accept(*SERIES, "--out", "whole")
        for out in self.shards(*SERIES)[1:]:
            self.change(out, lambda parts: [*parts[:2], "0123456789abcdef"])
        self.assertEqual(rows(self.gather(ok=True)), rows(whole))
        self.assertEqual(self.points("gathered"), self.points("whole"))

    def test_that_were_built_elsewhere(self):
        """Their bytes are others. With uncommitted changes in its sources a commit says too little."""
        commit = self.accept("--version").split()[1]
        self.shards(*SERIES)
        with open(PROGRAM, "rb") as file:
            other = self.write("other", file.read() + b"\n")
        os.chmod(self.path(other), 0o755)
        shutil.rmtree(self.path("part-2"))
        subprocess.run([self.path(other), *SERIES, "--shard", "2/3", "--out", "part-2"], cwd=self.directory, check=True, timeout=60,
                       stdout=subprocess.DEVNULL)
        exact = commit != "unknown" and not commit.endswith("+")
        said = self.gather(ok=exact)
        if not exact:
            self.assertIn("; part-2 has it of another build of commit %s, whose uncommitted changes may differ" % commit, said)

    def test_that_differ_are_told_apart(self):
        self.shards(*SERIES)
        commit = self.accept("--version").split()[1]
        self.change("part-3", change_document=lambda document: {**document, "commit": "0123456789ab"})
        said = self.gather(ok=False)
        self.assertIn("has 6 of 8 points; missing are verbena bench read ", said)
        self.assertIn("; part-3 has it of commit 0123456789ab, and this program is of %s\n" % commit, said)
        versions = json.loads(self.read("part-1", "points", min(self.points("part-1"))))["libraries"]
        self.change("part-3", change_document=lambda document: {**document, "commit": commit, "libraries": {**versions, "simgrid": "9"}})
        self.assertIn("; part-3 has it with simgrid 9, and this program has %s\n" % versions["simgrid"], self.gather(ok=False))

    def test_of_which_one_has_it_suffices(self):
        self.shards(*SERIES)
        shutil.copytree(self.path("part-3"), self.path("part-0"))
        self.change("part-0", lambda parts: [*parts[:2], "0123456789abcdef"], lambda document: {**document, "commit": "0123456789ab"})
        self.accept(*SERIES, "--out", "gathered", "--gather", "part-0,part-1,part-2,part-3")

    def test_whose_results_are_not_complete(self):
        def spoil(path, how):
            os.remove(path)
            how(path)

        self.shards(*SERIES)
        for spoiled in {"commit": 7}, {"commit": "0123456789ab", "libraries": {"glibc": 7}}, {"libraries": None}:
            self.change("part-1", change_document=lambda document: {**document, **spoiled})
            self.assertRegex(self.gather(ok=False), r"; part-1/points/[0-9a-f-]+\.json: is damaged, or no result\n$")
        self.change("part-1", change_document=lambda document: {**document, "libraries": {}, "partial": True})
        for how, why in ((None, "is of a run that failed or was interrupted"), (os.mkfifo, "is a pipe; expected a regular file"),
                         (lambda path: self.write(path, b'{"config": {'), "is damaged, or no result"),
                         (lambda path: self.write(path, b"[1]"), "is damaged, or no result"),
                         (lambda path: os.symlink("/dev/zero", path), "is a device; expected a regular file"),
                         (os.mkdir, "is a directory")):
            for name in self.points("part-1") if how else ():
                spoil(self.path("part-1", "points", name), how)
            self.assertRegex(self.gather(ok=False), r"; part-1/points/[0-9a-f-]+\.json: " + why + "\n$")

    def test_in_place_of_which_a_pipe_is_are_refused(self):
        """Writing there would wait for a reader for ever."""
        self.shards(*SERIES)
        name = min(self.points("part-1"))
        os.remove(self.path("part-1", "points", name))
        os.mkfifo(self.path("part-1", "points", name))
        self.refuse(re.escape("--out: part-1/points/%s is a pipe" % name), *SERIES, "--shard", "1/3", "--out", "part-1")


class Figures(ShardsTest):
    def test_that_are_put_together_are_the_whole(self):
        command = ["reproduce", READS]
        self.accept(*command, "--out", "whole")
        parts = self.shards(*command)
        self.accept(*command, "--out", "gathered", "--gather", ",".join(parts))
        names = ["claims.md", "reads.csv", "reads.gnuplot", "reproduce.json"]
        if shutil.which("gnuplot"):
            names += ["reads.svg", "reads.png"]
        self.expect_equal("gathered", "whole", names)
        shard = json.loads(self.read(parts[1], "reproduce.json"))
        self.assertEqual((shard["shard"], len(shard["missing"])), ("2/3", 3))
        self.assertIn(b"Shard 2/3: 3 of 4 points are missing", self.read(parts[1], "claims.md"))
        self.assertIn(b"not measured", self.read(parts[1], "claims.md"))
        self.assertIn(b"shard 2/3: 3 of 4 points are missing", self.read(parts[1], "index.html"))
        self.refuse(re.escape("--strict: applies to claims"), *command, "--strict", "--shard", "1/3")
        self.refuse(re.escape("of 4 points there are no more than 4 shards"), *command, "--out", "part", "--shard", "5/5")


class Refusals(ShardsTest):
    def test_of_parts_that_there_are_not(self):
        for shard in "0/3", "4/3", "a/b", "1/0", "1", "/", "1/3/3", "-1/3", "1/2000", " 1/3", "":
            with self.subTest(shard):
                for command in SERIES, ["reproduce", "drtmh/fig3a"]:
                    said = self.refuse("", *command, "--shard", shard, "--out", "out")
                    shown = shard if shard == shard.strip() != "" else "'%s'" % shard
                    self.assertIn("--shard %s: expected NUMBER/COUNT, such as 2/3" % shown, said)
        self.assertEqual(os.listdir(self.directory), [])

    def test_of_what_does_not_go_together(self):
        self.refuse(re.escape("--shard 1/3: needs --out DIR"), *SERIES, "--shard", "1/3")
        self.refuse(re.escape("--gather a: needs --out DIR"), *SERIES, "--gather", "a")
        self.refuse(re.escape("--fresh"), *SERIES, "--gather", "a", "--fresh", "--out", "b")
        self.refuse(re.escape("--shard 1/3 only a part"), *SERIES, "--gather", "a", "--shard", "1/3", "--out", "b")
        for directories in "a,,b", "", ",":
            said = self.refuse(re.escape("a comma between them"), *SERIES, "--gather", directories, "--out", "b")
            self.assertNotIn("it takes no list", said)
        self.refuse(re.escape("of 8 points there are no more than 8 shards"), *SERIES, "--shard", "9/9", "--out", "b")
        self.refuse(re.escape("--shard: applies only to several measurements"), "run", "--nodes", "3", "--shard", "1/3")


if __name__ == "__main__":
    unittest.main()
