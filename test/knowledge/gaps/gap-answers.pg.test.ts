import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withoutRequestId, type Reply } from '../../roles/api/api-setup.ts';
import {
  startConversationFixture,
  type ConversationFixture,
} from '../../conversations/conversation-setup.ts';

/** What somebody answered to a gap is knowledge like any other: changed, withdrawn and ranked. */

const GAPS = '/v1/knowledge/gaps';
const TANDEM = 'Do you sell tandem bicycles?';

let fixture: ConversationFixture;
beforeAll(async () => {
  fixture = await startConversationFixture();
});
afterAll(() => fixture?.stop());

async function ask(question: string, agentId: string): Promise<string> {
  const conversation = await fixture.start({ agent_id: agentId });
  const { status, body } = await fixture.say(conversation, question);
  expect(status).toBe(200);
  return body.turns.at(-1).text;
}

async function gapsOf(agentId: string, query = ''): Promise<Reply['body'][]> {
  return (await fixture.call('GET', `${GAPS}?agent_id=${agentId}${query}`)).body.data;
}

async function search(q: string, agentId: string): Promise<Reply['body'][]> {
  const path = `/v1/knowledge/search?q=${encodeURIComponent(q)}&agent_id=${agentId}`;
  return (await fixture.call('GET', path)).body.data;
}

/** Of a new agent that was asked; resolved when there is an answer. */
async function newGap(
  question: string,
  answer: string | null,
  agentId?: string,
): Promise<{ agentId: string; path: string; id: string }> {
  const of = agentId ?? (await fixture.newAgent());
  await ask(question, of);
  const [gap] = await gapsOf(of, '&status=open');
  const path = `${GAPS}/${gap.id}`;
  if (answer !== null) {
    const { status } = await fixture.call('POST', `${path}/resolve`, { json: { answer } });
    expect(status).toBe(200);
  }
  return { agentId: of, path, id: gap.id };
}

const patch = (path: string, json: unknown, key?: string): Promise<Reply> =>
  fixture.call('PATCH', path, { json, ...(key !== undefined && { key }) });

describe('an answer that is changed', () => {
  test('is found by the next search, and the one before is not', async () => {
    const { agentId, path, id } = await newGap(TANDEM, 'Yes, four models with two saddles.');
    const other = await newGap('Is there a workshop for children?', 'Every Monday.', agentId);
    const answer = 'No longer, since the maker is closed.';
    const changed = await patch(path, { answer });
    expect(changed).toMatchObject({ status: 200, body: { id, status: 'resolved', answer } });
    expect((await fixture.call('GET', path)).body).toEqual(changed.body);
    expect((await search('tandem bicycles', agentId)).map(({ text }) => text)).toEqual([answer]);
    expect(await search('models saddles', agentId)).toEqual([]);
    expect((await search('maker closed', agentId))[0]).toMatchObject({ source_id: id });
    expect(await ask(TANDEM, agentId)).toContain(answer);
    expect((await search('workshop children', agentId))[0]).toMatchObject({ source_id: other.id });
    expect(await gapsOf(agentId, '&status=resolved')).toHaveLength(2);
  });

  test('is found by an agent without sources, and by no other', async () => {
    const without = { knowledge: undefined };
    const [agentId, neighbor] = [await fixture.newAgent(without), await fixture.newAgent(without)];
    const { path } = await newGap(TANDEM, 'Yes, four models with two saddles.', agentId);
    expect(await ask(TANDEM, agentId)).toContain('four models');
    expect(await ask(TANDEM, neighbor)).not.toContain('four models');
    await fixture.call('DELETE', `${path}/answer`);
    expect(await ask(TANDEM, agentId)).not.toContain('four models');
  });

  test('can be the first one of a gap that was resolved without any', async () => {
    const { agentId, path } = await newGap(TANDEM, null);
    await fixture.call('POST', `${path}/resolve`);
    expect((await patch(path, { answer: 'Yes.' })).body).toMatchObject({ answer: 'Yes.' });
    expect((await search('tandem', agentId))[0]).toMatchObject({ text: 'Yes.' });
  });

  test('of an open gap is 409: it is resolved', async () => {
    const { agentId, path } = await newGap(TANDEM, null);
    const refused = await patch(path, { answer: 'Yes.' });
    expect(refused).toMatchObject({ status: 409, body: { code: 'gap_open' } });
    expect(refused.body.detail).toContain('/resolve');
    expect(await search('tandem', agentId)).toEqual([]);
    expect(await patch(path, {})).toMatchObject({ status: 200, body: { status: 'open' } });
  });

  test('needs write, words, and a gap of the own namespace', async () => {
    const { path } = await newGap(TANDEM, 'Yes.');
    expect((await patch(path, { answer: ' ' })).body).toMatchObject({
      code: 'invalid_body',
      errors: [{ pointer: '/answer' }],
    });
    const reader = await fixture.newKey('default', ['read']);
    expect((await patch(path, { answer: 'No.' }, reader)).status).toBe(403);
    const withdrawn = await fixture.call('DELETE', `${path}/answer`, { key: reader });
    expect(withdrawn.status).toBe(403);
    const key = await fixture.newKey('other');
    const missing = `${GAPS}/gap_01jd0000000000000000000000`;
    for (const [method, below] of [
      ['PATCH', ''],
      ['DELETE', '/answer'],
    ] as const) {
      const options = { key, ...(method === 'PATCH' && { json: { answer: 'No.' } }) };
      const foreign = await fixture.call(method, path + below, options);
      const none = await fixture.call(method, missing + below, options);
      expect(withoutRequestId(foreign)).toEqual(withoutRequestId(none));
      expect(foreign.status).toBe(404);
    }
    expect((await fixture.call('GET', path)).body.answer).toBe('Yes.');
  });

  test('of an erased conversation is found by its own words and no others', async () => {
    const { agentId, path } = await newGap(TANDEM, 'Yes.');
    const { conversation_id } = (await fixture.call('GET', path)).body;
    await fixture.call('DELETE', `/v1/conversations/${conversation_id}`);
    await patch(path, { answer: 'Four models.' });
    expect((await search('models', agentId))[0]).toMatchObject({ text: 'Four models.' });
    expect(await search('erased tandem', agentId)).toEqual([]);
  });
});

