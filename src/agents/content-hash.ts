import { createHash } from 'node:crypto';
import { AGENT_CONTENT_FIELDS, type AgentContent, type AgentSpec } from './agent.ts';

/**
 * Version of the hashing rules. The hash covers the content part of a spec, as the user set it
 * (contract/agents.md#versions). Content fields have no defaults in the CRD, so an upgrade that adds a default does not
 * change any hash. Any change to the hashing rules below changes the hashes, so it must increment `HASH_VERSION`.
 */
export const HASH_VERSION = 1;

/**
 * Returns the content part of a spec, without empty values. The spec must contain the text of the prompt, not a
 * reference to it.
 */
export function contentOf(spec: AgentSpec): AgentContent {
  const entries = AGENT_CONTENT_FIELDS.filter((field) => field !== 'promptFrom')
    .map((field) => [field, spec[field]] as const)
    .filter(([, value]) => !isEmpty(value));
  return Object.fromEntries(entries);
}

/**
 * Returns the lower-case hexadecimal SHA-256 of the content as canonical JSON (RFC 8785). Removes empty values at any
 * depth, and sorts tools by name, because their order has no meaning. A tool's `parameters` stay unchanged, because
 * `{}` and order have a meaning in a JSON Schema.
 */
export function contentHash(content: AgentContent): string {
  const { tools, ...rest } = content;
  const sorted = [...(tools ?? [])].sort((a, b) => (a.name < b.name ? -1 : 1));
  const normal = withoutEmpty({ ...rest, tools: sorted });
  return createHash('sha256').update(canonicalJson(normal)).digest('hex');
}

function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .map(([key, item]) => [key, key === 'parameters' ? item : withoutEmpty(item)] as const)
    .filter(([, item]) => !isEmpty(item));
  return Object.fromEntries(entries);
}

/**
 * Returns canonical JSON, with sorted keys at every level. `JSON.stringify` already writes numbers and strings as the
 * RFC requires.
 */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`);
  return `{${members.join(',')}}`;
}

/** Returns true for empty values: `tools: []` means the same as no tools. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
