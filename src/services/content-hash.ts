import { createHash } from 'node:crypto';
import { AGENT_CONTENT_FIELDS, type AgentContent, type AgentSpec } from '../resources/agent.ts';

/**
 * What makes a version: the content part of a spec, as the user set it (contract §4). Content
 * fields carry no defaults in the CRD, so an upgrade that adds a default changes no hash; a
 * change of the rules below would, and must raise HASH_VERSION.
 */
export const HASH_VERSION = 1;

/** The content of a resolved spec: `prompt` stands for a reference to it, nothing empty remains. */
export function contentOf(spec: AgentSpec): AgentContent {
  const entries = AGENT_CONTENT_FIELDS.filter((field) => field !== 'promptFrom')
    .map((field) => [field, spec[field]] as const)
    .filter(([, value]) => !isEmpty(value));
  return Object.fromEntries(entries);
}

/** Lower-case hex SHA-256 of the content in one canonical form. */
export function contentHash(content: AgentContent): string {
  return createHash('sha256').update(JSON.stringify(canonical(content))).digest('hex');
}

/** Keys sorted at every level; tools in the order of their names, which are their identity. */
function canonical(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => canonical(item));
    return key === 'tools' ? items.sort(byName) : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  // Pairs, not an object: a key such as "10" would not keep its place in one.
  return entries.map(([name, item]) => [name, canonical(item, name)]);
}

function byName(a: unknown, b: unknown): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}

/** `tools: []` says the same as no tools. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
