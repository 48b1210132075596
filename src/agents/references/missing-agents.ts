import type { ResourceStore } from '../../platform/resources/resource-store.ts';

/** At once: a namespace's objects may name a thousand agents, and others read of the store too. */
const LOOKS_MAX = 16;

/** Of agents that something names, those that the namespace does not have; one read for each name. */
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

/** What is said of one. */
export function missingAgent(name: string): string {
  return `there is no agent ${name} in this namespace: make it first, or leave it out`;
}
