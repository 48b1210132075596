import { z } from 'zod';
import { fromUuid } from '../../ids.ts';
import type { Redacted } from '../../conversations/redaction/redact.ts';
import type { DueEvent, Transport } from '../transport.ts';
import { saying } from '../../platform/resources/schema/patterns.ts';

/**
 * Transport without a telephone: a script replaces the user and the network. Everything else about the call is real:
 * the conversation, escalations, events, and recovery after a crash.
 */

const LONGEST_WAIT_MS = 60_000;
const TURNS_MAX = 1_000;
/** Maximum length of an utterance, the same as for a written message. */
const TEXT_MAX = 32_000;

const wait = z.int().min(0).max(LONGEST_WAIT_MS);

const turn = z.strictObject({
  text: z
    .string()
    .min(1)
    .max(TEXT_MAX)
    .regex(...saying(/\S/, 'must not be blank'))
    .describe('What the user says.'),
  after_ms: wait
    .default(0)
    .describe('Milliseconds to wait before this turn, counted from the end of the previous one.'),
});

export const SimulatedScript = z
  .strictObject({
    answer: z
      .enum(['answered', 'busy', 'no_answer', 'failed', 'voicemail'])
      .default('answered')
      .describe('Outcome of dialing: a person or voicemail answers, or nobody does.'),
    ring_ms: wait.default(0).describe('Duration of the ringing, in milliseconds.'),
    turns: z.array(turn).max(TURNS_MAX).default([]).describe('Turns of the user, in order.'),
    hang_up: z
      .boolean()
      .optional()
      .describe(
        'If true, the user hangs up after the last turn. If false, the line stays open until ' +
          'the call is ended or the user has been silent for too long. Default: true if there are turns.',
      ),
  })
  .describe('How the other end of a simulated call behaves.');

export type SimulatedScript = z.output<typeof SimulatedScript>;

/**
 * A stored turn with its redactions. A placeholder may be longer than the text that it replaces, so the text has no
 * maximum here.
 */
const keptTurn = turn.extend({ text: z.string(), redacted: z.custom<Redacted>().optional() });
const KeptScript = SimulatedScript.extend({ turns: z.array(keptTurn).default([]) });
type KeptScript = z.output<typeof KeptScript>;

/** Value of `provider` for a simulated call. No TelephonyProvider may have this name. */
export const SIMULATED = 'simulated';

export const simulated: Transport = {
  place: async ({ id }) => ({
    providerCallId: `sim_${fromUuid('call', id).slice('call_'.length)}`,
  }),
  keepable: async (options, redact): Promise<KeptScript> => {
    const script = SimulatedScript.parse(options);
    const turns = await Promise.all(
      script.turns.map(async (turn) => {
        const { text, redacted } = await redact(turn.text);
        return { ...turn, text, ...(redacted && { redacted }) };
      }),
    );
    return { ...script, turns };
  },
  eventAt: ({ providerOptions, step }) => {
    const events = eventsOf(KeptScript.parse(providerOptions));
    const at = events[step];
    return at && { event: at.event, nextAfterMs: events[step + 1]?.afterMs ?? null };
  },
  // Does nothing, because nobody is listening and the agent's words are already stored in the conversation.
  say: async () => undefined,
  hangUp: async () => undefined,
  ask: async () => undefined,
};

type ScriptedEvent = { afterMs: number; event: DueEvent['event'] };

/** Converts the script into events, each with its delay after the previous event. */
function eventsOf(script: KeptScript): ScriptedEvent[] {
  const ringing: ScriptedEvent = { afterMs: 0, event: { type: 'ringing' } };
  return [
    ringing,
    ...afterRinging(script).map((scripted, i) =>
      i === 0 ? { ...scripted, afterMs: script.ring_ms } : scripted,
    ),
  ];
}

function afterRinging({ answer, turns, hang_up }: KeptScript): ScriptedEvent[] {
  const at = (event: DueEvent['event'], afterMs = 0): ScriptedEvent => ({ afterMs, event });
  switch (answer) {
    case 'busy':
    case 'no_answer':
      return [at({ type: 'not_connected', why: answer })];
    case 'failed':
      return [at({ type: 'not_connected', why: 'dial_failed' })];
    case 'voicemail':
      return [at({ type: 'answered' }), at({ type: 'message_left' })];
    case 'answered': {
      const heard = turns.map(({ text, redacted, after_ms }) =>
        at({ type: 'heard', text, redacted }, after_ms),
      );
      const hangsUp = hang_up ?? turns.length > 0;
      return [at({ type: 'answered' }), ...heard, ...(hangsUp ? [at({ type: 'hung_up' })] : [])];
    }
    default:
      return answer satisfies never;
  }
}
