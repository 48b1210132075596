import type { Captions } from '../voice/session/captions.ts';
import type { Followed } from '../conversations/follow-conversation.ts';
import { isTakenOver } from '../conversations/record/tally.ts';
import type { SendFrame, TalkFrame, TurnFrame } from './talk-frames.ts';

/** Sends the turns, tokens and status of a talk to its web page. Holds all frames back until `ready` is called. */
export type TalkCaptions = Captions & {
  ready: (frame: Extract<TalkFrame, { type: 'ready' }>) => void;
  /** Returns why the conversation ended, or undefined until `followed` has received the end of the conversation. */
  endedReason: () => string | undefined;
};

/**
 * Number of recent turns kept in memory. If the playback of a turn is interrupted later, its text is shortened to the
 * part that was played.
 */
const KEPT = 50;
type FollowedTurn = Extract<Followed, { type: 'turn' }>['turn'];
const ROLES: ReadonlySet<string> = new Set<TurnFrame['role']>(['user', 'agent', 'human']);

export function createTalkCaptions(send: SendFrame): TalkCaptions {
  let held: TalkFrame[] | undefined = [];
  const told = new Map<number, TurnFrame>();
  const cuts = new Map<number, string>();
  let status: string | undefined;
  let endedReason: string | undefined;
  let hasTokens = false;
  /** Number of turns that `followed` has received so far. */
  let turnCount = 0;
  /** Tokens that arrived before the preceding turns were read from the database. */
  let early: { text: string; turnCount: number }[] = [];

  function tell(frame: TalkFrame): void {
    if (held) held.push(frame);
    else send(frame);
  }

  function tellTurn(turn: TurnFrame): void {
    told.set(turn.index, turn);
    told.delete(turn.index - KEPT);
    tell(turn);
  }

  function tellToken(text: string): void {
    hasTokens = true;
    tell({ type: 'text', text });
  }

  function takeTurn({ index, role, text, interrupted }: FollowedTurn): void {
    const playedText = cuts.get(index);
    cuts.delete(index);
    if (!isShown(role)) return;
    // A turn in which the agent only called tools has no text to show.
    if (text === '' && !interrupted && playedText === undefined && !hasTokens) return;
    if (role === 'agent') hasTokens = false;
    const isCut = interrupted || playedText !== undefined;
    tellTurn({ type: 'turn', index, role, text: playedText ?? text, interrupted: isCut });
  }

  return {
    ready: (frame) => {
      const before = held ?? [];
      held = undefined;
      [frame, ...before].forEach(send);
    },
    endedReason: () => endedReason,
    // The page clears its partial reply when an agent turn arrives, so the tokens of a reply must be sent after all
    // earlier turns.
    token: (text, after) => {
      if (after > turnCount) early.push({ text, turnCount: after });
      else tellToken(text);
    },
    followed: (followed) => {
      if (followed.type === 'conversation') {
        const { conversation } = followed;
        endedReason = conversation.endedReason ?? undefined;
        const frame = statusOf(conversation);
        const now = JSON.stringify(frame);
        if (now !== status) tell(frame);
        status = now;
        return;
      }
      takeTurn(followed.turn);
      turnCount = followed.turn.index + 1;
      const due = early.filter((token) => token.turnCount <= turnCount);
      early = early.filter((token) => token.turnCount > turnCount);
      for (const { text } of due) tellToken(text);
    },
    cut: ({ index, playedText }) => {
      const turn = told.get(index);
      if (!turn) {
        cuts.set(index, playedText);
        return;
      }
      const isTold = turn.interrupted && turn.text === playedText;
      if (!isTold) tellTurn({ ...turn, text: playedText, interrupted: true });
    },
  };
}

type FollowedConversation = Extract<Followed, { type: 'conversation' }>['conversation'];

function statusOf(conversation: FollowedConversation): Extract<TalkFrame, { type: 'status' }> {
  const { status } = conversation;
  if (status === 'escalated') {
    return { type: 'status', status, accepted: isTakenOver(conversation) };
  }
  return { type: 'status', status: status === 'failed' ? 'ended' : status };
}

function isShown(role: string): role is TurnFrame['role'] {
  return ROLES.has(role);
}
