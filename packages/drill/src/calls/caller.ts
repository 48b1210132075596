import { delay, monotonicMs } from '../../../../src/clock.ts';
import { BARGE_IN_MS } from '../../../../src/calls/lines/ear.ts';
import { eventually } from '../api.ts';
import type { Phone } from '../phone/phone.ts';
import type { Voice } from '../voice.ts';

/**
 * A simulated caller that records both sides. Times are `monotonicMs()`.
 */
export type Caller = {
  phone: Phone;
  /** In order, as it happened. */
  talk: readonly Said[];
  waits: readonly Wait[];
  breaks: readonly Break[];
  problems: readonly string[];
  /** Hears a turn of the agent to its end. */
  listen: (expected: string | undefined) => Promise<void>;
  /** Asks, and waits until an answer begins. */
  ask: (text: string) => Promise<void>;
  /** Hears so much of an answer, then breaks in with something else; waits until that is answered. */
  breakIn: (text: string, about: { expected: string; afterMs: number }) => Promise<void>;
  /** The same by keys. */
  pressInto: (
    keys: string,
    about: { expected: string; message: string; afterMs: number },
  ) => Promise<void>;
  /** Cuts the socket; resolves when the carrier has opened another one. */
  loseLine: () => Promise<void>;
  /** Makes a sound while the agent speaks, which is to go on. */
  disturb: (sound: Uint8Array, what: string) => Promise<void>;
};

/** `expected` undefined: whatever it is. `sound`: what was heard of the agent. */
export type Said =
  | { role: 'user'; text: string }
  | { role: 'agent'; expected: string | undefined; sound: Uint8Array; interrupted: boolean };

/** From the last sound of a question to the first of its answer. */
export type Wait = { turn: number; fromMs: number; toMs: number };

/** From the first sound of who breaks in to the order to be silent. */
export type Break = { turn: number; afterMs: number; silentMs: number | undefined };

/** What may pass beyond the time that somebody has to speak, until the agent is silent. */
export const SILENT_WITHIN_MS = BARGE_IN_MS + 300;
/** No answer for so long: none comes. */
const ANSWER_MS = 20_000;
/** What is understood may interrupt, once it is. */
const UNDERSTOOD_MS = 2_000;
const LOOK_MS = 10;
const DISTURB_AFTER_MS = 1_000;

/** What the caller remembers. */
type Memory = { talk: Said[]; waits: Wait[]; breaks: Break[]; problems: string[] };

export function createCaller(phone: Phone, voice: Voice): Caller {
  const memory: Memory = { talk: [], waits: [], breaks: [], problems: [] };
  const { talk, waits, problems } = memory;
  /** What is heard from here on is another turn. */
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
      await eventually('the line to be back', isBack, { everyMs: LOOK_MS });
      turnFromMs = monotonicMs();
    },
    disturb: async (sound, what) => {
      await afterFirstSound(DISTURB_AFTER_MS);
      const { fromMs } = await phone.say(sound);
      await delay(UNDERSTOOD_MS);
      if (phone.came(fromMs).some(({ event }) => event === 'clear')) {
        problems.push(`${what} has interrupted the agent`);
      }
    },
  };
}

async function untilSound(phone: Phone, sinceMs: number, what: string): Promise<number> {
  const { atMs } = await eventually(
    `${what} to be answered`,
    () => {
      const reason = phone.dropped();
      if (reason !== undefined) throw new Error(reason);
      return phone.came(sinceMs).find(({ isSound }) => isSound);
    },
    { timeoutMs: ANSWER_MS, everyMs: LOOK_MS },
  );
  return atMs;
}

/** When the agent was told to be silent, while somebody spoke; what else came meanwhile is a fault. */
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
    problems.push(`${afterMs} ms into an answer somebody broke in, and the agent spoke on`);
    return toMs;
  }
  if (silentMs > SILENT_WITHIN_MS) problems.push(`silent after ${Math.round(silentMs)} ms only`);
  const after = came.filter(({ event, atMs }) => event === 'media' && atMs > clear.atMs);
  if (after.some(({ atMs }) => atMs < toMs)) {
    problems.push('the agent spoke on after it had been silent');
  }
  return clear.atMs;
}
