import type { ResourceStore } from '../../platform/resources/resource-store.ts';

/**
 * Maximum number of concurrent reads. One object may name a thousand agents, and reading all of them at once would
 * delay other users of the store.
 */
const LOOKS_MAX = 16;

/** Returns the named agents that do not exist in the namespace. Reads each name once. */
export async function missingAgents(
  store: Pick<ResourceStore, 'get'>,
  namespace: string,
  named: readonly string[],
): Promise<ReadonlySet<string>> {
  const names = [...new Set(named)];
  const missing = new Set<string>();
  for (let at = 0; at < names.length; at += LOOKS_MAX) {
    const looks = names.slice(at, at + LOOKS_MAX).map(async (name) => {
      if (!(await store.get('Agent', { namespace, name }))) missing.add(name);
    });
    await Promise.all(looks);
  }
  return missing;
}

/** Returns the error message for a missing agent. */
export function missingAgent(name: string): string {
  return `agent "${name}" does not exist in this namespace; create it first or remove the reference`;
}
