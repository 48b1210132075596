import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { measureWishes, readOffTopic, readWishes } from './turns.ts';

test('a folder may have some of the files; each line is read', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-language-'));
  const line = { text: 'A human, please', wants_human: true, source: 'ours' };
  writeFileSync(path.join(folder, 'escalation.jsonl'), `${JSON.stringify(line)}\n`);
  expect(readWishes(folder)).toEqual([{ text: 'A human, please', wants_human: true }]);
  expect(readOffTopic(folder)).toBeUndefined();
});

test('who is missed is counted among those who ask, a false alarm among those who do not', () => {
  const figures = measureWishes([
    { text: 'I want to speak to a human', wants_human: true },
    { text: 'When do you open?', wants_human: true },
    { text: 'Where is my parcel?', wants_human: false },
    { text: 'Is there parking?', wants_human: false },
    { text: 'agent', wants_human: false },
    { text: 'Thanks', wants_human: false },
  ]);
  expect(figures).toEqual({
    recall: 0.5,
    falseAlarms: 0.25,
    missed: ['When do you open?'],
    madeUp: ['agent'],
  });
});
