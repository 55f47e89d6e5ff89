#!/usr/bin/env python3
"""Lists and ranges of run and bench: each measurement is the one that it is alone; what is kept and shown of them."""

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

PROGRAM = os.path.realpath(sys.argv.pop(1))
DOCUMENTATION = os.path.realpath(sys.argv.pop(1))
HERE = os.environ["TEST_TMPDIR"]
RUN = ["run", "--threads", "2", "--duration", "100us", "--warmup", "20us"]
SWITCHES = """description = "a switch"
origin = "nobody"
link_gbps = { value = 100, unit = "Gb/s", source = "-" }
link_latency_ns = { value = 25, unit = "ns", source = "-" }
switch_latency_ns = { value = %d, unit = "ns", source = "-" }
loopback_latency_ns = { value = 60, unit = "ns", source = "-" }
rc_loss = { value = 0, unit = "probability", source = "-" }
ud_loss = { value = 0, unit = "probability", source = "-" }
ud_duplicate = { value = 0, unit = "probability", source = "-" }
ud_reorder = { value = 0, unit = "probability", source = "-" }
ud_reorder_delay_ns = { value = 2000, unit = "ns", source = "-" }
chaos_preempt = { value = 0.05, unit = "probability", source = "-" }
chaos_jitter_ns = { value = 500, unit = "ns", source = "-" }
chaos_interrupt_ns = { value = 500, unit = "ns", source = "-" }
chaos_meet = { value = 0, unit = "probability", source = "-" }
"""
BENCH = ["bench", "read", "--nodes", "2", "--threads", "2", "--duration", "20us", "--warmup", "5us"]


