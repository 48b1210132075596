import type { Mutant } from './mutant.ts';

const ETAG = 'test/platform/declare/etag.kube.test.ts';
const GITOPS = 'test/platform/declare/gitops.kube.test.ts';
const SOURCES = 'test/knowledge/sources/knowledge-sources.kube.test.ts';
const OUTAGE = 'test/roles/api/api-outage.pg.test.ts';
const AGENTS = 'test/agents/api-agents.kube.test.ts';
const KIND = 'src/platform/declare/declared-kind.ts';

/** Bugs of how REST declares things: whose fields, which version, what is answered. */
export const DECLARE_MUTANTS: readonly Mutant[] = [
  {
    name: 'first-who-moved-it',
    why: 'after a rollback the list names who published, long ago',
    file: 'src/agents/agents.sql.ts',
    find: 'order by a.seq desc limit 1) as activation',
    replace: 'order by a.seq limit 1) as activation',
    suite: 'test/agents/live-activation.pg.test.ts',
    test: 'the last activation',
  },
  {
    name: 'tag-of-any-object',
    why: 'a tag of an object that was deleted fits the one that has its name now',
    file: 'src/platform/declare/precondition.ts',
    find: `const parts = [generation, uid.replaceAll('-', ''), `,
    replace: `const parts = [generation, uid.replaceAll(/./g, ''), `,
    suite: ETAG,
    test: 'it is of the declared object: its uid and generation',
  },
  {
    name: 'stale-patch-goes-through',
    why: 'who edits what they read an hour ago overwrites what a colleague has changed since',
    file: KIND,
    find: '      precondition(current);\n',
    replace: '',
    suite: ETAG,
    test: 'a stale tag is 412 and changes nothing, on PATCH and on DELETE',
  },
  {
    name: 'stale-delete-goes-through',
    why: 'what somebody has just repaired is deleted by who saw it broken',
    file: KIND,
    find: '    precondition(current);\n    return store.delete',
    replace: '    return store.delete',
    suite: ETAG,
    test: 'a stale tag is 412 and changes nothing, on PATCH and on DELETE',
  },
  {
    name: 'api-deletes-what-git-declares',
    why: 'DELETE takes away what a pipeline owns, without a word',
    file: KIND,
    find: `if (managedBy !== 'api') {`,
    replace: `if (managedBy === 'file') {`,
    suite: SOURCES,
    test: 'declared by kubectl is shown by REST, and its status says so',
  },
  {
    name: 'null-removes-nothing',
    why: 'a PATCH that removes a field of another manager is answered 200, and the field stays',
    file: KIND,
    find: 'if (conflicts.length > 0) throw new FieldConflictError(conflicts);',
    replace: 'if (conflicts.length > 9) throw new FieldConflictError(conflicts);',
    suite: GITOPS,
    test: 'owns its fields: REST answers 409 with its name and changes nothing',
  },
  {
    name: 'patch-forgets-the-rest',
    why: 'a PATCH of one field drops all others that the API has declared',
    file: KIND,
    find: 'const fields = [...new Set([...ours, ...input.touched])];',
    replace: 'const fields = ours.length > 99 ? ours : input.touched;',
    suite: AGENTS,
    test: 'null removes a field, nested fields merge, lists are replaced',
  },
  {
    name: 'taken-name-gets-a-suffix',
    why: 'who asks for a name that is taken gets another one, and finds it by chance',
    file: 'src/platform/declare/free-name.ts',
    find: '  if (given !== undefined) return [given];\n  const base = labelOf(displayName)',
    replace: '  const base = labelOf(given ?? displayName)',
    suite: SOURCES,
    test: 'a name is taken once, and neither name nor type ever changes',
  },
  {
    name: 'answered-before-it-is-shown',
    why: 'a PATCH answers with what was before it, as if it had done nothing',
    file: KIND,
    find: 'row !== undefined && row.uid === uid && row.generation >= generation,',
    replace: 'row !== undefined && row.uid === uid && row.generation > 0 * generation,',
    suite: SOURCES,
    test: 'that changes is indexed anew, and one that does not makes no event',
  },
  {
    name: 'waits-without-an-end',
    why: 'without an operator every write hangs until the client gives up, and is sent again',
    file: 'src/platform/declare/await-projection.ts',
    find: 'const WAIT_MAX_MS = 2_000;',
    replace: 'const WAIT_MAX_MS = 7_000;',
    suite: OUTAGE,
    test: 'without an operator a write is 202 after two seconds, whole and not ready',
  },
  {
    name: 'mistake-at-no-place',
    why: 'a mistake that the store finds points into a custom resource that the caller never saw',
    file: 'src/platform/declare/rest-terms.ts',
    find: 'pointer: pointer(error.pointer),',
    replace: 'pointer: error.pointer,',
    suite: SOURCES,
    test: 'a mistake is refused at its place',
  },
  {
    name: 'form-undoes-the-other-person',
    why: 'who decides for theirs in one field loses what they wrote in all others',
    file: 'src/dashboard/data/agent-draft.ts',
    find: 'isSame(theirs[name], base[name]) ? mine[name] : won[name]',
    replace: 'won[name]',
    suite: 'test/dashboard/agent-draft.test.ts',
    test: 'what one of them did not touch is as the other has it',
  },
];
