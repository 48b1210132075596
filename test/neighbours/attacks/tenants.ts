import type { Attack } from '../attack.ts';
import { documents } from './documents.ts';
import { unendingBody } from './strangers.ts';
import { texts } from './texts.ts';

/** What a tenant can do with a key that has `write`, or only `read`. */

const writers: readonly Attack[] = [
  {
    name: 'keyword-rules',
    by: 'write',
    bound: 'each keyword is normalized once, and all are found in one pass over the text',
    answers: ['200', '201'],
    run: async ({ create, again, call, many }) => {
      const keywords = Array.from({ length: many(50, 3) }, (_, i) => `${'a '.repeat(61)}b${i}`);
      const rules = Array.from({ length: many(20) }, () => ({ when: 'keyword', keywords }));
      const agent = await create('/v1/agents', { prompt: 'Sell.', escalation: { rules } });
      const text = 'a '.repeat(many(16_000, 500));
      await again(1, async () => {
        const { body } = await call('POST', '/v1/conversations', { json: { agent_id: agent.id } });
        if (body?.id)
          await call('POST', `/v1/conversations/${body.id}/messages`, { json: { text } });
      });
    },
  },
  {
    name: 'large-variables',
    by: 'write',
    bound: '256 KiB of variables and metadata in a page; 64 KiB of a conversation',
    answers: ['201', '200'],
    run: async ({ create, again, call, many, keys }) => {
      const { id: agent_id } = await create('/v1/agents', { prompt: 'Sell.' });
      // Many short texts take longer to read and write than a long one.
      const notes = Array.from({ length: 1_900 }, (_, i) => `${'x'.repeat(26)}${i}`);
      const json = { agent_id, variables: { notes } };
      for (let i = 0; i < many(100, 2); i += 1) await call('POST', '/v1/conversations', { json });
      const list = { key: keys.read };
      await again(4, () => call('GET', '/v1/conversations?limit=100', list));
    },
  },
  {
    name: 'many-starts',
    by: 'write',
    bound: '64 conversations in a transaction, each with 2,048 characters; namespaces take turns',
    answers: ['201', '200'],
    run: async ({ create, again, call }) => {
      const { id: agent_id } = await create('/v1/agents', { prompt: 'Sell.' });
      const notes = Array.from({ length: 60 }, (_, i) => `${'x'.repeat(26)}${i}`);
      const json = { agent_id, variables: { notes } };
      await again(32, async () => {
        const { body } = await call('POST', '/v1/conversations', { json });
        return call('POST', `/v1/conversations/${body.id}/end`, { json: {} });
      });
    },
  },
  {
    name: 'facade-digits',
    by: 'write',
    bound: '32,000 characters a message: 400 before anything is redacted',
    answers: ['400'],
    run: async ({ create, again, call, many }) => {
      const redaction = ['card', 'email', 'phone', 'iban'];
      const { id } = await create('/v1/agents', { prompt: 'Sell.', redaction });
      const messages = [{ role: 'user', content: '4 '.repeat(many(500_000, 20_000)) }];
      await again(4, () => call('POST', '/v1/chat/completions', { json: { model: id, messages } }));
    },
  },
  {
    name: 'facade-history',
    by: 'write',
    bound: '1 MiB a body; the last 200 messages begin a conversation',
    answers: ['200'],
    run: async ({ create, again, call, many }) => {
      const redaction = ['card', 'email', 'phone', 'iban'];
      const { id } = await create('/v1/agents', { prompt: 'Sell.', redaction });
      const content = '4 '.repeat(many(450, 50));
      const messages = Array.from({ length: many(1_000, 5) }, (_, i) => ({
        role: i % 2 === 0 ? 'user' : 'assistant',
        content: `${i} ${content}`,
      }));
      messages.push({ role: 'user', content: 'Hello.' });
      await again(2, () => call('POST', '/v1/chat/completions', { json: { model: id, messages } }));
    },
  },
  {
    name: 'tool-schemas',
    by: 'write',
    bound:
      '64 KiB and 2,000 members of a schema, compiled one by one; a second for all of an agent',
    answers: ['201', '204'],
    run: async ({ again, call, many, keys }) => {
      const links = many(190, 10);
      const $defs = Object.fromEntries(
        Array.from({ length: links }, (_, i) => [
          `d${i}`,
          i + 1 < links ? { $ref: `#/$defs/d${i + 1}` } : { type: 'string' },
        ]),
      );
      const parameters = { type: 'object', properties: { a: { $ref: '#/$defs/d0' } }, $defs };
      const tools = Array.from({ length: many(5) }, (_, i) => ({
        type: 'webhook',
        name: `tool_${i}`,
        description: 'A tool',
        url: 'https://tools.example.com/',
        parameters,
      }));
      await again(2, async () => {
        const { body } = await call('POST', '/v1/agents', {
          json: { prompt: 'Sell.', publish_policy: 'manual', tools },
        });
        if (body?.id) await call('DELETE', `/v1/agents/${body.id}`, { key: keys.all });
      });
    },
  },
  {
    name: 'deep-json',
    by: 'write',
    bound: '32 levels of a body: 400',
    answers: ['400'],
    run: ({ again, call, many }) => {
      const levels = many(500_000, 1_000);
      const body = `{"prompt":${'['.repeat(levels)}${']'.repeat(levels)}}`;
      const headers = { 'content-type': 'application/json' };
      return again(10, () => call('POST', '/v1/agents', { body, headers }));
    },
  },
  {
    name: 'wide-json',
    by: 'write',
    bound: '1 MiB and 10,000 members of a body: 400',
    answers: ['400'],
    run: ({ again, call }) => {
      const members = Array.from({ length: 10_001 }, (_, i) => `"m${i}":0`).join(',');
      const body = `{"prompt":"Sell.","metadata":{${members}}}`;
      const headers = { 'content-type': 'application/json' };
      return again(10, () => call('POST', '/v1/agents', { body, headers }));
    },
  },
  {
    name: 'large-json',
    by: 'write',
    bound: '1 MiB a body: 413',
    answers: ['413', 'cut'],
    run: ({ again, call, many }) => {
      const body = Buffer.alloc(many(20_000_000, 1_500_000), ' ');
      const headers = { 'content-type': 'application/json' };
      return again(10, () => call('POST', '/v1/agents', { body, headers }));
    },
  },
  {
    name: 'unending-json',
    by: 'write',
    bound: '16 bodies of more than 64 KiB, 8 of a namespace: 503',
    answers: [],
    run: (target) => {
      const { keep, tcp, keys } = target;
      const text = unendingBody(target, '/v1/agents', `authorization: Bearer ${keys.write}`);
      return keep(1_000, () => tcp({ text }));
    },
  },
  {
    name: 'one-idempotency-key',
    by: 'write',
    bound: '409 while the first request runs; the kept answer afterwards',
    answers: ['201', '409'],
    run: async ({ create, again, call }) => {
      const { id } = await create('/v1/agents', { prompt: 'Sell.' });
      const headers = { 'idempotency-key': `one-${id}` };
      await again(50, () => call('POST', '/v1/conversations', { json: { agent_id: id }, headers }));
    },
  },
  {
    name: 'replays',
    by: 'write',
    bound: '4 requests to replay and 5 jobs of a key: 429',
    answers: ['202'],
    run: async ({ create, again, call, many, serve, keys }) => {
      const url = await serve((_, response) => void response.end());
      const endpoint = await create('/v1/webhooks', { url });
      const agent = await create('/v1/agents', { prompt: 'Sell.' });
      for (let i = 0; i < many(200, 2); i += 1)
        await create('/v1/conversations', { agent_id: agent.id });
      const json = { since: Math.floor(Date.now() / 1_000) - 3_600, mode: 'all' };
      await again(8, () =>
        call('POST', `/v1/webhooks/${endpoint.id}/replay`, { key: keys.all, json }),
      );
    },
  },
  {
    name: 'replayed-event',
    by: 'write',
    bound: '100 endpoints and 10,000 unfinished test events and replays of a namespace: 429',
    answers: ['202', '200'],
    run: async ({ create, again, call, many, serve, keys }) => {
      const url = await serve(() => undefined);
      for (let i = 0; i < many(100, 2); i += 1)
        await create('/v1/webhooks', { url: `${url}/${i}` });
      await create('/v1/agents', { prompt: 'Sell.' });
      const { body } = await call('GET', '/v1/events?limit=1', { key: keys.all });
      const event = body.data[0].id;
      await again(8, () => call('POST', `/v1/events/${event}/replay`, { key: keys.all, json: {} }));
    },
  },
];

