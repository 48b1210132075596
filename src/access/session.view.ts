import { z } from 'zod';
import { fromUuid } from '../ids.ts';
import { SCOPES } from '../platform/http/authorize.ts';
import { createdAt, unixSec, unixTime } from '../platform/http/fields.ts';
import type { SessionRow } from './sessions.sql.ts';

/**
 * This module defines the REST representation of sessions (contract/sessions.md). A representation never contains a
 * token.
 */

const endings = {
  expires_at: unixTime.describe(
    'Time at which the session ends even if it is still in use. It is never later than the ' +
      'expiry of its key.',
  ),
  idle_expires_at: unixTime.describe(
    'Time at which the session ends unless it is used before then.',
  ),
};

export const Session = z
  .strictObject({
    id: z.string().meta({ description: 'ID of the session, `ses_…`.' }),
    created: createdAt,
    name: z.string().describe('Name of the person who signed in.'),
    api_key_id: z.string().describe('ID of the key with which the session was created, `key_…`.'),
    scopes: z.array(z.enum(SCOPES)).describe("Scopes of the session's key."),
    namespace: z.string(),
    ...endings,
    last_seen_at: unixTime.describe('Time of the last use, accurate to about 30 seconds.'),
  })
  .meta({
    id: 'Session',
    description: 'A session of a person who signed in. It has the scopes of its key.',
  });

export const OwnSession = z
  .strictObject({
    id: z.string().meta({ description: 'ID of the session, `ses_…`.' }),
    created: createdAt,
    ...endings,
  })
  .describe('The session of the caller. Null if the caller sent an API key.');

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
