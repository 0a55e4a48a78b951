"""A small client of Chromium's remote debugging protocol over its pipe: no ports, no packages beyond Python's own.

Messages are JSON texts ended by a zero byte, on file descriptors 3 (to the browser) and 4 (from it).
"""
import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time


class Browser:
    """Chromium without a window. Use as a context manager; `events` holds all that the page sent unasked."""

    def __init__(self, program, seconds=120):
        self.deadline = time.monotonic() + seconds
        self.events = []
        self.last = 0
        self.buffer = b""
        self.profile = tempfile.mkdtemp(prefix="mantissa_browser_")
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()
        arguments = [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--no-first-run", "--disable-background-networking", "--disable-component-update",
                     "--hide-scrollbars", "--window-size=1200,900", "--user-data-dir=" + self.profile,
                     "--remote-debugging-pipe", "about:blank"]
        # The browser finds its pipes at descriptors 3 and 4; those copied there must not be them.
        given = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (to_browser, from_browser)]
        self.process = subprocess.Popen(
            ["bash", "-c", 'exec "$@" 3<&%d 4>&%d' % tuple(given), "bash"] + arguments, pass_fds=given,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        for fd in given + [to_browser, from_browser]:
            os.close(fd)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable", page=True)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        os.close(self.write_end)
        os.close(self.read_end)
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def receive(self):
        """The next message."""
        while b"\0" not in self.buffer:
            left = self.deadline - time.monotonic()
            if left <= 0 or not select.select([self.read_end], [], [], left)[0]:
                raise TimeoutError("the browser did not answer in time")
            part = os.read(self.read_end, 1 << 20)
            if not part:
                raise RuntimeError("the browser ended")
            self.buffer += part
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, page=False, **parameters):
        """Runs a method of the protocol, of the page when `page`; its result."""
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if page:
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") != self.last:
                self.events.append(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']}")
            else:
                return answer["result"]

    def value(self, expression):
        """The value of a JavaScript expression in the page."""
        result = self.call("Runtime.evaluate", page=True, expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def load(self, address, ready):
        """Opens a page and waits until the expression `ready` is true."""
        self.call("Page.navigate", page=True, url=address)
        while not self.value(ready):
            if time.monotonic() > self.deadline:
                raise TimeoutError(f"{address}: not ready: {ready}")
            time.sleep(0.1)

    def named(self, *methods):
        """The events of these names so far."""
        return [e for e in self.events if e.get("method") in methods]
