import { ApiError } from '../errors.ts';
import { listActivations, type AgentActivation } from './agent-activations.sql.ts';
import { listVersions, readVersion, type AgentVersion } from './agent-versions.sql.ts';
import { listAgents, type AgentFilter, type AgentRow } from './agents.sql.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { requireAgent } from './write-agent.ts';

type Deps = { pool: Pool };
type AgentKey = { namespace: string; id: string };

export function listAgentPage({ pool }: Deps, page: AgentFilter): Promise<AgentRow[]> {
  return listAgents(pool, page);
}

export async function listVersionPage(
  deps: Deps,
  key: AgentKey,
  page: { before: number | null; limit: number },
): Promise<AgentVersion[]> {
  await requireAgent(deps, key);
  return listVersions(deps.pool, { agentId: key.id, ...page });
}

/** @throws ApiError not_found */
export async function requireVersion(
  deps: Deps,
  key: AgentKey,
  version: number,
): Promise<AgentVersion> {
  await requireAgent(deps, key);
  const found = await readVersion(deps.pool, { agentId: key.id, version });
  if (!found) throw new ApiError('not_found', `the agent has no version ${version}`);
  return found;
}

export async function listActivationPage(
  deps: Deps,
  key: AgentKey,
  page: { before: number | null; limit: number },
): Promise<AgentActivation[]> {
  await requireAgent(deps, key);
  return listActivations(deps.pool, { agentId: key.id, ...page });
}
