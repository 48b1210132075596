import type { Latency, Mode, ServerFrame, Status, Turn } from './frames.ts';
import type { TalkError } from './trouble.ts';

/** State of a talk, as the page displays it. */
export type TalkState = {
  /**
   * Phase of the talk. `waiting` means that the connection broke and that another attempt will follow. `failed` means
   * that no further attempt follows; `error` has the reason.
   */
  phase: 'idle' | 'connecting' | 'open' | 'waiting' | 'ended' | 'failed';
  mode: Mode;
  status: Status;
  /** Whether a human agent has accepted the conversation. Only meaningful while `status` is `escalated`. */
  isAccepted: boolean;
  conversationId: string | null;
  turns: readonly Turn[];
  /** The agent's reply while it is being generated. The finished turn replaces it. */
  reply: string;
  /** The user's messages that the server has not stored yet, with their states. */
  said: readonly Said[];
  latencies: readonly TurnLatency[];
  /** Reason for the end of the conversation, from the server or from `Talk.end`; null if there is none yet. */
  reason: string | null;
  error: TalkError | null;
};

/**
 * A message that the user sent. `unsure` means that the connection broke after the message was sent, and that the
 * message was not among the stored turns when the talk was resumed.
 */
export type Said = { id: number; text: string; state: 'waiting' | 'sent' | 'unsure' };

/** Latency with the `index` of the agent's turn. The index is null until the turn is stored. */
export type TurnLatency = Latency & { index: number | null };

export const NO_TALK: TalkState = {
  phase: 'idle',
  mode: 'chat',
  status: 'active',
  isAccepted: false,
  conversationId: null,
  turns: [],
  reply: '',
  said: [],
  latencies: [],
  reason: null,
  error: null,
};

/**
 * Returns the changes that a frame makes to the state. `mark` and `clear` change nothing, because they only concern the
 * audio.
 */
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
      return { status: frame.status, isAccepted: frame.accepted === true };
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
 * Removes the message that the server has now stored. Usually that is the message with the same text. If there is none,
 * for example because the server redacted a card number, removes the first sent message of a chat. Removes nothing from
 * a call, because the stored text may be speech.
 */
function withoutOne({ said, mode }: TalkState, text: string): readonly Said[] {
  const same = said.find((one) => one.text.trim() === text.trim());
  const stored =
    same ?? (mode === 'chat' ? said.find(({ state }) => state !== 'waiting') : undefined);
  return said.filter((one) => one !== stored);
}

/**
 * Assigns the first unassigned latency to a turn. A latency arrives before its turn, because the audio of a turn begins
 * before the turn is stored.
 */
function attributed(latencies: readonly TurnLatency[], index: number): readonly TurnLatency[] {
  if (latencies.some((one) => one.index === index)) return latencies;
  const open = latencies.findIndex((one) => one.index === null);
  return latencies.map((one, at) => (at === open ? { ...one, index } : one));
}
