import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createParleyClient,
  ok,
  ParleyError,
  verifyWebhook,
} from '../../packages/client/src/client.ts';
import type { Agent, ParleyClient, ParleyEvent } from '../../packages/client/src/client.ts';
import { startReceiver, type Received, type Receiver } from '../webhooks/receiver.ts';
import { startApi, type Api } from '../roles/api/api-setup.ts';

/** The client as a program outside uses it: nothing of Parley but its URL and a key. */
let api: Api;
let parley: ParleyClient;
let receiver: Receiver;

beforeAll(async () => {
  api = await startApi({ delivery: true });
  receiver = await startReceiver();
  parley = createParleyClient({ baseUrl: `${api.url}/`, apiKey: api.key });
});

afterAll(async () => {
  await api.stop();
  await receiver.close();
});

function createAgent(prompt: string): Promise<Agent> {
  return ok(parley.POST('/v1/agents', { body: { prompt, publish_policy: 'automatic' } }));
}

describe('the client', () => {
  test('creates, reads, changes and deletes, with the types of the document', async () => {
    const agent = await createAgent('You help.');
    const path = { id: agent.id };
    const read = await ok(parley.GET('/v1/agents/{id}', { params: { path } }));
    expect(read).toEqual(agent);
    const body = { display_name: 'Support' };
    const changed = await ok(parley.PATCH('/v1/agents/{id}', { params: { path }, body }));
    expect(changed.display_name).toBe('Support');
    // @ts-expect-error a number is no prompt
    const wrong = parley.PATCH('/v1/agents/{id}', { params: { path }, body: { prompt: 7 } });
    expect((await wrong).error?.code).toBe('invalid_body');
    await ok(parley.DELETE('/v1/agents/{id}', { params: { path } }));
    const gone = await parley.GET('/v1/agents/{id}', { params: { path } });
    expect(gone.error).toMatchObject({ code: 'not_found', status: 404 });
  });

  test('throws what was wrong, as the problem it was answered', async () => {
    const params = { path: { id: 'agt_x' } };
    const asked = ok(parley.GET('/v1/agents/{id}', { params }));
    await expect(asked).rejects.toThrow('404 not_found: There is no such agent.');
    const error = await asked.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ParleyError);
    expect((error as ParleyError).problem?.request_id).toMatch(/^req_/);
  });

  test('says in its message what is wrong with which field', async () => {
    const body = { prompt: '', voice: { provider: 'p', voice_id: 'v', speed: 0 } };
    const asked = ok(parley.POST('/v1/agents', { body }));
    await expect(asked).rejects.toThrow(
      '422 invalid_body: Some fields are invalid. See `errors`. (/prompt: must not be empty; /voice/speed: must be at least 0.25)',
    );
  });

  test('reads a list to its end, page by page, and stops when its reader does', async () => {
    const names = new Set<string>();
    for (let i = 0; i < 5; i += 1) names.add((await createAgent(`number ${i}`)).id);
    const pages: string[] = [];
    const counting = createParleyClient({
      baseUrl: api.url,
      apiKey: api.key,
      fetch: (request) => {
        pages.push(request.url);
        return globalThis.fetch(request);
      },
    });
    const seen: string[] = [];
    const query = { limit: 2 };
    for await (const { id, prompt } of counting.list('/v1/agents', { query })) {
      expect(typeof prompt).toBe('string');
      seen.push(id);
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((id) => names.has(id))).toHaveLength(5);
    expect(pages.length).toBe(Math.ceil(seen.length / 2));
    pages.length = 0;
    for await (const agent of counting.list('/v1/agents', { query })) if (agent) break;
    expect(pages).toHaveLength(1);
  });

  test('reads a log that can be followed as far as it goes', async () => {
    const { id } = await createAgent('followed');
    const query = { order: 'oldest' as const, agent_id: id };
    const published = await api.engine.eventually(async () => {
      const ids: string[] = [];
      for await (const event of parley.list('/v1/events', { query })) {
        ids.push(event.id);
        // A last page has a cursor too, and from there a follower would ask for ever.
        if (ids.length > 1) throw new Error(`twice: ${ids.join(' ')}`);
      }
      return ids.length > 0 && ids;
    });
    expect(published).toHaveLength(1);
  });

  test('takes the document of an answer that was awaited', async () => {
    const answer = await parley.GET('/v1/agents');
    expect(Array.isArray((await ok(answer)).data)).toBe(true);
  });

  test('takes the id of a list that lies below one thing', async () => {
    const { id } = await createAgent('first');
    const params = { path: { id } };
    await ok(parley.PATCH('/v1/agents/{id}', { params, body: { prompt: 'second' } }));
    const versions: number[] = [];
    for await (const { version } of parley.list('/v1/agents/{id}/versions', params)) {
      versions.push(version);
    }
    expect(versions).toEqual([2, 1]);
  });

  test('verifies what it is sent, and the event says the same as the API', async () => {
    const body = { url: receiver.url, event_types: ['agent.published' as const] };
    const { secret } = await ok(parley.POST('/v1/webhooks', { body }));
    const agent = await createAgent('published');
    const [{ headers, body: raw }] = (await receiver.until(({ length }) => length > 0)) as [
      Received,
    ];
    const event: ParleyEvent = await verifyWebhook(raw, headers, secret);
    if (event.type !== 'agent.published') throw new Error(`a ${event.type}`);
    expect(event.data.agent_id).toBe(agent.id);
    const path = { id: event.id };
    const stored = await ok(parley.GET('/v1/events/{id}', { params: { path } }));
    expect(stored).toMatchObject(event);
  });

  test('holds a conversation to its end, and its events say the same', async () => {
    const agent = await createAgent('You sell bicycles.');
    const conversation = await ok(
      parley.POST('/v1/conversations', { body: { agent_id: agent.id, user_id: 'customer-1' } }),
    );
    const params = { path: { id: conversation.id } };
    const asText = {
      params: { ...params, query: { format: 'text' as const } },
      parseAs: 'text' as const,
    };
    const silence = await parley.GET('/v1/conversations/{id}/transcript', asText);
    expect(silence.response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const text = 'How much does a tandem weigh?';
    const answer = await ok(
      parley.POST('/v1/conversations/{id}/messages', { params, body: { text } }),
    );
    expect(answer.turns.map(({ role }) => role)).toEqual(['user', 'agent']);
    const body = { outcome: 'resolved' as const };
    const ended = await ok(parley.POST('/v1/conversations/{id}/end', { params, body }));
    expect(ended).toMatchObject({ status: 'ended', outcome: 'resolved', agent_id: agent.id });

    const query = { conversation_id: conversation.id };
    const types = await api.engine.eventually(async () => {
      const types: string[] = [];
      for await (const { type } of parley.list('/v1/events', { query })) types.push(type);
      return types.includes('conversation.transcript.ready') && types;
    });
    expect(types).toEqual(expect.arrayContaining(['conversation.started', 'conversation.ended']));
    const plain = await ok(parley.GET('/v1/conversations/{id}/transcript', asText));
    expect(plain).toContain(text);
    const again = await parley.POST('/v1/conversations/{id}/end', { params });
    expect(again.error?.code).toBe('conversation_ended');
  });

  test('uploads a text as it is', async () => {
    const source = await ok(parley.POST('/v1/knowledge/sources', { body: { type: 'file' } }));
    const params = { path: { id: source.id } };
    const headers = { 'Content-Type': 'text/markdown' };
    const body = '# Opening hours\n\nThe shop opens at nine, "sharp".';
    await ok(parley.PUT('/v1/knowledge/sources/{id}/content', { params, headers, body }));
    const query = { q: 'When does the shop open?' };
    const { data } = await ok(parley.GET('/v1/knowledge/search', { params: { query } }));
    expect(data[0]).toMatchObject({ source_id: source.id });
    expect(data[0]!.text).toContain('nine, "sharp"');
  });

  test('repeats a request safely, with a key for it', async () => {
    const init = {
      params: { header: { 'Idempotency-Key': 'once' } },
      body: { prompt: 'made once' },
    };
    const first = await parley.POST('/v1/agents', init);
    const second = await parley.POST('/v1/agents', init);
    expect(second.data).toEqual(first.data);
    expect(second.response.headers.get('idempotency-replayed')).toBe('true');
  });
});
