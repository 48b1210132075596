import type { Mutant } from './mutant.ts';

const ACCOUNTS = 'test/calls/providers/find-account.pg.test.ts';
const PROVIDERS = 'test/calls/providers/telephony-providers.kube.test.ts';

/** Bugs of accounts at carriers: whose call it is, with which token, and who answers it. */
export const TELEPHONY_MUTANTS: readonly Mutant[] = [
  {
    name: 'token-to-a-new-address',
    why: "a carrier's token is sent to whatever address is declared while its Secret is missing",
    file: 'src/calls/providers/telephony-providers.sql.ts',
    find: 'in_force = coalesce(excluded.in_force, t.in_force),',
    replace: "in_force = excluded.spec - 'numbers',",
    suite: ACCOUNTS,
    test: 'without its Secret a new address does not get the old token',
  },
  {
    name: 'old-token-remembered',
    why: 'a token that was replaced because it leaked goes on opening calls',
    file: 'src/calls/providers/find-account.ts',
    find: 'accounts.forget(({ account }) => isAll || !account || ids.has(account.id));',
    replace: 'accounts.forget(({ account }) => isAll || !account);',
    suite: ACCOUNTS,
    test: 'a new token is used at once when it was told of',
  },
  {
    name: 'agent-of-a-neighbour',
    why: "a caller of one tenant's number talks to another tenant's agent",
    file: 'src/calls/providers/accounts.sql.ts',
    find: 'on a.namespace = n.namespace and a.name = n.agent_name',
    replace: 'on a.name = n.agent_name',
    suite: ACCOUNTS,
    test: 'a number leads to the accounts of all namespaces',
  },
  {
    name: 'number-taken-away',
    why: 'whoever declares a number of a colleague gets their calls',
    file: 'src/calls/providers/project-provider.ts',
    find: 'const held = authToken === null ? undefined : await findTaken(db, provider, numbers);',
    replace: 'const held = authToken === null ? undefined : await findTaken(db, provider, []);',
    suite: PROVIDERS,
    test: 'stands in one provider of a namespace',
  },
  {
    name: 'number-waits-for-ever',
    why: 'a number that another provider let go of is answered by nobody until somebody edits a manifest',
    file: 'src/calls/providers/telephony-provider.reconciler.ts',
    find: "if (await store.get('TelephonyProvider', key)) freed.push(key);",
    replace: "if (!(await store.get('TelephonyProvider', key))) freed.push(key);",
    suite: PROVIDERS,
    test: 'stands in one provider of a namespace',
  },
];
