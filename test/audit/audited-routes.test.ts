import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { actionsOn, OTHER_ACTIONS } from '../../src/audit/audit-actions.ts';
import { createRoutes } from '../../src/roles/describe-routes.ts';
import { KINDS } from '../../src/roles/kinds.ts';
import { AUDITED, NOT_AUDITED } from './audited-routes.ts';

/** Every write leaves a line (contract/audit-log.md); audited-routes.pg.test.ts does each of them. */

const writes = createRoutes().filter(({ method }) => method !== 'get');

test('every route that writes is audited, or says why not', () => {
  const known = [...Object.keys(AUDITED), ...Object.keys(NOT_AUDITED)].toSorted();
  expect(known).toEqual(writes.map(({ operationId }) => operationId).toSorted());
});

test('the contract lists the actions that there are', () => {
  const page = path.resolve(import.meta.dirname, '../../docs/contract/audit-log.md');
  const [, listed = ''] = /## Actions\n([^]*?)\n## /.exec(readFileSync(page, 'utf8')) ?? [];
  const named = listed.match(/`[a-z_]+\.[a-z_]+`/g)?.map((name) => name.slice(1, -1)) ?? [];
  const all = [...KINDS.flatMap(({ auditNoun }) => actionsOn(auditNoun)), ...OTHER_ACTIONS];
  expect([...new Set(named)].toSorted()).toEqual(all.toSorted());
});
