import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  startConversationFixture,
  type ConversationFixture,
} from '../conversations/conversation-setup.ts';
import { until } from '../until.ts';

/** How searches of namespaces share a process. An API of its own: the test locks a table and reads the metrics. */

let fixture: ConversationFixture;
beforeAll(async () => {
  fixture = await startConversationFixture();
});
afterAll(() => fixture?.stop());

/** Searches of one namespace that run at once. */
const SHARE = 3;

async function shown(name: string): Promise<number> {
  const page = await fixture.engine.metrics.render();
  const line = new RegExp(`^parley_work_${name}\\{kind="searches"\\} (\\d+)$`, 'm');
  return Number(line.exec(page)?.[1]);
}

/** No search ends until the result is called. A turn reads the locked table only when it searches. */
async function holdSearches(): Promise<() => Promise<void>> {
  const client = await fixture.engine.pool.connect();
  await client.query('begin');
  await client.query('lock table knowledge_words in access exclusive mode');
  return async () => {
    await client.query('rollback');
    client.release();
  };
}

test('searches and turns of one namespace wait in line, and those of another have a place', async () => {
  const other = await fixture.newKey('other');
  const conversation = await fixture.start();
  const search = (key?: string) =>
    fixture.call('GET', '/v1/knowledge/search?q=opening+hours', key === undefined ? {} : { key });
  const release = await holdSearches();
  const searches = Array.from({ length: SHARE + 2 }, () => search());
  let turn: ReturnType<typeof fixture.say> | undefined;
  try {
    await until('two of them wait', async () => (await shown('waiting')) >= 2);
    turn = fixture.say(conversation, 'When do you open?');
    await until('the turn waits too', async () => (await shown('waiting')) >= 3);
    expect(await shown('running')).toBe(SHARE);
    searches.push(search(other));
    await until('the other one searches', async () => (await shown('running')) >= SHARE + 1);
    expect(await shown('waiting')).toBe(3);
  } finally {
    await release();
  }
  for (const { status } of await Promise.all(searches)) expect(status).toBe(200);
  expect((await turn).status).toBe(200);
  expect([await shown('running'), await shown('waiting')]).toEqual([0, 0]);
});
