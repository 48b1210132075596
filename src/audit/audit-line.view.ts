import { z } from 'zod';
import { fromUuid } from '../ids.ts';
import { createdAt, unixSec } from '../platform/http/time.ts';
import type { listAuditPage } from './audit.ts';

type AuditRow = Awaited<ReturnType<typeof listAuditPage>>[number];

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
