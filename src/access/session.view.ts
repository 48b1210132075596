import { z } from 'zod';
import { fromUuid } from '../ids.ts';
import { SCOPES } from '../platform/http/authorize.ts';
import { createdAt, unixSec, unixTime } from '../platform/http/fields.ts';
import type { SessionRow } from './sessions.sql.ts';

/** Sessions as returned by REST (contract/sessions.md). Responses never contain a token. */

const endings = {
  expires_at: unixTime.describe(
    'When it ends however it is used; with its key, if that is sooner.',
  ),
  idle_expires_at: unixTime.describe('When it ends unless it is used before.'),
};

export const Session = z
  .strictObject({
    id: z.string().meta({ description: 'ses_…' }),
    created: createdAt,
    name: z.string().describe("The person's, as they gave it."),
    api_key_id: z.string().describe('key_… that it was signed in with.'),
    scopes: z.array(z.enum(SCOPES)).describe('Those of its key.'),
    namespace: z.string(),
    ...endings,
    last_seen_at: unixTime.describe('Good to about half a minute.'),
  })
  .meta({ id: 'Session', description: 'Somebody who is signed in; it may do what its key may.' });

export const OwnSession = z
  .strictObject({ id: z.string().meta({ description: 'ses_…' }), created: createdAt, ...endings })
  .describe('Which session it is.');

export function sessionView(row: SessionRow): z.output<typeof Session> {
  return {
    ...ownSessionView(row),
    name: row.name,
    api_key_id: fromUuid('key', row.keyId),
    scopes: row.scopes,
    namespace: row.namespace,
    last_seen_at: unixSec(row.lastSeenAt),
  };
}

export function ownSessionView(row: SessionRow): z.output<typeof OwnSession> {
  return {
    id: fromUuid('ses', row.id),
    created: unixSec(row.createdAt),
    expires_at: unixSec(row.expiresAt),
    idle_expires_at: unixSec(row.idleExpiresAt),
  };
}
