import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRunOnce, type AuthenticatedRequest } from '../../../src/platform/http/run-once.ts';
import { PROBLEM_MEDIA_TYPE } from '../../../src/platform/http/problem.ts';
import type { Answer, Repeatable } from '../../../src/platform/http/route.ts';
import { ApiError } from '../../../src/errors.ts';
import { newUuid } from '../../../src/ids.ts';
import { createIdempotency } from '../../../src/platform/idempotency/idempotency.ts';
import { inOneCommit } from '../../../src/platform/postgres/commit-hook.ts';
import { startEngine, type Engine } from '../../roles/engine.ts';
import { newKey } from './idempotency-setup.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

describe('an answer that is a stream', () => {
  const caller = {
    namespace: 'default',
    actor: 'api:key_x',
    keyId: newUuid(),
    sessionId: null,
    scopes: [],
    requestId: 'req_x',
    address: null,
    userAgent: null,
  };
  const document = { turns: [1, 2] };

  /** Requests a route that streams as messages do: it sends its turn and answers with a document. */
  async function ask(
    key: string,
    { accept, ends }: { accept: string; ends?: 'with an error' | 'early' | 'with a refusal' },
  ): Promise<{ answer: Answer; events: unknown[] }> {
    const { pool } = engine;
    const runOnce = createRunOnce({
      idempotency: createIdempotency({ ...engine, nowMs: Date.now }),
      nowMs: Date.now,
    });
    const eventsOf: NonNullable<AuthenticatedRequest['route']['eventsOf']> = (body) => (send) =>
      send({ event: 'done', data: body });
    const asked: AuthenticatedRequest = {
      route: { method: 'post', eventsOf },
      url: '/v1/stream',
      headers: { 'idempotency-key': key, accept },
      readBytes: async () => Buffer.alloc(0),
      caller,
    };
    const run = async ({ answering }: Repeatable): Promise<Answer> => ({
      status: 200,
      stream: async (send) => {
        await send({ event: 'token', data: 'a' });
        if (ends === 'early') return; // The client is gone.
        if (ends === 'with an error') throw new Error('cut');
        if (ends === 'with a refusal') throw new ApiError('conversation_ended', 'it has ended');
        const { body } = await answering(
          (beforeCommit) => inOneCommit(pool, beforeCommit, async () => document),
          (result) => ({ status: 200, body: result }),
        );
        await send({ event: 'done', data: body });
      },
    });
    const answer = await runOnce(asked, run);
    const events: unknown[] = [];
    await answer.stream?.(async (event) => {
      events.push(event.event);
    }, new AbortController().signal);
    return { answer, events };
  }

  test('is kept as its document, and sent again as either', async () => {
    const key = newKey();
    const first = await ask(key, { accept: 'text/event-stream' });
    expect(first.events).toEqual(['token', 'done']);
    const asJson = await ask(key, { accept: 'application/json' });
    expect(asJson.answer).toMatchObject({
      status: 200,
      body: document,
      headers: { 'Idempotency-Replayed': 'true' },
    });
    const asEvents = await ask(key, { accept: 'text/event-stream' });
    expect(asEvents.events).toEqual(['done']);
    expect(asEvents.answer.headers).toMatchObject({ 'Idempotency-Replayed': 'true' });
  });

  test.each(['with an error', 'early'] as const)(
    'one that ends %s is not kept: a repeat runs it',
    async (ends) => {
      const key = newKey();
      await ask(key, { accept: 'text/event-stream', ends }).catch(() => undefined);
      const again = await ask(key, { accept: 'text/event-stream' });
      expect(again.events).toEqual(['token', 'done']);
    },
  );

  test('a refusal in the stream is kept as the problem it is', async () => {
    const key = newKey();
    const accept = 'text/event-stream';
    await expect(ask(key, { accept, ends: 'with a refusal' })).rejects.toThrow('it has ended');
    const { answer } = await ask(key, { accept });
    expect(answer).toMatchObject({
      status: 409,
      mediaType: PROBLEM_MEDIA_TYPE,
      body: { code: 'conversation_ended' },
    });
  });
});
