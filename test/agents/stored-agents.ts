import { newUuid } from '../../src/ids.ts';
import type { Columns, Rows } from '../platform/postgres/rows.ts';

export const START_MS = Date.UTC(2026, 0, 1);
export const at = (ms: number): Date => new Date(START_MS + ms);
export const GONE = { deleted_at: new Date(START_MS) };
/** The content of a version that `addAgent` has stored. */
export const promptOf = (agentId: string, version: number) => ({
  prompt: `${agentId} ${version}`,
});

/** Stores agents, for tests of statements. */
export type StoredAgents = {
  /** Stores an agent with versions 1 to `versions`; returns its id. */
  addAgent: (columns?: Columns, versions?: number) => Promise<string>;
  addVersion: (agentId: string, version: number, columns?: Columns) => Promise<void>;
  addActivation: (agentId: string, seq: number, columns?: Columns) => Promise<void>;
};

export function createStoredAgents({ add }: Pick<Rows, 'add'>): StoredAgents {
  const addVersion: StoredAgents['addVersion'] = async (agentId, version, columns = {}) => {
    const content_hash = Buffer.from(`${agentId} ${version}`);
    const row = { agent_id: agentId, version, hash_version: 1, content_hash };
    const rest = { content: promptOf(agentId, version), created_by: 'api:key' };
    await add('agent_versions', { ...row, ...rest, ...columns });
  };
  return {
    addVersion,
    addAgent: async (columns = {}, versions = 0) => {
      const id = newUuid();
      const row = { id, namespace: 'default', name: id, uid: newUuid(), generation: 1 };
      await add('agents', { ...row, managed_by: 'api', spec: { prompt: 'p' }, ...columns });
      for (let version = 1; version <= versions; version += 1) await addVersion(id, version);
      return id;
    },
    addActivation: async (agentId, seq, columns = {}) => {
      const row = { agent_id: agentId, seq, action: 'published', to_version: seq, actor: 'a' };
      await add('agent_activations', { ...row, event_id: newUuid(), ...columns });
    },
  };
}
