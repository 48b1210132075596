import { z } from 'zod';
import { fromUuid } from '../../ids.ts';
import type { DueEvent, TelephonyProvider } from './provider.ts';
import { saying } from '../../platform/resources/schema/patterns.ts';

/**
 * A provider without a telephone: the other end follows a script, so that everything behind a call
 * (conversation, escalation, events, a crash in the middle) can be tried and tested for real.
 */

const LONGEST_WAIT_MS = 60_000;
const TURNS_MAX = 1_000;
/** As for a written message. */
const TEXT_MAX = 32_000;

const wait = z.int().min(0).max(LONGEST_WAIT_MS);

export const SimulatedScript = z
  .strictObject({
    answer: z
      .enum(['answered', 'busy', 'no_answer', 'failed', 'voicemail'])
      .default('answered')
      .describe('Who or what picks up.'),
    ring_ms: wait.default(0).describe('How long it rings, in milliseconds.'),
    turns: z
      .array(
        z.strictObject({
          text: z
            .string()
            .min(1)
            .max(TEXT_MAX)
            .regex(...saying(/\S/, 'must have more than white space'))
            .describe('What the user says; not only white space.'),
          after_ms: wait.default(0).describe('Counted from the end of the turn before.'),
        }),
      )
      .max(TURNS_MAX)
      .default([])
      .describe('What the user says, in order.'),
    hang_up: z
      .boolean()
      .optional()
      .describe(
        'Whether the user hangs up after the last turn; default: if there are turns. Otherwise ' +
          'the line stays open until the call is ended, or by silence.',
      ),
  })
  .describe('How the other end of a simulated call behaves.');

export type SimulatedScript = z.output<typeof SimulatedScript>;

export const simulated: TelephonyProvider = {
  name: 'simulated',
  place: async ({ id }) => ({
    providerCallId: `sim_${fromUuid('call', id).slice('call_'.length)}`,
  }),
  eventAt: ({ providerOptions, step }) => {
    const events = eventsOf(SimulatedScript.parse(providerOptions));
    const at = events[step];
    return at && { event: at.event, nextAfterMs: events[step + 1]?.afterMs ?? null };
  },
  // Nobody listens: what was said is in the conversation.
  say: async () => undefined,
  hangUp: async () => undefined,
};

type ScriptedEvent = { afterMs: number; event: DueEvent['event'] };

/** The script as events, each with its wait after the one before. */
function eventsOf(script: SimulatedScript): ScriptedEvent[] {
  const ringing: ScriptedEvent = { afterMs: 0, event: { type: 'ringing' } };
  return [
    ringing,
    ...afterRinging(script).map((scripted, i) =>
      i === 0 ? { ...scripted, afterMs: script.ring_ms } : scripted,
    ),
  ];
}

function afterRinging({ answer, turns, hang_up }: SimulatedScript): ScriptedEvent[] {
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
      const heard = turns.map(({ text, after_ms }) => at({ type: 'heard', text }, after_ms));
      const hangsUp = hang_up ?? turns.length > 0;
      return [at({ type: 'answered' }), ...heard, ...(hangsUp ? [at({ type: 'hung_up' })] : [])];
    }
    default:
      return answer satisfies never;
  }
}
