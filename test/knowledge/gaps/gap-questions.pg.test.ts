import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fromUuid, newUuid, toUuid } from '../../../src/ids.ts';
import { withoutRequestId, type Reply } from '../../roles/api/api-setup.ts';
import {
  startConversationFixture,
  type ConversationFixture,
} from '../../conversations/conversation-setup.ts';
import { detecting } from './detecting.ts';

/** A gap and the words it is asked in: which are one, what is kept of them, and what is erased. */

const GAPS = '/v1/knowledge/gaps';
const EXPRESS = 'Do you deliver to Norway?';
const OTHERWISE = 'Is delivery to Norway possible?';

let fixture: ConversationFixture;
beforeAll(async () => {
  fixture = await startConversationFixture();
});
afterAll(() => fixture?.stop());

/** In a conversation of its own. */
async function ask(question: string, agentId: string): Promise<string> {
  const conversation = await fixture.start({ agent_id: agentId });
  expect((await fixture.say(conversation, question)).status).toBe(200);
  return conversation;
}

async function gapsOf(agentId: string, query = ''): Promise<Reply['body'][]> {
  return (await fixture.call('GET', `${GAPS}?agent_id=${agentId}${query}`)).body.data;
}

async function onlyGap(agentId: string): Promise<Reply['body']> {
  const gaps = await gapsOf(agentId);
  expect(gaps).toHaveLength(1);
  return (await fixture.call('GET', `${GAPS}/${gaps[0].id}`)).body;
}

async function search(q: string, agentId: string): Promise<Reply['body'][]> {
  const path = `/v1/knowledge/search?q=${encodeURIComponent(q)}&agent_id=${agentId}`;
  return (await fixture.call('GET', path)).body.data;
}

const resolve = (id: string, answer: string): Promise<Reply> =>
  fixture.call('POST', `${GAPS}/${id}/resolve`, { json: { answer } });
const erase = (conversation: string): Promise<Reply> =>
  fixture.call('DELETE', `/v1/conversations/${conversation}`);

