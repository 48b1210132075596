import { z } from 'zod';
import { API_MANAGER } from '../../platform/resources/annotations.ts';
import type { Resource } from '../../platform/resources/resource-store.ts';
import { HEADERS_MAX, headerNameProblem } from '../../platform/resources/schema/field-types.ts';
import { saying } from '../../platform/resources/schema/patterns.ts';
import type { Headers } from './endpoint-headers.ts';
import type { WebhookEndpointSpec } from './webhook-endpoint.ts';

/**
 * Applies an RFC 7386 merge patch to the headers. Null removes a header. Header names are compared without regard to
 * case, and the patch's spelling replaces the existing one.
 */
export function patchHeaders(
  headers: Headers,
  patch: Readonly<Record<string, string | null>> | null,
): Headers {
  if (patch === null) return {};
  const touched = new Set(Object.keys(patch).map((name) => name.toLowerCase()));
  const kept = Object.entries(headers).filter(([name]) => !touched.has(name.toLowerCase()));
  const given = Object.entries(patch).filter(([, value]) => value !== null);
  return Object.fromEntries([...kept, ...given]) as Headers;
}

/** Header value. Only visible ASCII characters, spaces and tabs are allowed, so it cannot contain a line break. */
export const headerValue = z
  .string()
  .max(1024)
  .regex(...saying(/^[\t -~]*$/, 'must be one line of visible ASCII characters, spaces and tabs'));
const headersJson = z.record(z.string(), headerValue);

/**
 * Parses headers from JSON that somebody may have edited by hand. Returns undefined if the JSON is not a valid map of
 * headers.
 */
export function parseHeaders(text: unknown): Headers | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const { data } = headersJson.safeParse(JSON.parse(text));
    return data && headersProblem(data) === undefined ? data : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the reason why these headers may not be sent, or `undefined` if they may. The reason never contains a
 * header's value.
 */
export function headersProblem(headers: Headers): string | undefined {
  const names = Object.keys(headers);
  if (names.length > HEADERS_MAX) return `at most ${HEADERS_MAX} headers are allowed`;
  const lower = new Set(names.map((name) => name.toLowerCase()));
  if (lower.size < names.length) return 'two headers have names that differ only in case';
  for (const name of names) {
    const problem = headerNameProblem(name);
    if (problem !== undefined) return `${name}: ${problem}`;
    if (!headerValue.safeParse(headers[name]).success) {
      return `the value of header ${name} must be at most 1024 characters of visible ASCII, spaces and tabs`;
    }
  }
  return undefined;
}

/**
 * Returns headers that were set through REST and that an earlier release stored in the declaration. Returns undefined
 * if there are none, which is the usual case.
 */
export function declaredByRest({
  spec,
  owners,
}: Resource<WebhookEndpointSpec>): Headers | undefined {
  return owners['headers']?.includes(API_MANAGER) ? spec.headers : undefined;
}
