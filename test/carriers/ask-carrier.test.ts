import { describe, expect, test } from 'vitest';
import { askCarrier, DialRefused, refusalOf } from '../../src/carriers/ask-carrier.ts';
import { sidSince, statusIn } from '../../src/carriers/twiml/statuses.ts';

/** Requests to carriers, and how their answers are parsed. */

type Sent = Parameters<Parameters<typeof askCarrier>[0]['send']>[0];

function answering(outcome: object) {
  const sent: Sent[] = [];
  const send = async (request: Sent) => {
    sent.push(request);
    return outcome;
  };
  return { sent, egress: { send } as unknown as Parameters<typeof askCarrier>[0] };
}
const answer = (text: string, statusCode = 200): object => ({
  kind: 'response',
  statusCode,
  body: Promise.resolve(Buffer.from(text)),
});
const QUESTION = { url: 'https://carrier.test/calls', authorization: 'Basic x' };

describe('a question', () => {
  test('without a body is read, and may be asked again', async () => {
    const { sent, egress } = answering(answer('{"a":1}'));
    expect(await askCarrier(egress, QUESTION)).toEqual({ status: 200, body: { a: 1 } });
    expect(sent).toEqual([
      {
        url: QUESTION.url,
        method: 'GET',
        headers: { authorization: 'Basic x', accept: 'application/json' },
        timeoutMs: 10_000,
        maxResponseBytes: 262_144,
      },
    ]);
  });

  test('with a body is sent once', async () => {
    const { sent, egress } = answering(answer('no JSON', 201));
    const body = { type: 'text/plain', text: 't' };
    expect(await askCarrier(egress, { ...QUESTION, body, timeoutMs: 7 })).toEqual({
      status: 201,
      body: undefined,
    });
    expect(sent[0]).toMatchObject({
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: 't',
      once: true,
      timeoutMs: 7,
    });
  });

  test('without an answer is an error', async () => {
    const { egress } = answering({ kind: 'error', message: 'gone' });
    await expect(askCarrier(egress, QUESTION)).rejects.toThrow(
      'the request to the carrier failed: gone',
    );
  });
});

test('a call is one that was made since, with a second for clocks', () => {
  const sinceMs = Date.parse('2026-01-01T00:00:10Z');
  const found = (...calls: { sid: string; date_created?: string | null }[]): string | undefined =>
    sidSince({ status: 200, body: { calls } }, sinceMs);
  expect(found({ sid: 'a', date_created: '2026-01-01T00:00:09Z' })).toBe('a');
  expect(found({ sid: 'a', date_created: '2026-01-01T00:00:08.999Z' })).toBeUndefined();
  expect(found({ sid: 'a', date_created: null })).toBe('a');
  expect(found({ sid: 'a' })).toBe('a');
  expect(found({ sid: 'a', date_created: '2020-01-01T00:00:00Z' }, { sid: 'b' })).toBe('b');
  expect(found()).toBeUndefined();
  expect(() => sidSince({ status: 200, body: {} }, sinceMs)).toThrow();
});

test('the state of a call is that of an answer with 200', () => {
  const body = { status: 'ringing' };
  expect(statusIn({ status: 200, body })).toBe('ringing');
  expect(statusIn({ status: 404, body })).toBeUndefined();
  expect(statusIn({ status: 200, body: {} })).toBeUndefined();
});

test.each([
  [399, false],
  [400, true],
  [428, true],
  [429, false],
  [499, true],
  [500, false],
])('a request to dial that is answered %d is refused for good: %s', (status, isFinal) => {
  const error = refusalOf(status, ', why');
  expect(error instanceof DialRefused).toBe(isFinal);
  expect(error.message).toBe(`the carrier responded with ${status}, why`);
});
