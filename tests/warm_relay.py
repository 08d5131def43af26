"""The process that a test sees in place of a program which `warm_start.py` forks: `warm_relay.py SOCKET WORDS…`.

It imports next to nothing, hands its descriptors on, and ends as the program ends.
"""

import array
import json
import os
import signal
import socket
import sys

if __name__ == "__main__":
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(sys.argv[1])
    text = json.dumps({"words": sys.argv[2:], "environment": dict(os.environ), "folder": os.getcwd()}).encode()
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))]
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM):
        signal.signal(number, lambda number, frame: connection.send(bytes([number])))
    connection.sendmsg([len(text).to_bytes(8, "little")], rights)
    connection.sendall(text)
    status = int(connection.recv(16))
    if status < 0:
        signal.signal(-status, signal.SIG_DFL) if -status != signal.SIGKILL else None
        os.kill(os.getpid(), -status)
    os._exit(status)
