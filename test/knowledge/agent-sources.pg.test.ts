import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toUuid } from '../../src/ids.ts';
import { agentScope } from '../../src/knowledge/search-knowledge.ts';
import type { Db } from '../../src/platform/postgres/pool.ts';
import { awaitCondition } from '../agents/agents.ts';
import {
  startConversationFixture,
  type ConversationFixture,
} from '../conversations/conversation-setup.ts';
import { createCall, type Call, type Reply } from '../roles/api/api-setup.ts';
import { learn } from './passages/knowledge.ts';

/** Which sources an agent answers from: all of its namespace, or those whose metadata it selects. */

let fixture: ConversationFixture;
let other: Call;
let foreignId: string;

beforeAll(async () => {
  fixture = await startConversationFixture();
  other = createCall(fixture.url, await fixture.newKey('other'));
  foreignId = await newSource({ name: 'cars', metadata: { topic: 'cars' } }, other);
});
afterAll(() => fixture?.stop());

async function newSource(fields: Record<string, unknown>, call = fixture.call): Promise<string> {
  const text = 'The roof rack of the wagon carries seventy kilos.';
  const { status, body } = await call('POST', '/v1/knowledge/sources', {
    json: { type: 'text', text, ...fields },
  });
  expect({ status, body }).toMatchObject({ status: 201 });
  return String(body.id);
}

const find = async (agentId: string, query = 'roof rack'): Promise<string[]> => {
  const q = encodeURIComponent(query);
  const { body } = await fixture.call('GET', `/v1/knowledge/search?q=${q}&agent_id=${agentId}`);
  return body.data.map(({ source_id: id }: Reply['body']) => String(id));
};
const create = (knowledge: object): Promise<Reply> =>
  fixture.call('POST', '/v1/agents', { json: { prompt: 'Help.', knowledge } });

describe('a selector', () => {
  test('finds the sources of the namespace that have all its pairs, as they are now', async () => {
    const both = await newSource({ metadata: { topic: 'cars', tier: 'gold', made: 'us' } });
    const topic = await newSource({ metadata: { topic: 'cars', tier: 'silver' } });
    const [wide, narrow] = await Promise.all(
      [{ topic: 'cars' }, { topic: 'cars', tier: 'gold' }].map((pairs) =>
        fixture.newAgent({ knowledge: { selector: { match_metadata: pairs } } }),
      ),
    );
    expect(new Set(await find(wide!))).toEqual(new Set([both, topic]));
    expect(await find(narrow!)).toEqual([both]);
    const path = `/v1/knowledge/sources/${topic}`;
    await fixture.call('PATCH', path, { json: { metadata: { tier: 'gold' } } });
    expect(new Set(await find(narrow!))).toEqual(new Set([both, topic]));
    await fixture.call('DELETE', `/v1/knowledge/sources/${both}`);
    expect(await find(narrow!)).toEqual([topic]);
    expect(await find(wide!)).not.toContain(foreignId);
    const scope = await agentScope(fixture.engine.pool, {
      namespace: 'default',
      agentId: toUuid('agt', wide!)!,
      knowledge: { selector: { matchMetadata: { topic: 'cars' } } },
    });
    expect(scope.sourceIds).toEqual([toUuid('ks', topic)]);
  });

  test('that finds nothing is no error: the condition says so until there is one', async () => {
    const knowledge = { selector: { match_metadata: { topic: 'boats' } } };
    const { status, body } = await create(knowledge);
    expect(status).toBe(201);
    expect(body).toMatchObject({ status: { ready: true }, knowledge });
    expect(await find(body.id)).toEqual([]);
    const agent = { kind: 'Agent', name: body.name } as const;
    const none = 'spec.knowledge.selector matches no KnowledgeSource';
    const before = await awaitCondition(fixture.engine, agent, {
      type: 'ResolvedRefs',
      message: none,
    });
    expect(before.status).toBe('True');
    const id = await newSource({ metadata: { topic: 'boats' } });
    const message = 'all references resolve';
    await awaitCondition(fixture.engine, agent, { type: 'ResolvedRefs', message });
    expect(await find(body.id)).toEqual([id]);
  });

  test('has one pair at least, ten at most, and texts as values', async () => {
    for (const match_metadata of [
      {},
      { topic: 7 },
      Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`k${at}`, 'v'])),
    ]) {
      expect((await create({ selector: { match_metadata } })).status).toBe(422);
    }
    expect((await create({ selector: {} })).status).toBe(422);
  });
});

describe('all', () => {
  test('is every source of the namespace, those to come too, and no other', async () => {
    const agentId = await fixture.newAgent({ knowledge: { all: true } });
    const id = await newSource({ name: 'to-come', text: 'The tow bar takes two tons.' });
    await newSource({ name: 'to-come', text: 'The tow bar takes two tons.' }, other);
    expect(await find(agentId, 'tow bar')).toEqual([id]);
    expect(await find(agentId, 'deliver')).not.toEqual([]);
    expect(await find(agentId)).not.toContain(foreignId);
  });

  test('of many sources finds the one, without a list of them', async () => {
    const { pool } = fixture.engine;
    const count = process.env['PARLEY_NIGHTLY'] === undefined ? 70 : 700;
    const names = Array.from({ length: count }, (_, at) => `many-${at}`);
    const ids: string[] = [];
    for (const name of names) {
      const passages = [
        { heading: '', text: `The part ${name.replace('-', '')} lies in a shelf.` },
      ];
      ids.push(await learn(pool, { name, passages }));
    }
    const agentId = await fixture.newAgent({ knowledge: { all: true } });
    expect((await find(agentId, 'where is part many53'))[0]).toBe(ids[53]);
    const nothing: Pick<Db, 'query'> = {
      query: () => {
        throw new Error('a query');
      },
    };
    const scope = await agentScope(nothing, {
      namespace: 'default',
      agentId: toUuid('agt', agentId)!,
      knowledge: { all: true },
    });
    expect(scope.sourceIds).toBe('all');
    const conversation = await fixture.start({ agent_id: agentId });
    await fixture.say(conversation, 'Where is the part many53?');
    const turns = await fixture.turns(conversation);
    expect(turns.at(-1)).toMatchObject({ retrieval: { chunks: [{ source_id: ids[53] }] } });
  });

  test('is true or left out', async () => {
    expect((await create({ all: false })).status).toBe(422);
  });
});

test.each([
  [{ all: true, source_names: ['handbook'] }],
  [{ all: true, selector: { match_metadata: { topic: 'cars' } } }],
  [{ selector: { match_metadata: { topic: 'cars' } }, source_names: ['handbook'] }],
])('two ways at once are refused: %j', async (knowledge) => {
  const { status, body } = await create(knowledge);
  expect(status).toBe(422);
  expect(body.errors).toMatchObject([
    {
      pointer: '/knowledge',
      detail: 'set only one of `all`, `selector`, `source_ids` and `source_names`',
    },
  ]);
});

test('another way makes a version, and the difference shows both', async () => {
  const agentId = await fixture.newAgent();
  const knowledge = { source_names: null, selector: { match_metadata: { topic: 'cars' } } };
  const { status, body } = await fixture.call('PATCH', `/v1/agents/${agentId}`, {
    json: { knowledge },
  });
  expect({ status, version: body.active_version }).toEqual({ status: 200, version: 2 });
  const diff = await fixture.call('GET', `/v1/agents/${agentId}/versions/1/diff/2`);
  expect(diff.body.changes).toEqual([
    { path: '/knowledge/selector', before: null, after: { match_metadata: { topic: 'cars' } } },
    { path: '/knowledge/source_names', before: ['handbook'], after: null },
  ]);
});
