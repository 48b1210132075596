import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { startParley, type Parley } from '../roles/parley-process.ts';
import { ms, print, residentMemory } from './figures.ts';

/**
 * How long it takes to import texts by a script: sources of type text, several requests at once, until all
 * are found. Everything is one process with its own PostgreSQL, as `npm start` runs it. Exits with 1 if a source takes
 * longer than 700 sources by 8 in 15 s.
 *
 *   npm run bench -- import [sources] [at once]      700 and 8: 6 to 20 s
 */

const SOURCES = Number(process.argv[2] ?? 700);
const AT_ONCE = Number(process.argv[3] ?? 8);
const MS_MAX = (SOURCES * 15_000) / 700;
const WORDS =
  'booking refund cabin parking breakfast invoice winter bicycle warranty delivery'.split(' ');

const folder = await mkdtemp(path.join(tmpdir(), 'parley-bench-'));
let parley: Parley | undefined;
try {
  parley = await startParley({ dataDir: folder });
  await bench(parley);
} finally {
  await parley?.stop();
  await rm(folder, { recursive: true, force: true });
}

async function bench({ call, pids }: Parley): Promise<void> {
  const startedMs = performance.now();
  let next = 0;
  const send = async (): Promise<void> => {
    for (let at = next++; at < SOURCES; at = next++) {
      const json = { type: 'text', name: `faq-${at}`, text: textOf(at) };
      const { status, body } = await call('POST', '/v1/knowledge/sources', json);
      if (status !== 201 && status !== 202) throw new Error(`${status} ${JSON.stringify(body)}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
  print(`${SOURCES} sources posted, ${AT_ONCE} at once`, ms(performance.now() - startedMs));
  for (;;) {
    const { body } = await call('GET', '/v1/knowledge/sources?status=ready&limit=1&name=faq-0');
    const unready = await call('GET', '/v1/knowledge/sources?status=pending&limit=1');
    if (body.data.length === 1 && unready.body.data.length === 0) break;
    await delay(50);
  }
  const readyMs = performance.now() - startedMs;
  if (readyMs > MS_MAX) process.exitCode = 1;
  print(`${SOURCES} sources ready`, `${ms(readyMs)} (at most ${ms(MS_MAX)})`);
  const { body } = await call('GET', `/v1/knowledge/search?q=topic${SOURCES - 1}x`);
  if (body.data.length === 0) throw new Error('the last one is not found');
  print('memory of the process', residentMemory(pids[0]!, { peak: true }));
}

/** A question and its answer. */
function textOf(at: number): string {
  const word = (place: number): string => WORDS[(at * 7 + place * 3) % WORDS.length]!;
  const answer = Array.from({ length: 40 }, (_, place) => word(place)).join(' ');
  return `# What about topic${at}x and ${word(at)}?\n\nOf topic${at}x: ${answer}.\n`;
}
