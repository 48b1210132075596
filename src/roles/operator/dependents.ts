import type { AgentSpec } from '../../agents/agent.ts';
import type { KnowledgeSourceSpec } from '../../knowledge/sources/knowledge-source.ts';
import type { Resource } from '../../platform/resources/resource-store.ts';
import {
  signingSecretName,
  type WebhookEndpointSpec,
} from '../../webhooks/endpoints/webhook-endpoint.ts';

/**
 * Whether an object reads a Secret, ConfigMap or KnowledgeSource of that name: a change of the one
 * must look at the other again, so that a missing reference heals by itself.
 */
export function agentUses(agent: Resource, kind: string, name: string): boolean {
  const spec = agent.spec as AgentSpec; // The store let in only what the CRD allows.
  if (kind === 'ConfigMap') return spec.promptFrom?.configMapKeyRef.name === name;
  if (kind === 'KnowledgeSource') {
    const { sourceIds = [], sourceNames = [] } = spec.knowledge ?? {};
    // Of one that was deleted only the name is known, so any may have had one of the ids.
    return sourceIds.length > 0 || sourceNames.includes(name);
  }
  return (spec.tools ?? []).some((tool) => tool.secretRef?.name === name);
}

export function endpointUses(endpoint: Resource, kind: string, name: string): boolean {
  if (kind !== 'Secret') return false;
  const spec = endpoint.spec as WebhookEndpointSpec; // As above.
  return (spec.secretRef?.name ?? signingSecretName(endpoint.metadata.name)) === name;
}

export function sourceUses(source: Resource, kind: string, name: string): boolean {
  const spec = source.spec as KnowledgeSourceSpec; // As above.
  return kind === 'ConfigMap' && spec.textFrom?.configMapKeyRef.name === name;
}
