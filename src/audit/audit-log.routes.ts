import { z } from 'zod';
import { listAuditPage } from './audit.ts';
import { idCursor, idPage, pageOf, pageSchema } from '../platform/http/cursor.ts';
import { timeBound } from '../platform/http/params.ts';
import { route, type Route } from '../platform/http/route.ts';
import { AuditLine, auditView } from './audit-line.view.ts';

/** Who managed keys and secrets, and who erased something. */
export function auditLogRoute(deps: Parameters<typeof listAuditPage>[0]): Route {
  const { limit, cursor } = idPage('aud');
  return route({
    method: 'get',
    path: '/v1/audit_log',
    operationId: 'listAuditLog',
    tag: 'API keys',
    scope: 'keys',
    summary: 'List the audit log, newest first',
    query: {
      action: z.string().max(100).optional(),
      actor: z.string().max(100).optional(),
      created_after: timeBound('Unix seconds, inclusive.'),
      created_before: timeBound('Unix seconds, exclusive.'),
      limit,
      cursor,
    },
    answers: { 200: { description: 'A page of lines.', schema: pageSchema(AuditLine) } },
    handle: async ({ caller: { namespace }, query }) => {
      const rows = await listAuditPage(deps, {
        namespace,
        action: query.action,
        actor: query.actor,
        createdAfter: query.created_after,
        createdBefore: query.created_before,
        before: query.cursor ?? null,
        limit: query.limit + 1,
      });
      const page = { limit: query.limit, view: auditView, cursorOf: idCursor('aud') };
      return { status: 200, body: pageOf(rows, page) };
    },
  });
}
