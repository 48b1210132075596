import { describe, expect, test } from 'vitest';
import {
  ANSWER_BYTES_MAX,
  readAnswer,
  type Answer,
} from '../../../src/conversations/tools/read-answer.ts';

/** What the model is given of what a tool answered. */

type Given = {
  status?: number;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
  isWhole?: boolean;
  secrets?: string[];
};

function read({ status = 200, headers = {}, body = '', isWhole = true, secrets = [] }: Given) {
  const response = {
    kind: 'response',
    statusCode: status,
    headers,
    body: Promise.resolve(Buffer.from(body)),
    isWhole: Promise.resolve(isWhole),
  };
  return readAnswer(response as unknown as Parameters<typeof readAnswer>[0], secrets);
}
const of = (type: string): Record<string, string> => ({ 'content-type': type });
const JSON_TEXT = '{"a":1}';

describe('an answer', () => {
  test.each<[string, Given, Partial<Answer>]>([
    ['nothing', {}, { ok: true, status: 200, body: null }],
    ['JSON', { headers: of('application/json'), body: JSON_TEXT }, { ok: true, body: { a: 1 } }],
    [
      'JSON of a kind, in any case and with a charset',
      { headers: of('Application/Problem+JSON ; charset=utf-8'), body: JSON_TEXT },
      { ok: true, body: { a: 1 } },
    ],
    ['text', { headers: of('text/plain'), body: 'yes' }, { ok: true, body: 'yes' }],
    ['no media type', { body: 'yes' }, { ok: true, body: 'yes' }],
    [
      'the coding identity',
      { headers: { 'content-encoding': 'identity' }, body: 'yes' },
      { ok: true, body: 'yes' },
    ],
    [
      'the first of two headers',
      { headers: { 'content-type': ['text/css', 'x/y'] }, body: 'b' },
      { ok: true, body: 'b' },
    ],
    ['status 201', { status: 201, body: 'made' }, { ok: true, status: 201, body: 'made' }],
    ['status 299', { status: 299, body: 'made' }, { ok: true, status: 299, body: 'made' }],
    ['status 199', { status: 199, body: 'no' }, { ok: false, status: 199, body: 'no' }],
    ['status 400', { status: 400, body: 'why' }, { ok: false, status: 400, body: 'why' }],
    ['status 500', { status: 500 }, { ok: false, status: 500, body: null }],
  ])('%s', async (_, given, answer) => {
    expect(await read(given)).toMatchObject(answer);
  });

  test.each<[string, Given, string]>([
    ['status 300', { status: 300, body: 'x' }, 'redirect (status 300)'],
    ['status 399', { status: 399, body: 'x' }, 'redirect (status 399)'],
    [
      'JSON that is none',
      { headers: of('application/json'), body: '{' },
      'application/json that is not valid JSON',
    ],
    ['a web page', { headers: of('text/html'), body: '<p>' }, 'text/html, but it must answer'],
    ['an image', { headers: of('image/png'), body: 'x' }, 'image/png, but it must answer'],
    [
      'text with U+0000',
      { headers: of('text/plain'), body: 'a\0b' },
      'it must answer with JSON or plain text',
    ],
    ['a coding', { headers: { 'content-encoding': 'gzip' }, body: 'x' }, 'content encoding gzip'],
    ['half of it', { body: 'x', isWhole: false }, 'in the middle of its answer'],
    ['a media type with other signs', { headers: of('a<b>'), body: 'x' }, 'a?b?, but it must'],
  ])('%s is told of, and not shown', async (_, given, error) => {
    const answer = await read(given);
    expect(answer).toMatchObject({ ok: false, error: expect.stringContaining(error) });
    expect(answer).not.toHaveProperty('body');
  });

  test('that fails with something unreadable has no body', async () => {
    const answer = await read({ status: 500, headers: of('image/png'), body: 'x' });
    expect(answer).toEqual({ ok: false, status: 500, error: 'the tool answered with status 500' });
  });

  test('that is too long is the beginning of a text, also of JSON', async () => {
    const body = `"${'x'.repeat(ANSWER_BYTES_MAX - 1)}`;
    const headers = of('application/json');
    expect(await read({ headers, body, isWhole: false })).toMatchObject({ ok: true, body });
    expect(await read({ headers, body: body.slice(1), isWhole: false })).toMatchObject({
      ok: false,
    });
  });
});

describe('secrets of the request', () => {
  test.each<[string, Given, unknown]>([
    ['in text', { body: 'a sk-1 b sk-1' }, 'a [secret] b [secret]'],
    ['in JSON', { headers: of('application/json'), body: '{"a":"sk-1"}' }, { a: '[secret]' }],
    [
      'with escapes',
      { headers: of('application/json'), body: '["\\u0073k-1", 7]' },
      ['[secret]', 7],
    ],
  ])('%s are told to nobody', async (_, given, body) => {
    expect(await read({ ...given, secrets: ['sk-1'] })).toMatchObject({ body });
  });

  test('nor in the reason for a human', async () => {
    const answer = await read({ headers: { 'parley-escalate': ' sk-1 ' }, secrets: ['sk-1'] });
    expect(answer.escalate).toBe('[secret]');
  });
});

test('a tool asks for a human with a reason of 256 characters at most', async () => {
  const asked = async (reason: string, status = 200): Promise<string | undefined> =>
    (await read({ status, headers: { 'parley-escalate': reason } })).escalate;
  expect(await asked(' angry ')).toBe('angry');
  expect(await asked('angry', 500)).toBe('angry');
  expect(await asked('x'.repeat(257))).toBe('x'.repeat(256));
  expect(await asked(' ')).toBeUndefined();
  expect(await read({})).not.toHaveProperty('escalate');
});
