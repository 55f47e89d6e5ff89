"""Tests against libibverbs and a kernel driver: they run in a virtual machine that has a Soft-RoCE device."""

load("//tests/without_ns3:without_ns3.bzl", "WITHOUT_NS3")

def _machine_test(name, arguments, cpus, memory, data, env, tags = [], **kwargs):
    variables = dict(env, **WITHOUT_NS3)
    native.sh_test(
        name = name,
        srcs = ["//tests/softroce:guest_test.sh"],
        args = [
            "--cpus=%d" % cpus,
            "--memory=%d" % memory,
        ] + arguments,
        data = data + ["//tests/softroce:harness", "//tests/without_ns3"],
        env = dict(variables, GUEST_ENV = " ".join(variables.keys())),
        env_inherit = ["VERBENA_GUEST_KERNEL", "VERBENA_REQUIRE_GUEST"],
        # The guest sees the host's root directory; in a sandbox the files lie elsewhere.
        tags = ["no-sandbox", "softroce", "cpu:%d" % cpus] + tags,
        **kwargs
    )

def softroce_test(name, program, args = [], data = [], env = {}, timeout = "moderate", cpus = 1, memory = 1024, **kwargs):
    """A test that runs a program in a virtual machine with the RDMA device rxe0 and passes if the program does.

    The program finds the host's files, its runfiles as working directory (so `$(rootpath LABEL)` in `args` and `env` is a path it can
    open), `env`, the test's own variables, and root's rights. What it writes to the disk is gone afterwards. Processes on the one device
    reach each other through the driver's loopback: a test of several nodes is a script that starts several processes. The device is
    described in guest-session. The machine is emulated, so nothing that a program measures there means anything.

    Where the machine cannot run the test is skipped, see guest_test.sh.

    Args:
      name: the test's name.
      program: label of a binary or of an executable script.
      args: the program's arguments.
      data: files the program reads and programs it starts.
      env: the program's variables.
      timeout: as for every test; booting takes about four seconds of it.
      cpus: processors of the machine, which the test also claims of the host.
      memory: the machine's memory in MiB.
      **kwargs: further attributes of a test.
    """
    _machine_test(
        name = name,
        arguments = ["--", "$(rootpath %s)" % program] + args,
        cpus = cpus,
        memory = memory,
        data = data + [program],
        env = env,
        timeout = timeout,
        **kwargs
    )

def softroce_tests(name, programs, machines, env = {}, timeout = "long", cpus = 1, memory = 1024):
    """A test that runs programs as softroce_test does, some in a row in one machine, each on a device of its own.

    All run, whether or not one fails. A line before what a program says names it.

    Args:
      name: the test's name.
      programs: labels of binaries.
      machines: the machines among which the programs are dealt: the shards of the test.
      env: the programs' variables.
      timeout: as for every test, of one machine.
      cpus: processors of a machine.
      memory: a machine's memory in MiB.
    """
    _machine_test(
        name = name,
        arguments = ["--each", "--"] + ["$(rootpath %s)" % program for program in programs],
        cpus = cpus,
        memory = memory,
        data = programs,
        env = env,
        shard_count = machines,
        timeout = timeout,
    )