describe('a gap asked in other words', () => {
  test('is one, which keeps the words with how often and when, most often first', async () => {
    const agentId = await fixture.newAgent();
    await ask(EXPRESS, agentId);
    await ask(OTHERWISE, agentId);
    await ask('is delivery to norway possible', agentId);
    const gap = await onlyGap(agentId);
    const at = expect.any(Number);
    expect(gap).toMatchObject({
      question: EXPRESS,
      count: 3,
      questions: [
        { text: OTHERWISE, count: 2, last_asked_at: at },
        { text: EXPRESS, count: 1, last_asked_at: at },
      ],
    });
    await ask('Do you deliver to Sweden?', agentId);
    expect(await gapsOf(agentId)).toHaveLength(2);
  });

  test('again in the same conversation is not counted again, and its words are known', async () => {
    const agentId = await fixture.newAgent();
    const conversation = await ask(EXPRESS, agentId);
    await fixture.say(conversation, EXPRESS);
    await fixture.say(conversation, OTHERWISE);
    const texts = async () =>
      (await onlyGap(agentId)).questions.map((one: Reply['body']) => one.text);
    expect(await onlyGap(agentId)).toMatchObject({ count: 1 });
    expect(await texts()).toEqual(expect.arrayContaining([EXPRESS, OTHERWISE]));
    await ask(OTHERWISE, agentId);
    expect(await onlyGap(agentId)).toMatchObject({ count: 2 });
  });

  test('by two turns at once is one gap', async () => {
    for (let round = 0; round < 5; round += 1) {
      const agentId = newUuid();
      const found = await Promise.all(
        [EXPRESS, OTHERWISE, 'deliver to norway', 'delivery: Norway!'].map((question) =>
          detecting(fixture, { agentId, question }),
        ),
      );
      expect(new Set(found.map(({ gapId }) => gapId)).size).toBe(1);
      expect(found.filter(({ isNew }) => isNew)).toHaveLength(1);
    }
  });

  test('keeps twenty of its wordings, and always the first', async () => {
    const agentId = newUuid();
    const { gapId } = await detecting(fixture, { agentId, question: 'Do you insure zeppelins?' });
    // Endless words that weigh nothing beside the rare one.
    const light =
      'accept allow exist offer option permit possible provide require support thing'.split(' ');
    for (const [at, word] of light.entries()) {
      for (const other of light.slice(at + 1, at + 4)) {
        const question = `Do you ${word} ${other} insure zeppelins?`;
        expect(await detecting(fixture, { agentId, question })).toEqual({ gapId, isNew: false });
      }
    }
    const { rows } = await fixture.engine.pool.query<{ text: string }>(
      'select text from knowledge_gap_questions where gap_id = $1',
      [gapId],
    );
    expect(rows).toHaveLength(20);
    expect(rows.map(({ text }) => text)).toContain('Do you insure zeppelins?');
  });

  test('keeps the wordings that were asked most often', async () => {
    const agentId = newUuid();
    const ask = (question: string) => detecting(fixture, { agentId, question });
    const { gapId } = await ask('Do you insure zeppelins?');
    const often = 'Do you accept allow insure zeppelins?';
    for (let times = 0; times < 3; times += 1) await ask(often);
    const light = 'exist offer option permit possible provide require support thing'.split(' ');
    const others = light.flatMap((word, at) =>
      light.slice(at + 1).map((other) => `Do you ${word} ${other} insure zeppelins?`),
    );
    for (const question of others) expect(await ask(question)).toEqual({ gapId, isNew: false });
    const { questions } = await onlyGap(fromUuid('agt', agentId));
    expect(questions).toHaveLength(20);
    expect(questions[0]).toMatchObject({ text: often, count: 3 });
  });

  test('is found among thousands, also when they are younger', async () => {
    const agentId = newUuid();
    const { gapId } = await detecting(fixture, {
      agentId,
      question: 'Do you insure zeppelins against hail?',
    });
    const { pool } = fixture.engine;
    await pool.query(
      `with made as (
         insert into knowledge_gaps (id, namespace, agent_id, conversation_id, question, fingerprint, top_score)
         select ('ffffffff-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, 'default', $1, $1, 'q', 'insur thing' || i, 0 from generate_series(1, 3000) i
         returning id, fingerprint)
       insert into knowledge_gap_questions (gap_id, agent_id, conversation_id, text, fingerprint, words)
       select id, $1, $1, 'q', fingerprint,
              array(select hashtextextended($1::uuid || ' ' || s, 0) from unnest(string_to_array(fingerprint, ' ')) s)
         from made`,
      [agentId],
    );
    const question = 'Are zeppelins insured against hail?';
    expect(await detecting(fixture, { agentId, question })).toEqual({ gapId, isNew: false });
  });

  test('opens anew after it was closed, whichever words it was closed with', async () => {
    const agentId = await fixture.newAgent();
    await ask(EXPRESS, agentId);
    const gap = await onlyGap(agentId);
    await fixture.call('POST', `${GAPS}/${gap.id}/resolve`);
    await ask(OTHERWISE, agentId);
    expect(await gapsOf(agentId)).toMatchObject([
      { status: 'open', question: OTHERWISE },
      { id: gap.id, status: 'resolved', count: 1 },
    ]);
  });
});

describe('the passages that came closest', () => {
  test('are read with the gap, as they are; of one that is gone its score is left', async () => {
    const name = `closest-${newUuid().slice(-6)}`;
    const source = { type: 'text', name, text: '# Tandems\n\nTandems are stored in the cellar.' };
    const { body } = await fixture.call('POST', '/v1/knowledge/sources', { json: source });
    const agentId = await fixture.newAgent({ knowledge: { source_ids: [body.id], min_score: 1 } });
    await ask('Do you sell purple tandems?', agentId);
    const gap = await onlyGap(agentId);
    const [close] = gap.closest;
    expect(gap.closest).toEqual([
      {
        source_id: body.id,
        document_id: expect.stringMatching(/^doc_/),
        chunk_id: expect.stringMatching(/^chk_/),
        heading: 'Tandems',
        text: 'Tandems are stored in the cellar.',
        score: gap.top_score,
      },
    ]);
    await fixture.call('PATCH', `/v1/knowledge/sources/${body.id}`, {
      json: { text: '# Other\n\nNothing.' },
    });
    expect((await onlyGap(agentId)).closest).toEqual([{ ...close, heading: null, text: null }]);
  });

  test('are none where nothing was found', async () => {
    const agentId = await fixture.newAgent();
    await ask('Xylophones?', agentId);
    expect(await onlyGap(agentId)).toMatchObject({ top_score: 0, closest: [] });
  });
});

