import { readFileSync } from 'node:fs';
import { ofKind, type KubeObject } from './rendered.ts';
import { z } from 'zod';

/** `verb group/resource` of each right, by account; what the chart grants and what the docs say. */
export type Granted = Record<string, string[]>;

export const ACCOUNTS = ['operator', 'api', 'delivery'] as const;

const rules = z.array(
  z.object({
    apiGroups: z.array(z.string()),
    resources: z.array(z.string()),
    verbs: z.array(z.string()),
  }),
);

/** By the rendered roles of the accounts. */
export function grantedByChart(objects: readonly KubeObject[]): Granted {
  const roles = [...ofKind(objects, 'Role'), ...ofKind(objects, 'ClusterRole')];
  return Object.fromEntries(
    ACCOUNTS.map((account) => {
      const own = roles.filter(({ metadata }) =>
        new RegExp(`-${account}(-own)?$`).test(metadata.name),
      );
      const rights = own.flatMap((role) =>
        rules
          .parse(role['rules'])
          .flatMap((rule) => each(rule.apiGroups, rule.resources, rule.verbs)),
      );
      return [account, sorted(rights)];
    }),
  );
}

const DOCUMENT = new URL('../../docs/operations/rbac.md', import.meta.url);

/** By the table of docs/operations/rbac.md. */
export function grantedByDocument(): Granted {
  const granted: Record<string, string[]> = { operator: [], api: [], delivery: [] };
  for (const line of readFileSync(DOCUMENT, 'utf8').split('\n')) {
    const [, account = '', group = '', resources = '', verbs = ''] = line
      .split('|')
      .map((cell) => cell.trim());
    const names = (cell: string): string[] =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, one]) => one!);
    if (!(account in granted)) continue;
    const groups = group === 'core' ? [''] : names(group);
    granted[account]!.push(...each(groups, names(resources), names(verbs)));
  }
  return Object.fromEntries(
    Object.entries(granted).map(([account, rights]) => [account, sorted(rights)]),
  );
}

function each(groups: string[], resources: string[], verbs: string[]): string[] {
  return groups.flatMap((group) =>
    resources.flatMap((resource) => verbs.map((verb) => `${verb} ${group}/${resource}`)),
  );
}

function sorted(rights: readonly string[]): string[] {
  return [...new Set(rights)].toSorted();
}
