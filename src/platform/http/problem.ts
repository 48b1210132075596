import { z } from 'zod';
import { ERROR_CATALOGUE, type ApiError, type ErrorCode } from '../../errors.ts';

/**
 * Problem documents (RFC 9457, contract/errors.md#problems). `type` is only an identifier: there need not be a page at
 * that URL.
 */

const TYPE_BASE = 'https://parley.dev/problems/';

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

export const Problem = z
  .strictObject({
    type: z.string().meta({ example: `${TYPE_BASE}not_found` }),
    title: z.string(),
    status: z.int(),
    detail: z.string().meta({ description: 'What is wrong and how to fix it.' }),
    code: z.string().meta({ description: 'Machine-readable code: the last part of `type`.' }),
    request_id: z
      .string()
      .meta({ description: 'ID of the request. The `Request-Id` header has the same value.' }),
    errors: z
      .array(
        z.strictObject({
          pointer: z
            .string()
            .meta({ description: 'JSON Pointer (RFC 6901) to the field in the body.' }),
          code: z.string(),
          detail: z.string(),
        }),
      )
      .optional()
      .meta({ description: 'One entry for each invalid field in the body.' }),
  })
  .meta({ id: 'Problem', description: 'An error as a problem document (RFC 9457).' });

export type Problem = z.output<typeof Problem>;

export function problemOf(error: ApiError, requestId: string): Problem {
  const { title, status } = ERROR_CATALOGUE[error.code];
  return {
    type: problemType(error.code),
    title,
    status,
    detail: error.message,
    code: error.code,
    request_id: requestId,
    ...(error.errors.length > 0 && { errors: [...error.errors] }),
  };
}

export function problemType(code: ErrorCode): string {
  return TYPE_BASE + code;
}
