import { delay, monotonicMs } from '../../../../src/clock.ts';
import { BARGE_IN_MS } from '../../../../src/voice/input/audio-input.ts';
import { eventually } from '../api.ts';
import type { Phone } from '../phone/phone.ts';
import type { Voice } from '../voice.ts';

/** Simulated caller. It records what both sides of the call say. Times come from `monotonicMs()`. */
export type Caller = {
  phone: Phone;
  /** Turns of the call so far, in order. */
  talk: readonly Said[];
  waits: readonly Wait[];
  breaks: readonly Break[];
  problems: readonly string[];
  /** Listens to an agent's turn until it ends. */
  listen: (expected: string | undefined) => Promise<void>;
  /** Asks a question and waits until the reply begins. */
  ask: (text: string) => Promise<void>;
  /**
   * Listens to the first `afterMs` milliseconds of a reply, interrupts it with another question, and waits until the
   * reply to that question begins.
   */
  breakIn: (text: string, about: { expected: string; afterMs: number }) => Promise<void>;
  /** Interrupts a reply with DTMF keys, in the same way as `breakIn`. */
  pressInto: (
    keys: string,
    about: { expected: string; message: string; afterMs: number },
  ) => Promise<void>;
  /** Breaks the socket. Resolves when the carrier has opened a new socket. */
  loseLine: () => Promise<void>;
  /** Plays audio while the agent speaks. Records a problem if the audio interrupts the agent. */
  disturb: (sound: Uint8Array, what: string) => Promise<void>;
};

/**
 * A turn of the call. `expected` is the reply that the agent should give; if it is undefined, any reply is accepted.
 * `sound` is the part of the agent's audio that was played to the caller.
 */
export type Said =
  | { role: 'user'; text: string }
  | { role: 'agent'; expected: string | undefined; sound: Uint8Array; interrupted: boolean };

/** Time from the end of a question to the first audio of its reply. */
export type Wait = { turn: number; fromMs: number; toMs: number };

/**
 * An interruption of the agent. `silentMs` is the time from the first audio of the interruption to the `clear` frame;
 * undefined if no `clear` frame arrived.
 */
export type Break = { turn: number; afterMs: number; silentMs: number | undefined };

/**
 * Maximum time in ms from an interruption until the agent is silent: the length of speech that counts as an
 * interruption, plus 300 ms.
 */
export const SILENT_WITHIN_MS = BARGE_IN_MS + 300;
/** Time in ms after which a reply counts as missing. */
const ANSWER_MS = 20_000;
/** Maximum time in ms that Parley needs to transcribe a sound. Until then, the sound may still interrupt the agent. */
const UNDERSTOOD_MS = 2_000;
const LOOK_MS = 10;
const DISTURB_AFTER_MS = 1_000;

type Memory = { talk: Said[]; waits: Wait[]; breaks: Break[]; problems: string[] };

export function createCaller(phone: Phone, voice: Voice): Caller {
  const memory: Memory = { talk: [], waits: [], breaks: [], problems: [] };
  const { talk, waits, problems } = memory;
  /** Time at which the agent's current turn began. */
  let turnFromMs = monotonicMs();

  const isQuiet = (forMs: number): boolean => monotonicMs() - phone.player.endMs() > forMs;

  function heard(expected: string | undefined, toMs: number, interrupted: boolean): void {
    const sound = phone.player.between(turnFromMs, toMs);
    talk.push({ role: 'agent', expected, sound, interrupted });
    turnFromMs = toMs;
  }

  async function afterFirstSound(ms: number): Promise<void> {
    const from = await untilSound(phone, turnFromMs, 'a question');
    await delay(Math.max(0, from + ms - monotonicMs()));
  }

  async function said(text: string, fromMs: number): Promise<void> {
    talk.push({ role: 'user', text });
    const turn = talk.length - 1;
    waits.push({ turn, fromMs, toMs: await untilSound(phone, fromMs, `“${text}”`) });
  }

  return {
    phone,
    ...memory,
    listen: async (expected) => {
      await untilSound(phone, turnFromMs, 'the call');
      while (!isQuiet(voice.pauseMs)) await delay(LOOK_MS);
      heard(expected, monotonicMs(), false);
    },
    ask: async (text) => {
      const { toMs } = await phone.say(await voice.utter(text));
      await said(text, toMs);
    },
    breakIn: async (text, { expected, afterMs }) => {
      const sound = await voice.utter(text);
      await afterFirstSound(afterMs);
      const spoken = await phone.say(sound);
      heard(expected, silenceIn(phone, memory, { ...spoken, afterMs }), true);
      await said(text, spoken.toMs);
    },
    pressInto: async (keys, { expected, message, afterMs }) => {
      await afterFirstSound(afterMs);
      const fromMs = monotonicMs();
      phone.press(keys);
      const clear = await eventually(
        'the agent to be silent after a key',
        () => phone.came(fromMs).find(({ event }) => event === 'clear'),
        { timeoutMs: SILENT_WITHIN_MS, everyMs: LOOK_MS },
      );
      heard(expected, clear.atMs, true);
      talk.push({ role: 'user', text: message });
      await untilSound(phone, clear.atMs, keys);
    },
    loseLine: async () => {
      const before = phone.reconnects();
      phone.cut();
      const isBack = (): true | undefined => phone.reconnects() > before || undefined;
      await eventually('the line to reconnect', isBack, { everyMs: LOOK_MS });
      turnFromMs = monotonicMs();
    },
    disturb: async (sound, what) => {
      await afterFirstSound(DISTURB_AFTER_MS);
      const { fromMs } = await phone.say(sound);
      await delay(UNDERSTOOD_MS);
      if (phone.came(fromMs).some(({ event }) => event === 'clear')) {
        problems.push(`${what} interrupted the agent`);
      }
    },
  };
}

async function untilSound(phone: Phone, sinceMs: number, what: string): Promise<number> {
  const { atMs } = await eventually(
    `an answer to ${what}`,
    () => {
      const reason = phone.dropped();
      if (reason !== undefined) throw new Error(reason);
      return phone.came(sinceMs).find(({ isSound }) => isSound);
    },
    { timeoutMs: ANSWER_MS, everyMs: LOOK_MS },
  );
  return atMs;
}

/**
 * Returns the time of the `clear` frame that an interruption caused. Records a problem if there is no `clear` frame, if
 * it is late, or if audio follows it.
 */
function silenceIn(
  phone: Phone,
  { breaks, problems, talk }: Memory,
  { fromMs, toMs, afterMs }: { fromMs: number; toMs: number; afterMs: number },
): number {
  const came = phone.came(fromMs);
  const clear = came.find(({ event }) => event === 'clear');
  const silentMs = clear && clear.atMs - fromMs;
  breaks.push({ turn: talk.length, afterMs, silentMs });
  if (!clear || silentMs === undefined) {
    problems.push(`the agent kept speaking after an interruption ${afterMs} ms into its answer`);
    return toMs;
  }
  if (silentMs > SILENT_WITHIN_MS)
    problems.push(`the agent stopped speaking too late, after ${Math.round(silentMs)} ms`);
  const after = came.filter(({ event, atMs }) => event === 'media' && atMs > clear.atMs);
  if (after.some(({ atMs }) => atMs < toMs)) {
    problems.push('the agent started to speak again after it had stopped');
  }
  return clear.atMs;
}
