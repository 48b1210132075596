import { afterAll, beforeAll, beforeEach, expect, vi, test } from 'vitest';
import { toUuid } from '../../../src/ids.ts';
import { CHANNELS } from '../../../src/platform/postgres/notifications.ts';
import { until } from '../../until.ts';
import { startConversationFixture, type ConversationFixture } from '../conversation-setup.ts';
import { echo, hesitate, scriptedResponder } from './scripted-responder.ts';

/** What a turn that takes its time costs the database (docs/performance.md). */

const responder = scriptedResponder();
let fixture: ConversationFixture;

beforeAll(async () => {
  fixture = await startConversationFixture({ responder });
});
beforeEach(() => responder.play(echo));
afterAll(() => fixture?.stop());

test('three statements: what is read, the claim with the history, what is stored', async () => {
  const id = await fixture.start();
  await fixture.say(id, 'Hello');
  let history: (string | undefined)[] = [];
  responder.play(async (request) => {
    history = (await request.readHistory(2)).map(({ text }) => text);
    return echo(request);
  });
  const asked = vi.spyOn(fixture.engine.pool, 'query');
  try {
    await fixture.say(id, 'And now?');
    const statements = asked.mock.calls as unknown as [{ name?: string; values?: unknown[] }][];
    const ofTurn = statements.filter(([{ values }]) => values?.includes(toUuid('conv', id)));
    expect(ofTurn.map(([{ name }]) => name)).toEqual([
      'read_for_turn',
      'claim_live_turn',
      'add_held_turns',
    ]);
  } finally {
    asked.mockRestore();
  }
  expect(history).toEqual(['Hello', 'You said: Hello']);
});

test('an agent without sources and answers searches nothing', async () => {
  const searches = async (fields: Record<string, unknown>): Promise<number> => {
    const id = await fixture.start({ agent_id: await fixture.newAgent(fields) });
    responder.play(async (request) => {
      await request.search('delivery', 1);
      return echo(request);
    });
    const asked = vi.spyOn(fixture.engine.pool, 'query');
    try {
      await fixture.say(id, 'Hello');
      const statements = asked.mock.calls as unknown as [{ name?: string }][];
      return statements.filter(([{ name }]) => name === 'find_postings').length;
    } finally {
      asked.mockRestore();
    }
  };
  expect(await searches({})).toBe(1);
  expect(await searches({ knowledge: undefined })).toBe(0);
});

test('what happens in one conversation renews no lease of the others', async () => {
  responder.play(hesitate);
  const [one, other] = [await fixture.start(), await fixture.start()];
  const said = [fixture.say(one, 'Hello'), fixture.say(other, 'Hello')];
  const lease = async (id: string): Promise<number | undefined> => {
    const { rows } = await fixture.engine.pool.query<{ until: number }>(
      'select extract(epoch from leased_until)::float8 as until from live_turns where conversation_id = $1',
      [toUuid('conv', id)],
    );
    return rows[0]?.until;
  };
  await until('both are under way', async () =>
    Boolean((await lease(one)) && (await lease(other))),
  );
  const touch = async (): Promise<void> => {
    const before = await lease(one);
    await fixture.engine.pool.query('select pg_notify($1, $2)', [
      CHANNELS.conversations,
      toUuid('conv', one),
    ]);
    await until('its lease is renewed', async () => (await lease(one)) !== before);
  };
  await touch(); // The first renews all, when that is a while ago.
  const before = await lease(other);
  await touch();
  await touch();
  expect(await lease(other)).toBe(before);
  await Promise.all([fixture.end(one), fixture.end(other)]);
  await Promise.all(said);
});
