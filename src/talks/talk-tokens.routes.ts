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
        'Agent version to use. Defaults to the version that is live when the conversation starts. A test may use a version that was never live.',
      ),
    test: z
      .boolean()
      .default(false)
      .describe(
        'Whether the talks are tests. Tests emit no events and are excluded from statistics.',
      ),
    user_id: z.string().min(1).max(256).optional().describe('Your own ID for the visitor.'),
    variables,
    metadata,
    origin: origin.optional().describe('Origin whose pages may use the token. Default: any.'),
    ttl_sec: z
      .int()
      .min(60)
      .max(3_600)
      .default(TTL_SEC)
      .describe('Seconds until the token expires.'),
  })
  .describe('Properties of the talks opened with the token.');

/**
 * Creates talk tokens for servers, which call the API with a key. Runs three single-row queries. A token is stored only
 * if it must be returned again for a request with the same `Idempotency-Key`.
 */
export function talkTokenRoute(deps: TalkTokenRoutesDeps): Route {
  return route({
    method: 'post',
    path: '/v1/agents/{id}/talk_tokens',
    operationId: 'createTalkToken',
    tag: 'Talks',
    scope: 'write',
    summary: 'Create a token that lets a web page talk with the agent',
    description:
      'Send this request from your own server, for a visitor whom it has identified. Anyone with ' +
      'the token can open talks until it expires. The only way to revoke it is to delete the agent.',
    params: { id: idParam('agt', 'agent') },
    body: { schema: TalkTokenWrite, isOptional: true },
    answers: { 201: { description: 'The token.', schema: TalkTokenAnswer } },
    errors: ['not_published', 'unknown_version', 'version_recalled'],
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
