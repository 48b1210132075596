import { KEYED, KEYS, LISTENING, GREETING, TOPICS, type Topic } from '../texts.ts';
import type { Voice } from '../voice.ts';
import type { Caller } from './caller.ts';
import { cough } from './cough.ts';

/** Script for a simulated caller. The caller hangs up after `play`. */
export type Script = {
  kind: string;
  /** Number of interruptions in the script. */
  breaks: number;
  play: (caller: Caller, voice: Voice) => Promise<void>;
};

/**
 * Each interruption comes between `SOONEST_MS` and `SOONEST_MS + SPREAD_MS` after the start of a reply. Replies take
 * eight seconds or more, so every interruption comes while the agent is still speaking.
 */
const SOONEST_MS = 600;
const SPREAD_MS = 5_000;
/**
 * Difference in ms, modulo `SPREAD_MS`, between the times of two successive interruptions, each measured from the start
 * of a reply. It is coprime with `SPREAD_MS`, so a time is repeated only after 5,000 interruptions.
 */
const STEP_MS = 733;

const topic = (at: number): Topic => TOPICS[at % TOPICS.length]!;

/** Returns a script in which the caller asks questions and listens to each reply to the end. */
export function questions(first: number, count = 2): Script {
  return {
    kind: 'questions',
    breaks: 0,
    play: async (caller) => {
      await caller.listen(GREETING);
      for (let at = 0; at < count; at += 1) {
        const { ask, answer } = topic(first + at);
        await caller.ask(ask);
        await caller.listen(answer);
      }
    },
  };
}

/**
 * Returns a script in which the caller interrupts repeatedly, each time during the reply to the previous interruption.
 */
export function interruptions(first: number, count: number): Script {
  return {
    kind: 'interruptions',
    breaks: count,
    play: async (caller) => {
      await caller.listen(GREETING);
      await caller.ask(topic(first).ask);
      for (let at = 0; at < count; at += 1) {
        const { answer } = topic(first + at);
        const afterMs = SOONEST_MS + (((first + at) * STEP_MS) % SPREAD_MS);
        await caller.breakIn(topic(first + at + 1).interrupt, { expected: answer, afterMs });
      }
      await caller.listen(topic(first + count).answer);
    },
  };
}

/** Script in which the caller coughs and says "yeah" while the agent speaks. Neither may interrupt the agent. */
export const listening: Script = {
  kind: 'cough and “yeah”',
  breaks: 0,
  play: async (caller, voice) => {
    const [one, other] = [topic(2), topic(3)];
    await caller.listen(GREETING);
    await caller.ask(one.ask);
    await caller.disturb(cough(), 'a cough');
    await caller.listen(one.answer);
    await caller.ask(other.ask);
    await caller.disturb(await voice.utter(LISTENING), `“${LISTENING}”`);
    await caller.listen(other.answer);
  },
};

export const keys: Script = {
  kind: 'keys',
  breaks: 0,
  play: async (caller) => {
    const { ask, answer } = topic(4);
    await caller.listen(GREETING);
    await caller.ask(ask);
    await caller.pressInto(KEYS, { expected: answer, message: KEYED, afterMs: 1_500 });
    await caller.listen(undefined);
  },
};

/** Script in which the connection breaks and the carrier reconnects. The conversation must then continue. */
export const cut: Script = {
  kind: 'lost connection',
  breaks: 0,
  play: async (caller) => {
    const [one, other] = [topic(0), topic(1)];
    await caller.listen(GREETING);
    await caller.ask(one.ask);
    await caller.listen(one.answer);
    await caller.loseLine();
    await caller.ask(other.ask);
    await caller.listen(other.answer);
  },
};
