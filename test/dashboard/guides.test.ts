import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** The guides that new users follow: their commands and their pictures. */

const ROOT = path.resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

test('the README answers a gap of the agent that it talks with', () => {
  const lists = read('README.md').match(/knowledge\/gaps\?\S*/g);
  expect(lists).toHaveLength(1);
  expect(lists?.[0]).toContain('agent_id=$AGENT');
});

test('each picture of a guide exists, light and dark, and each picture is taken by the script', () => {
  const folder = 'docs/images/dashboard';
  const pictures = readdirSync(path.join(ROOT, folder));
  const guides = readdirSync(path.join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  const texts = [read('README.md'), ...guides.map((name) => read(`docs/${name}`))].join('\n');
  const shown = [...texts.matchAll(/images\/dashboard\/([\w-]+\.webp)/g)].map(([, name]) => name);
  expect(shown.length).toBeGreaterThan(10);
  expect(shown.filter((name) => !pictures.includes(name ?? ''))).toEqual([]);
  const taken = read('test/dashboard/screenshots/main.ts').matchAll(/\{ name: '([\w-]+)'/g);
  const expected = [...taken].flatMap(([, name]) => [`${name}-dark.webp`, `${name}-light.webp`]);
  expect(pictures.toSorted()).toEqual(expected.toSorted());
});
