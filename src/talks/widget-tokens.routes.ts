import { z } from 'zod';
import { readAgentById } from '../agents/agents.sql.ts';
import { idValue } from '../platform/http/fields.ts';
import { openRoute, type Route } from '../platform/http/route.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { requireContent, requireOrigin, talksMax } from './admit-talk.ts';
import { makeTalkToken, TalkTokenAnswer, type MakeTokenDeps } from './make-talk-token.ts';
import type { TalkLimits } from './talk-limits.ts';

export type WidgetTokenRoutesDeps = MakeTokenDeps & { pool: Pool; talkLimits: TalkLimits };

/** Lifetime of a token in seconds: long enough to open a talk, and to open it again after a disconnect. */
const TTL_SEC = 600;

const WidgetTokenWrite = z
  .strictObject({ agent_id: idValue('agt').describe('Agent that the page talks with.') })
  .describe('The agent to talk with.');

/**
 * Creates tokens for pages of an allowed origin, without an API key. A nonexistent agent gives the same error as an
 * origin that is not allowed, so that callers cannot find out which agents exist. Runs two single-row queries.
 */
export function widgetTokenRoute(deps: WidgetTokenRoutesDeps): Route {
  return openRoute({
    method: 'post',
    path: '/v1/widget/tokens',
    operationId: 'createWidgetToken',
    tag: 'Talks',
    summary: 'Get a token for a web page visitor',
    description:
      'The web page itself sends this request. Its `Origin` header must match an entry in the ' +
      '`widget.allowed_origins` of the agent. Pages from any origin can read the response.',
    isForPages: true,
    body: { schema: WidgetTokenWrite },
    answers: { 201: { description: 'The token.', schema: TalkTokenAnswer } },
    errors: ['origin_not_allowed', 'not_published', 'rate_limited'],
    prepare: ({ origin }) => (typeof origin === 'string' ? origin : null),
    handle: async ({ body: { agent_id: id }, prepared: origin, client }) => {
      const address = client.address ?? '';
      await deps.talkLimits.ask(address);
      const row = await readAgentById(deps.pool, id);
      requireOrigin(row, origin);
      await deps.talkLimits.begin(`${id} token`, address, talksMax(row));
      const { namespace } = row;
      const allowed = {
        by: 'widget' as const,
        origin,
        version: null,
        test: false,
        userId: null,
        variables: {},
        metadata: {},
      };
      const content = await requireContent(deps.pool, { ...allowed, namespace, agentId: id });
      const token = { ...allowed, ttlSec: TTL_SEC };
      return { status: 201, body: await makeTalkToken(deps, { row, content }, token) };
    },
  });
}
