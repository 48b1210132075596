import { APIError } from 'openai';
import { describe, expect, test } from 'vitest';
import { InvalidAnswer, readFailure } from '../../src/models/model-failure.ts';
import { EgressFailure } from '../../src/platform/egress/failure.ts';

/** What a failed request means: whose fault it is, whether it is made again, and what its user reads. */

const FROM = { provider: 'big', model: 'm-1' };
const failed = (status: number | undefined, body: object = {}, headers = {}) =>
  readFailure(new APIError(status, body, 'secret words', new Headers(headers)), FROM);

describe('a provider that cannot be reached', () => {
  test.each([
    ['connect', true],
    ['dns', true],
    ['timeout', true],
    ['tls', false],
    ['blocked', false],
  ] as const)('%s: it is tried again: %s', (errorClass, mayRetry) => {
    const failure = new EgressFailure(errorClass, 'Why.');
    for (const error of [failure, new Error('fetch failed', { cause: failure })]) {
      expect(readFailure(error, FROM)).toMatchObject({
        code: 'model_unreachable',
        message: 'The provider "big" cannot be reached: Why.',
        mayRetry,
      });
    }
  });

  test('is looked for five causes deep', () => {
    const nested = (depth: number): unknown => {
      let error: Error = new EgressFailure('dns', 'Why.');
      for (let i = 0; i < depth; i += 1) error = new Error('around', { cause: error });
      return error;
    };
    expect(readFailure(nested(4), FROM).code).toBe('model_unreachable');
    expect(readFailure(nested(5), FROM).code).toBe('model_failed');
  });
});

describe('an answer with a status', () => {
  test.each([
    [301, 'model_refused', 'answered with a redirect', false],
    [399, 'model_refused', 'answered with a redirect', false],
    [400, 'model_refused', 'rejected the request', false],
    [401, 'model_unauthorized', 'rejected the key', false],
    [403, 'model_unauthorized', 'rejected the key', false],
    [404, 'model_refused', 'does not know the model "m-1"', false],
    [405, 'model_refused', 'does not know the model "m-1"', false],
    [408, 'model_failed', 'failed (408)', true],
    [409, 'model_failed', 'failed (409)', true],
    [422, 'model_refused', 'rejected the request', false],
    [429, 'model_rate_limited', 'too many requests', true],
    [499, 'model_refused', 'rejected the request', false],
    [500, 'model_failed', 'failed (500)', true],
    [503, 'model_failed', 'failed (503)', true],
  ])('%d: %s', (status, code, message, mayRetry) => {
    const failure = failed(status);
    expect(failure).toMatchObject({ code, message: expect.stringContaining(message), mayRetry });
    expect(failure.message).not.toContain('secret words');
  });

  test.each([
    { code: 'insufficient_quota' },
    { type: 'insufficient_quota' },
    { code: 'other', type: 'insufficient_quota' },
  ])('429 with %j is not tried again', (body) => {
    expect(failed(429, body)).toMatchObject({
      message: expect.stringContaining('no credit left'),
      mayRetry: false,
    });
  });

  test.each([
    [{ code: 'context_length_exceeded', type: 'other' }, '(400, context_length_exceeded)'],
    [{ code: 'Not a word', type: 'bad_input' }, '(400, bad_input)'],
    [{ code: null, type: 'bad_input' }, '(400, bad_input)'],
    [{ code: 'sk-1', type: 'has a key' }, '(400)'],
    [{ code: null, type: null }, '(400)'],
    [{}, '(400)'],
  ])('%j shows plain words alone', (body, shown) => {
    expect(failed(400, body).message).toContain(`rejected the request ${shown}`);
  });

  test('without a status it broke off, and is made again', () => {
    expect(failed(undefined, { code: 'server_error' })).toMatchObject({
      code: 'model_failed',
      message: expect.stringContaining('with an error server_error.'),
      mayRetry: true,
    });
  });

  test.each([
    ['3', 3_000],
    [' 3 ', 3_000],
    ['0', 0],
    ['999999999', 999_999_999_000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['', undefined],
    ['soon', undefined],
  ])('its retry-after %j asks to wait for %s ms', (value, ms) => {
    for (const status of [429, 503]) {
      expect(failed(status, {}, { 'retry-after': value }).retryAfterMs).toBe(ms);
    }
    expect(failed(400, {}, { 'retry-after': value }).retryAfterMs).toBeUndefined();
  });

  test('names what to check: the settings of the default provider, or its declaration', () => {
    const error = (status: number) => new APIError(status, {}, '', new Headers());
    const byDefault = (status: number): string =>
      readFailure(error(status), { ...FROM, provider: 'default' }).message;
    expect(byDefault(401)).toContain('PARLEY_MODEL_KEY');
    expect(byDefault(404)).toContain('PARLEY_MODEL_URL');
    expect(failed(401).message).toContain('check the key');
    expect(failed(404).message).toContain("the provider's base URL");
  });
});

test('what came is no answer: model_invalid_answer, once', () => {
  const invalid = { code: 'model_invalid_answer', mayRetry: false };
  expect(readFailure(new InvalidAnswer('answered with JSON'), FROM)).toMatchObject({
    ...invalid,
    message: 'The provider "big" answered with JSON.',
  });
  expect(readFailure(new SyntaxError('x'), FROM)).toMatchObject(invalid);
});

test('a bug of ours is shown to the log, and to nobody else', () => {
  const bug = new TypeError('x is undefined');
  expect(readFailure(bug, FROM)).toMatchObject({
    code: 'model_failed',
    message: 'The request to the provider "big" failed because of an internal error.',
    mayRetry: false,
    cause: bug,
  });
});
