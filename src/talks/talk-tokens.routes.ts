import { z } from 'zod';
import { origin } from '../agents/agent-widget.ts';
import { requireAgent } from '../agents/write-agent.ts';
import { idParam, metadata, variables } from '../platform/http/fields.ts';
import { route, type Route } from '../platform/http/route.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { MAX_INT32 } from '../platform/resources/schema/field-types.ts';
import { requireContent } from './admit-talk.ts';
import { makeTalkToken, TalkTokenAnswer, type MakeTokenDeps } from './make-talk-token.ts';

export type TalkTokenRoutesDeps = MakeTokenDeps & { pool: Pool };

const TTL_SEC = 600;

const TalkTokenWrite = z
  .strictObject({
    version: z
      .int()
      .min(1)
      .max(MAX_INT32)
      .optional()
      .describe(
        'Who talks; absent: what is live as a talk begins. Of a test also one that never was.',
      ),
    test: z.boolean().default(false).describe('To try the agent out: counted nowhere, no events.'),
    user_id: z.string().min(1).max(256).optional().describe('Who the visitor is to you.'),
    variables,
    metadata,
    origin: origin.optional().describe('Whose pages may use it; absent: any.'),
    ttl_sec: z.int().min(60).max(3_600).default(TTL_SEC).describe('For how long it is good.'),
  })
  .describe('What talks with it are.');

/**
 * Serves talk tokens for servers. Costs three queries by key. The token is not stored, except for a repeat with the
 * same `Idempotency-Key`.
 */
export function talkTokenRoute(deps: TalkTokenRoutesDeps): Route {
  return route({
    method: 'post',
    path: '/v1/agents/{id}/talk_tokens',
    operationId: 'createTalkToken',
    tag: 'Talks',
    scope: 'write',
    summary: 'Make a token by which a web page talks with the agent',
    description:
      'For your own server, which knows who the visitor is. Whoever has the token may open talks until it expires; ' +
      'it cannot be taken back but with the agent.',
    params: { id: idParam('agt', 'agent') },
    body: { schema: TalkTokenWrite, isOptional: true },
    answers: { 201: { description: 'The token.', schema: TalkTokenAnswer } },
    errors: ['not_published', 'unknown_version'],
    handle: async ({ caller: { namespace }, params: { id }, body }) => {
      const row = await requireAgent(deps, { namespace, id });
      const allowed = {
        by: 'server' as const,
        origin: body.origin ?? null,
        version: body.version ?? null,
        test: body.test,
        userId: body.user_id ?? null,
        variables: body.variables,
        metadata: body.metadata,
      };
      const content = await requireContent(deps.pool, { ...allowed, namespace, agentId: id });
      const token = { ...allowed, ttlSec: body.ttl_sec };
      return { status: 201, body: await makeTalkToken(deps, { row, content }, token) };
    },
  });
}
