#!/usr/bin/env python3
"""The kinds of platforms that SimGrid's examples have: each works under explain, bench and run, or is refused in one line."""

import os
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop(1)
HEAD = "<?xml version='1.0'?><!DOCTYPE platform SYSTEM 'https://simgrid.org/simgrid.dtd'><platform version='4.1'>"
COMMANDS = (
    ["explain", "read", "--nodes", "2"],
    ["explain", "rpc", "--nodes", "2"],
    ["bench", "read", "--nodes", "2", "--threads", "2", "--warmup", "10us", "--duration", "40us"],
    ["run", "--nodes", "2", "--replicas", "1", "--threads", "2", "--warmup", "10us", "--duration", "100us"],
)


def hosts(names, more=""):
    return "".join("<host id='%s' speed='1Gf'%s/>" % (name, more) for name in names)


def links(names, more=""):
    return "".join("<link id='%s' bandwidth='10GBps' latency='1us'%s/>" % (name, more) for name in names)


def route(source, target, names, kind="route", more=""):
    return "<%s src='%s' dst='%s'%s>%s</%s>" % (kind, source, target, more, "".join("<link_ctn id='%s'/>" % name for name in names), kind)


def zone(routing, inside, name="z"):
    return "<zone id='%s' routing='%s'>%s</zone>" % (name, routing, inside)


def cluster(more, radical="0-3", name="c", inside=""):
    return ("<cluster id='%s' prefix='%s-' suffix='.org' radical='%s' speed='1Gf' bw='10GBps' lat='1us'%s>%s</cluster>" %
            (name, name, radical, more, inside))


def beside(name, text):
    """The name of a file of this text beside the platforms."""
    with open(os.path.join(os.environ["TEST_TMPDIR"], name), "w", encoding="utf-8") as file:
        file.write(text)
    return name


def profile(kind, values, name=""):
    """A link whose file is beside the platform."""
    return zone("Full", hosts("ab") + links("l", " %s='%s'" % (kind, beside((name or kind) + ".txt", values))) + route("a", "b", "l"))


def routed(routing):
    """Four hosts in a row, of which those that are next to each other have a link."""
    return zone(routing, hosts("abcd") + links("lmn") + route("a", "b", "l") + route("b", "c", "m") + route("c", "d", "n"))


def two_zones(more_links="", bypass=""):
    """Two clusters, joined by a link between their routers."""
    gateways = " gw_src='c-c_router.org' gw_dst='d-d_router.org'"
    inside = cluster("") + cluster("", name="d") + links("j") + more_links + route("c", "d", "j", "zoneRoute", gateways)
    return zone("Full", inside + bypass)


def vivaldi():
    peers = "".join("<peer id='p%d' coordinates='0.00%d 0.002 0.0' speed='1Gf' bw_in='1GBps' bw_out='1GBps'/>" % (i, i) for i in range(3))
    return zone("Vivaldi", peers)


def with_storage():
    disk = "<host id='%s' speed='1Gf'><disk id='d' read_bw='100MBps' write_bw='40MBps'/><prop id='ram' value='8GiB'/></host>"
    return zone("Full", disk % "a" + disk % "b" + links("l") + route("a", "b", "l"))


def old_storage():
    return zone("Full", "<storage_type id='t' size='1GiB'/><storage id='s' typeId='t' attach='a'/>" + hosts("ab") + links("l") +
                route("a", "b", "l"))


def cabinets():
    inside = "".join("<cabinet id='%s' prefix='%s-' suffix='' radical='1-3' speed='1Gf' bw='1GBps' lat='1us'/>" % (n, n) for n in "xy")
    return zone("Cluster", inside + "<backbone id='bb' bandwidth='2GBps' latency='1us'/>")


def star():
    inside = hosts("ab") + links("lm", " sharing_policy='SPLITDUPLEX'")
    return zone("Cluster", inside + "".join("<host_link id='%s' up='%s_UP' down='%s_DOWN'/>" % (host, link, link)
                                            for host, link in ("al", "bm")))


BYPASS_HOSTS = zone("Full", hosts("ab") + links("lm") + route("a", "b", "l") + route("a", "b", "m", "bypassRoute"))
BYPASS_ZONES = two_zones(links("k"), route("c", "d", "k", "bypassZoneRoute", " gw_src='c-c_router.org' gw_dst='d-d_router.org'"))
CONFIG = "<config><prop id='%s' value='%s'/></config>"
MULTICORE = zone("Full", hosts("ab", " core='4' pstate='0'") + links("l", " sharing_policy='FATPIPE'") + route("a", "b", "l"))
UNIDIRECTIONAL = zone("Full", hosts("ab") + links("lm") + route("a", "b", "l", more=" symmetrical='NO'") +
                      route("b", "a", "m", more=" symmetrical='NO'"))
