"""Sentences, one a line of standard input, spoken by Piper: of each a line of JSON with its text, the loudest
sample of every 20 ms (peaks), when each of its words begins and ends (starts, ends; in frames of 20 ms), and what
Whisper understands by telephone of what was played of it and of the rest, when it is broken off once (cut: frame,
played, rest).
"""

import json
import os
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), ".."))

import numpy  # noqa: E402
from engines import RATE, joined, recognize, resampled, synthesize, times  # noqa: E402

FRAME = RATE / 50
TELEPHONE_RATE = 8000
# Less than a tenth of a second is asked of no recognizer.
LEAST = 5
# Of a sentence, where it is broken off: everywhere alike (the golden ratio).
NEXT_CUT = 0.618


def recognized(samples):
    return recognize(resampled(samples / 32768, RATE, TELEPHONE_RATE), TELEPHONE_RATE)


def line(text, share):
    samples, phonemes = joined(synthesize(text))
    starts, ends = times(text, phonemes)
    frames = [samples[int(i * FRAME) : int((i + 1) * FRAME)] for i in range(int(len(samples) / FRAME))]
    peaks = [int(numpy.abs(frame.astype(int)).max()) for frame in frames]
    frames_of = lambda samples: [at / FRAME for at in samples]  # noqa: E731
    frame = max(LEAST, int(share * ends[-1] / FRAME))
    played, rest = numpy.split(samples, [int(frame * FRAME)])
    return {
        "text": text,
        "peaks": peaks,
        "starts": frames_of(starts),
        "ends": frames_of(ends),
        "cut": {
            "frame": frame,
            "played": recognized(played),
            "rest": recognized(rest) if len(rest) >= LEAST * FRAME else "",
        },
    }


for number, asked in enumerate(sys.stdin):
    print(json.dumps(line(asked.strip(), number * NEXT_CUT % 1)), flush=True)
