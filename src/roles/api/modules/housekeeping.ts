import { countApiKeys } from '../../../access/api-keys.sql.ts';
import { auditLogRoute } from '../../../audit/audit-log.routes.ts';
import { createRetention } from '../../../erasure/retention.ts';
import { sumSourceBytes } from '../../../knowledge/sources/knowledge-sources.sql.ts';
import { createPeriodic } from '../../../platform/controller/periodic.ts';
import { keyActor } from '../../../platform/http/authorize.ts';
import { openApiRoute } from '../../../platform/http/openapi/openapi.routes.ts';
import { usageRoute } from '../../../platform/http/usage.routes.ts';
import { forgetOldMarks } from '../../../platform/idempotency/idempotency.ts';
import type { Db } from '../../../platform/postgres/pool.ts';
import { projectionsIn } from '../../../platform/resources/projections.sql.ts';
import { countRunningJobs } from '../../../webhooks/replay/jobs.sql.ts';
import type { Infrastructure } from '../infrastructure.ts';
import { readOpenApi } from '../openapi-file.ts';
import type { Module } from './module.ts';

/**
 * Creates the module for functions that concern all resources: the audit log, usage, the OpenAPI document, and the
 * deletion of old rows.
 */
export function createHousekeeping(infrastructure: Infrastructure): Module {
  const { pool, limits, log, inFlight, kinds, retention, version } = infrastructure;
  const oldMarks = createPeriodic({
    what: 'removing idempotent responses older than a day',
    everyMs: 60_000,
    run: () => forgetOldMarks({ pool }),
    log,
  });
  return {
    routes: [
      auditLogRoute({ pool }),
      usageRoute({
        limits,
        inFlight,
        quotas: [...kinds.map(({ table }) => table), 'knowledge_bytes', 'api_keys'],
        countUsed: (namespace, quota) => countUsed(pool, namespace, quota),
        countJobs: ({ namespace, keyId }) =>
          countRunningJobs(pool, { namespace, actor: keyActor(keyId) }),
      }),
      openApiRoute(() => readOpenApi(version)),
    ],
    jobs: [oldMarks, createRetention({ pool, retention, log })],
  };
}

async function countUsed(db: Db, namespace: string, quota: string): Promise<number> {
  if (quota === 'knowledge_bytes') return (await sumSourceBytes(db, { namespace })).all;
  if (quota === 'api_keys') return (await countApiKeys(db, namespace)).standing;
  return projectionsIn(db, quota).count(namespace);
}