describe('an answer that is withdrawn', () => {
  test('is found no more, and its gap is open and counts the question again', async () => {
    const { agentId, path, id } = await newGap(TANDEM, 'Yes, four xylophonic models.');
    const other = await newGap('Is there a workshop for children?', 'Every Monday.', agentId);
    expect((await fixture.call('DELETE', `${path}/answer`)).status).toBe(204);
    expect((await fixture.call('GET', path)).body).toMatchObject({
      status: 'open',
      answer: null,
      resolved_at: null,
      count: 1,
    });
    for (const words of ['tandem', 'xylophonic models']) {
      expect(await search(words, agentId)).toEqual([]);
    }
    expect((await search('workshop children', agentId))[0]).toMatchObject({ source_id: other.id });
    const { rows } = await fixture.engine.pool.query(
      "select lexeme from knowledge_words where lexeme like 'xyloph%'",
    );
    expect(rows).toEqual([]);
    expect(await ask(TANDEM, agentId)).toContain("don't have that information");
    expect(await gapsOf(agentId, '&status=open')).toMatchObject([{ id, count: 2 }]);
    expect((await fixture.call('DELETE', `${path}/answer`)).body).toMatchObject({
      status: 404,
      detail: expect.stringContaining('no answer'),
    });
    await fixture.call('POST', `${path}/resolve`, { json: { answer: 'Two models.' } });
    expect((await search('tandem', agentId))[0]).toMatchObject({ text: 'Two models.' });
    expect((await search('workshop monday', agentId))[0]).toMatchObject({ text: 'Every Monday.' });
  });

  test('leaves no word of its question when the conversation is erased afterwards', async () => {
    const { path } = await newGap('Do you sell quixotrope tandems?', 'Yes, four models.');
    const { conversation_id } = (await fixture.call('GET', path)).body;
    const known = () =>
      fixture.engine.pool.query("select lexeme from knowledge_words where lexeme like 'quixot%'");
    expect((await known()).rows).toHaveLength(1);
    await fixture.call('DELETE', `${path}/answer`);
    await fixture.call('DELETE', `/v1/conversations/${conversation_id}`);
    expect((await known()).rows).toEqual([]);
  });

  test('at once with others that have its words is so without an error', async () => {
    const gaps = await Promise.all(
      ['alpha', 'gamma', 'delta'].map((word) => newGap(TANDEM, `Model ${word}.`)),
    );
    for (let round = 0; round < 10; round += 1) {
      const words = round % 2 === 0 ? ['delta', 'alpha', 'gamma'] : ['alpha', 'gamma', 'delta'];
      const changed = await Promise.all(
        gaps.map(({ path }, i) => patch(path, { answer: `Model ${words[i]} of ${round}.` })),
      );
      expect(changed.map(({ status }) => status)).toEqual([200, 200, 200]);
    }
  });

  test('of a question that is open as another gap leaves this one closed', async () => {
    const { agentId, path } = await newGap(TANDEM, null);
    await fixture.call('POST', `${path}/resolve`);
    const again = await newGap(TANDEM, null, agentId);
    await patch(path, { answer: 'Yes.' });
    expect((await fixture.call('DELETE', `${path}/answer`)).status).toBe(204);
    expect((await fixture.call('GET', path)).body).toMatchObject({
      status: 'resolved',
      answer: null,
    });
    expect(await gapsOf(agentId, '&status=open')).toMatchObject([{ id: again.id }]);
    expect(await search('tandem', agentId)).toEqual([]);
  });
});

