import type { Latency, Mode, ServerFrame, Status, Turn } from './frames.ts';
import type { TalkError } from './trouble.ts';

/** A talk as a page shows it. */
export type TalkState = {
  /** `waiting`: the socket broke, and is tried again; `failed`: it is not, `error` says why. */
  phase: 'idle' | 'connecting' | 'open' | 'waiting' | 'ended' | 'failed';
  mode: Mode;
  status: Status;
  conversationId: string | null;
  turns: readonly Turn[];
  /** What the agent says, as it is made; the turn takes its place. */
  reply: string;
  /** Written, and not stored yet. */
  said: readonly Said[];
  latencies: readonly TurnLatency[];
  /** Why it ended, as the server says it. */
  reason: string | null;
  error: TalkError | null;
};

/** `unsure`: the socket broke, and it did not come back with what was stored. */
export type Said = { id: number; text: string; state: 'waiting' | 'sent' | 'unsure' };

/** `index` of the agent's turn; null: it is being spoken, and not stored yet. */
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

/** What a frame changes of what is shown; marks and `clear` are of the sound. */
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
 * What was written is stored now. Not always in the same words: numbers of cards are taken out; then it is
 * the first that waits, unless it was spoken.
 */
function withoutOne({ said, mode }: TalkState, text: string): readonly Said[] {
  const same = said.find((one) => one.text.trim() === text.trim());
  const stored =
    same ?? (mode === 'chat' ? said.find(({ state }) => state !== 'waiting') : undefined);
  return said.filter((one) => one !== stored);
}

/** The sound of a turn begins before it is stored. */
function attributed(latencies: readonly TurnLatency[], index: number): readonly TurnLatency[] {
  if (latencies.some((one) => one.index === index)) return latencies;
  const open = latencies.findIndex((one) => one.index === null);
  return latencies.map((one, at) => (at === open ? { ...one, index } : one));
}
