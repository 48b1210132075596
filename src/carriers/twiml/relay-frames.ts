import { z } from 'zod';
import type { Relay, RelayFrame } from '../carrier.ts';
import { relayTwiml, type RelayVoice } from './twiml.ts';

/**
 * ConversationRelay frames, which are the same for Twilio and Telnyx. Each is a JSON object. Unknown properties are
 * ignored.
 */
const Setup = z.object({
  type: z.literal('setup'),
  callSid: z.string().min(1).max(256),
  accountSid: z.string().max(256).optional(),
  customParameters: z.record(z.string(), z.unknown()).nullish(),
});

const Frame = z.discriminatedUnion('type', [
  Setup,
  z.object({
    type: z.literal('prompt'),
    voicePrompt: z.string().max(32_000),
    last: z.boolean().optional(),
  }),
  z.object({
    type: z.literal('interrupt'),
    utteranceUntilInterrupt: z.string().max(100_000).nullish(),
  }),
  z.object({ type: z.literal('dtmf'), digit: z.string().max(1) }),
  z.object({ type: z.literal('error'), description: z.string().nullish() }),
]);

export function readRelayFrame(text: string): RelayFrame | undefined {
  try {
    const frame = Frame.safeParse(JSON.parse(text)).data;
    return frame && neutral(frame);
  } catch {
    return undefined;
  }
}

function neutral(frame: z.output<typeof Frame>): RelayFrame {
  switch (frame.type) {
    case 'setup':
      return { type: 'setup', callId: frame.callSid, token: frame.customParameters?.['token'] };
    case 'prompt': {
      const text = frame.voicePrompt.trim();
      return frame.last !== false && text !== '' ? { type: 'heard', text } : { type: 'other' };
    }
    case 'interrupt':
      return { type: 'interrupted', playedText: frame.utteranceUntilInterrupt ?? '' };
    case 'dtmf':
      return { type: 'digit', digit: frame.digit };
    case 'error':
      return { type: 'error', description: frame.description ?? undefined };
    default:
      return frame satisfies never;
  }
}

/**
 * Returns a frame with part of an utterance. If `isKept` is true, the user cannot interrupt it, regardless of the
 * session's setting.
 */
export const sayFrame = (token: string, isKept = false): string => textFrame(token, false, isKept);
export const lastFrame = (isKept = false): string => textFrame('', true, isKept);
const textFrame = (token: string, last: boolean, isKept: boolean): string =>
  JSON.stringify({ type: 'text', token, last, ...(isKept && { interruptible: false }) });
export const keysFrame = (digits: string): string => JSON.stringify({ type: 'sendDigits', digits });
/**
 * Returns the frame that ends the session. The carrier sends `why` back as `handoffData` when it requests further
 * instructions.
 */
export const endFrame = (why?: string): string =>
  JSON.stringify({ type: 'end', ...(why !== undefined && { handoffData: why }) });

/**
 * Creates the `Relay` of a carrier that uses ConversationRelay. `voice` returns the attributes that select a voice for
 * this carrier.
 */
export function twimlRelay({
  voice,
  reportsEnd,
}: Pick<Relay, 'reportsEnd'> & {
  voice: (declared: { provider?: string | undefined; voiceId?: string | undefined }) => RelayVoice;
}): Relay {
  return {
    answer: ({ voice: declared, ...options }) => relayTwiml(options, declared && voice(declared)),
    reportsEnd,
    read: readRelayFrame,
    say: sayFrame,
    last: lastFrame,
    keys: keysFrame,
    end: endFrame,
  };
}
