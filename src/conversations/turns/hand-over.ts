import { toHandOver, type HandOver } from '../escalations/escalation-rules.ts';
import { closedMessage } from '../escalations/opening-hours.ts';
import type { ResponderRequest } from './responder.ts';

/** A complaint is a bad mood, whatever its words are worth. */
const COMPLAINT_MOOD = -2;

/**
 * A human is asked for; or nobody is there to be asked, and what the user is told of it: instead of a reply where
 * they asked for one (`isAsked`), else after it.
 */
export type Called = { handover: HandOver } | { closed: string; isAsked: boolean };

/** Whether a human should take over before anything else is thought of. */
export function handOverAtOnce(
  request: Pick<ResponderRequest, 'content' | 'user' | 'text' | 'conversation'>,
): Called | undefined {
  const { content, user, text, conversation } = request;
  const { tally } = conversation;
  const mood = user.isComplaint ? Math.min(user.mood, COMPLAINT_MOOD) : user.mood;
  const isAsked = user.wantsHuman || (user.isConsent && tally.offeredHuman);
  const handover = toHandOver(content, {
    user: { wantsHuman: isAsked },
    text,
    moods: [...tally.moods, mood],
    userTurns: tally.userTurns + 1,
    unansweredInRow: 0,
    toolFailuresInRow: 0,
  });
  return ifThere(request, handover, isAsked);
}

/** The same after a reply. Rules about what the user said were asked before it. */
export function handOverAfter(
  request: Pick<ResponderRequest, 'content' | 'conversation'>,
  counted: { unansweredInRow: number; toolFailuresInRow: number },
): Called | undefined {
  const nothingSaid = { user: { wantsHuman: false }, text: '', moods: [], userTurns: 0 };
  return ifThere(request, toHandOver(request.content, { ...nothingSaid, ...counted }), false);
}

/** What the user is told when nobody is there at the moment; undefined: somebody is. */
export function nobodyThere({
  content,
  conversation: { startedAt, ageMs },
}: Pick<ResponderRequest, 'content' | 'conversation'>): string | undefined {
  return closedMessage(content, startedAt + ageMs);
}

/** A rule says once in a conversation that nobody is there; who asks is told each time. */
function ifThere(
  request: Pick<ResponderRequest, 'content' | 'conversation'>,
  handover: HandOver | undefined,
  isAsked: boolean,
): Called | undefined {
  if (!handover) return undefined;
  const closed = nobodyThere(request);
  if (closed === undefined) return { handover };
  const isTold = request.conversation.tally.toldClosed === true;
  return isAsked || !isTold ? { closed, isAsked } : undefined;
}
