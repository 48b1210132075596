import { reasonToHandOver } from '../escalations/escalation-rules.ts';
import type { ResponderRequest } from './responder.ts';

/** Said before the agent is silent. */
export const HAND_OVER = 'I am asking a colleague to take over. Please stay here for a moment.';

const NOTHING_COUNTED = { unansweredInRow: 0, toolFailuresInRow: 0 };

/** Why a human should take over before anything else is thought of. */
export function reasonAtOnce({
  content,
  user,
  text,
  conversation: { tally },
}: Pick<ResponderRequest, 'content' | 'user' | 'text' | 'conversation'>): string | undefined {
  const wantsHuman = user.wantsHuman || (user.isConsent && tally.offeredHuman);
  return reasonToHandOver(content, { user: { wantsHuman }, text, ...NOTHING_COUNTED });
}

/** Why a human should take over after a reply. Rules of the user's words were asked before it. */
export function reasonAfter(
  content: ResponderRequest['content'],
  counted: { unansweredInRow: number; toolFailuresInRow: number },
): string | undefined {
  return reasonToHandOver(content, { user: { wantsHuman: false }, text: '', ...counted });
}
