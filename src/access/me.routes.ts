import { z } from 'zod';
import { ApiError } from '../errors.ts';
import { fromUuid } from '../ids.ts';
import { SCOPES } from '../platform/http/authorize.ts';
import { unixSecOrNull, unixTime } from '../platform/http/fields.ts';
import { route, type Route } from '../platform/http/route.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { readApiKey } from './api-keys.sql.ts';
import { OwnSession, ownSessionView } from './session.view.ts';
import { readSession } from './sessions.sql.ts';

const Me = z
  .strictObject({
    namespace: z.string(),
    actor: z.string().describe('Name of the caller in histories: `api:key_…` or `session:<name>`.'),
    name: z.string().nullable().describe('Name of the signed-in person. Null without a session.'),
    scopes: z.array(z.enum(SCOPES)).describe('Scopes of the caller.'),
    api_key: z
      .strictObject({
        id: z.string().meta({ description: 'ID of the key, `key_…`.' }),
        name: z.string(),
        prefix: z.string().describe('First characters of the key, to tell keys apart.'),
        expires_at: unixTime.nullable().describe('Null if the key does not expire.'),
      })
      .describe('The API key of the request, or the key with which the session was created.'),
    session: OwnSession.nullable(),
    version: z.string().describe('Version of the server that responds.'),
  })
  .meta({ id: 'Me', description: 'The caller and its scopes.' });

/**
 * Returns the route that shows callers their own key or session, whatever scopes they have (contract/sessions.md#me).
 */
export function meRoute({ pool, version }: { pool: Pool; version: string }): Route {
  return route({
    method: 'get',
    path: '/v1/me',
    operationId: 'getMe',
    tag: 'Sessions',
    scope: 'any',
    summary: 'Read the caller and its scopes',
    answers: { 200: { description: 'The caller.', schema: Me } },
    handle: async ({ caller }) => {
      const { namespace, actor, keyId, sessionId } = caller;
      const key = await readApiKey(pool, { namespace, id: keyId });
      const session =
        sessionId === null ? null : await readSession(pool, { namespace, id: sessionId });
      if (!key || session === undefined) {
        throw new ApiError('unauthorized', 'The API key or the session has ended.');
      }
      const body: z.output<typeof Me> = {
        namespace,
        actor,
        name: session?.name ?? null,
        scopes: key.scopes,
        api_key: {
          id: fromUuid('key', key.id),
          name: key.name,
          prefix: key.prefix,
          expires_at: unixSecOrNull(key.expiresAt),
        },
        session: session && ownSessionView(session),
        version,
      };
      return { status: 200, body };
    },
  });
}
