import { z } from 'zod';
import { fromUuid } from '../ids.ts';
import { createdAt, unixSec, updatedAt } from '../platform/http/fields.ts';
import { readableFields } from '../platform/resources/schema/rest-schema.ts';
import type { ModelProviderRow } from './model-providers.sql.ts';
import { fromModelProviderSpec, ModelProviderWrite } from './rest-model-provider.ts';

/** Providers of models as REST answers them (contract §4). A key is never among it, only its place. */

/** What is not set is null, so that readers need not know what may be absent. */
export const ModelProvider = z
  .strictObject({
    id: z.string().meta({ description: 'mp_…' }),
    created: createdAt,
    updated: updatedAt,
    name: z.string().meta({ description: 'What agents name it by; never changes.' }),
    base_url: z.string().meta({ description: 'Base of an OpenAI-compatible API.' }),
    ...readableFields(ModelProviderWrite, [
      'api_key_secret_ref',
      'api_key_header',
      'organization',
      'project',
      'chat',
      'embeddings',
      'speech',
      'transcription',
      'limits',
    ]),
    headers: z.record(z.string(), z.string()),
    query: z.record(z.string(), z.string()),
    metadata: z.record(z.string(), z.string()),
    managed_by: z.enum(['api', 'kubernetes', 'file']),
    ready: z.boolean().meta({ description: 'Whether it is in force as declared, and answers.' }),
    status_message: z.string().nullable(),
  })
  .meta({ id: 'ModelProvider', description: 'Where models come from.' });

export function providerView(row: ModelProviderRow): Record<string, unknown> {
  const fields = fromModelProviderSpec(row.spec);
  return {
    id: fromUuid('mp', row.id),
    created: unixSec(row.createdAt),
    updated: unixSec(row.updatedAt),
    name: row.name,
    base_url: fields.base_url,
    api_key_secret_ref: fields.api_key_secret_ref ?? null,
    api_key_header: fields.api_key_header ?? null,
    organization: fields.organization ?? null,
    project: fields.project ?? null,
    chat: fields.chat ?? null,
    embeddings: fields.embeddings ?? null,
    speech: fields.speech ?? null,
    transcription: fields.transcription ?? null,
    limits: fields.limits ?? null,
    headers: fields.headers ?? {},
    query: fields.query ?? {},
    metadata: fields.metadata ?? {},
    managed_by: row.managedBy,
    ready: row.ready,
    status_message: row.message === '' ? null : row.message,
  };
}
