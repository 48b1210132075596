import { delay, timeoutSignal } from '../../clock.ts';
import { ApiError, reasonOf } from '../../errors.ts';
import type { Followed, Followers } from '../../conversations/follow-conversation.ts';
import { sentencesIn } from '../../conversations/sentences/sentences.ts';
import { isBackchannel } from '../../speech/turns/is-backchannel.ts';
import type { Captions } from './captions.ts';
import { createDigits } from './digits.ts';
import type { Line, LineEvent } from './line.ts';
import { createMouth, type Mouth } from './mouth.ts';
import { createTurnTaker, type TurnTaker, type TurnTakerDeps } from './take-turns.ts';
import { textHeardOf } from './spoken.ts';

export type TalkDeps = TurnTakerDeps & { followers: Pick<Followers, 'open'> };

/** A conversation on a line: what is heard becomes turns, and every turn of others is said. */
export type Talk = {
  /** Settles when what the user said is stored, or will never be. Never rejects. */
  on: (event: LineEvent) => Promise<void> | undefined;
  /** Presses keys, after what was said before. */
  press: (keys: string) => void;
  /**
   * Resolves when what is being said was heard, `ms` later at most: then the rest of it is not wanted any more.
   */
  finish: (ms: number) => Promise<void>;
  /** Ends the line: the turn in progress is finished and stored, turns that wait are dropped, and nothing more is spoken. */
  leave: () => void;
  /** Resolves when the conversation has ended and what it ended with had its time to be heard. */
  over: Promise<void>;
};

export type TalkInput = {
  /** That ends with the conversation; undefined: it is in writing. */
  callId?: string | undefined;
  namespace: string;
  conversationId: string;
  language: string | undefined;
  line: Line;
  /** Nobody interrupts the first turn. */
  isGreetingKept?: boolean;
  /** Index of the last turn that needs not be said, -1: none. */
  saidTo: number;
  captions?: Captions | undefined;
};

type Interrupted = Extract<LineEvent, { type: 'interrupted' }>;

/** Before what could not be read is read again, ms. */
const RETRY_MS = 500;

/**
 * Holds the conversation. The first turn and what people say come from the transcript, as everybody reads it;
 * replies to the user are said as they are made. While the database is away the user is told to wait, and
 * what they said is stored when it is back.
 */
export function holdTalk(deps: TalkDeps, input: TalkInput): Talk {
  const { conversationId, language, line } = input;
  const { moment } = sentencesIn(language);
  const mouth = createMouth(line);
  const gone = new AbortController();
  const turns = createTurnTaker(deps, { ...input, mouth, moment, gone: gone.signal });
  const digits = createDigits((text) => void turns.hear(text));

  function heard(text: string): Promise<void> | undefined {
    // Who says "mhm" while a reply is made listens, and it goes on; after it "yes" is an answer.
    if (turns.isReplying() && isBackchannel(text, language)) return undefined;
    return turns.hear(text);
  }

  async function interrupted({ heard, surely }: Interrupted): Promise<void> {
    turns.cancel();
    const cut = mouth.interrupted(heard);
    await turns.keepHeard(cut);
    const better = await surely;
    const [first] = cut;
    if (!first || better === undefined || gone.signal.aborted) return;
    first.heard = textHeardOf(first, better);
    await turns.keepHeard([first]);
  }

  function onInterrupted(event: Interrupted): Promise<void> {
    return interrupted(event).catch((error: unknown) => {
      const reason = reasonOf(error);
      deps.log.error({ reason, conversationId }, 'what was heard could not be noted');
    });
  }

  const over = followTurns(deps, input, { mouth, turns, gone: gone.signal }).then(async () => {
    await turns.idle();
    if (!gone.signal.aborted) await mouth.untilHeard(gone.signal);
  });

  return {
    on: (event) => {
      if (event.type === 'heard') return heard(event.text);
      if (event.type === 'written') return turns.hear(event.text);
      if (event.type === 'interrupted') return onInterrupted(event);
      digits.press(event.digit);
      return undefined;
    },
    press: mouth.press,
    finish: async (ms) => {
      const bound = AbortSignal.any([gone.signal, timeoutSignal(ms)]);
      await Promise.race([turns.idle(), untilAborted(bound)]);
      await mouth.untilHeard(bound);
      turns.cancel();
    },
    leave: () => {
      digits.stop();
      mouth.close();
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

type Following = { mouth: Mouth; turns: TurnTaker; gone: AbortSignal };

/** Says the turns of the transcript in their order, but for those that were said as they were made. */
async function followTurns(
  deps: TalkDeps,
  { namespace, conversationId: id, saidTo, captions, isGreetingKept = false }: TalkInput,
  { mouth, turns, gone }: Following,
): Promise<void> {
  // Who shows it shows all of it.
  let after = captions ? -1 : saidTo;

  async function tell(followed: Followed): Promise<void> {
    captions?.followed(followed);
    if (followed.type === 'conversation') return;
    const { index, role, text, interrupted } = followed.turn;
    after = index;
    if (index <= saidTo) return;
    // What was broken off when an earlier line of the call was cut is not said on this one.
    if (interrupted || (role !== 'agent' && role !== 'human')) return;
    // One of ours may be read here before we know its index.
    if (role === 'agent') await turns.idle();
    if (!turns.wasSaid(index) && text !== '')
      mouth.whole(followed.turn, isGreetingKept && index === 0);
  }

  while (!gone.aborted) {
    try {
      const read = await deps.followers.open({ namespace, id, after });
      for await (const followed of read(gone)) await tell(followed);
      return;
    } catch (error) {
      const isErased = error instanceof ApiError && error.code === 'not_found';
      if (gone.aborted || isErased) return;
      deps.log.warn({ reason: reasonOf(error), conversationId: id }, 'a call is followed again');
      await delay(RETRY_MS, { signal: gone }).catch(() => undefined);
    }
  }
}
