import { setTimeout as delay } from 'node:timers/promises';

/** Somebody who speaks with an agent in real time, over whatever line. Times are those of performance.now(). */
export type Voice = {
  /** Resolves when the question is said, with when its last sound went. */
  ask: () => Promise<number>;
  /** Says something into an answer. */
  interrupt: () => Promise<unknown>;
  /** When a provider was asked for the words that ended at `endMs`. */
  askedAfter: (endMs: number) => Promise<number>;
  heard: Heard;
};

/** What came over a line. */
export type Heard = {
  /** How much came so far: what comes next is at this place. */
  place: (kind: Kind) => number;
  /** When the first of a kind came, at this place or behind it; undefined: not yet. */
  cameAt: (kind: Kind, place: number) => number | undefined;
  /** When frames of sound came, from this place on. */
  soundsFrom: (place: number) => number[];
  lastSoundMs: () => number | undefined;
};

/** `clear`: the order to be silent, or the silence where nobody gives one. */
export type Kind = 'sound' | 'clear';

/** A frame of a telephone's line; `isSound`: not of silence alone. */
export type Came = { at: number; event: string; isSound: boolean };

/** Where all frames are in one list; one that grows. */
export function heardIn(came: readonly Came[]): Heard {
  const isOf = (kind: Kind, { event, isSound }: Came): boolean =>
    kind === 'sound' ? event === 'media' && isSound : event === kind;
  return {
    place: () => came.length,
    cameAt: (kind, place) => {
      for (let at = place; at < came.length; at += 1)
        if (isOf(kind, came[at]!)) return came[at]!.at;
      return undefined;
    },
    soundsFrom: (place) =>
      came.slice(place).flatMap(({ event, at }) => (event === 'media' ? [at] : [])),
    lastSoundMs: () => came.findLast((one) => isOf('sound', one))?.at,
  };
}

export type Seen = {
  /** ms: end of speech to the request for its words, with the silence that ends it; from there to the first sound. */
  detected: number[];
  answered: number[];
  /** ms: from the beginning of what interrupts to the order to be silent. */
  cleared: number[];
  /** ms: how far two frames are from 20 ms. */
  jitter: number[];
  /** How many answers were over before whoever spoke into them was understood to: on a machine that is too slow. */
  missed: number;
};

export const nothingSeen = (): Seen => ({
  answered: [],
  detected: [],
  cleared: [],
  jitter: [],
  missed: 0,
});

/** Sound is sent ahead at first; what follows is at its pace. The answers of benches have two seconds and more. */
const LISTENED_MS = 700;
const AHEAD_FRAMES = 8;

/** Asks, hears the beginning of the answer, speaks into it, and hears the next one to its end. */
export async function askAndInterrupt(voice: Voice, seen: Seen): Promise<void> {
  const { heard } = voice;
  const endMs = await voice.ask();
  const from = heard.place('sound');
  const [askedMs, firstMs] = await Promise.all([
    voice.askedAfter(endMs),
    nextOf(heard, 'sound', from),
  ]);
  seen.detected.push(askedMs - endMs);
  seen.answered.push(firstMs - askedMs);
  await delay(LISTENED_MS);
  const paced = heard.soundsFrom(from).slice(AHEAD_FRAMES - 1);
  seen.jitter.push(...paced.slice(1).map((at, i) => Math.abs(at - paced[i]! - 20)));
  const startMs = performance.now();
  const beforeClear = heard.place('clear');
  void voice.interrupt();
  const clearMs = await nextOf(heard, 'clear', beforeClear, 3_000).catch(() => undefined);
  if (clearMs === undefined) seen.missed += 1;
  else seen.cleared.push(clearMs - startMs);
  await nextOf(heard, 'sound', heard.place('sound'));
  await untilSilent(voice);
}

/** Nothing was sent for as long as what was sent ahead is played. */
export async function untilSilent({ heard }: Pick<Voice, 'heard'>): Promise<void> {
  await nextOf(heard, 'sound', 0);
  while (performance.now() - (heard.lastSoundMs() ?? 0) < 300) await delay(20);
}

async function nextOf(heard: Heard, kind: Kind, place: number, withinMs = 20_000): Promise<number> {
  const givenUpMs = performance.now() + withinMs;
  for (;;) {
    const at = heard.cameAt(kind, place);
    if (at !== undefined) return at;
    if (performance.now() > givenUpMs) throw new Error(`no ${kind} within ${withinMs} ms`);
    await delay(1);
  }
}
