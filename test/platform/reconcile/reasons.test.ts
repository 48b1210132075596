import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** docs/operations/gitops.md explains exactly the reasons of conditions and Events that the operator gives. */

const ROOT = path.resolve(import.meta.dirname, '../../..');
const FOLDERS = [
  'src/agents',
  'src/knowledge',
  'src/webhooks',
  'src/models',
  'src/calls/providers',
  'src/carriers',
  'packages/web-reader/src/site',
  'src/kinds',
  'src/platform/declare',
  'src/platform/reconcile',
];

function filesOf(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(path.join(ROOT, folder, file), 'utf8'));
}

/**
 * Finds values after the word `reason`, such as `reason: 'X'` and `const reason = a ? 'X' : 'Y'`, and the arguments of
 * refusals, such as `new FetchRefused('X', …)`.
 */
function reasonsInCode(): string[] {
  const values = FOLDERS.flatMap(filesOf).flatMap((text) => [
    ...text.matchAll(/\breason(?::| =)((?:[^,;{}'\n]|'[^']*')*)/g),
    ...text.matchAll(/[rR]efused\w*\(\s*('\w+')/g),
    ...text.matchAll(/\b[A-Z_]+_(?:EXCEEDED|RECALLED|TAKEN) = ('\w+')/g),
  ]);
  const found = values.flatMap(([, value = '']) => [...value.matchAll(/'([A-Z][A-Za-z]+)'/g)]);
  return [...new Set(found.map(([, reason = '']) => reason))].sort();
}

function reasonsInGuide(): string[] {
  const guide = readFileSync(path.join(ROOT, 'docs/operations/gitops.md'), 'utf8');
  const [, section = ''] = guide.split('## Objects that are not active');
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  const cells = rows.map((row) => row.split('|')[2] ?? '');
  const named = cells.flatMap((text) => [...text.matchAll(/`([A-Z][A-Za-z]+)`/g)]);
  return [...new Set(named.map(([, reason = '']) => reason))].sort();
}

test('the guide has each reason that the code gives, and no other', () => {
  const inCode = reasonsInCode();
  expect(inCode.length).toBeGreaterThan(20);
  expect(reasonsInGuide()).toEqual(inCode);
});
