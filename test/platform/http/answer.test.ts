import { expect, test } from 'vitest';
import { asApiError } from '../../../src/platform/http/answer.ts';
import { KubeConnectionError } from '../../../src/platform/kubernetes/kube-error.ts';
import { toStoreError } from '../../../src/platform/kubernetes/refusals.ts';

/** A 503 names the part that is down (contract/errors.md#statuses). */

const refused = (): Error => Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });

test('the Kubernetes API that refuses connections is not taken for the database', () => {
  const cause = refused();
  const stored = toStoreError(new KubeConnectionError('POST /apis', { cause }));
  for (const error of [stored, new Error('while writing', { cause: stored })]) {
    expect(asApiError(error)).toMatchObject({
      code: 'unavailable',
      message: 'The Kubernetes API is not responding. Retry in a few seconds.',
      retryAfterSec: 2,
    });
  }
});

test('the database that refuses connections is named', () => {
  for (const error of [refused(), new Error('while reading', { cause: refused() })]) {
    expect(asApiError(error)).toMatchObject({
      code: 'unavailable',
      message: 'The database is not responding. Retry in a few seconds.',
    });
  }
});

test.each([
  ['53100', 'The database disk is full. Retry in a few seconds.'],
  ['53200', 'The database is out of memory. Retry in a few seconds.'],
  ['53300', 'The database has no free connections. Retry in a few seconds.'],
  ['53400', 'The database is not responding. Retry in a few seconds.'],
])('what the database lacks is named: %s', (code, message) => {
  const lacking = Object.assign(new Error('could not extend file'), { code });
  for (const error of [lacking, new Error('while writing', { cause: lacking })]) {
    expect(asApiError(error)).toMatchObject({ code: 'unavailable', message });
  }
});

test('anything else is ours', () => {
  expect(asApiError(new Error('boom'))).toMatchObject({ code: 'internal' });
});
