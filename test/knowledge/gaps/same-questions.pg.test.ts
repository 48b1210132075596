import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { toUuid } from '../../../src/ids.ts';
import { startApi, type Api } from '../../roles/api/api-setup.ts';
import { groupGaps, type Groups } from '../../language/gap-groups.ts';

/** Which questions are one gap: asked in other words, and never two different ones. */

const file = path.join(import.meta.dirname, 'same-questions.yaml');
const data = parse(readFileSync(file, 'utf8')) as { knowledge: string; questions: string[][] };
const labelled = data.questions.flatMap((ways, at) =>
  ways.map((text) => ({ text, asks: String(at) })),
);

let api: Api;
let sourceIds: readonly string[];
beforeAll(async () => {
  api = await startApi();
  const { body } = await api.call('POST', '/v1/knowledge/sources', {
    json: { type: 'text', text: data.knowledge },
  });
  sourceIds = [toUuid('ks', body.id)!];
});
afterAll(() => api?.stop());

const orders = {
  'as they stand': labelled,
  backwards: labelled.toReversed(),
  'by their words': labelled.toSorted((a, b) => (a.text < b.text ? -1 : 1)),
};

describe.each(Object.entries(orders))('asked %s', (_, questions) => {
  test('no two different ones are one gap, of an agent that knows something or nothing', async () => {
    for (const known of [sourceIds, []]) {
      const groups = await groupGaps(api.engine.pool, { questions, sourceIds: known });
      expect(groups.wrong).toEqual([]);
    }
  });

  test('most of those in other words are', async () => {
    const groups: Groups = await groupGaps(api.engine.pool, { questions, sourceIds });
    expect(groups.recall).toBeGreaterThan(0.75);
  });
});
