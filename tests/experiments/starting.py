"""Tests that start the program in a directory of their own, and read what it says and leaves behind."""

import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.realpath(sys.argv.pop(1))
# A figure of four points, two claims.
READS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reads.toml")
SHORT = ["--nodes", "3", "--threads", "2", "--duration", "100us", "--warmup", "20us"]


class StartingTest(unittest.TestCase):
    """Each test has an empty directory, in which the program is started."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory(dir=os.environ["TEST_TMPDIR"])
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def path(self, *parts):
        return os.path.join(self.directory, *parts)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return name

    def read(self, *parts):
        with open(self.path(*parts), "rb") as file:
            return file.read()

    def files(self):
        """The names of all files that are there."""
        return sorted(os.path.relpath(os.path.join(folder, name), self.directory) for folder, _, names in os.walk(self.directory)
                      for name in names)

    def start(self, *arguments, code=None, **how):
        """Runs the program, which has to end with `code` if that is given. One that hangs is killed, and fails the test."""
        how = {"stdin": subprocess.DEVNULL, "timeout": 60, **how}
        done = subprocess.run([PROGRAM, *arguments], cwd=self.directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False, **how)
        if code is not None:
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def accept(self, *arguments, **how):
        return self.start(*arguments, code=0, **how).stdout

    def refuse(self, pattern, *arguments, **how):
        """The program refuses what it is given, in one line of its own words; gives the line."""
        done = self.start(*arguments, code=2, **how)
        self.assertRegex(done.stderr, "^verbena: [^\n]*" + pattern + "[^\n]*\n$")
        self.assertNotRegex(done.stderr, r"json\.exception|stod|stoi|std::|terminate")
        self.assertEqual(done.stdout, "")
        return done.stderr
