import type { Mutant } from './mutant.ts';

const STORE = 'test/platform/resources/resource-store.kube.test.ts';
const VALIDATE = 'test/platform/resources/schema/validate.test.ts';
const REST = 'test/platform/resources/schema/rest.test.ts';
const MERGE = 'src/platform/resources/resource-merge.ts';
const ROWS = 'src/platform/resources/resources.sql.ts';
const FIELDS = 'src/platform/resources/schema/field-types.ts';
const KEYS = 'src/platform/resources/schema/key-map.ts';

/** Bugs of what is declared: who owns which field, what is let in, what is kept of it. */
export const RESOURCE_MUTANTS: readonly Mutant[] = [
  {
    name: 'generation-of-a-label',
    why: 'a label moves the generation: the tag is stale, and the operator works, for nothing',
    file: MERGE,
    find: 'if (current && !isDeepStrictEqual(resource.spec, current.spec)) resource',
    replace: 'if (current) resource',
    suite: STORE,
    test: 'moves the generation only with the spec',
  },
  {
    name: 'field-of-another-taken',
    why: 'who applies last owns everything: two pipelines change one agent to and fro',
    file: MERGE,
    find: 'if (others[0] !== undefined && !isDeepStrictEqual(values[name], value)) {',
    replace: 'if (others[0] !== undefined && values[name] === undefined) {',
    suite: STORE,
    test: 'names the manager whose field it would change',
  },
  {
    name: 'shared-field-lost',
    why: 'one of two who declare the same lets go, and the field is gone for both',
    file: MERGE,
    find: 'if (others.length > 0) owners[field] = others;',
    replace: 'if (others.length > 1) owners[field] = others;',
    suite: STORE,
    test: 'lets two managers share an equal value until the last lets go',
  },
  {
    name: 'dropped-field-stays',
    why: 'what is taken out of a manifest goes on',
    file: MERGE,
    find: '      delete values[name];\n',
    replace: '',
    suite: STORE,
    test: 'gives a dropped field its default back',
  },
  {
    name: 'deleted-at-any-version',
    why: 'what was repaired a moment ago is deleted by who saw it broken',
    file: ROWS,
    find: '        checkVersion(current.resource, resourceVersion);\n',
    replace: '',
    suite: STORE,
    test: 'it is deleted at the version that was seen, or not at all',
  },
  {
    name: 'status-of-a-predecessor',
    why: 'a new agent shows the id and the versions of the one that was deleted',
    file: ROWS,
    find: 'if (!current || current.resource.metadata.uid !== uid) return undefined;',
    replace: 'if (!current || uid === undefined) return undefined;',
    suite: STORE,
    test: 'of the status is apart: an older object of that name gets none of it',
  },
  {
    name: 'secret-in-a-tombstone',
    why: 'a Secret that was deleted stays in the table, for whoever gets a backup',
    file: ROWS,
    find: `resource_version = $4, spec = '{}', status = '{}', owners = '{}',`,
    replace: `resource_version = $4, status = '{}', owners = '{}',`,
    suite: STORE,
    test: 'a Secret is sealed in its table',
  },
  {
    name: 'headers-of-ours-taken',
    why: 'an endpoint declares a webhook-signature of its own, and receivers trust that',
    file: FIELDS,
    find: 'user-agent|parley-.*|webhook-.*|__proto__',
    replace: 'user-agent|parley-.*|__proto__',
    suite: VALIDATE,
    test: 'the validator',
  },
  {
    name: 'headers-of-ours-in-capitals',
    why: 'HOST is another header than host to the check, and the same to every server',
    file: FIELDS,
    find: '.replaceAll(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)})$`;',
    replace: '.replaceAll(/[a-z]/g, (letter) => letter)})$`;',
    suite: VALIDATE,
    test: 'the validator',
  },
  {
    name: 'value-that-ends-its-line',
    why: 'a header value with a line break in it makes a second header, or a second request',
    file: FIELDS,
    find: String.raw`/^[\t -~]*$/,`,
    replace: String.raw`/^[\t\n -~]*$/,`,
    suite: VALIDATE,
    test: 'the validator',
  },
  {
    name: 'password-in-a-url',
    why: 'a secret stands in every list, inlined in the URL of an endpoint',
    file: FIELDS,
    find: String.raw`/^https?:\/\/(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+)(:[0-9]{1,5})?([/?#]`,
    replace: String.raw`/^https?:\/\/([!-~]*@)?(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+)(:[0-9]{1,5})?([/?#]`,
    suite: VALIDATE,
    test: 'the validator',
  },
  {
    name: 'two-tools-of-one-name',
    why: 'of two tools with one name an agent calls whichever comes first',
    file: 'src/platform/resources/schema/validate.ts',
    find: 'return new Set(list.map(identity)).size === list.length;',
    replace: 'return new Set(list.map(identity)).size <= list.length;',
    suite: VALIDATE,
    test: 'the validator',
  },
  {
    name: 'unknown-fields-kept',
    why: 'a mistyped field of a manifest is taken in silence, and does nothing',
    file: 'src/platform/resources/schema/prepare.ts',
    find: 'return child ? unknownFields(member, child, at) : [unknownField(at, key, properties)];',
    replace: `return child
      ? unknownFields(member, child, at)
      : [unknownField(at, key, properties)].slice(pointer === '/spec' ? 0 : 1);`,
    suite: VALIDATE,
    test: 'the validator',
  },
  {
    name: 'null-kept-by-a-patch',
    why: 'null in a PATCH is stored as a value instead of removing the field',
    file: KEYS,
    find: '      merged.delete(key);\n',
    replace: '      merged.set(key, null);\n',
    suite: REST,
    test: 'a merge patch',
  },
  {
    name: 'patch-replaces-objects',
    why: 'a PATCH of voice.speed drops the voice',
    file: KEYS,
    find: 'merged.set(key, applyMergePatch(isRecord(before) ? before : {}, value));',
    replace: 'merged.set(key, applyMergePatch(before === value ? value : {}, value));',
    suite: REST,
    test: 'a merge patch',
  },
  {
    name: 'keys-of-the-user-renamed',
    why: 'a key of metadata comes back with another name than it was sent',
    file: KEYS,
    find: 'if (!(type instanceof z.ZodObject) || !isRecord(value)) return value;',
    replace: `if (type instanceof z.ZodRecord && isRecord(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [naming.to(key), member]),
    );
  }
  if (!(type instanceof z.ZodObject) || !isRecord(value)) return value;`,
    suite: REST,
    test: 'every write field of the contract is taken and comes back the same',
  },
  {
    name: 'data-before-string-data',
    why: 'a Secret holds the old value that stands beside the new one',
    file: 'src/platform/resources/schema/core-kinds.ts',
    find: '      data.set(key, text);\n',
    replace: '      if (!data.has(key)) data.set(key, text);\n',
    suite: VALIDATE,
    test: 'a Secret gives decoded data, stringData first',
  },
];
