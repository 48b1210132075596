import { z } from 'zod';
import { ERROR_CATALOGUE, type ApiError, type ErrorCode } from '../../errors.ts';

/**
 * Errors in OpenAI's format, which the OpenAI-compatible routes use (contract/openai.md#errors). OpenAI's clients
 * choose an exception class by the status, and set its `message`, `type`, `param` and `code`.
 */
export const OpenAiError = z
  .strictObject({
    error: z.strictObject({
      message: z.string().meta({ description: 'What is wrong and how to fix it.' }),
      type: z.string(),
      param: z
        .string()
        .nullable()
        .meta({ description: 'The invalid field, such as `messages[0].content`.' }),
      code: z.string().nullable().meta({ description: 'Machine-readable code.' }),
    }),
  })
  .meta({ id: 'OpenAiError', description: "An error in OpenAI's format." });

export type OpenAiError = z.output<typeof OpenAiError>;

export function openAiErrorOf({ code, message, errors }: ApiError): OpenAiError {
  const [first, ...others] = errors;
  const param = first && first.pointer !== '' ? paramOf(first.pointer) : null;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return {
    error: {
      message: first && param !== null ? `${param}: ${first.detail}${more}` : message,
      type: typeOf(openAiStatus(code)),
      param,
      code: OPENAI_CODES[first?.code ?? code] ?? first?.code ?? code,
    },
  };
}

/** Returns the HTTP status in OpenAI's protocol, which uses 400 where our own API uses 422. */
export function openAiStatus(code: ErrorCode): number {
  const { status } = ERROR_CATALOGUE[code];
  return status === 422 ? 400 : status;
}

/**
 * Returns extra headers for OpenAI's clients. The clients retry every 409 and 5xx response twice, unless the
 * `x-should-retry` header says that a retry cannot help.
 */
export function openAiHeaders({ code }: ApiError): Record<string, string> {
  const { status } = ERROR_CATALOGUE[code];
  const isFinal = status === 409 ? !PASSING.has(code) : code === 'reply_failed';
  return isFinal ? { 'x-should-retry': 'false' } : {};
}

const PASSING: ReadonlySet<ErrorCode> = new Set(['write_conflict', 'idempotency_in_progress']);

/**
 * OpenAI's names for those error codes that programs written for OpenAI may check. All other errors have the same codes
 * as in our own API.
 */
const OPENAI_CODES: Record<string, string> = {
  unauthorized: 'invalid_api_key',
  rate_limited: 'rate_limit_exceeded',
  too_many_in_flight: 'rate_limit_exceeded',
  required: 'missing_required_parameter',
  internal: 'server_error',
};

function typeOf(status: number): string {
  if (status >= 500) return 'server_error';
  if (status === 429) return 'rate_limit_error';
  if (status === 403) return 'permission_error';
  return status === 409 ? 'conflict_error' : 'invalid_request_error';
}

/** Converts `/messages/0/content` to `messages[0].content`. */
function paramOf(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part, i) => (/^\d+$/.test(part) ? `[${part}]` : `${i === 0 ? '' : '.'}${part}`))
    .join('');
}
