import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type Api } from '../../roles/api/api-setup.ts';
import { BOMBS } from '../formats/bombs.ts';

/** What those who send bombs do to others: their requests, in the process that takes the uploads. */

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api?.stop());

const SOURCES = '/v1/knowledge/sources';
const RATIO_MAX = 2;
/** Below this nobody notices, and one pause of the machine is the whole of it. */
const MS_FREE = 15;
const TRIES = 3;

/** The slowest of a hundred requests, in ms, while something goes on. */
async function p99(isOver: () => boolean): Promise<number> {
  const tookMs: number[] = [];
  while (!isOver() || tookMs.length < 200) {
    const startedMs = performance.now();
    expect((await api.call('GET', `${SOURCES}?limit=1`)).status).toBe(200);
    tookMs.push(performance.now() - startedMs);
  }
  return tookMs.sort((one, other) => one - other)[Math.floor(tookMs.length * 0.99)]!;
}

async function sendBomb(what: string): Promise<number> {
  const [, name, make] = BOMBS.find(([own]) => own.includes(what))!;
  const { body } = await api.call('POST', SOURCES, { json: { type: 'file' } });
  const headers = { 'content-type': 'application/octet-stream' };
  const to = `${SOURCES}/${body.id}/content?file_name=${name}`;
  return (await api.call('PUT', to, { body: make(), headers })).status;
}

test.each(['a gigabyte of spaces', 'four million paragraphs', 'is a kilobyte', '200 MB'])(
  'others are answered as fast while %s is read',
  async (what) => {
    const ratios: number[] = [];
    for (let tries = 0; tries < TRIES; tries += 1) {
      const idle = await p99(() => true);
      let isOver = false;
      const sent = sendBomb(what).finally(() => {
        isOver = true;
      });
      const busy = await p99(() => isOver);
      expect(await sent).toBe(422);
      ratios.push(Math.max(busy, MS_FREE) / Math.max(idle, MS_FREE));
      if (ratios.at(-1)! <= RATIO_MAX) break;
    }
    expect(Math.min(...ratios)).toBeLessThanOrEqual(RATIO_MAX);
  },
  120_000,
);