describe('an answer', () => {
  const ways = ['Do you repair zeppelins?', 'Are repairs of zeppelins possible, permitted?'];
  test.each([
    ['of the last', ways],
    ['of the first', ways.toReversed()],
  ])('is found by all the words that its gap was asked in, %s way too', async (_, questions) => {
    const agentId = await fixture.newAgent();
    for (const question of questions) await ask(question, agentId);
    const gap = await onlyGap(agentId);
    const resolved = await resolve(gap.id, 'In the cellar.');
    expect(resolved.body).toMatchObject({ status: 'resolved', questions: gap.questions });
    const [permitted] = await search('zeppelins permitted', agentId);
    expect(permitted).toMatchObject({ source_id: gap.id });
    // More probable than not, which is what an agent answers from.
    expect(permitted.score).toBeGreaterThan(0.5);
    const changed = await fixture.call('PATCH', `${GAPS}/${gap.id}`, { json: { answer: 'No.' } });
    expect(changed.body).toMatchObject({ answer: 'No.', questions: gap.questions });
    const [again] = await search('zeppelins permitted', agentId);
    expect(again).toMatchObject({ source_id: gap.id, text: 'No.' });
    expect(again.score).toBeGreaterThan(0.5);
  });
});

describe('the very question of an answer', () => {
  test('goes first in each of the words that the gap was asked in', async () => {
    const name = `cellar-${newUuid().slice(-6)}`;
    const text = '# Zeppelin repairs\n\nZeppelin repairs are permitted.\n\n'.repeat(3);
    const { body } = await fixture.call('POST', '/v1/knowledge/sources', {
      json: { type: 'text', name, text },
    });
    const agentId = await fixture.newAgent();
    await ask('Do you repair zeppelins?', agentId);
    await ask('Are repairs of zeppelins permitted?', agentId);
    const { id } = await onlyGap(agentId);
    await resolve(id, 'In the cellar.');
    const path = `/v1/agents/${agentId}`;
    await fixture.call('PATCH', path, { json: { knowledge: { source_ids: [body.id] } } });
    for (const question of ['zeppelin repairs', 'permitted: zeppelin repairs']) {
      expect((await search(question, agentId))[0]).toMatchObject({ source_id: id });
    }
  });
});

