import type { Latency, Mode, ServerFrame, Status, Turn } from './frames.ts';
import type { TalkError } from './trouble.ts';

/** State of a talk for the page. */
export type TalkState = {
  /**
   * Phase of the talk. With `waiting`, the socket broke and is tried again; with `failed`, it is not, and `error` has
   * the reason.
   */
  phase: 'idle' | 'connecting' | 'open' | 'waiting' | 'ended' | 'failed';
  mode: Mode;
  status: Status;
  conversationId: string | null;
  turns: readonly Turn[];
  /** Agent's reply while it grows; the turn replaces it. */
  reply: string;
  /** Messages that are not stored yet. */
  said: readonly Said[];
  latencies: readonly TurnLatency[];
  /** Server's reason for the end. */
  reason: string | null;
  error: TalkError | null;
};

/**
 * Message of the user. `unsure` means that the socket broke, and the message was not among the stored turns afterwards.
 */
export type Said = { id: number; text: string; state: 'waiting' | 'sent' | 'unsure' };

/** Latency with the `index` of the agent's turn; null while the turn is spoken and not stored yet. */
export type TurnLatency = Latency & { index: number | null };

export const NO_TALK: TalkState = {
  phase: 'idle',
  mode: 'chat',
  status: 'active',
  conversationId: null,
  turns: [],
  reply: '',
  said: [],
  latencies: [],
  reason: null,
  error: null,
};

/** Returns the changes by a frame. Marks and `clear` only concern the audio. */
export function afterFrame(state: TalkState, frame: ServerFrame): Partial<TalkState> {
  switch (frame.type) {
    case 'ready':
      return {
        phase: 'open',
        mode: frame.mode,
        conversationId: frame.conversation_id,
        reply: '',
        error: null,
      };
    case 'turn':
      return afterTurn(state, frame);
    case 'text':
      return { reply: state.reply + frame.text };
    case 'status':
      return { status: frame.status };
    case 'latency': {
      const { type: _, ...latency } = frame;
      return { latencies: [...state.latencies, { ...latency, index: null }] };
    }
    case 'ended':
      return { phase: 'ended', status: 'ended', reason: frame.reason, reply: '' };
    case 'mark':
    case 'clear':
    case 'error':
    default:
      return {};
  }
}

type TurnFrame = Extract<ServerFrame, { type: 'turn' }>;

function afterTurn(state: TalkState, { index, role, text, interrupted }: TurnFrame) {
  const isKnown = state.turns.some((turn) => turn.index === index);
  const others = state.turns.filter((turn) => turn.index !== index);
  const turns = [...others, { index, role, text, interrupted }].sort(
    (one, other) => one.index - other.index,
  );
  const changed: Partial<TalkState> = { turns };
  if (role !== 'user') changed.reply = '';
  if (role === 'user' && !isKnown) changed.said = withoutOne(state, text);
  if (role === 'agent') changed.latencies = attributed(state.latencies, index);
  return changed;
}

/**
 * Removes the message that is now stored. Its text may differ, because card numbers are removed. Then the first sent
 * message is removed, unless the user spoke.
 */
function withoutOne({ said, mode }: TalkState, text: string): readonly Said[] {
  const same = said.find((one) => one.text.trim() === text.trim());
  const stored =
    same ?? (mode === 'chat' ? said.find(({ state }) => state !== 'waiting') : undefined);
  return said.filter((one) => one !== stored);
}

/** Assigns a latency to a turn; the sound of a turn begins before it is stored. */
function attributed(latencies: readonly TurnLatency[], index: number): readonly TurnLatency[] {
  if (latencies.some((one) => one.index === index)) return latencies;
  const open = latencies.findIndex((one) => one.index === null);
  return latencies.map((one, at) => (at === open ? { ...one, index } : one));
}
