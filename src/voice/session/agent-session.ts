import { delay, timeoutSignal } from '../../clock.ts';
import { ApiError, reasonOf } from '../../errors.ts';
import type { Followed, Followers } from '../../conversations/follow-conversation.ts';
import { sentencesIn } from '../../conversations/sentences/sentences.ts';
import { isBackchannel } from '../input/is-backchannel.ts';
import type { Captions } from './captions.ts';
import { createDtmfAggregator } from '../input/dtmf-aggregator.ts';
import type { Playout } from '../playout/playout.ts';
import type { LineEvent } from './line.ts';
import {
  createTurnTaker,
  type TurnTaker,
  type TurnTakerDeps,
  type TurnTakerInput,
} from './take-turns.ts';

export type AgentSessionDeps = TurnTakerDeps & { followers: Pick<Followers, 'open'> };

/**
 * A conversation spoken over a line, which is the connection between a call and the user. The session stores what the
 * user says as turns, and speaks the turns of AI agents and human agents.
 */
export type AgentSession = {
  /**
   * Handles an event of the line. Settles when the user's words are stored or dropped. Returns undefined if there is
   * nothing to store. Never rejects.
   */
  on: (event: LineEvent) => Promise<void> | undefined;
  /** Sends DTMF tones after all words that are already waiting to be played. */
  press: (keys: string) => void;
  /** Waits for at most `ms` until the current reply has been played. Then cancels the rest of the reply. */
  finish: (ms: number) => Promise<void>;
  /**
   * Ends the session. The turn in progress is finished and stored. Waiting turns are dropped, and nothing is spoken
   * after `lastWords`.
   */
  leave: (lastWords?: string) => void;
  /**
   * Resolves when the conversation has ended and its last words have been played. Waits for playback for at most a
   * minute. After `leave`, resolves without waiting for playback.
   */
  over: Promise<void>;
};

export type AgentSessionInput = {
  onEnd?: TurnTakerInput['onEnd'];
  namespace: string;
  conversationId: string;
  language: string | undefined;
  playout: Playout;
  /** Whether the user cannot interrupt the first turn, which is the greeting. */
  isGreetingKept?: boolean;
  /** Index of the last turn that was already spoken; -1 if none was. */
  saidTo: number;
  captions?: Captions | undefined;
};

/** Delay in ms before the transcript is read again after an error. */
const RETRY_MS = 500;

/**
 * Starts a session. It reads the first turn and the turns of human agents from the transcript and speaks them. It
 * speaks replies as the model generates them. While the database is unavailable, it asks the user to wait. What the
 * user says during that time is stored once the database is available again.
 */
export function startAgentSession(deps: AgentSessionDeps, input: AgentSessionInput): AgentSession {
  const { conversationId, language, playout } = input;
  const { moment } = sentencesIn(language);
  const gone = new AbortController();
  const turns = createTurnTaker(deps, { ...input, moment, gone: gone.signal });
  const dtmf = createDtmfAggregator((text) => void turns.hear(text));

  function heard(text: string): Promise<void> | undefined {
    // While a reply is being generated, a backchannel such as "yes" only shows that the user is listening. At any other
    // time, "yes" is an answer.
    if (turns.isReplying() && isBackchannel(text, language)) return undefined;
    return turns.hear(text);
  }

  async function interrupt(playedText: string | undefined): Promise<void> {
    // Stops the output before canceling the reply, because the model may emit text when it is canceled.
    const interruption = playout.interrupt(playedText);
    if (!interruption) return;
    turns.cancel();
    await turns.keepPlayed(interruption.cut);
    const refined = await interruption.refined;
    if (refined && !gone.signal.aborted) await turns.keepPlayed([refined]);
  }

  function onInterrupted(playedText: string | undefined): Promise<void> {
    return interrupt(playedText).catch((error: unknown) => {
      const reason = reasonOf(error);
      deps.log.error(
        { reason, conversationId },
        'could not store the played part of an interrupted reply',
      );
    });
  }

  const over = followTurns(deps, input, { turns, gone: gone.signal }).then(async () => {
    await turns.idle();
    if (!gone.signal.aborted) await playout.waitForPlayout(gone.signal);
  });

  return {
    on: (event) => {
      if (event.type === 'heard') return heard(event.text);
      if (event.type === 'written') return turns.hear(event.text);
      if (event.type === 'interrupted') return onInterrupted(event.playedText);
      dtmf.press(event.digit);
      return undefined;
    },
    press: playout.sendKeys,
    finish: async (ms) => {
      const bound = AbortSignal.any([gone.signal, timeoutSignal(ms)]);
      await Promise.race([turns.idle(), untilAborted(bound)]);
      await playout.waitForPlayout(bound);
      turns.cancel();
    },
    leave: (lastWords) => {
      dtmf.stop();
      playout.close(lastWords);
      gone.abort();
    },
    over,
  };
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

type Following = { turns: TurnTaker; gone: AbortSignal };

/** Speaks the turns of the transcript in order, except those that were already spoken as they were generated. */
async function followTurns(
  deps: AgentSessionDeps,
  input: AgentSessionInput,
  { turns, gone }: Following,
): Promise<void> {
  const { namespace, conversationId: id, saidTo, captions, playout, isGreetingKept } = input;
  // Captions show the whole transcript, so all turns are read, starting with the first.
  let after = captions ? -1 : saidTo;

  async function tell(followed: Followed): Promise<void> {
    captions?.followed(followed);
    if (followed.type === 'conversation') return;
    const { index, role, text, interrupted } = followed.turn;
    after = index;
    if (index <= saidTo) return;
    // A turn that was interrupted on an earlier connection of the same call is not repeated on this one.
    if (interrupted || (role !== 'agent' && role !== 'human')) return;
    // A reply from this process may appear in the transcript before its index is recorded for `wasSaid`. The index is
    // recorded by the time that no turn is in progress.
    if (role === 'agent') await turns.idle();
    if (turns.wasSaid(index) || text === '') return;
    playout.sayTurn(followed.turn, { allowInterruptions: !isGreetingKept || index !== 0 });
  }

  while (!gone.aborted) {
    try {
      const read = await deps.followers.open({ namespace, id, after });
      for await (const followed of read(gone)) await tell(followed);
      return;
    } catch (error) {
      const isErased = error instanceof ApiError && error.code === 'not_found';
      if (gone.aborted || isErased) return;
      deps.log.warn(
        { reason: reasonOf(error), conversationId: id },
        'following a conversation failed; retrying',
      );
      await delay(RETRY_MS, { signal: gone }).catch(() => undefined);
    }
  }
}