describe('a check', () => {
  test('asks an open gap again: what was indexed since may answer it', async () => {
    const name = `since-${newUuid().slice(-6)}`;
    const text = '# Bells\n\nWe sell bells.';
    const { body: source } = await fixture.call('POST', '/v1/knowledge/sources', {
      json: { type: 'text', name, text },
    });
    const agentId = await fixture.newAgent({ knowledge: { source_ids: [source.id] } });
    await ask('Do you repair velvet zeppelins?', agentId);
    const { id } = await onlyGap(agentId);
    const check = async () => (await fixture.call('GET', `${GAPS}/${id}/check`)).body;
    const none = { source_id: null, document_id: null, chunk_id: null };
    expect(await check()).toEqual({
      answered: false,
      questions: [
        { question: 'Do you repair velvet zeppelins?', answered: false, score: 0, ...none },
      ],
    });
    await fixture.call('PATCH', `/v1/knowledge/sources/${source.id}`, {
      json: { text: '# Zeppelins\n\nWe repair velvet zeppelins in the cellar.' },
    });
    expect(await check()).toMatchObject({
      answered: true,
      questions: [{ answered: true, source_id: source.id, chunk_id: expect.any(String) }],
    });
    expect(await onlyGap(agentId)).toMatchObject({ status: 'open', count: 1 });
  });

  test('tells in which words an answer is found and in which it is not', async () => {
    const agentId = await fixture.newAgent();
    await ask('Do you repair zeppelins?', agentId);
    const { id } = await onlyGap(agentId);
    await resolve(id, 'In the cellar.');
    await fixture.engine.pool.query(
      `insert into knowledge_gap_questions (gap_id, agent_id, conversation_id, text, fingerprint, words)
       select gap_id, agent_id, conversation_id, 'Who polishes an airship?', 'airship polish', '{}'
         from knowledge_gap_questions where gap_id = $1`,
      [toUuid('gap', id)],
    );
    const { body } = await fixture.call('GET', `${GAPS}/${id}/check`);
    expect(body.answered).toBe(false);
    expect(body.questions).toHaveLength(2);
    expect(body.questions).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          question: 'Do you repair zeppelins?',
          answered: true,
          source_id: id,
        }),
        expect.objectContaining({ question: 'Who polishes an airship?', answered: false }),
      ]),
    );
  });

  test('of a foreign gap is 404 like of a missing one', async () => {
    const agentId = await fixture.newAgent();
    await ask(EXPRESS, agentId);
    const { id } = await onlyGap(agentId);
    const key = await fixture.newKey('other');
    const foreign = await fixture.call('GET', `${GAPS}/${id}/check`, { key });
    const none = await fixture.call('GET', `${GAPS}/gap_01jd0000000000000000000000/check`, { key });
    expect(foreign.status).toBe(404);
    expect(withoutRequestId(foreign)).toEqual(withoutRequestId(none));
  });
});

describe('an erased conversation', () => {
  test('that asked first leaves the gap to the words of others, and those find the answer', async () => {
    const agentId = await fixture.newAgent();
    const first = await ask('Do you repair quixotic zeppelins?', agentId);
    const second = await ask('Are repairs of quixotic zeppelins permitted?', agentId);
    const gap = await onlyGap(agentId);
    await resolve(gap.id, 'In the cellar.');
    const [{ chunk_id }] = await search('cellar', agentId);
    await erase(first);
    expect(await onlyGap(agentId)).toMatchObject({
      question: 'Are repairs of quixotic zeppelins permitted?',
      conversation_id: second,
      count: 2,
      questions: [{ text: 'Are repairs of quixotic zeppelins permitted?' }],
    });
    expect(await search('permitted quixotic', agentId)).toMatchObject([
      { chunk_id, heading: 'Are repairs of quixotic zeppelins permitted?' },
    ]);
    await erase(second);
    expect(await onlyGap(agentId)).toMatchObject({ question: '[erased]', questions: [] });
    expect(await search('quixotic', agentId)).toEqual([]);
    expect(await search('cellar', agentId)).toMatchObject([{ chunk_id, heading: '[erased]' }]);
    const { rows } = await fixture.engine.pool.query(
      "select lexeme from knowledge_words where lexeme like 'quixot%'",
    );
    expect(rows).toEqual([]);
  });

  test('that asked in other words takes those away, and leaves the gap its name', async () => {
    const agentId = await fixture.newAgent();
    await ask('Do you repair velvet zeppelins?', agentId);
    const second = await ask('Are repairs of velvet zeppelins permitted?', agentId);
    const { id } = await onlyGap(agentId);
    await resolve(id, 'In the cellar.');
    await erase(second);
    expect(await onlyGap(agentId)).toMatchObject({
      question: 'Do you repair velvet zeppelins?',
      questions: [{ text: 'Do you repair velvet zeppelins?' }],
    });
    expect(await search('permitted', agentId)).toEqual([]);
    expect(await search('velvet', agentId)).toHaveLength(1);
  });

  test('of an open gap: asked again it is a gap of its own words', async () => {
    const agentId = await fixture.newAgent();
    const first = await ask(EXPRESS, agentId);
    await erase(first);
    await ask(EXPRESS, agentId);
    expect(await gapsOf(agentId)).toMatchObject([{ question: EXPRESS }, { question: '[erased]' }]);
  });
});
