import { TALK_RATE } from './samples.ts';

/**
 * Jitter buffer for audio at 16 kHz that has not been played yet. Before playback begins, it collects some audio,
 * because frames may be late. Each time the buffer runs empty, it collects more than before. Audio that stops in the
 * middle is faded out within 5 ms, because a sudden stop would be audible as a click.
 */
export class JitterBuffer {
  readonly #pieces: (Int16Array | string)[] = [];
  #waiting = 0;
  #isPlaying = false;
  #targetMs = TARGET_MS;
  /**
   * Whether a mark, which ends a sentence, directly followed the last sample. If the buffer is empty at that point, no
   * audio is late.
   */
  #isAtMark = false;
  /** Time, in samples, for which the collected audio has waited for playback to begin. */
  #waitedFor = 0;
  /** Last sample that was played. */
  #last = 0;
  /** Samples of a fade-out that still have to be played. */
  #fade: Int16Array | undefined;
  /** Current factor of the fade-in, from 0 to 1. */
  #gain = 0;

  push(samples: Int16Array): void {
    if (samples.length === 0) return;
    this.#pieces.push(samples);
    this.#waiting += samples.length;
  }

  /** Adds a mark. `pull` returns its name once all audio before it has been played. */
  mark(name: string): void {
    this.#pieces.push(name);
  }

  /** Drops all audio and all marks. Audio that is playing is faded out. */
  clear(): void {
    if (this.#isPlaying) this.#fade = this.#takeFade();
    this.#pieces.length = 0;
    this.#waiting = 0;
    this.#isPlaying = false;
    this.#gain = 0;
  }

  get isPlaying(): boolean {
    return this.#isPlaying;
  }

  /**
   * Returns the next samples, with silence where audio is missing. `played` contains the names of the marks that
   * playback has reached.
   */
  pull(count: number): { samples: Int16Array; played: readonly string[] } {
    const samples = new Int16Array(count);
    const played: string[] = [];
    let at = this.#takeFaded(samples);
    if (!this.#isPlaying && !this.#mayBegin(count)) {
      if (this.#waiting === 0) played.push(...this.#takeMarks());
      return { samples, played };
    }
    this.#isPlaying = true;
    this.#waitedFor = 0;
    while (at < count && this.#pieces.length > 0) {
      const piece = this.#pieces[0]!;
      if (typeof piece === 'string') {
        played.push(...this.#takeMarks());
        continue;
      }
      at += this.#copy(piece, samples, at);
    }
    // `#takeMarks` returns the marks that directly follow the last sample, which have been reached as well.
    played.push(...this.#takeMarks());
    if (at < count) this.#ranDry(samples, at);
    return { samples, played };
  }

  #mayBegin(count: number): boolean {
    if (this.#waiting === 0) {
      this.#waitedFor = 0;
      return false;
    }
    this.#waitedFor += count;
    const isWhole = this.#pieces.some((piece) => typeof piece === 'string');
    const target = samplesOf(this.#targetMs);
    // Playback starts early if a sentence is complete, or if the collected audio has waited twice as long as the
    // target.
    return isWhole || this.#waiting >= target || this.#waitedFor >= 2 * target;
  }

  #copy(piece: Int16Array, to: Int16Array, at: number): number {
    const taken = Math.min(piece.length, to.length - at);
    for (let one = 0; one < taken; one += 1) {
      this.#gain = Math.min(1, this.#gain + 1 / FADE);
      to[at + one] = Math.round(piece[one]! * this.#gain);
    }
    this.#last = to[at + taken - 1]!;
    this.#waiting -= taken;
    this.#isAtMark = false;
    if (taken === piece.length) this.#pieces.shift();
    else this.#pieces[0] = piece.subarray(taken);
    return taken;
  }

  #takeMarks(): string[] {
    const marks: string[] = [];
    while (typeof this.#pieces[0] === 'string') marks.push(this.#pieces.shift() as string);
    if (marks.length > 0) this.#isAtMark = true;
    return marks;
  }

  #ranDry(samples: Int16Array, at: number): void {
    this.#isPlaying = false;
    this.#gain = 0;
    if (!this.#isAtMark) this.#targetMs = Math.min(TARGET_MAX_MS, this.#targetMs * 1.5);
    this.#fade = Int16Array.from({ length: FADE }, (_, one) =>
      Math.round(this.#last * (1 - (one + 1) / FADE)),
    );
    const filled = this.#takeFaded(samples.subarray(at));
    samples.fill(0, at + filled);
  }

  /** Returns a fade-out of the samples that would be played next. */
  #takeFade(): Int16Array {
    const next = new Int16Array(FADE).fill(this.#last);
    let at = 0;
    for (const piece of this.#pieces) {
      if (typeof piece === 'string') continue;
      next.set(piece.subarray(0, FADE - at), at);
      at += Math.min(piece.length, FADE - at);
      if (at === FADE) break;
    }
    const from = this.#gain;
    return next.map((sample, one) => Math.round(sample * from * (1 - (one + 1) / FADE)));
  }

  #takeFaded(to: Int16Array): number {
    if (!this.#fade) return 0;
    const taken = Math.min(this.#fade.length, to.length);
    to.set(this.#fade.subarray(0, taken));
    this.#fade = taken < this.#fade.length ? this.#fade.slice(taken) : undefined;
    this.#last = 0;
    return taken;
  }
}

const samplesOf = (ms: number): number => Math.round((ms * TALK_RATE) / 1_000);

const TARGET_MS = 60;
const TARGET_MAX_MS = 240;
/** Length of a fade-in or fade-out in samples: 5 ms. */
const FADE = 80;