ONE_WAY = zone("Full", hosts("ab") + links("l") + route("a", "b", "l", more=" symmetrical='NO'"))
WIFI = zone("Wifi", "<prop id='access_point' value='r'/><router id='r'/>" + hosts("ab") +
            "<link id='air' sharing_policy='WIFI' bandwidth='54Mbps' latency='0ms'/>")
TRACED = zone("Full", hosts("ab") + links("l") + route("a", "b", "l") +
              "<trace id='t' periodicity='1.0'>\n0.0005 5e8\n0.0008 1e9\n</trace><trace_connect kind='%s' trace='t' element='%s'/>")
STATE_OF_ENTITY = zone("Full", hosts("c") + hosts(("a&amp;b",), " state_file='%s'" % beside("off.txt", "0 0\n")) + links("l") +
                       route("a&amp;b", "c", "l"))

WORK = {
    "Full": zone("Full", hosts("ab") + links("l") + route("a", "b", "l")),
    "Floyd": routed("Floyd"),
    "Dijkstra": routed("Dijkstra"),
    "DijkstraCache": routed("DijkstraCache"),
    "Vivaldi": vivaldi(),
    "cluster": cluster(""),
    "cluster with a backbone": cluster(" bb_bw='2GBps' bb_lat='1us'"),
    "cluster with limiters and loopbacks": cluster(" limiter_link='5GBps' loopback_bw='100MBps' loopback_lat='0'"),
    "cluster of fat pipes": cluster(" sharing_policy='FATPIPE' bb_bw='2GBps' bb_lat='1us' bb_sharing_policy='FATPIPE'"),
    "cluster of multicore hosts": cluster(" core='4'"),
    "fat tree": cluster(" topology='FAT_TREE' topo_parameters='2;4,4;1,2;1,2'", "0-15"),
    "dragonfly": cluster(" topology='DRAGONFLY' topo_parameters='3,4;4,3;5,1;2'", "0-119"),
    "torus": cluster(" topology='TORUS' topo_parameters='3,2,2'", "0-11"),
    "star": star(),
    "cabinets": cabinets(),
    "clusters in zones": two_zones(),
    "bypass of a route": BYPASS_HOSTS,
    "bypass between zones": BYPASS_ZONES,
    "disks": with_storage(),
    "unidirectional routes": UNIDIRECTIONAL,
    "cores and fat pipes": MULTICORE,
    "bandwidth profile": profile("bandwidth_file", "PERIODICITY 0.002\n0.0 1e9\n0.0005 5e8\n"),
    "latency profile": profile("latency_file", "PERIODICITY 0.002\n0.0 0.000001\n0.0005 0.000002\n"),
    "names with entities": zone("Full", hosts(("a&amp;b", "&#99;")) + links("l") + route("a&amp;b", "c", "l")),
    "properties after an empty config": "<config id='x'/>" + with_storage(),
    "settings without effect": CONFIG % ("network/latency-factor", "1") + zone("Full", hosts("ab") + links("l") + route("a", "b", "l")),
}
REFUSED = {
    "no way back": (ONE_WAY, "no route from b to a"),
    "no routes at all": (zone("None", hosts("ab")), "route"),
    "one host": (zone("Full", hosts("a")), "has 1 host; expected one for each of 2 nodes"),
    "old kinds of disks": (old_storage(), "platform "),
    "WIFI": (WIFI, "link air is a WIFI link"),
    "slow links": (zone("Full", hosts("ab") + "<link id='l' bandwidth='9Bps' latency='1us'/>" + route("a", "b", "l")),
                   "the bandwidth of link l is 9 B/s"),
    "Star": (zone("Star", hosts("ab")), "the routing of a zone is not known"),
    "trace of a link": (TRACED % ("BANDWIDTH", "l"), "Cannot set a bandwidth profile once the Link is sealed"),
    "trace of a host": (TRACED % ("HOST_AVAIL", "a"), "host a has the profile trace t"),
    "settings of files": (CONFIG % ("tracing/filename", "x") + WORK["Full"], "<config> sets tracing/filename"),
    "state of a host with an entity in its name": (STATE_OF_ENTITY, "host a&b has the profile state_file off.txt"),
    "trace of a host by default": (TRACED.replace("kind='%s' ", "") % "a", "host a has the profile trace t"),
    "settings in the value of another": (CONFIG % ("network/optim", "Full tracing:yes") + WORK["Full"], "the value Full tracing:yes;"),
    "deployments": ("<actor host='a' function='master'/>", "has the <actor> master"),
    "no zones": ("", "has no <zone>"),
    "two outermost zones": (zone("Full", hosts("a")) + zone("Full", hosts("b"), "y"), "has a zone beside another"),
    "names of several lines": (zone("Full", hosts(("a", "b&#10;c"))), "no route from a to b c"),
    "no way in Dijkstra": (zone("Dijkstra", hosts("abc") + links("l") + route("a", "c", "l")), "a route from or to a is missing"),
    "routes without links": (zone("Vivaldi", hosts("a", " coordinates='1 2 3'") + hosts("b", " coordinates='4 5 6'")),
                             "the route from a to b has no links"),
    "no coordinates": (vivaldi().replace("coordinates='0.000 0.002 0.0'", ""), "coordinates of Host p0\n"),
    "coordinates that are no numbers": (vivaldi().replace("0.000 ", "nan "), "the route from p0 to p1 is nan s; allowed are 0 to 1 s"),
    "routes of a minute": (zone("Full", hosts("ab") + links("l").replace("1us", "600ms") + route("a", "b", "ll")),
                           "the latency of the route from a to b is 1.2 s; allowed are 0 to 1 s"),
    "routes of nobody's": (zone("Full", hosts("a") + links("l") + route("a", "nobody", "l")), "dst='nobody' names no node"),
    "numbers beyond SimGrid's": (cluster(" core='99999999999'"), "a number that is none, or that is too large"),
    "more routers than memory": (cluster(" topology='DRAGONFLY' topo_parameters='1000000,1;1,1;1000000,1;1'"), "more than 4 GiB of memory"),
    "dragonflies of more groups than routers": (cluster(" topology='DRAGONFLY' topo_parameters='8,1;1,1;2,1;1'", "0-15"),
                                                "as many routers in a chassis as groups"),
    "negative bandwidths": (profile("bandwidth_file", "0.0 1e9\n0.0005 -5\n", "negative"), "has the line \"0.0005 -5\""),
    "profiles by chance": (profile("latency_file", "STOCHASTIC LOOP\nDET 0.0001 NORM 5 1\n", "chance"), "the line \"STOCHASTIC LOOP\""),
    "profiles at one instant": (profile("bandwidth_file", "0 1e9\nLOOPAFTER0\n", "again"), "has the line \"LOOPAFTER0\""),
    "unknown routing": (zone("Nowhere", hosts("ab")), "the routing of a zone is not known"),
}


