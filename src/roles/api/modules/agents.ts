import { agentVersionRoutes } from '../../../agents/agent-versions.routes.ts';
import { agentRoutes } from '../../../agents/agents.routes.ts';
import { MODEL_PROVIDER_KIND } from '../../../models/model-provider.kind.ts';
import { findSourceIds } from '../../../knowledge/sources/knowledge-sources.sql.ts';
import type { Infrastructure } from '../infrastructure.ts';
import type { SampleModel } from '../../../conversations/turns/who-replies.ts';
import { recallRoutes } from '../../../recalls/recalls.routes.ts';
import { rolloutRoutes } from '../../../rollouts/rollouts.routes.ts';
import type { Module } from './module.ts';

/** Creates the module for agents and their versions. */
export function createAgents(
  infrastructure: Infrastructure,
  { sampleModel }: { sampleModel: SampleModel | undefined },
): Module {
  const { pool, store, guard, sealer, limits, awaitProjection, nowMs, modelSettings } =
    infrastructure;
  return {
    routes: [
      ...agentRoutes({
        pool,
        store,
        guard,
        sealer,
        limits,
        awaitProjection,
        nowMs,
        hasDefaultModel: modelSettings !== undefined,
        isSample: sampleModel?.isFor,
        findProvider: async (namespace, name) =>
          (await MODEL_PROVIDER_KIND.rows.findActive(pool, { namespace, name }))?.spec,
        findSources: (namespace, ids) => findSourceIds(pool, { namespace, ids, names: [] }),
      }),
      ...agentVersionRoutes(infrastructure),
      ...rolloutRoutes(infrastructure),
      ...recallRoutes(infrastructure),
    ],
  };
}
