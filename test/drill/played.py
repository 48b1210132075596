"""How much of a text was played: the voice knows its own sound again, and when it said which word."""

import numpy
from engines import RATE, resampled, times

# A sound begins that much later than the one before it ends, at most: the rest of a frame, and resampling.
LATER_SEC = 0.1
# Less of a sound is like any other.
ENOUGH_SEC = 0.3


class Played:
    def __init__(self):
        # What was spoken: its text, to its samples and when its words end and begin.
        self.spoken = {}

    def note(self, text, samples, phonemes):
        before = self.spoken.get(text)
        # One that was asked for in vain may have been spoken in part.
        if before is None or len(samples) > len(before[0]):
            self.spoken[text] = (samples / 32768, phonemes, {})

    def tell(self, text, heard, rate):
        """text: as far as it was heard; a word counts from its middle on. likeness: from 0 to 1, how much the
        sound is that of what was spoken, of the least like of its pieces; None: too little was."""
        words, likeness, at, rest = [], None, 0, text
        while rest and at < len(heard):
            piece = self.piece_of(rest)
            if piece is None:
                break
            samples, middles = self.at_rate(piece, rate)
            later, like = place_of(samples, heard[at:], int(LATER_SEC * rate))
            if min(len(samples), len(heard) - at) > ENOUGH_SEC * rate:
                likeness = like if likeness is None else min(like, likeness)
            at += later
            words += [word for word, middle in zip(piece.split(), middles) if at + middle <= len(heard)]
            at += len(samples)
            rest = rest[len(piece) :].strip()
        return {"text": " ".join(words), "likeness": likeness}

    def piece_of(self, text):
        """The longest that was spoken of the beginning of a text."""
        return max((one for one in self.spoken if text.startswith(one)), key=len, default=None)

    def at_rate(self, text, rate):
        samples, phonemes, made = self.spoken[text]
        if rate not in made:
            starts, ends = times(text, phonemes)
            middles = [(start + end) / 2 * rate / RATE for start, end in zip(starts, ends)]
            made[rate] = (resampled(samples, RATE, rate), middles)
        return made[rate]


def place_of(samples, heard, most):
    """How many samples later than at once a sound begins in what was heard, and how like the two are then."""
    best = (0, 0.0)
    for later in range(most + 1):
        part = heard[later : later + len(samples)]
        sound = samples[: len(part)]
        level = numpy.sqrt(numpy.dot(part, part) * numpy.dot(sound, sound))
        like = float(numpy.dot(part, sound) / level) if level > 0 else 0.0
        if like > best[1]:
            best = (later, like)
    return best
