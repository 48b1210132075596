import { describe, expect, test } from 'vitest';
import { createExtractiveResponder } from '../../../src/conversations/turns/extractive-responder.ts';
import { createTurnQueue } from '../../../src/conversations/turns/take-turn.ts';
import { pickSentences } from '../../../src/conversations/turns/pick-sentences.ts';
import { SENTENCES } from '../../../src/conversations/sentences/sentences.ts';
import { readUserTurn } from '../../../src/conversations/turns/read-user-turn.ts';
import type { Reply } from '../../../src/conversations/turns/responder.ts';
import { fromUuid, newUuid } from '../../../src/ids.ts';
import type { AgentContent } from '../../../src/agents/agent.ts';
import { fillPlaceholders } from '../../../src/conversations/record/fill-placeholders.ts';
import type { KnowledgeHit } from '../../../src/knowledge/passages/search-passages.ts';
import type { LiveConversation } from '../../../src/conversations/record/conversations.sql.ts';
import { EMPTY_TALLY, type Tally } from '../../../src/conversations/record/tally.ts';

const respond = createExtractiveResponder({ nowMs: () => 0 });

async function reply(
  text: string,
  options: { content?: AgentContent; hits?: KnowledgeHit[]; tally?: Partial<Tally> } = {},
): Promise<Reply & { tokens: string[]; searched: [string, number][] }> {
  const tokens: string[] = [];
  const searched: [string, number][] = [];
  const content = options.content ?? {};
  const made = await respond({
    content,
    speaker: { agentId: newUuid(), agentVersion: 1, content },
    noteTools: async () => undefined,
    notedTools: [],
    // What it reads of a conversation is its tally.
    conversation: { tally: { ...EMPTY_TALLY, ...options.tally } } as LiveConversation,
    text,
    user: readUserTurn(text),
    readHistory: async () => [],
    search: async (query, limit) => {
      searched.push([query, limit]);
      return options.hits ?? [];
    },
    emitToken: (token) => tokens.push(token),
    signal: new AbortController().signal,
  });
  return { ...made, tokens, searched };
}

function hit(score: number, text = `scored ${score}`): KnowledgeHit {
  const ids = { chunkId: newUuid(), documentId: newUuid(), sourceId: newUuid(), gapId: null };
  return {
    ...ids,
    heading: 'Delivery',
    text,
    score,
    why: { matched: [], missing: [], likeness: null },
  };
}

describe('a question', () => {
  test('is answered from the best passage, which is cited', async () => {
    const hits = [hit(0.9), hit(0.7), hit(0.1)];
    const made = await reply('How long is delivery?', { hits });
    expect(made).toMatchObject({ text: 'scored 0.9', answeredFrom: 'Delivery' });
    expect(made.retrieval?.chunks.map(({ score }) => score)).toEqual([0.9]);
    expect(made.retrieval?.considered?.map(({ score }) => score)).toEqual([0.7, 0.1]);
    expect(made.retrieval?.chunks[0]?.chunk_id).toMatch(/^chk_/);
    expect(made.tokens.join('')).toBe(made.text);
  });

  test('answered by the answer to a gap cites the gap', async () => {
    const gapId = newUuid();
    const answer = { ...hit(0.9), sourceId: null, documentId: null, gapId };
    const made = await reply('How long is delivery?', { hits: [answer] });
    const gap = fromUuid('gap', gapId);
    expect(made.retrieval?.chunks).toMatchObject([{ source_id: gap, document_id: gap }]);
  });

  test.each([
    [0.79, false],
    [0.8, true],
  ])('with min_score 0.8, %d is answered: %s', async (score, answered) => {
    const content = { knowledge: { minScore: 0.8, topK: 3 } };
    const made = await reply('How long is delivery?', { content, hits: [hit(score)] });
    expect(made.answeredFrom !== undefined).toBe(answered);
    expect(made.unanswered?.topScore).toBe(answered ? undefined : score);
    expect(made.retrieval).toMatchObject(answered ? { chunks: [{ score }] } : { chunks: [] });
    expect(made.retrieval?.considered).toEqual(answered ? undefined : [expect.anything()]);
    expect(made.searched).toEqual([['How long is delivery?', 3]]);
  });

  test('without a passage is unknown, says so, and offers a human', async () => {
    const made = await reply('How long is delivery?');
    expect(made.unanswered).toEqual({
      question: 'How long is delivery?',
      topScore: 0,
      closest: [],
    });
    expect(made.offersHuman).toBe(true);
    expect((await reply('yes please', { tally: { offeredHuman: true } })).handover).toEqual({
      reason: 'user_request',
    });
    expect((await reply('yes please')).handover).toBeUndefined();
  });
});

describe('no question', () => {
  test.each(['Hi', 'Thank you!', 'bye', 'no thanks', 'You are useless', '👍'])(
    '%s is answered without a search and is no gap',
    async (text) => {
      const { searched, unanswered, text: said } = await reply(text);
      expect([searched, unanswered]).toEqual([[], undefined]);
      expect(said).not.toBe('');
    },
  );

  test('an agent that speaks first greets', async () => {
    expect(await reply('')).toMatchObject({ text: 'Hello! How can I help you?', searched: [] });
  });

  test('a remark is answered only when a passage has most of it', async () => {
    const remark = 'We thought of coming over with the children';
    expect((await reply(remark, { hits: [hit(0.74)] })).answeredFrom).toBeUndefined();
    expect((await reply(remark, { hits: [hit(0.75)] })).answeredFrom).toBe('Delivery');
  });

  test('a remark is searched for, and no gap', async () => {
    const { searched, unanswered } = await reply('We thought of coming over with the children');
    expect(searched).toHaveLength(1);
    expect(unanswered).toBeUndefined();
  });
});

