import { z } from 'zod';
import { fromUuid } from '../ids.ts';
import type { listAuditPage } from '../audit/audit.ts';
import { KEY_SCOPES, type NewKey } from './manage-keys.ts';
import { createdAt, unixSec, unixSecOrNull, unixTime } from '../platform/http/time.ts';

/** API keys and the audit log as REST answers them (contract §4). A row has no key that could slip out. */

type KeyRow = NewKey['row'];
type AuditRow = Awaited<ReturnType<typeof listAuditPage>>[number];

export const ApiKey = z
  .strictObject({
    id: z.string().meta({ description: 'key_…' }),
    created: createdAt,
    name: z.string(),
    scopes: z.array(z.enum(KEY_SCOPES)),
    prefix: z.string().meta({ description: 'How the key begins, to tell it from others.' }),
    last_used_at: unixTime.nullable().meta({ description: 'Good to about a minute.' }),
    expires_at: unixTime.nullable().meta({ description: 'After a rotation: when it ends.' }),
  })
  .meta({ id: 'ApiKey', description: 'An API key; it works in its namespace only.' });

export const CreatedApiKey = ApiKey.extend({
  key: z.string().meta({ description: 'The key. Shown now and never again.' }),
}).meta({ id: 'CreatedApiKey', description: 'A new API key with its text.' });

export function apiKeyView(row: KeyRow): z.output<typeof ApiKey> {
  return {
    id: fromUuid('key', row.id),
    created: unixSec(row.createdAt),
    name: row.name,
    scopes: row.scopes,
    prefix: row.prefix,
    last_used_at: unixSecOrNull(row.lastUsedAt),
    expires_at: unixSecOrNull(row.expiresAt),
  };
}

export const AuditLine = z
  .strictObject({
    id: z.string().meta({ description: 'aud_…' }),
    created: createdAt,
    actor: z.string().meta({ description: 'api:key_…, cli or environment.' }),
    action: z.string().meta({ description: 'Such as api_key.rotated.' }),
    target: z.string().meta({ description: 'Id of what it was done to.' }),
    detail: z.record(z.string(), z.unknown()),
    request_id: z.string().nullable(),
  })
  .meta({ id: 'AuditLine', description: 'One line of the append-only account of who did what.' });

export function auditView(row: AuditRow): z.output<typeof AuditLine> {
  return {
    id: fromUuid('aud', row.id),
    created: unixSec(row.at),
    actor: row.actor,
    action: row.action,
    target: row.target,
    detail: row.detail,
    request_id: row.requestId,
  };
}
