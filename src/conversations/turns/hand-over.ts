import { toHandOver, type HandOver } from '../escalations/escalation-rules.ts';
import type { ResponderRequest } from './responder.ts';

/** Said before the agent is silent. */
export const HAND_OVER = 'I am asking a colleague to take over. Please stay here for a moment.';

/** A complaint is a bad mood, whatever its words are worth. */
const COMPLAINT_MOOD = -2;

/** Whether a human should take over before anything else is thought of. */
export function handOverAtOnce({
  content,
  user,
  text,
  conversation: { tally },
}: Pick<ResponderRequest, 'content' | 'user' | 'text' | 'conversation'>): HandOver | undefined {
  const mood = user.isComplaint ? Math.min(user.mood, COMPLAINT_MOOD) : user.mood;
  return toHandOver(content, {
    user: { wantsHuman: user.wantsHuman || (user.isConsent && tally.offeredHuman) },
    text,
    moods: [...tally.moods, mood],
    userTurns: tally.userTurns + 1,
    unansweredInRow: 0,
    toolFailuresInRow: 0,
  });
}

/** The same after a reply. Rules about what the user said were asked before it. */
export function handOverAfter(
  content: ResponderRequest['content'],
  counted: { unansweredInRow: number; toolFailuresInRow: number },
): HandOver | undefined {
  const nothingSaid = { user: { wantsHuman: false }, text: '', moods: [], userTurns: 0 };
  return toHandOver(content, { ...nothingSaid, ...counted });
}
