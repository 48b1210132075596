import { z } from 'zod';
import { fromUuid } from '../ids.ts';
import { SCOPES } from '../platform/http/authorize.ts';
import type { ApiKeyRow } from './api-keys.sql.ts';
import { createdAt, unixSec, unixSecOrNull, unixTime } from '../platform/http/fields.ts';

/**
 * API keys as returned by REST (contract/api-keys.md). The row does not contain the key's text, so a response cannot
 * leak it.
 */

export const ApiKey = z
  .strictObject({
    id: z.string().meta({ description: 'key_…' }),
    created: createdAt,
    name: z.string(),
    scopes: z.array(z.enum(SCOPES)),
    prefix: z.string().meta({ description: 'How the key begins, to tell it from others.' }),
    last_used_at: unixTime.nullable().meta({ description: 'Good to about a minute.' }),
    expires_at: unixTime
      .nullable()
      .meta({ description: 'When it ends, as it was made or by a rotation; null: it does not.' }),
  })
  .meta({ id: 'ApiKey', description: 'An API key; it works in its namespace only.' });

export const CreatedApiKey = ApiKey.extend({
  key: z.string().meta({ description: 'The key. Shown now and never again.' }),
}).meta({ id: 'CreatedApiKey', description: 'A new API key with its text.' });

export function apiKeyView(row: ApiKeyRow): z.output<typeof ApiKey> {
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