def start(*arguments, code=0):
    """Runs the program, which has to end with `code`."""
    done = subprocess.run([PROGRAM, *arguments], cwd=HERE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != code:
        raise AssertionError("exit code %d of %s\n%s%s" % (done.returncode, arguments, done.stdout, done.stderr))
    return done


def document(*arguments):
    return json.loads(start(*arguments, "--json", "-").stdout)


def read(path):
    with open(os.path.join(HERE, path), encoding="utf-8") as file:
        return file.read()


def write(path):
    with open(path, "w", encoding="utf-8") as file:
        file.write("theirs")


class Measurements(unittest.TestCase):
    def test_each_is_the_one_that_its_values_give_alone(self):
        series = document(*RUN, "--system", "drtmh,farm", "--nodes", "3..4")
        self.assertEqual([result["values"] for result in series["results"]],
                         [{"nodes": nodes, "system": system} for nodes in (3, 4) for system in ("drtmh", "farm")])
        alone = document(*RUN, "--system", "farm", "--nodes", "4")["results"][0]
        self.assertEqual({**alone, "values": series["results"][3]["values"]}, series["results"][3])

    def test_do_not_depend_on_how_many_run_at_once(self):
        first, second = (document(*BENCH, "--payload", "8..64*2", "--jobs", jobs) for jobs in ("1", "4"))
        self.assertEqual(first["results"], second["results"])
        self.assertEqual(first["trace_digest"], second["trace_digest"])
        self.assertEqual(first["config"]["payload"], "8,16,32,64")

    def test_of_one_value_are_a_plain_run(self):
        plain, listed = document(*BENCH, "--payload", "8"), document(*BENCH, "--payload", "8..8")
        self.assertEqual(plain["trace_digest"], listed["trace_digest"])
        self.assertEqual(plain["config"]["command_line"], listed["config"]["command_line"])

    def test_of_texts_with_commas_are_told_apart_by_bars(self):
        series = document(*RUN, "--nodes", "3", "--plan", "|commit=two-sided,lock=two-sided")
        self.assertEqual([result["values"]["plan"] for result in series["results"]], ["", "commit=two-sided,lock=two-sided"])
        alone = document(*RUN, "--nodes", "3")["results"][0]
        self.assertEqual(alone["throughput_per_s"], series["results"][0]["throughput_per_s"])

    def test_tell_how_many_of_them_ignore_conflicts(self):
        told = start(*RUN, "--nodes", "3..4", "--set", "plan.ignore_conflicts=false,true").stdout
        self.assertIn("conflicts are ignored in 2 of 4 measurements: their results are not serializable", told)
        self.assertNotIn("conflicts are ignored", start(*RUN, "--nodes", "3..4").stdout)

    def test_of_a_file_may_be_arrays(self):
        with open(os.path.join(HERE, "list.toml"), "w", encoding="utf-8") as file:
            file.write('payload = [8, 64]\nwindow = "1..3"\n')
        self.assertEqual(len(document(*BENCH, "--config", "list.toml")["results"]), 6)

    def test_are_repeated_by_their_document(self):
        first = document(*BENCH, "--payload", "8,64", "--repeat", "2")
        with open(os.path.join(HERE, "first.json"), "w", encoding="utf-8") as file:
            json.dump(first, file)
        again = document("bench", "read", "--config", "first.json")
        self.assertEqual(first["results"], again["results"])
        self.assertEqual(first["config"]["command_line"], again["config"]["command_line"])

    def test_that_fail_are_named_and_the_others_are_there(self):
        done = start(*BENCH[:1], "rpc", *BENCH[2:], "--payload", "64,100000", "--json", "failed.json", code=1)
        self.assertIn("verbena: point failed: verbena bench rpc", done.stderr)
        kept = json.loads(read("failed.json"))
        self.assertEqual([result["values"] for result in kept["results"]], [{"payload": 64}])
        self.assertEqual(len(kept["failed"]), 1)

    def test_tell_how_far_they_are_where_that_is_asked_for(self):
        line = [*BENCH, "--payload", "8,64"]
        self.assertEqual(start(*line).stderr, "")
        self.assertIn("verbena: 2 points: 100 % after", start(*line, "--progress").stderr)

    def test_tell_how_far_a_point_is_before_it_ends(self):
        size = ["--nodes", "4", "--threads", "2", "--duration", "30ms", "--warmup", "1ms"]
        line = ["run", *size, "--seed", "1,2", "--jobs", "1", "--progress"]
        stderr = start(*line).stderr
        stages = [text for text in stderr.splitlines() if "0 of 2 done; 1: " in text]
        self.assertTrue(any("measuring" in text and "simulated" in text for text in stages), stderr)
        self.assertTrue(all(" left; " in text for text in stages), stderr)

    def test_that_no_value_can_have_are_refused_before_any_is_made(self):
        done = start(*RUN, "--nodes", "3,zero", code=2)
        self.assertEqual(done.stderr, "verbena: --nodes zero: expected a whole number from 1 to 1024\n")
        self.assertEqual(done.stdout, "")


class Repetitions(unittest.TestCase):
    def test_have_seeds_of_their_own_of_which_the_first_is_the_given_one(self):
        series = document(*BENCH, "--repeat", "4", "--seed", "7")
        seeds = [result["values"]["seed"] for result in series["results"]]
        self.assertEqual(seeds[0], 7)
        self.assertEqual(len(set(seeds)), 4)
        alone = document(*BENCH, "--seed", str(seeds[2]))["results"][0]
        self.assertEqual({**alone, "values": series["results"][2]["values"]}, series["results"][2])

    def test_are_merged_to_means_with_intervals(self):
        series = document(*RUN, "--nodes", "3", "--repeat", "5", "--coroutines", "2,8")
        self.assertEqual([mean["values"] for mean in series["means"]], [{"coroutines": 2}, {"coroutines": 8}])
        for index, mean in enumerate(series["means"]):
            runs = [result["throughput_per_s"] for result in series["results"][5 * index:5 * index + 5]]
            average = sum(runs) / 5
            deviation = (sum((run - average) ** 2 for run in runs) / 4) ** 0.5
            self.assertAlmostEqual(mean["throughput_per_s"]["mean"] / average, 1)
            # 2.776 is Student's t for four degrees of freedom.
            self.assertAlmostEqual(mean["throughput_per_s"]["half_width_95"] / (2.776 * deviation / 5 ** 0.5), 1, places=3)

    def test_say_which_percentiles_have_no_mean_since_some_runs_withhold_them(self):
        # Runs have 104 and 1040 operations: some four hundred bound p99, some four thousand p99.9.
        line = ["bench", "read", "--nodes", "2", "--threads", "1", "--coroutines", "1", "--window", "1", "--warmup", "5us"]
        line += ["--repeat", "3"]
        withheld = re.search(r"(?m)^withheld +(.*)$", start(*line, "--duration", "100us,1ms").stdout).group(1)
        self.assertEqual(withheld, "p99 by 3 of 6, p99.9 by 6 of 6 runs, which measured too few for them; "
                         "without one of its runs a point has no mean")
        self.assertNotIn("withheld", start(*line, "--duration", "10ms").stdout)

    def test_have_the_same_seeds_at_all_points_unless_varied(self):
        def seeds(*more):
            results = document(*BENCH, "--repeat", "2", "--payload", "8,64", *more)["results"]
            return [result["values"]["seed"] for result in results]
        same, varied = seeds(), seeds("--vary-seed")
        self.assertEqual(same[:2], same[2:])
        self.assertEqual(len(set(varied)), 4)
        self.assertEqual(varied[2:], [result["values"]["seed"] for result in document(
            *BENCH, "--repeat", "2", "--payload", "64,128", "--vary-seed")["results"]][:2], "a point's seeds follow from its values")


class Columns(unittest.TestCase):
    """docs/reference/bench-and-series.md tells of each column of points.csv what it is, and in which unit."""

    def test_stand_in_the_docs(self):
        with open(DOCUMENTATION, encoding="utf-8") as file:
            told = re.search(r"(?ms)^\| column \| unit \| what \|\n\| --- .*?(?=\n\n)", file.read()).group(0)
        documented = [name for line in told.splitlines()[2:] for name in re.findall(r"`(\w+)`", line.split("|")[1])]
        for command in [*BENCH, "--payload", "8,64"], [*RUN, "--nodes", "3,4"]:
            start(*command, "--out", "columns", "--fresh")
            rows = list(csv.DictReader(read("columns/points.csv").splitlines()))
            self.assertEqual(list(rows[0])[1:], documented)
        start(*BENCH, "--payload", "8,64", "--out", "columns")
        bench = next(csv.DictReader(read("columns/points.csv").splitlines()))
        self.assertEqual([name for name in documented if not bench[name]], ["p99_us", "p999_us"], "too few operations for these")
        self.assertEqual(bench["aborted"], "0")


class Directory(unittest.TestCase):
    def test_has_plot_page_tables_and_measurements(self):
        start("run", "--threads", "1", "--duration", "50us", "--warmup", "5us", "--system", "drtmh,farm,fasst-occ", "--nodes", "3..7",
              "--out", "sweep")
        rows = list(csv.DictReader(read("sweep/points.csv").splitlines()))
        self.assertEqual(len(rows), 15)
        self.assertEqual([rows[0]["nodes"], rows[0]["system"]], ["3", "drtmh"])
        results = json.loads(read("sweep/results.json"))["results"]
        self.assertEqual([float(row["throughput_per_s"]) for row in rows], [result["throughput_per_s"] for result in results])
        script = read("sweep/plot.gnuplot")
        self.assertIn("set xlabel 'nodes'", script)
        for system in "drtmh", "farm", "fasst-occ":
            self.assertIn("title '%s'" % system, script)
        page = read("sweep/index.html")
        self.assertIn(rows[0]["trace_digest"], page)
        self.assertNotRegex(page, '(src|href)="?(https?:)?//')
        if subprocess.run(["which", "gnuplot"], stdout=subprocess.DEVNULL, check=False).returncode == 0:
            self.assertIn("</svg>", read("sweep/plot.svg"))
            self.assertIn('src="data:image/svg+xml;base64,', page)
            self.assertTrue(os.path.getsize(os.path.join(HERE, "sweep/plot.png")))

    def test_names_are_no_commands_of_the_plot(self):
        name = "it's `touch ran`.toml"
        with open(os.path.join(HERE, name), "w", encoding="utf-8") as file:
            file.write(SWITCHES % 200)
        start(*BENCH, "--payload", "8,64", "--switch", "edr-switch," + name, "--out", "named")
        self.assertIn("/it''s `touch ran`.toml'", read("named/plot.gnuplot"))
        self.assertFalse(os.path.exists(os.path.join(HERE, "ran")) or os.path.exists(os.path.join(HERE, "named/ran")))

    def test_of_a_switch_can_be_said_again(self):
        line = document(*RUN, "--nodes", "3", "--chaos=off,on")["config"]["command_line"].split()
        self.assertIn("--chaos=off,on", line)
        self.assertEqual(len(document(*line[1:])["results"]), 2)

    def test_is_not_measured_again(self):
        first = start(*BENCH, "--payload", "8,64", "--out", "kept").stdout
        self.assertIn("2: 0 measured before", first)
        self.assertIn("3: 2 measured before", start(*BENCH, "--payload", "8,16,64", "--out", "kept").stdout)
        self.assertIn("2: 0 measured before", start(*BENCH, "--payload", "8,64", "--out", "kept", "--fresh").stdout)

    def test_axes_are_as_asked_for(self):
        lists = ["--payload", "8,64", "--window", "1,2,4", "--coroutines", "1,2"]
        start(*BENCH, *lists, "--out", "axes", "--x", "payload", "--series", "window", "--y", "p50")
        first, second = (read("axes/plot-%d.gnuplot" % number) for number in (1, 2))
        self.assertIn("set xlabel 'payload'", first)
        self.assertIn("set ylabel 'p50 [us]'", first)
        self.assertIn("title 'window 4'", first)
        self.assertIn("coroutines 1", first)
        self.assertIn("coroutines 2", second)

    def test_has_no_plots_of_what_an_earlier_command_showed(self):
        lists = ["--payload", "8,64", "--window", "1,2", "--out", "shown"]
        start(*BENCH, *lists, "--series", "window", "--y", "p50", "--coroutines", "1,2")
        self.assertTrue(os.path.exists(os.path.join(HERE, "shown/plot-2.gnuplot")))
        done = start(*BENCH, *lists)
        self.assertIn("verbena: shown/plot-1 of an earlier command was removed\n", done.stderr)
        self.assertIn("verbena: shown/plot-2 of an earlier command was removed\n", done.stderr)
        self.assertIn("plot.gnuplot", os.listdir(os.path.join(HERE, "shown")))
        # Some 20 operations are too few for p999.
        done = start(*BENCH, *lists, "--y", "p999")
        self.assertIn("verbena: no plot of bench read", done.stderr)
        self.assertIn("verbena: shown/plot of an earlier command was removed\n", done.stderr)
        self.assertEqual([name for name in os.listdir(os.path.join(HERE, "shown")) if name.startswith("plot")], [])

    def test_with_files_of_others_is_refused(self):
        line = [*BENCH, "--payload", "8,64", "--out", "theirs"]
        for name in "results.json", "points.csv", "index.html", "plot.svg", "plot-2.gnuplot":
            shutil.rmtree(os.path.join(HERE, "theirs"), ignore_errors=True)
            os.makedirs(os.path.join(HERE, "theirs"))
            for make, why in ((write, "was not written by verbena"), (os.makedirs, "is a directory")):
                make(os.path.join(HERE, "theirs", name))
                done = start(*line, code=2)
                self.assertEqual(done.stderr, "verbena: --out theirs: theirs/%s %s; move it or choose another directory\n" % (name, why))
                self.assertEqual(os.listdir(os.path.join(HERE, "theirs")), [name])
                if make is write:
                    self.assertEqual(read("theirs/" + name), "theirs")
                    os.remove(os.path.join(HERE, "theirs", name))

    def test_with_files_of_others_beside_a_document_alone_is_refused(self):
        os.makedirs(os.path.join(HERE, "beside"))
        start(*BENCH, "--json", "beside/results.json")
        write(os.path.join(HERE, "beside", "index.html"))
        done = start(*BENCH, "--payload", "8,64", "--out", "beside", code=2)
        self.assertIn("beside/index.html was not written by verbena", done.stderr)
        self.assertEqual(read("beside/index.html"), "theirs")

    def test_with_drawings_of_ours_alone_is_written_again(self):
        line = [*BENCH, "--payload", "8,64", "--out", "ours"]
        start(*line)
        for name in "results.json", "points.csv", "index.html":
            os.remove(os.path.join(HERE, "ours", name))
        self.assertIn("plot.gnuplot", os.listdir(os.path.join(HERE, "ours")))
        self.assertIn("2: 2 measured before", start(*line).stdout)

    def test_replaces_links_rather_than_what_they_lead_to(self):
        line = [*BENCH, "--payload", "8,64", "--out", "linked"]
        start(*line)
        names = os.listdir(os.path.join(HERE, "linked"))
        names.remove("points")
        for name in names:
            inside = os.path.join(HERE, "linked", name)
            os.rename(inside, os.path.join(HERE, "target-" + name))
            os.symlink("../target-" + name, inside)
        with open(os.path.join(HERE, "target-points.csv"), "w", encoding="utf-8") as file:
            file.write("mine")
        start(*line)
        self.assertEqual(read("target-points.csv"), "mine")
        self.assertEqual([name for name in names if os.path.islink(os.path.join(HERE, "linked", name))], [])

    def test_leaves_plots_that_it_did_not_draw(self):
        start(*BENCH, "--repeat", "2", "--out", "mine")
        others = ["plot.svg", "plot.png", "plot.pdf", "plot-1.py", "plot-2.gnuplot", "plot-2.svg"]
        for name in others:
            with open(os.path.join(HERE, "mine", name), "w", encoding="utf-8") as file:
                file.write("plot 'mine'\n")
        done = start(*BENCH, "--repeat", "2", "--out", "mine")
        self.assertNotIn("removed", done.stderr)
        for name in others:
            self.assertEqual(read("mine/" + name), "plot 'mine'\n")

    def test_says_which_drawings_are_not_its_own_without_gnuplot(self):
        start(*BENCH, "--repeat", "2", "--out", "undrawn")
        with open(os.path.join(HERE, "undrawn", "plot.svg"), "w", encoding="utf-8") as file:
            file.write("<svg></svg>")
        done = subprocess.run([PROGRAM, *BENCH, "--payload", "8,64", "--out", "undrawn"], cwd=HERE, env={**os.environ, "PATH": HERE},
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True)
        self.assertIn("verbena: undrawn/plot.svg is not of this command\n", done.stderr)
        self.assertNotIn("<svg>", read("undrawn/index.html"))

    def test_names_files_by_paths_that_are_right_everywhere(self):
        for name in "one.toml", "two.toml":
            with open(os.path.join(HERE, name), "w", encoding="utf-8") as file:
                file.write(SWITCHES % 100)
        done = start(*BENCH, "--switch", "one.toml,two.toml", "--out", "named-files", "--json", "named-files.json")
        listed = "--switch %s,%s" % (os.path.join(HERE, "one.toml"), os.path.join(HERE, "two.toml"))
        self.assertRegex(done.stdout, "(?m)^again .* " + re.escape(listed))
        self.assertIn(listed, read("named-files/index.html"))
        self.assertIn(listed, json.loads(read("named-files.json"))["config"]["command_line"])
        hosts = "".join("<host id='%s' speed='1Gf'/>" % name for name in "ab")
        with open(os.path.join(HERE, "hosts.xml"), "w", encoding="utf-8") as file:
            file.write("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM 'https://simgrid.org/simgrid.dtd'>\n<platform version='4.1'>"
                       "<zone id='z' routing='Full'>%s<link id='l' bandwidth='12.5GBps' latency='100ns'/>"
                       "<route src='a' dst='b'><link_ctn id='l'/></route></zone></platform>" % hosts)
        config = document(*BENCH, "--platform", "hosts.xml")["config"]
        self.assertIn("--platform " + os.path.join(HERE, "hosts.xml"), config["command_line"])
        self.assertEqual(config["platform"], os.path.join(HERE, "hosts.xml"))

    def test_keeps_what_was_finished_when_interrupted(self):
        line = [*BENCH[:-4], "--set", "warmup=5us", "--duration", "20us,60s", "--out", "cut", "--jobs", "1"]
        program = subprocess.Popen(["env", "--default-signal=INT", PROGRAM, *line], cwd=HERE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        points = os.path.join(HERE, "cut", "points")
        for _ in range(300):
            if os.path.isdir(points) and any(name.endswith(".json") for name in os.listdir(points)):
                break
            time.sleep(0.1)
        time.sleep(1)  # until its end is known too
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=60)
        self.assertEqual(program.returncode, -signal.SIGINT)
        self.assertEqual(out, "")
        self.assertIn("interrupted after 1 of 2 measurements; they are kept in cut, and the same command goes on from there", err)
        line[line.index("20us,60s")] = "20us,30us"
        self.assertIn("2: 1 measured before", start(*line).stdout)

    def test_measures_again_what_was_not_finished_or_failed(self):
        line = [*RUN, "--nodes", "3", "--system", "drtmh,farm", "--verify", "--out", "spoilt"]
        for spoilt in ({"partial": True}, {"verification": {"passed": False, "summary": "", "errors": ["one"]}}):
            start(*line)
            points = os.path.join(HERE, "spoilt", "points")
            name = os.path.join(points, sorted(os.listdir(points))[0])
            with open(name, encoding="utf-8") as file:
                result = json.load(file)
            with open(name, "w", encoding="utf-8") as file:
                json.dump({**result, **spoilt}, file)
            self.assertIn("2: 1 measured before", start(*line).stdout)
        self.assertIn("2: 2 measured before", start(*line).stdout)

    def test_depends_on_what_is_in_files_of_switches(self):
        switches = os.path.join(HERE, "switches.toml")
        line = [*BENCH[:-4], "--payload", "8,64", "--switch", switches, "--duration", "500us", "--out", "switched"]
        for latency, reused in ((90, 0), (90, 2), (50000, 0)):
            with open(switches, "w", encoding="utf-8") as file:
                file.write(SWITCHES % latency)
            self.assertIn("2: %d measured before" % reused, start(*line).stdout)


class Refusals(unittest.TestCase):
    def refused(self, part, *arguments):
        done = start(*arguments, code=2)
        self.assertIn(part, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertEqual(done.stdout, "")

    def test_say_what_is_wrong(self):
        self.refused("--nodes: 8..4: the range ends before it begins", *RUN, "--nodes", "8..4")
        self.refused("--nodes: 1..8*1: the range never ends", *RUN, "--nodes", "1..8*1")
        self.refused("--duration: 1us..2ms: the units of a range are the same", "run", "--duration", "1us..2ms")
        self.refused("--fabric sim,verbs: unknown fabric (known: sim, verbs); it takes no list", "run", "--fabric", "sim,verbs")
        self.refused("--x threads: expected a list: nodes", *RUN, "--nodes", "3,4", "--x", "threads")
        self.refused("--y latency", *RUN, "--nodes", "3,4", "--y", "latency")
        for quantity in "abort_rate", "log_p50", "balance_latency":
            self.refused("--y %s: is of none of these measurements; there are throughput, throughput_per_node, p50, p90, p99, p999, mean\n"
                         % quantity, *BENCH, "--payload", "8,64", "--y", quantity, "--out", "refused")
        self.refused("; PHASE_p50, ", *RUN, "--nodes", "3,4", "--y", "new_order_latency")
        self.assertFalse(os.path.exists(os.path.join(HERE, "refused")))
        self.refused("--y: applies only to several measurements", *RUN, "--y", "p50")
        self.refused("--payload 8,64: expected a whole number from 1 to 1048576; it takes no list", "explain", "read", "--payload", "8,64")
        self.refused("a single measurement", *RUN, "--nodes", "3,4", "--trace", "trace.json")
        self.refused("a single run", *RUN, "--nodes", "3,4", "--history", "history.edn")
        self.refused("4 appears twice", *RUN, "--nodes", "3..4,4")
        self.refused("more than 1000 measurements", *RUN, "--nodes", "3,4", "--repeat", "501")


if __name__ == "__main__":
    unittest.main()
