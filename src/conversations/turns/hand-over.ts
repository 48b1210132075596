import { toHandOver, type HandOver } from '../escalations/escalation-rules.ts';
import { closedMessage } from '../escalations/opening-hours.ts';
import type { ResponderRequest } from './responder.ts';

/**
 * Mood of a complaint, unless its words express a worse mood. A complaint may be so polite that its words alone express
 * no bad mood.
 */
const COMPLAINT_MOOD = -2;

/**
 * Result of the handoff rules: either a human is requested, or nobody is available. In the latter case, `closed` is the
 * message for the user. The message replaces the agent's reply if the user requested a human (`isAsked`); otherwise, it
 * follows the reply.
 */
export type Called = { handover: HandOver } | { closed: string; isAsked: boolean };

/** Decides before the reply whether a human should take over. Returns undefined if not. */
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

/**
 * Decides after a reply whether a human should take over. Returns undefined if not. Rules about the user's message are
 * not applied here, because `handOverAtOnce` applies them before the reply.
 */
export function handOverAfter(
  request: Pick<ResponderRequest, 'content' | 'conversation'>,
  counted: { unansweredInRow: number; toolFailuresInRow: number },
): Called | undefined {
  const nothingSaid = { user: { wantsHuman: false }, text: '', moods: [], userTurns: 0 };
  return ifThere(request, toHandOver(request.content, { ...nothingSaid, ...counted }), false);
}

/** Returns the message saying that nobody is available now, or undefined if somebody is. */
export function nobodyThere({
  content,
  conversation: { startedAt, ageMs },
}: Pick<ResponderRequest, 'content' | 'conversation'>): string | undefined {
  return closedMessage(content, startedAt + ageMs);
}

/**
 * Returns the handoff or, if nobody is available, a message for the user. Users who ask for a human get the message
 * each time. If a rule requests a human, the user gets the message once per conversation. Returns undefined without a
 * handoff, and if the user has already got the message.
 */
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
