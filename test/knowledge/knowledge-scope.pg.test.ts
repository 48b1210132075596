import { afterAll, beforeAll, expect, test } from 'vitest';
import { toUuid } from '../../src/ids.ts';
import { agentScope, searchKnowledge } from '../../src/knowledge/search-knowledge.ts';
import {
  startConversationFixture,
  type ConversationFixture,
} from '../conversations/conversation-setup.ts';
import { createCall, type Reply } from '../roles/api/api-setup.ts';

/** Who finds what: an agent what it was given, a namespace what is its own. */

let fixture: ConversationFixture;
/** A source of the name of ours, in another namespace. */
let foreignId: string;
beforeAll(async () => {
  fixture = await startConversationFixture();
  const call = createCall(fixture.url, await fixture.newKey('other'));
  const text = 'We deliver gold bars to the vault within one hour.';
  const made = await call('POST', '/v1/knowledge/sources', {
    json: { type: 'text', name: 'handbook', text },
  });
  expect(made.status).toBe(201);
  foreignId = made.body.id;
});
afterAll(() => fixture?.stop());

const search = async (query: string): Promise<Reply['body'][]> =>
  (await fixture.call('GET', `/v1/knowledge/search?${query}`)).body.data;

test('a name is one of the own namespace', async () => {
  const hits = await search(`q=deliver&agent_id=${fixture.agentId}`);
  expect(hits.length).toBeGreaterThan(0);
  expect(hits.map(({ source_id }) => source_id)).not.toContain(foreignId);
  // Nor is it looked for there: that its passages are not found has another reason, too.
  const scope = await agentScope(fixture.engine.pool, {
    namespace: 'default',
    agentId: toUuid('agt', fixture.agentId)!,
    knowledge: { sourceNames: ['handbook'] },
  });
  expect(scope.sourceIds).toHaveLength(1);
  expect(scope.sourceIds).not.toContain(toUuid('ks', foreignId));
});

test('an id finds nothing in another namespace', async () => {
  const find = async (namespace: string): Promise<unknown[]> => {
    const { pool } = fixture.engine;
    const agentId = toUuid('agt', fixture.agentId)!;
    const given = { namespace, agentId, knowledge: { sourceIds: [foreignId] } };
    const scope = await agentScope(pool, given);
    return searchKnowledge(pool, { scope, query: 'gold bars', limit: 5 });
  };
  expect(await find('other')).toHaveLength(1);
  expect(await find('default')).toEqual([]);
});

test('an agent that was given nothing finds nothing', async () => {
  const agent = await fixture.newAgent({ knowledge: undefined });
  expect(await search('q=deliver')).not.toEqual([]);
  expect(await search(`q=deliver&agent_id=${agent}`)).toEqual([]);
});

test('a search answers no more than it is asked for', async () => {
  expect((await search('q=delivery')).length).toBeGreaterThan(1);
  expect(await search('q=delivery&limit=1')).toHaveLength(1);
});