describe('a human is asked for', () => {
  test('outright, also without a rule, before anything is searched', async () => {
    const made = await reply('I want to talk to a human about delivery', { hits: [hit(1)] });
    expect(made).toMatchObject({ handover: { reason: 'user_request' }, searched: [] });
  });

  test.each([
    ['sue', 'I have an issue', undefined],
    ['sue', 'I will SUE you', 'keyword'],
    ['c++', 'Is it in C++?', 'keyword'],
    ['small claims', 'to small \n claims court', 'keyword'],
    ['café', 'the CAFÉ', 'keyword'],
    ['.*', 'anything', undefined],
  ])('the keyword %j in %j: %s', async (keyword, text, reason) => {
    const content: AgentContent = {
      escalation: { rules: [{ when: 'keyword', keywords: [keyword] }] },
    };
    expect((await reply(text, { content })).handover?.reason).toBe(reason);
  });

  test('by the second question in a row without an answer, which is a gap too', async () => {
    const content: AgentContent = { escalation: { rules: [{ when: 'low_confidence' }] } };
    const at = (unansweredInRow: number) =>
      reply('Is it velvet?', { content, tally: { unansweredInRow } });
    expect((await at(0)).handover).toBeUndefined();
    expect(await at(1)).toMatchObject({
      handover: { reason: 'low_confidence' },
      unanswered: { question: 'Is it velvet?' },
    });
  });
});

describe('the sentences of a passage', () => {
  const filler = 'Nothing of this matters to anybody at all. '.repeat(20);

  test('are whole, around the one that has most of the question, and in their order', () => {
    const passage = `${filler}Refunds take five days. They go to your card. ${filler}`;
    const picked = pickSentences(passage, 'When do I get my refund?', { charsMax: 120 });
    expect(picked).toMatch(/^Refunds take five days\. They go to your card\./);
    expect(picked).toMatch(/\.$/);
    expect(picked.length).toBeLessThanOrEqual(120);
  });

  test('lines broken for the width of a file are one, lists stay lists', () => {
    const passage = 'We deliver to all\nof Norway.\n\nNot to:\n- Svalbard\n- Jan Mayen';
    expect(pickSentences(passage, 'norway', { charsMax: 500 })).toBe(
      'We deliver to all of Norway.\n\nNot to:\n- Svalbard\n- Jan Mayen',
    );
  });

  test('a short passage is given whole, a sentence without an end is cut at a word', () => {
    expect(pickSentences(' One. Two. ', 'x', { charsMax: 500 })).toBe('One. Two.');
    const cut = pickSentences('word '.repeat(300), 'x', { charsMax: 50 });
    expect(cut).toMatch(/word…$/);
    expect(cut.length).toBeLessThanOrEqual(50);
  });
});

test('placeholders are filled once, with plain values only', () => {
  const variables = { name: '{{other}}', other: 'x', list: [1], n: 3, yes: true };
  expect(
    fillPlaceholders('{{name}} {{ n }} {{yes}} [{{list}}{{gone}}{{toString}}] {x} {{}}', variables),
  ).toBe('{{other}} 3 true [] {x} {{}}');
});

test('turns of one conversation are taken one after the other, and a failure stops nobody', async () => {
  const inTurn = createTurnQueue();
  const order: string[] = [];
  const work = (name: string) => async (): Promise<void> => {
    order.push(`${name} begins`);
    await Promise.resolve();
    order.push(`${name} ends`);
    if (name === 'a') throw new Error('a failed');
  };
  const [a] = await Promise.allSettled([
    inTurn('k', work('a')),
    inTurn('k', work('b')),
    inTurn('other', work('c')),
  ]);
  expect(a.status).toBe('rejected');
  expect(order.indexOf('b begins')).toBeGreaterThan(order.indexOf('a ends'));
  expect(order.indexOf('c begins')).toBeLessThan(order.indexOf('a ends'));
});

test.each(Object.keys(SENTENCES))(
  "all of its own is said in the agent's language: %s",
  async (language) => {
    const words = SENTENCES[language]!;
    const content = { language };
    const said = async (text: string, tally?: Partial<Tally>): Promise<string> =>
      (await reply(text, { content, ...(tally && { tally }) })).text;
    expect(await said('How long is delivery?')).toBe(words.doNotKnow);
    expect(await said('Yes please', { offeredHuman: true })).toBe(words.handOver);
    expect(await said('Hello')).toBe(words.greeting);
    expect(await said('Thanks')).toBe(words.thanks);
    expect(await said('Goodbye')).toBe(words.goodbye);
    expect(await said('Yes')).toBe(words.yes);
    expect(await said('No')).toBe(words.no);
    expect(await said('?!')).toBe(words.noise);
    expect(await said('This is awful, you are useless')).toBe(words.complaint);
  },
);
