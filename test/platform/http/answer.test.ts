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
      message: 'the Kubernetes API does not answer; try again soon',
      retryAfterSec: 2,
    });
  }
});

test('the database that refuses connections is named', () => {
  for (const error of [refused(), new Error('while reading', { cause: refused() })]) {
    expect(asApiError(error)).toMatchObject({
      code: 'unavailable',
      message: 'the database does not answer; try again soon',
    });
  }
});

test.each([
  ['53100', 'the disk of the database is full; try again soon'],
  ['53200', 'the database has no memory left; try again soon'],
  ['53300', 'the database has no connection left; try again soon'],
  ['53400', 'the database does not answer; try again soon'],
])('what the database lacks is named: %s', (code, message) => {
  const lacking = Object.assign(new Error('could not extend file'), { code });
  for (const error of [lacking, new Error('while writing', { cause: lacking })]) {
    expect(asApiError(error)).toMatchObject({ code: 'unavailable', message });
  }
});

test('anything else is ours', () => {
  expect(asApiError(new Error('boom'))).toMatchObject({ code: 'internal' });
});
