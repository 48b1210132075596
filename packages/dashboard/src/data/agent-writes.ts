import { declared, type Declared } from './agents.ts';
import { ok, parley, type Agent, type BodyOf } from './parley.ts';

/**
 * A change to the live version: publish, roll back, or unpin. After an unpin, the version with the current content goes
 * live.
 */
export type Release =
  | { kind: 'publish'; version: number }
  | { kind: 'rollback'; version: number; reason?: string }
  | { kind: 'unpin' };

/**
 * Publishes, rolls back or unpins the agent. Fails if the agent changed after it was read.
 * @throws ParleyError
 */
export function release({ agent, etag }: Declared, wanted: Release): Promise<Declared> {
  const params = { path: { id: agent.id }, header: { 'If-Match': etag } };
  if (wanted.kind !== 'rollback') {
    const body = wanted.kind === 'publish' ? { version: wanted.version } : {};
    return declared(parley.POST('/v1/agents/{id}/publish', { params, body }));
  }
  const { version, reason = '' } = wanted;
  const body = { version, ...(reason.trim() !== '' && { reason: reason.trim() }) };
  return declared(parley.POST('/v1/agents/{id}/rollback', { params, body }));
}

/** Returns the change that restores the previous state, or null if that is impossible. */
export function undoOf(before: Agent): Release | null {
  if (before.pinned_version !== null) return { kind: 'publish', version: before.pinned_version };
  return before.publish_policy === 'manual' ? null : { kind: 'unpin' };
}

export type AgentPatch = BodyOf<'/v1/agents/{id}', 'patch'>;

/**
 * Patches the agent. Fails if the agent changed after it was read.
 * @throws ParleyError
 */
export function patchAgent({ agent, etag }: Declared, body: AgentPatch): Promise<Declared> {
  const params = { path: { id: agent.id }, header: { 'If-Match': etag } };
  return declared(parley.PATCH('/v1/agents/{id}', { params, body }));
}

/** @throws ParleyError */
export function createAgent(body: BodyOf<'/v1/agents', 'post'>): Promise<Declared> {
  return declared(parley.POST('/v1/agents', { body }));
}

/** @throws ParleyError */
export async function deleteAgent({ agent, etag }: Declared): Promise<void> {
  const params = { path: { id: agent.id }, header: { 'If-Match': etag } };
  await ok(parley.DELETE('/v1/agents/{id}', { params }));
}
