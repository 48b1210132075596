import { declared, type Declared } from './agents.ts';
import { ok, parley, type Agent } from './parley.ts';

/** What is to be live: a version, or, with the pin taken away, the current content. */
export type Release =
  | { kind: 'publish'; version: number }
  | { kind: 'rollback'; version: number; reason?: string }
  | { kind: 'unpin' };

/** Moves the pin of the agent as it was read. @throws ParleyError */
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

/** What brings back what was live before; null: that cannot be had again. */
export function undoOf(before: Agent): Release | null {
  if (before.pinned_version !== null) return { kind: 'publish', version: before.pinned_version };
  return before.publish_policy === 'automatic' ? { kind: 'unpin' } : null;
}

export type AgentPatch = Record<string, unknown>;

/** Changes the agent as it was read. @throws ParleyError */
export function patchAgent({ agent, etag }: Declared, body: AgentPatch): Promise<Declared> {
  const params = { path: { id: agent.id }, header: { 'If-Match': etag } };
  return declared(parley.PATCH('/v1/agents/{id}', { params, body }));
}

/** @throws ParleyError */
export function createAgent(body: AgentPatch & { prompt: string }): Promise<Declared> {
  return declared(parley.POST('/v1/agents', { body }));
}

/** @throws ParleyError */
export async function deleteAgent({ agent, etag }: Declared): Promise<void> {
  const params = { path: { id: agent.id }, header: { 'If-Match': etag } };
  await ok(parley.DELETE('/v1/agents/{id}', { params }));
}