/** Sixty words, each of them with one letter too many. */
const MISSPELLED = Array.from({ length: 60 }, (_, i) => `deliveryy${i}`).join(' ');

const readers: readonly Attack[] = [
  {
    name: 'event-streams',
    by: 'read',
    bound: '100 streams of a key: 429',
    answers: ['200'],
    run: ({ keep, call, keys }) =>
      keep(600, async () => {
        await call('GET', '/v1/events/stream?changes=true', { key: keys.read, isUnread: true });
        return { closed: new Promise(() => undefined) };
      }),
  },
  {
    name: 'misspelled-searches',
    by: 'read',
    bound: 'a turn of each namespace at searches',
    answers: ['200'],
    run: async ({ create, again, call, many, keys }) => {
      const words = Array.from({ length: many(20_000, 100) }, (_, i) => `delivery${i} parcel${i}`);
      await create('/v1/knowledge/sources', { type: 'text', text: words.join(' ') });
      const path = `/v1/knowledge/search?q=${encodeURIComponent(MISSPELLED)}`;
      await again(60, () => call('GET', path, { key: keys.read }));
    },
  },
  {
    name: 'heavy-lists',
    by: 'read',
    bound: '100 rows a page; 5,000 conversations and 200 ms of a search',
    answers: ['200'],
    run: async ({ create, again, call, many, keys }) => {
      const agent = await create('/v1/agents', { prompt: 'Sell.' });
      for (let i = 0; i < many(300, 2); i += 1)
        await create('/v1/conversations', { agent_id: agent.id, user_id: `u_${i}` });
      const from = Math.floor(Date.now() / 1_000) - 30 * 86_400;
      const paths = [
        '/v1/conversations?limit=100&q=nowhere%20to%20be%20found',
        `/v1/stats?from=${from}`,
        `/v1/agents/${agent.id}/stats?from=${from}`,
        '/v1/events?limit=100&order=oldest',
        `/v1/deliveries/stats?from=${from}`,
        '/v1/deliveries?limit=100',
      ];
      await again(20, async (index) => {
        const path = paths[index % paths.length]!;
        await call('GET', path, { key: keys.read });
      });
    },
  },
  {
    name: 'unread-exports',
    by: 'read',
    bound: '30 s and 128 KiB for a reader that takes nothing',
    answers: ['200'],
    run: async ({ create, keep, call, many, keys }) => {
      const agent = await create('/v1/agents', { prompt: 'Sell.' });
      for (let i = 0; i < many(300, 2); i += 1)
        await create('/v1/conversations', {
          agent_id: agent.id,
          metadata: { filler: 'x'.repeat(1_000) },
        });
      const headers = { accept: 'application/x-ndjson' };
      await keep(50, async () => {
        await call('GET', '/v1/conversations', { key: keys.read, headers, isUnread: true });
        return { closed: new Promise(() => undefined) };
      });
    },
  },
];

export const tenants: readonly Attack[] = [...texts, ...writers, ...documents, ...readers];
