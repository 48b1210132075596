import { z } from 'zod';

/** Frames of a talk (contract/talks.md#socket): JSON of one object each; sound is binary. */

export const TALK_PATH = '/v1/talk';
/** Hz, of both directions. */
export const TALK_RATE = 16_000;
export const MODES = ['chat', 'voice'] as const;
export type Mode = (typeof MODES)[number];

/** Of what a page sends: members that we do not know are not looked at. */
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

/** undefined: it is none that we know. */
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

/** What a page is sent. */
export type TalkFrame =
  | { type: 'ready'; conversation_id: string; resume: string; mode: Mode; sample_rate?: number }
  | TurnFrame
  | { type: 'text'; text: string }
  | { type: 'status'; status: 'active' | 'escalated' | 'ended' }
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
