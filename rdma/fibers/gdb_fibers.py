"""A command of gdb that shows the fibers of a worker, and where each of them waits.

    (gdb) source rdma/fibers/gdb_fibers.py
    (gdb) fibers                       the worker of the fiber, or of the loop, that is being looked at
    (gdb) fibers EXPRESSION            a FiberScheduler, WorkerThread or Worker

Types are needed, so the program is built with --copt=-g or --compilation_mode=dbg. Works on a running process, whose registers it changes
and sets back, on x86-64.
"""

import gdb

# As boost::context saves them at a fiber's stack pointer on x86-64 (System V).
SAVED = [("r12", 8), ("r13", 16), ("r14", 24), ("r15", 32), ("rbx", 40), ("rbp", 48), ("rip", 56)]
SAVED_BYTES = 64
# Functions that switch, of which a fiber's reader wants the callers.
SWITCHES = ("boost::context", "verbena::Fiber::", "FiberScheduler::", "std::", "operator()", "fcontext")
SHOWN_FRAMES = 4


def scheduler_of(value):
    """The FiberScheduler within a value; None if there is none."""
    value = value.referenced_value() if value.type.strip_typedefs().code in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_REF) else value
    name = str(value.type.strip_typedefs().unqualified())
    if name.endswith("FiberScheduler"):
        return value
    for member in {"WorkerThread": ["fibers_"], "Worker": ["thread_"]}.get(name.split("::")[-1], ["worker_", "thread_", "rpc_"]):
        try:
            found = scheduler_of(value[member])
        except gdb.error:
            continue
        if found is not None:
            return found
    return None


def scheduler_of_frames():
    """The FiberScheduler that a frame of the selected stack belongs to."""
    frame = gdb.selected_frame()
    while frame is not None and frame.is_valid():
        for name in ("this", "scheduler", "worker"):
            try:
                found = scheduler_of(frame.read_var(name))
            except (ValueError, gdb.error):
                continue
            if found is not None:
                return found
        frame = frame.older()
    raise gdb.GdbError("no frame here is of a worker; name one: fibers EXPRESSION")


def elements(vector):
    """The elements of a std::vector."""
    first, last = vector["_M_impl"]["_M_start"], vector["_M_impl"]["_M_finish"]
    return [first[i] for i in range(int(last - first))]


def pointee(unique_pointer):
    """The object of a std::unique_ptr, which is just as large as a pointer."""
    kind = unique_pointer.type.strip_typedefs().template_argument(0)
    return unique_pointer.address.cast(kind.pointer().pointer()).dereference().dereference()


def saved_stack(fiber):
    """The names of the functions in which a fiber waits, the innermost first, without those that switch."""
    pointer = int(fiber["inside_"]["fctx_"])
    if pointer == 0:
        return []
    before = {name: int(gdb.parse_and_eval("(unsigned long)$" + name)) for name, _ in SAVED}
    before["rsp"] = int(gdb.parse_and_eval("(unsigned long)$rsp"))
    try:
        for name, offset in SAVED:
            gdb.execute("set var $%s = *(unsigned long*)%d" % (name, pointer + offset), to_string=True)
        gdb.execute("set var $rsp = %d" % (pointer + SAVED_BYTES), to_string=True)
        names = []
        frame = gdb.newest_frame()
        while frame is not None and frame.is_valid() and len(names) < SHOWN_FRAMES:
            name = frame.name()
            if name is not None and not name.startswith("boost::") and not any(switch in name for switch in SWITCHES):
                names.append(name)
            frame = frame.older()
        return names
    finally:
        for name, value in before.items():
            gdb.execute("set var $%s = %d" % (name, value), to_string=True)


class Fibers(gdb.Command):
    """Shows the fibers of a worker: number, state, and the functions in which each waits.
    fibers [EXPRESSION]: of a FiberScheduler, WorkerThread or Worker; else of the stack that is being looked at."""

    def __init__(self):
        super().__init__("fibers", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        """Prints a line for each fiber that has not returned."""
        scheduler = scheduler_of(gdb.parse_and_eval(argument)) if argument else scheduler_of_frames()
        if scheduler is None:
            raise gdb.GdbError("%s is no FiberScheduler, WorkerThread or Worker" % argument)
        current = int(scheduler["current_"])
        sleeping = {int(sleeper["fiber"]): int(sleeper["deadline"]["count_"]) for sleeper in elements(scheduler["sleepers_"])}
        frame = gdb.selected_frame()
        for number, slot in enumerate(elements(scheduler["fibers_"])):
            if not slot["alive"]:
                continue
            if number == current:
                state = "running"
            elif slot["queued"]:
                state = "ready"
            elif number in sleeping:
                state = "sleeping until %d ns" % sleeping[number]
            else:
                state = "waiting"
            names = [] if number == current else saved_stack(pointee(slot["fiber"]))
            gdb.write("fiber %-4d %-9s  %s\n" % (number, state, " < ".join(names)))
        frame.select()


Fibers()
