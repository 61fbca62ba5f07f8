"""Runs ucpo: a failure becomes one line that says what to do, and no child outlives the script."""
import re
import shutil
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor


class Trouble(Exception):
    """Something the user should read; ends the script."""


class Interrupted(Exception):
    """Ctrl-C: running jobs have been told. The text, if any, says what is lost."""


def leash():
    """What makes a child end with us even if we are killed: setpriv of util-linux, where it can."""
    words = ["setpriv", "--pdeathsig", "TERM", "--"]
    try:
        tried = subprocess.run([*words, "true"], capture_output=True, check=False)
    except OSError:
        return []
    return words if tried.returncode == 0 else []


def first_words(path):
    """The first line of what a program answers to --version."""
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, errors="replace", check=False)
    except OSError as trouble:
        return trouble.strerror
    return (done.stdout or done.stderr).partition("\n")[0]


class Program:
    """ucpo, and its processes that are under way."""

    def __init__(self, name):
        self.path = shutil.which(name)
        if not self.path:
            raise Trouble(f"{name}: no program that can be run; build it (make demo) or name it: --ucpo")
        said = first_words(self.path)
        if not said.startswith("ucpo "):
            raise Trouble(f"{self.path}: is not ucpo ('--version' says '{said}'); name another: --ucpo")
        self.leash = leash()
        self.starter = ThreadPoolExecutor(1)  # in a thread that hears no signal, so that none is started and forgotten
        self.processes = set()
        self.is_stopped = False
        self.lock = threading.Lock()

    def start(self, command):
        with self.lock:
            if self.is_stopped:
                raise Interrupted
            process = subprocess.Popen([*self.leash, *command], text=True, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, start_new_session=True)
            self.processes.add(process)
        return process

    def call(self, *arguments):
        """Its output."""
        command = [self.path, *map(str, arguments)]
        started = self.starter.submit(self.start, command)
        try:
            process = started.result()
            output, errors = process.communicate()
        except BaseException:  # Ctrl-C while the plan is made
            if not started.exception():
                end(started.result())
            raise
        with self.lock:
            self.processes.discard(process)
            if self.is_stopped:
                raise Interrupted
        if process.returncode != 0:
            raise Trouble(explain(command, process.returncode, errors.strip()))
        return output

    def stop(self):
        with self.lock:
            self.is_stopped = True
            for process in self.processes:
                process.terminate()  # a shell may have had SIGINT ignored for what it starts


def end(process):
    """Ends a process, and comes back when it has ended."""
    process.terminate()
    try:
        process.wait(60)
    except BaseException:  # it does not hear, or Ctrl-C again
        process.kill()
        process.wait()


def explain(command, status, errors):
    """One line if it is about a set or a run in OUT, else what was called and what it said."""
    set_file = command[command.index("--set") + 1] if "--set" in command else None
    if set_file and f"error: {set_file}:" in errors:
        return f"{errors.partition('error: ')[2]}; if it is damaged, remove {set_file} and call again"
    found = re.search(r"error: ((.*\bruns/[0-9a-f]{16})(?:/[^/:]*)?(?::\d+)?: .*)", errors)
    if not found:
        return f"{' '.join(command)}\n  exit status {status}: {errors}"
    text, run = found.groups()
    if "another process" in text:
        return f"{text}: wait until it has ended, and call again"
    return f"{text}; if it is damaged, remove {run} and call again"
