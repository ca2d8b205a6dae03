"""Notices every file and folder of a vault that any process opens or reads, by inotify (the standard library has no binding)."""
import ctypes
import os
import select
import struct
import time

ACCESSED, OPENED, OVERFLOWED = 0x1, 0x20, 0x4000
EVENT_HEAD = struct.Struct("iIII")  # watch, mask, cookie, length of the name that follows


class ProbeBlind(Exception):
    """This machine does not report directory reads, so nothing can be concluded from silence."""


class AccessProbe:
    def __init__(self, root):
        self.root = root
        folders = [folder for folder, _, _ in os.walk(root)]
        libc = ctypes.CDLL(None, use_errno=True)
        self.inotify = libc.inotify_init1(os.O_NONBLOCK)
        self.folders = {}
        for folder in folders:
            watch = libc.inotify_add_watch(self.inotify, os.fsencode(folder), ACCESSED | OPENED)
            if watch < 0:
                raise ProbeBlind(f"cannot watch {folder}: {os.strerror(ctypes.get_errno())}")
            self.folders[watch] = folder
        self.touched()
        os.listdir(root)
        if not self.touched():
            raise ProbeBlind("reading a directory raised no event")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.inotify)

    def wait_for_quiet(self, quiet=0.3, give_up=10):
        """A server may be checking its index against the vault in the background; that is not part of a call."""
        end = time.monotonic() + give_up
        self.touched()
        while time.monotonic() < end and select.select([self.inotify], [], [], quiet)[0]:
            self.touched()
            time.sleep(quiet)

    def relative(self, watch, name):
        return os.path.relpath(os.path.join(self.folders[watch], name), self.root)

    def touched(self):
        """Paths with an event since the last time this was asked."""
        paths = []
        while select.select([self.inotify], [], [], 0)[0]:
            events = os.read(self.inotify, 1 << 20)
            while events:
                watch, mask, _, length = EVENT_HEAD.unpack_from(events)
                name = os.fsdecode(events[EVENT_HEAD.size : EVENT_HEAD.size + length].rstrip(b"\0"))
                paths.append("(too many to tell)" if mask & OVERFLOWED else self.relative(watch, name))
                events = events[EVENT_HEAD.size + length :]
        return paths
