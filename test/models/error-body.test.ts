import { expect, test } from 'vitest';
import { readErrorBody } from '../../src/models/requests/error-body.ts';

/** The errors of servers, in the one form that the client reads. */

const read = async (text: string, status = 400): Promise<string> =>
  (await readErrorBody(new Response(text, { status }))).text();

test('an answer below 400 is left as it is', async () => {
  const response = new Response('{"detail":"x"}', { status: 399 });
  expect(await readErrorBody(response)).toBe(response);
  expect(await read('{"detail":"x"}', 400)).toBe('{"error":{"message":"x"}}');
});

test.each<[string, unknown, unknown]>([
  ['an error', { error: { message: 'x' } }, { error: { message: 'x' } }],
  ['a list of errors', [{ error: { message: 'x' } }], { error: { message: 'x' } }],
  ['an error that is a text', { error: 'x', code: 'c' }, { error: { message: 'x', code: 'c' } }],
  ['an error that is a list', { error: ['x'] }, { error: { message: '["x"]' } }],
  ['an error that is null', { error: null }, { error: { message: 'null' } }],
  ['a detail', { detail: 'x', type: 't' }, { error: { message: 'x', type: 't' } }],
  ['a message', { message: 'x', error_type: 't' }, { error: { message: 'x', type: 't' } }],
  ['an object', { what: 'x' }, { error: { what: 'x' } }],
  [
    'what was given',
    { detail: [{ msg: 'm', input: 'secret', ctx: { a: 1 }, loc: ['b'] }] },
    { error: { message: '[{"msg":"m","loc":["b"]}]' } },
  ],
])('%s', async (_, given, shown) => {
  expect(JSON.parse(await read(JSON.stringify(given)))).toEqual(shown);
});

test.each(['a text', '"a text"', 'null', '[]', '7'])('%s stays as it is', async (text) => {
  expect(await read(text)).toBe(text);
});

test('of an error without end 64 KiB are read, and the rest is canceled', async () => {
  const piece = new TextEncoder().encode('x'.repeat(10_000));
  let pieces = 0;
  const canceled = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    pull: (control) => {
      pieces += 1;
      control.enqueue(piece);
    },
    cancel: () => canceled.resolve(),
  });
  const read = await readErrorBody(new Response(body, { status: 500 }));
  expect(await read.text()).toHaveLength(64 * 1024);
  await canceled.promise;
  // One more than is read may be in the queue of the stream.
  expect(pieces).toBeLessThanOrEqual(8);
});
