"""A headless Chromium, driven through pipes by its DevTools protocol: the shell, since the browser needs a socket with a short path."""

import base64
import json
import os
import shutil
import subprocess
import tempfile

# Debian's name of the program, and of its package.
NAME = "chromium-headless-shell"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--hide-scrollbars", "--remote-debugging-pipe"]


class Browser:
    """One browser with one page; pages that are opened follow one another."""

    def __init__(self):
        program = shutil.which(NAME)
        if program is None:
            raise AssertionError("there is no %s: `./verbena test` installs what third_party/debian-packages.txt names" % NAME)
        self.directory = tempfile.TemporaryDirectory(prefix="browser-", dir=os.environ["TEST_TMPDIR"])
        home = self.directory.name
        asked, self.questions = os.pipe()
        self.answers, answered = os.pipe()
        self.process = subprocess.Popen(
            ["bash", "-c", 'exec 3<&"$1" 4>&"$2"; shift 2; exec "$@"', "bash", str(asked), str(answered), program, *FLAGS,
             "--user-data-dir=" + os.path.join(home, "profile"), "about:blank"],
            pass_fds=(asked, answered), env=dict(os.environ, HOME=home, TMPDIR=home), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(asked)
        os.close(answered)
        self.number = 0
        self.read = b""
        self.session = None
        self.events = []
        targets = self.ask("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        self.session = self.ask("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log":
            self.ask(domain + ".enable")

    def close(self):
        """Ends the browser with all that belongs to it."""
        self.session = None
        self.ask("Browser.close")
        self.process.wait(timeout=30)
        os.close(self.questions)
        os.close(self.answers)
        self.directory.cleanup()

    def message(self):
        """The next message from the browser."""
        while b"\0" not in self.read:
            more = os.read(self.answers, 1 << 20)
            if not more:
                raise AssertionError("%s has ended" % NAME)
            self.read += more
        text, self.read = self.read.split(b"\0", 1)
        return json.loads(text)

    def ask(self, method, **parameters):
        """The result of a method; what else happens meanwhile is kept as events."""
        self.number += 1
        question = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            question["sessionId"] = self.session
        os.write(self.questions, json.dumps(question).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") == self.number:
                if "error" in message:
                    raise AssertionError("%s: %s" % (method, message["error"]))
                return message["result"]
            self.events.append(message)

    def open(self, path):
        """Opens a file, until all of it is there."""
        self.events = []
        self.ask("Page.navigate", url="file://" + os.path.realpath(path))
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.message())

    def complaints(self):
        """Messages of the page in the console: errors, warnings, and all that scripts wrote."""
        kinds = {"Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled"}
        return [event for event in self.events if event.get("method") in kinds]

    def resize(self, width):
        """Shows the page in a window of this width in pixels."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False)

    def medium(self, name):
        """Shows the page as on a "screen", or as in "print"."""
        self.ask("Emulation.setEmulatedMedia", media=name)

    def paper(self):
        """The page as a PDF, on A4."""
        return base64.b64decode(self.ask("Page.printToPDF", paperWidth=8.27, paperHeight=11.69)["data"])

    def value(self, expression):
        """The value of a JavaScript expression."""
        result = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise AssertionError(result["exceptionDetails"])
        return result["result"].get("value")
