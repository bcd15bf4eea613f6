"""A mail server with one file per mail (Maildir): delivery with fsync, moves, an index for each box, deletions.

    python3 maildir.py FOLDER STEPS PER_SECOND
"""

import math
import os
import random
import sys
import time

BOXES = 8


def sync_folder(path):
    """What was renamed or removed in it is durable."""
    folder = os.open(path, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def deliver(box, number, size):
    """A mail, written aside, synced, and moved to the box."""
    aside, there = f"{box}/tmp/{number}", f"{box}/new/{number}"
    with open(aside, "wb") as file:
        file.write(os.urandom(size))
        file.flush()
        os.fsync(file.fileno())
    os.rename(aside, there)
    sync_folder(f"{box}/new")


def main():
    """Runs the steps, evenly in time."""
    path, count, rate = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    draw = random.Random(20)
    boxes = [f"{path}/box{number}" for number in range(BOXES)]
    mails = {box: [] for box in boxes}
    for box in boxes:
        for folder in ("tmp", "new", "cur"):
            os.makedirs(f"{box}/{folder}")
    start = time.monotonic()
    for number in range(count):
        time.sleep(max(0, start + number / rate - time.monotonic()))
        box = boxes[int(BOXES * draw.random() ** 2)]
        kind = draw.random()
        if kind < 0.6 or not mails[box]:
            # Half of the mails are below 6 KiB, one in fifty is above 100 KiB.
            size = min(int(6000 * math.exp(draw.gauss(0, 1.4))) + 400, 1 << 20)
            deliver(box, number, size)
            mails[box].append(f"new/{number}")
        elif kind < 0.8:
            # Read, and marked as seen.
            at = draw.randrange(len(mails[box]))
            old = mails[box][at]
            with open(f"{box}/{old}", "rb") as file:
                file.read()
            mails[box][at] = f"cur/{old.split('/')[1].split(':')[0]}:2,S"
            os.rename(f"{box}/{old}", f"{box}/{mails[box][at]}")
        else:
            os.remove(f"{box}/{mails[box].pop(draw.randrange(len(mails[box])))}")
        with open(f"{box}/index", "ab") as index:
            index.write(b"%032d" % number)
            if number % 4 == 0:
                index.flush()
                os.fsync(index.fileno())
        if len(mails[box]) > 400:
            for old in mails[box][:100]:
                os.remove(f"{box}/{old}")
            del mails[box][:100]


if __name__ == "__main__":
    main()
