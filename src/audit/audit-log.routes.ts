import { z } from 'zod';
import { fromUuid, uuidTimeMs } from '../ids.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { idCursor, idPage, pageOf, pageSchema } from '../platform/http/cursor.ts';
import { timeBound, createdAt, unixSec } from '../platform/http/fields.ts';
import { route, type Route } from '../platform/http/route.ts';
import { listAuditLines, type AuditRow } from './audit-log.sql.ts';

/** Returns the route that lists the audit log: management changes and erasures, with their actors. */
export function auditLogRoute({ pool }: { pool: Pool }): Route {
  return route({
    method: 'get',
    path: '/v1/audit_log',
    operationId: 'listAuditLog',
    tag: 'API keys',
    scope: 'keys',
    summary: 'List the audit log, newest first',
    query: {
      action: z.string().max(100).optional(),
      actor: z.string().max(300).optional(),
      target: z.string().max(100).optional(),
      created_after: timeBound('Only entries created at or after this time, in Unix seconds.'),
      created_before: timeBound('Only entries created before this time, in Unix seconds.'),
      ...idPage('aud'),
    },
    answers: { 200: { description: 'A page of audit entries.', schema: pageSchema(AuditLine) } },
    handle: async ({ caller: { namespace }, query }) => {
      const rows = await listAuditLines(pool, {
        namespace,
        action: query.action,
        actor: query.actor,
        target: query.target,
        createdAfter: query.created_after,
        createdBefore: query.created_before,
        before: query.cursor,
        limit: query.limit + 1,
      });
      const page = { limit: query.limit, view: auditView, cursorOf: idCursor('aud') };
      return { status: 200, body: pageOf(rows, page) };
    },
  });
}

const changed = z.record(z.string(), z.unknown()).nullable();

const AuditLine = z
  .strictObject({
    id: z.string().meta({ description: 'ID of the entry, `aud_…`.' }),
    created: createdAt,
    actor: z.string().meta({
      description:
        'Actor: `api:key_…`, `session:<name>`, `kubernetes:<manager>`, `file`, `cli` or ' +
        '`environment`.',
    }),
    session_id: z
      .string()
      .nullable()
      .meta({
        description:
          'ID of the session, `ses_…`. Null if the action was not performed in a session. The ' +
          '`session.created` entry names the key with which the session was created.',
      }),
    action: z.string().meta({ description: 'Action, such as `api_key.rotated`.' }),
    target: z.string().meta({ description: 'ID of the object that the action affected.' }),
    before: changed.meta({
      description: 'Changed fields with their old values. Null if the object did not exist.',
    }),
    after: changed.meta({
      description: 'Changed fields with their new values. Null if the object no longer exists.',
    }),
    detail: z.record(z.string(), z.unknown()),
    outcome: z.enum(['done', 'unknown']).meta({
      description: '`unknown` if the action began but its result is not known.',
    }),
    address: z.string().nullable().meta({
      description: 'IP address from which the request came. It may belong to a proxy.',
    }),
    user_agent: z.string().nullable(),
    request_id: z.string().nullable(),
  })
  .meta({ id: 'AuditLine', description: 'An entry in the append-only audit log.' });

function auditView(row: AuditRow): z.output<typeof AuditLine> {
  return {
    id: fromUuid('aud', row.id),
    created: unixSec(uuidTimeMs(row.id)),
    actor: row.actor,
    session_id: row.sessionId === null ? null : fromUuid('ses', row.sessionId),
    action: row.action,
    target: row.target,
    before: row.before,
    after: row.after,
    detail: row.detail,
    outcome: row.outcome,
    address: row.address,
    user_agent: row.userAgent,
    request_id: row.requestId,
  };
}
