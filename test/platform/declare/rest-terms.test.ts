import { describe, expect, test } from 'vitest';
import { DECLARED_AGENT } from '../../../src/agents/write-agent.ts';
import { DECLARED_SOURCE } from '../../../src/knowledge/sources/write-source.ts';
import { DECLARED_ENDPOINT } from '../../../src/webhooks/endpoints/write-endpoint.ts';
import { KINDS } from '../../../src/roles/kinds.ts';
import {
  inRestTerms,
  managedElsewhere,
  ownersElsewhere,
} from '../../../src/platform/declare/rest-terms.ts';
import { objectSchema } from '../../../src/platform/resources/schema/crd.ts';

/** The author of a manifest reads the same messages as a caller of REST (contract/errors.md#problems). */

const DECLARED = [DECLARED_AGENT, DECLARED_ENDPOINT, DECLARED_SOURCE];

/** Returns the messages of all rules in a schema. */
function sentencesIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const own = 'message' in node && 'rule' in node ? [String(node.message)] : [];
  return [...own, ...Object.values(node).flatMap(sentencesIn)];
}

describe.each(DECLARED.map((kind) => [kind.kind, kind] as const))('a rule of %s', (name, kind) => {
  const definition = KINDS.find((one) => one.kind === name)!;
  const sentences = sentencesIn(objectSchema(definition).properties!['spec']);

  test.each(sentences)('%s', (detail) => {
    const [told] = inRestTerms([{ pointer: '/spec', code: 'rule', detail }], kind);
    expect(told!.detail).not.toMatch(/\b[a-z]+[A-Z]|prompt_from|text_from|\bself\b/);
  });

  test('has words for callers only where there is such a rule', () => {
    for (const sentence of Object.keys(kind.words ?? {})) expect(sentences).toContain(sentence);
  });
});

test.each([
  [DECLARED_AGENT, '/spec/promptFrom/configMapKeyRef/name', '/prompt'],
  [DECLARED_AGENT, '/spec/voice/voiceId', '/voice/voice_id'],
  [DECLARED_SOURCE, '/spec/textFrom', '/text'],
  [DECLARED_ENDPOINT, '/spec/eventTypes/0', '/event_types/0'],
])('$kind: %s is %s', ({ pointer }, place, expected) => {
  expect(pointer(place)).toBe(expected);
});

describe('managed_elsewhere', () => {
  const pointer = (place: string): string => place.replace('/spec', '');
  const of = (manager: string, act?: 'delete' | 'pin') =>
    managedElsewhere([{ field: 'prompt', manager }], { pointer, ...(act && { act }) });

  test.each([
    [
      'file',
      undefined,
      /file\. Change it in its file in the manifests folder \(PARLEY_MANIFESTS\)/,
    ],
    ['kustomize-controller', undefined, /kustomize-controller\. Change it in its manifest \(Git/],
    ['kubernetes', 'delete', /kubernetes\. Delete it from its manifest/],
    [
      'file',
      'delete',
      /file\. Delete it from its file in the manifests folder \(PARLEY_MANIFESTS\)/,
    ],
    ['kubectl-edit', 'pin', /kubectl-edit\. The live version is pinned in its manifest/],
    ['parley-demo', undefined, /PARLEY_DEMO=0/],
  ] as const)('by %s, who tries to %s, is told what to do there', (manager, act, advice) => {
    expect(of(manager, act)).toMatchObject({ code: 'managed_elsewhere' });
    expect(of(manager, act).message).toMatch(advice);
  });

  test('names the fields of a change, and of what has no body none', () => {
    expect(of('file').errors).toEqual([
      { pointer: '/prompt', code: 'managed_elsewhere', detail: 'is managed by file' },
    ]);
    expect(of('file', 'delete').errors).toEqual([]);
    expect(of('file', 'delete').message).not.toContain('omit the fields');
  });

  test('of what is to be deleted names the managers of its fields, as a change does', () => {
    const whose = { field: 'prompt', managedBy: 'kubernetes' };
    const named = (owners: Record<string, string[]>): string[] =>
      ownersElsewhere(owners, whose).map(({ manager }) => manager);
    expect(named({ prompt: ['kubectl'], voice: ['parley-api', 'helm'] })).toEqual([
      'helm',
      'kubectl',
    ]);
    expect(named({ prompt: ['parley-api'], pinnedVersion: ['parley-api-pin'] })).toEqual([
      'kubernetes',
    ]);
    expect(named({})).toEqual(['kubernetes']);
  });
});
