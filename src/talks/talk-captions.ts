import type { Captions } from '../calls/lines/captions.ts';
import type { SendFrame, TalkFrame, TurnFrame } from './talk-frames.ts';

/** What a page shows of a talk. Nothing is sent before `ready`. */
export type TalkCaptions = Captions & {
  ready: (frame: Extract<TalkFrame, { type: 'ready' }>) => void;
  /** Why the conversation ended; undefined: it goes on, as far as was told. */
  endedReason: () => string | undefined;
};

/** Turns that may yet change: what was said and can still be interrupted. */
const KEPT = 50;
const ROLES: ReadonlySet<string> = new Set<TurnFrame['role']>(['user', 'agent', 'human']);

export function createTalkCaptions(send: SendFrame): TalkCaptions {
  let held: TalkFrame[] | undefined = [];
  const told = new Map<number, TurnFrame>();
  const cuts = new Map<number, string>();
  let status: string | undefined;
  let endedReason: string | undefined;
  let hasTokens = false;

  function tell(frame: TalkFrame): void {
    if (held) held.push(frame);
    else send(frame);
  }

  function tellTurn(turn: TurnFrame): void {
    told.set(turn.index, turn);
    told.delete(turn.index - KEPT);
    tell(turn);
  }

  return {
    ready: (frame) => {
      const before = held ?? [];
      held = undefined;
      [frame, ...before].forEach(send);
    },
    endedReason: () => endedReason,
    token: (text) => {
      hasTokens = true;
      tell({ type: 'text', text });
    },
    followed: (followed) => {
      if (followed.type === 'conversation') {
        const { conversation } = followed;
        endedReason = conversation.endedReason ?? undefined;
        const now = conversation.status === 'failed' ? 'ended' : conversation.status;
        if (now !== status) tell({ type: 'status', status: now });
        status = now;
        return;
      }
      const { index, role, text, interrupted } = followed.turn;
      const heard = cuts.get(index);
      cuts.delete(index);
      if (!isShown(role)) return;
      // A reply of tools alone says nothing.
      if (text === '' && !interrupted && heard === undefined && !hasTokens) return;
      if (role === 'agent') hasTokens = false;
      const isCut = interrupted || heard !== undefined;
      tellTurn({ type: 'turn', index, role, text: heard ?? text, interrupted: isCut });
    },
    cut: ({ index, heard }) => {
      const turn = told.get(index);
      if (!turn) {
        cuts.set(index, heard);
        return;
      }
      const isTold = turn.interrupted && turn.text === heard;
      if (!isTold) tellTurn({ ...turn, text: heard, interrupted: true });
    },
  };
}

function isShown(role: string): role is TurnFrame['role'] {
  return ROLES.has(role);
}