def written(kind, text):
    path = os.path.join(os.environ["TEST_TMPDIR"], kind.replace(" ", "-") + ".xml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEAD + text + "</platform>")
    return path


def ends(path, commands=COMMANDS):
    """Each of the commands on this platform, and how it ended."""
    for command in commands:
        yield command, subprocess.run([PROGRAM, *command, "--platform", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                      check=False)


class KindsTest(unittest.TestCase):
    def test_work(self):
        for kind, text in WORK.items():
            # All calls go the same ways as READs; each run has calls, too.
            explained = COMMANDS if kind in ("Full", "clusters in zones", "dragonfly") else [one for one in COMMANDS if one[1] != "rpc"]
            for command, end in ends(written(kind, text), explained):
                with self.subTest(kind=kind, command=command[:2]):
                    self.assertEqual((end.returncode, end.stderr), (0, ""))
                    self.assertIn("\nroute " if command[0] == "explain" else "trace digest", end.stdout)

    def test_are_refused(self):
        for kind, (text, reason) in REFUSED.items():
            self.is_refused(kind, written(kind, text), reason)

    def is_refused(self, kind, path, reason):
        """By each command, in one line."""
        for command, end in ends(path, [command for command in COMMANDS if command[1] != "rpc"]):
            with self.subTest(kind=kind, command=command[:2]):
                self.assertEqual((end.returncode, end.stdout), (2, ""), end.stderr)
                self.assertEqual(end.stderr.count("\n"), 1, end.stderr)
                self.assertIn(os.path.basename(path), end.stderr)
                self.assertIn(reason, end.stderr)

    def test_what_is_no_platform_is_refused(self):
        for name, text in (("web.xml", "<html/>"), ("compressed.xml", "\x1f\x7f"), ("bare.xml", "<?xml version='1.0'?><platform/>"),
                           ("spaces.xml", "\n\n"), ("kind.xml", "<?xml version='1.0'?><!DOCTYPE adag SYSTEM 'x'><adag/>")):
            self.is_refused(name, os.path.join(os.environ["TEST_TMPDIR"], beside(name, text)), "is no platform; expected <?xml")
        self.is_refused("two.xml", os.path.join(os.environ["TEST_TMPDIR"], beside("two.xml", HEAD + WORK["Full"] + "</platform>\nmore")),
                        "goes on after </platform>")


if __name__ == "__main__":
    unittest.main()
