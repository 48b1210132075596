import { z } from 'zod';

/**
 * Frames of ConversationRelay, which Twilio and Telnyx send alike: JSON, one object each. Members that we do
 * not use are not looked at.
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

export type RelayFrame = z.output<typeof Frame>;

/** undefined: it is no frame that we know; a carrier may send new ones. */
export function readFrame(text: string): RelayFrame | undefined {
  try {
    return Frame.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

export type RelayEvent =
  | { type: 'heard'; text: string }
  /** The user spoke into what was being said, having heard that much of it. */
  | { type: 'interrupted'; heard: string }
  | { type: 'digit'; digit: string };

/** What a frame tells of the line; undefined: nothing. Half an utterance is none. */
export function eventOf(frame: RelayFrame): RelayEvent | undefined {
  switch (frame.type) {
    case 'prompt': {
      const text = frame.voicePrompt.trim();
      return frame.last !== false && text !== '' ? { type: 'heard', text } : undefined;
    }
    case 'interrupt':
      return { type: 'interrupted', heard: frame.utteranceUntilInterrupt ?? '' };
    case 'dtmf':
      return { type: 'digit', digit: frame.digit };
    case 'setup':
    case 'error':
      return undefined;
    default:
      return frame satisfies never;
  }
}

/** `isKept`: nobody interrupts it, whatever the session says. */
export const sayFrame = (token: string, isKept = false): string => textFrame(token, false, isKept);
export const lastFrame = (isKept = false): string => textFrame('', true, isKept);
const textFrame = (token: string, last: boolean, isKept: boolean): string =>
  JSON.stringify({ type: 'text', token, last, ...(isKept && { interruptible: false }) });
export const keysFrame = (digits: string): string => JSON.stringify({ type: 'sendDigits', digits });
/** `handoffData` comes back with the carrier's question what is next. */
export const endFrame = (why?: string): string =>
  JSON.stringify({ type: 'end', ...(why !== undefined && { handoffData: why }) });
