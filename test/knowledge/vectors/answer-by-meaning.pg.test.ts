import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  startConversationFixture,
  type ConversationFixture,
} from '../../conversations/conversation-setup.ts';
import {
  startEmbeddingsStub,
  type EmbeddingsStub,
} from '../../models/embeddings/embeddings-stub.ts';
import { until } from '../../until.ts';

/** From a declared provider to a reply: what is declared by REST is embedded, found and quoted. */

let stub: EmbeddingsStub;
let fixture: ConversationFixture;
beforeAll(async () => {
  stub = await startEmbeddingsStub();
  fixture = await startConversationFixture();
});
afterAll(async () => {
  await fixture?.stop();
  await stub?.stop();
});

test('a question in other words is answered from a source whose provider embeds it', async () => {
  const { call } = fixture;
  const provider = await call('POST', '/v1/model_providers', {
    json: { name: 'vectors', base_url: stub.url, embeddings: { default_model: 'e-1' } },
  });
  expect(provider.body).toMatchObject({
    embeddings: { default_model: 'e-1' },
  });
  const created = await call('POST', '/v1/knowledge/sources', {
    json: {
      name: 'house',
      type: 'text',
      text: '# Animals\n\nDogs are welcome on the terrace.\n',
      embeddings: { provider: 'vectors' },
    },
  });
  expect(created.body).toMatchObject({ embeddings: { provider: 'vectors' }, embedded: null });
  const source = `/v1/knowledge/sources/${created.body.id}`;
  await until('vectors', async () => (await call('GET', source)).body.embedded === 1);
  expect((await call('GET', source)).body).toMatchObject({ chunks: 1, embedding_message: null });

  const search = `/v1/knowledge/search?q=${encodeURIComponent('Can I bring my poodle?')}`;
  const found = await until('its meaning', async () => {
    const { body } = await call('GET', search);
    return body.meaning === 'used' && body;
  });
  expect(found.data[0]).toMatchObject({ heading: 'Animals', similarity: expect.any(Number) });

  const agent = await fixture.newAgent({ knowledge: { source_names: ['house'] } });
  const conversation = await fixture.start({ agent_id: agent });
  await fixture.say(conversation, 'Can I bring my poodle?');
  const reply = (await fixture.turns(conversation)).at(-1);
  expect(reply.text).toContain('Dogs are welcome');
  const { chunks } = reply.retrieval;
  expect(chunks).toEqual([expect.objectContaining({ similarity: expect.any(Number) })]);
});
