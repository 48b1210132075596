import type { Mutant } from './mutant.ts';

const MATRIX = 'test/roles/api/route-matrix.pg.test.ts';
const LOG = 'test/audit/audit-log.pg.test.ts';
const ROWS = 'src/audit/audit-log.sql.ts';
const ROUTES = 'src/audit/audit-log.routes.ts';

/** Bugs of the audit log: lines that are missing, wrong, or shown to somebody else. */
export const AUDIT_MUTANTS: readonly Mutant[] = [
  {
    name: 'audit-of-a-neighbour',
    why: 'whoever manages the keys of one namespace reads what is done in all others',
    file: ROWS,
    find: `['namespace =', filter.namespace],`,
    replace: `['namespace <>', filter.namespace && ''],`,
    suite: LOG,
    test: 'is of the own namespace alone',
  },
  {
    name: 'audit-for-every-reader',
    why: 'a key that may only read learns who has which key, and when',
    file: ROUTES,
    find: `scope: 'keys',`,
    replace: `scope: 'read',`,
    suite: MATRIX,
    test: 'needs read to read, publish to go live',
  },
  {
    name: 'audit-by-any-action',
    why: 'the filter by action is taken and shows everything',
    file: ROUTES,
    find: 'action: query.action,',
    replace: 'action: undefined,',
    suite: LOG,
    test: 'is found by what was done and by whom',
  },
  {
    name: 'audit-by-any-actor',
    why: 'the filter by actor is taken and shows everything',
    file: ROUTES,
    find: 'actor: query.actor,',
    replace: 'actor: undefined,',
    suite: LOG,
    test: 'is found by what was done and by whom',
  },
  {
    name: 'audit-oldest-first',
    why: 'the act of a minute ago is on the last page',
    file: ROWS,
    find: 'where ${where} order by id desc limit',
    replace: 'where ${where} order by id limit',
    suite: LOG,
    test: 'a line says who did what to what',
  },
  {
    name: 'audit-without-the-request',
    why: 'a line cannot be found in the log: its request_id is null',
    file: ROWS,
    find: 'const { namespace, actor, action, target, detail = {}, requestId = null } = line;',
    replace:
      'const { namespace, actor, action, target, detail = {} } = line;\n  const requestId = null;',
    suite: LOG,
    test: 'a line says who did what to what',
  },
  {
    name: 'audit-without-the-act',
    why: 'the log names an erasure that failed',
    file: 'src/erasure/erase-conversation.ts',
    find: 'await recordAudit(db, {',
    replace: 'await recordAudit(deps.pool, {',
    suite: LOG,
    test: 'an act that failed has no line',
  },
  {
    name: 'audit-until-included',
    why: 'created_before is inclusive: who asks month by month counts a line twice',
    file: 'src/platform/postgres/list-filters.ts',
    find: `['id <', idAt(createdBefore)],`,
    replace: `['id <', idAt(createdBefore && createdBefore + 1)],`,
    suite: LOG,
    test: 'a second asked for begins with it',
  },
];
