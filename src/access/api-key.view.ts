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
    id: z.string().meta({ description: 'Id of the key, `key_…`.' }),
    created: createdAt,
    name: z.string(),
    scopes: z.array(z.enum(SCOPES)),
    prefix: z.string().meta({ description: 'First characters of the key, to tell keys apart.' }),
    last_used_at: unixTime
      .nullable()
      .meta({ description: 'Last use, accurate to about a minute.' }),
    expires_at: unixTime.nullable().meta({
      description:
        'Time at which the key expires, as set on creation or by a rotation. Null if it does not ' +
        'expire.',
    }),
  })
  .meta({ id: 'ApiKey', description: 'An API key. It works in its own namespace only.' });

export const CreatedApiKey = ApiKey.extend({
  key: z.string().meta({ description: 'The key itself. Only this response shows it.' }),
}).meta({ id: 'CreatedApiKey', description: 'A new API key, including the key itself.' });

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
