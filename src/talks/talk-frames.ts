import { z } from 'zod';

/**
 * Frames on the WebSocket of a talk (contract/talks.md#socket). Each text frame is one JSON object. Binary frames
 * contain audio.
 */

export const TALK_PATH = '/v1/talk';
/** Audio sample rate in Hz, in both directions. */
export const TALK_RATE = 16_000;
export const MODES = ['chat', 'voice'] as const;
export type Mode = (typeof MODES)[number];

/** Frame from a page. Unknown properties are ignored, so that newer widgets work with older servers. */
const Frame = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('start'),
    token: z.string().max(60_000),
    mode: z.enum(MODES),
    resume: z.string().max(4_096).nullish(),
  }),
  z.object({ type: z.literal('message'), text: z.string() }),
  z.object({ type: z.literal('played'), name: z.string().max(256) }),
  z.object({ type: z.literal('end') }),
]);

export type PageFrame = z.output<typeof Frame>;
export type StartFrame = Extract<PageFrame, { type: 'start' }>;

/** Parses a frame from a page. Returns undefined if the frame is invalid or of an unknown type. */
export function readPageFrame(text: string): PageFrame | undefined {
  try {
    return Frame.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

export type TurnFrame = {
  type: 'turn';
  index: number;
  role: 'user' | 'agent' | 'human';
  text: string;
  interrupted: boolean;
};

/** Frame sent to a page. */
export type TalkFrame =
  | { type: 'ready'; conversation_id: string; resume: string; mode: Mode; sample_rate?: number }
  | TurnFrame
  | { type: 'text'; text: string }
  | { type: 'status'; status: 'active' | 'ended' }
  | { type: 'status'; status: 'escalated'; accepted: boolean }
  | { type: 'mark'; name: string }
  | { type: 'clear' }
  | {
      type: 'latency';
      recognition_ms: number | null;
      model_ms: number;
      synthesis_ms: number;
      total_ms: number | null;
    }
  | { type: 'ended'; reason: string }
  | { type: 'error'; code: string; detail: string };

export type SendFrame = (frame: TalkFrame) => void;