describe('an answer among passages', () => {
  test('has the score of a passage: less than 1 for part of a question, and min_score holds', async () => {
    const { agentId } = await newGap(TANDEM, 'Yes, four models.');
    const [whole] = await search(TANDEM, agentId);
    expect(whole).toMatchObject({ score: 1 });
    const [part] = await search('Do you sell unicycles for children?', agentId);
    expect(part.score).toBeLessThan(0.5);
    expect(await ask('Do you sell unicycles for children?', agentId)).toContain(
      "don't have that information",
    );
  });

  test('is not found by words that say nothing, nor by the story around its question', async () => {
    const story =
      'My sister lives in Oslo and told me of your shop. Do you sell tandem bicycles to her?';
    const { agentId } = await newGap(story, 'Yes, four models.');
    expect(await search('What is it that you do?', agentId)).toEqual([]);
    expect(await search('Oslo sister', agentId)).toEqual([]);
    expect((await search(TANDEM, agentId))[0]).toMatchObject({ text: 'Yes, four models.' });
  });

  test('goes first when its question is asked again, however much else has the words', async () => {
    const { body } = await fixture.call('POST', '/v1/knowledge/sources', {
      json: {
        type: 'text',
        name: 'tandems',
        // More passages than are read to be ordered; one is under that very question, and has all its words.
        text:
          '# Tandem bicycles\n\nWe sell tandem bicycles. Tandem bicycles: sold here.\n\n'.repeat(
            20,
          ) +
          '# Do you sell tandem bicycles?\n\nWe sell tandem bicycles. Tandem bicycles: sold here.',
      },
    });
    const agentId = await fixture.newAgent({ knowledge: { min_score: 1 } });
    const plain = await newGap(TANDEM, 'Four of them, at the back of the shop.', agentId);
    const { id } = await newGap(`${TANDEM} In winter?`, 'Not in winter.', agentId);
    const { status } = await fixture.call('PATCH', `/v1/agents/${agentId}`, {
      json: { knowledge: { source_ids: [body.id] } },
    });
    expect(status).toBe(200);
    const hits = await search('do you SELL tandem bicycle', agentId);
    const [first, ...others] = hits.map(({ source_id }) => source_id);
    expect(first).toBe(plain.id);
    expect(new Set(others)).toEqual(new Set([body.id, id]));
    expect(hits.map(({ score }) => score).filter((score) => score === 1)).toEqual([1]);
  });
});

test('gaps of a time are listed', async () => {
  const { agentId, id } = await newGap(TANDEM, null);
  const { created } = (await gapsOf(agentId))[0];
  expect(await gapsOf(agentId, `&created_after=${created}`)).toMatchObject([{ id }]);
  expect(await gapsOf(agentId, `&created_after=${created + 2}`)).toEqual([]);
  expect(await gapsOf(agentId, `&created_before=${created}`)).toEqual([]);
});
