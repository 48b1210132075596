import { z } from 'zod';
import { found } from '../../errors.ts';
import { idParam, unixTime } from '../../platform/http/fields.ts';
import { route, type Route } from '../../platform/http/route.ts';
import type { Sealer } from '../../platform/postgres/sealing.ts';
import type { ConversationDeps } from '../record/conversation-deps.ts';
import { Conversation, conversationView } from '../record/conversation.view.ts';
import { readConversation } from '../record/conversations.sql.ts';
import { FEEDBACK_PATH } from './feedback-page.ts';
import { feedbackToken } from './feedback-token.ts';
import { giveFeedback } from './give-feedback.ts';

const tag = 'Conversations';
const params = { id: idParam('conv', 'conversation') };

const DAY_SEC = 86_400;

export type FeedbackRoutesDeps = Pick<
  ConversationDeps,
  'pool' | 'changed' | 'nowMs' | 'baseUrl'
> & {
  sealer: Pick<Sealer, 'sign'>;
};

/**
 * Returns the routes that rate a conversation with an API key, and create links with which users rate it
 * (contract/conversations.md#feedback).
 */
export function feedbackRoutes(deps: FeedbackRoutesDeps): Route[] {
  return [rateRoute(deps), linkRoute(deps)];
}

const feedbackBody = z
  .strictObject({ csat: z.int().min(1).max(5).describe('Rating from 1 (bad) to 5 (good).') })
  .describe("The user's rating.");

function rateRoute(deps: FeedbackRoutesDeps): Route {
  return route({
    method: 'post',
    path: '/v1/conversations/{id}/feedback',
    operationId: 'rateConversation',
    tag,
    scope: 'write',
    summary: 'Rate a conversation',
    description:
      'Accepted at any time, even after the conversation has ended. A new rating replaces the previous one.',
    params,
    body: { schema: feedbackBody },
    answers: { 200: { description: 'The conversation.', schema: Conversation } },
    handle: async ({ answering, caller: { namespace }, params: { id }, body: { csat } }) =>
      answering(
        (beforeCommit) => giveFeedback(deps, { namespace, id, csat }, beforeCommit),
        (row) => ({ status: 200, body: conversationView(row) }),
      ),
  });
}

const linkBody = z
  .strictObject({
    expires_in_sec: z
      .int()
      .min(60)
      .max(90 * DAY_SEC)
      .default(30 * DAY_SEC)
      .describe('How long the link is valid, in seconds.'),
  })
  .describe('Settings of the link.');

const FeedbackLink = z
  .strictObject({
    url: z.url().meta({
      description: 'Address of a page on which the user rates the conversation from 1 to 5.',
    }),
    expires_at: unixTime,
  })
  .meta({ id: 'FeedbackLink', description: 'A link that lets a user rate one conversation.' });

/** Creates feedback links. Each request costs one query. Links are not stored. */
function linkRoute({ pool, sealer, nowMs, baseUrl }: FeedbackRoutesDeps): Route {
  return route({
    method: 'post',
    path: '/v1/conversations/{id}/feedback_link',
    operationId: 'createFeedbackLink',
    tag,
    scope: 'write',
    summary: 'Create a feedback link',
    description:
      'Send the link to the user, for example in an e-mail after the conversation. Until it expires, ' +
      'anyone with the link can rate this conversation and nothing else. Opening the link records ' +
      'nothing. You can create any number of links.',
    params,
    body: { schema: linkBody, isOptional: true },
    answers: { 200: { description: 'The link.', schema: FeedbackLink } },
    handle: async ({ caller: { namespace }, params: { id }, body: { expires_in_sec: forSec } }) => {
      found(await readConversation(pool, { namespace, id }), 'conversation');
      const expiresAt = Math.floor(nowMs() / 1_000) + forSec;
      const token = feedbackToken(sealer, { conversationId: id, expiresAt });
      const body = { url: `${baseUrl()}${FEEDBACK_PATH}?token=${token}`, expires_at: expiresAt };
      return { status: 200, body };
    },
  });
}
