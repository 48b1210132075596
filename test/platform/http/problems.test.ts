import { expect, test } from 'vitest';
import { z } from 'zod';
import { ApiError } from '../../../src/errors.ts';
import { parseBody } from '../../../src/platform/http/field-errors.ts';
import { unixSec, unixSecOrNull } from '../../../src/platform/http/fields.ts';
import { problemOf } from '../../../src/platform/http/problem.ts';

/** Fields for programs that every problem has, and data that no problem has (contract/errors.md#problems). */

test('a problem has the names that programs compare', () => {
  const errors = [{ pointer: '/name', code: 'required', detail: 'is required' }];
  const error = new ApiError('invalid_body', 'some fields are wrong', { errors });
  expect(problemOf(error, 'req_1')).toEqual({
    type: 'https://parley.dev/problems/invalid_body',
    title: expect.any(String),
    status: 422,
    detail: 'some fields are wrong',
    code: 'invalid_body',
    request_id: 'req_1',
    errors,
  });
  expect(problemOf(new ApiError('not_found', 'x'), 'req_1')).not.toHaveProperty('errors');
});

test('a mistake is told without the value, which may be a secret', () => {
  const body = z.strictObject({
    secret: z.string().regex(/^whsec_/, 'must begin with whsec_'),
    kind: z.enum(['a', 'b']),
    count: z.int().max(3),
    list: z.array(z.string()).max(1),
    name: z.string().max(3),
  });
  const wrong = 'hunter2';
  const value = { secret: wrong, kind: wrong, count: 7_654_321, list: [wrong, wrong], name: wrong };
  let told = '';
  try {
    parseBody(body, value);
  } catch (error) {
    told = JSON.stringify(problemOf(error as ApiError, 'req_1'));
  }
  for (const field of Object.keys(value)) expect(told).toContain(`"/${field}"`);
  expect(told).not.toMatch(/hunter2|7654321/);
});

test('a time is whole seconds that have passed', () => {
  expect([0, 999, 1_000, 1_999].map(unixSec)).toEqual([0, 0, 1, 1]);
  expect(unixSecOrNull(null)).toBeNull();
});
