#!/usr/bin/env python3
"""Help, completion and the manual page are made for terminals, shells and man, and know every command and flag."""

import os
import re
import shutil
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop(1)
COMMANDS = ["run", "bench", "hunt", "reproduce", "explain", "compare", "list", "doctor", "completion", "man", "help"]


def printed(*arguments):
    return subprocess.run([PROGRAM, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def completed(*words):
    """The words that bash offers for the last of these words of a command line."""
    line = " ".join("'%s'" % word for word in words)
    script = """
        eval "$("$1" completion bash)"
        COMP_WORDS=(%s)
        COMP_CWORD=%d
        _verbena 2>/dev/null
        printf '%%s\\n' "${COMPREPLY[@]}"
    """ % (line, len(words) - 1)
    command = ["bash", "-c", script, "bash", PROGRAM]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split()


class CompletionTest(unittest.TestCase):
    def test_bash_completes_commands(self):
        self.assertEqual(completed("verbena", "re"), ["reproduce"])
        self.assertEqual(set(completed("verbena", "")), {*COMMANDS, "--help", "--version"})

    def test_bash_completes_flags_of_the_command(self):
        self.assertEqual(completed("verbena", "run", "--sys"), ["--system"])
        self.assertEqual(completed("verbena", "bench", "--sys"), [])
        self.assertIn("--history", completed("verbena", "run", "--verify", "--"))

    def test_bash_completes_values(self):
        self.assertEqual(completed("verbena", "run", "--workload", "small"), ["smallbank"])
        self.assertEqual(completed("verbena", "run", "--workload", "=", "small"), ["smallbank"])
        self.assertEqual(completed("verbena", "bench", "multi-r"), ["multi-read"])
        self.assertEqual(completed("verbena", "run", "--set", "nic.qp_cache_e"), ["nic.qp_cache_entries="])
        self.assertEqual(completed("verbena", "completion", ""), ["bash", "zsh"])
        self.assertEqual(completed("verbena", "help", "re"), ["reproduce"])
        self.assertEqual(completed("verbena", "run", "--nodes", ""), [], "a number")

    def test_bash_completes_files(self):
        folder = os.environ["TEST_TMPDIR"]
        path = os.path.join(folder, "mine.toml")
        with open(path, "w", encoding="utf-8"):
            pass
        self.assertEqual(completed("verbena", "run", "--config", os.path.join(folder, "mi")), [path])
        self.assertEqual(completed("verbena", "run", "--system", os.path.join(folder, "mi")), [path])

    def test_every_flag_of_the_help_is_completed(self):
        for command in COMMANDS[:-3]:
            flags = re.findall(r"(?m)^  (?:-h,)?(--[a-z-]+)", printed(command, "--help"))
            self.assertLessEqual(set(flags), set(completed("verbena", command, "--")), command)

    def test_scripts_are_ones_that_shells_read(self):
        bash = printed("completion", "bash")
        subprocess.run(["bash", "-n"], input=bash, check=True, text=True)
        zsh = printed("completion", "zsh")
        self.assertTrue(zsh.startswith("#compdef verbena\n"))
        for command in COMMANDS:
            self.assertRegex(zsh, r"(?m)^ +'%s:" % command)
            self.assertRegex(zsh, r"(?m)^ +%s\)" % command)
        subprocess.run(["bash", "-n"], input=zsh, check=True, text=True)  # what they have in common: quotes, case, lists

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed; bash reads its script above, as far as they agree")
    def test_the_script_for_zsh_is_one_that_zsh_reads(self):
        subprocess.run(["zsh", "-n"], input=printed("completion", "zsh"), check=True, text=True)


class HelpTest(unittest.TestCase):
    def test_lines_of_help_fit_a_terminal(self):
        for arguments in ([], *([command] for command in COMMANDS)):
            for line in printed(*arguments, "--help").splitlines():
                words = line.split()
                self.assertTrue(len(line) <= 80 or len(words) == 1 or len(max(words, key=len)) > 40, line)

    def test_is_what_the_command_help_prints(self):
        self.assertEqual(printed("help"), printed("--help"))
        for command in COMMANDS:
            self.assertEqual(printed("help", command), printed(command, "--help"))

    def test_words_are_not_lost_by_wrapping(self):
        text = " ".join(printed("run", "--help").split())
        self.assertIn("write what each transaction read and wrote to this file, for checkers such as Elle", text)


class ManPageTest(unittest.TestCase):
    def test_has_all_sections_and_flags(self):
        page = printed("man")
        self.assertTrue(page.startswith(".TH VERBENA 1 "))
        for section in ("NAME", "SYNOPSIS", "COMMANDS", "OPTIONS OF run", "OPTIONS OF bench", "SETTINGS", "EXIT STATUS", "EXAMPLES"):
            self.assertIn('\n.SH "%s"\n' % section, page)
        for flag in re.findall(r"(?m)^  (--[a-z-]+)", printed("run", "--help")):
            if flag not in ("--help", "--config", "--set"):
                self.assertIn("\\fB%s\\fR" % flag.replace("-", "\\-"), page)
        self.assertRegex(page, r"(?m)^\\fBnic\.qp_cache_entries\\fR$")
        for line in page.splitlines():
            self.assertTrue(not line.startswith(("'", ".")) or line.startswith((".TH ", ".SH ", ".TP")), line)

    @unittest.skipUnless(shutil.which("groff"), "needs groff")
    def test_is_what_groff_understands(self):
        command = ["groff", "-man", "-Tascii", "-ww", "-P-c", "-P-b", "-P-u"]
        done = subprocess.run(command, input=printed("man"), check=True, text=True, capture_output=True)
        errors = [line for line in done.stderr.splitlines() if "cannot" not in line and "break" not in line]
        self.assertEqual(errors, [])
        self.assertIn("EXIT STATUS", done.stdout)


if __name__ == "__main__":
    unittest.main()
