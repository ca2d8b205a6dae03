"""ripgrep on the same vault: the time to beat, and the truth about how many lines and files hold a text."""
import functools
import shutil
import subprocess
import time

MISSING = "ripgrep (`rg`) is not installed"
ROUNDS = 6


def is_installed():
    return shutil.which("rg") is not None


class Counts:
    """How often something matches, by file."""

    def __init__(self, output):
        pairs = (line.rpartition(":") for line in output.splitlines())
        self.by_file = {path.removeprefix("./"): int(count) for path, _, count in pairs}
        self.total = sum(self.by_file.values())


def literal(text):
    return ("--ignore-case", "--fixed-strings", "--", text)


def pattern(text):
    return ("--ignore-case", "--", text)


@functools.cache
def count(root, question):
    """Lines that match."""
    return Counts(run(root, question).decode())


@functools.cache
def count_matches(root, question):
    return Counts(run(root, question, "--count-matches").decode())


def best_time(root, questions, rounds=ROUNDS):
    """Nanoseconds of the fastest run; the questions take turns."""
    times = []
    for number in range(rounds):
        begun = time.perf_counter_ns()
        run(root, questions[number % len(questions)])
        times.append(time.perf_counter_ns() - begun)
    return min(times)


def run(root, question, output="--count"):
    """Counts instead of printing lines: reading what it prints would be charged to it."""
    command = ["rg", "--no-config", "--no-ignore", output, "--with-filename", *question, "."]
    return subprocess.run(command, cwd=root, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL).stdout
