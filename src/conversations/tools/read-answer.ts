import type { EgressOutcome } from '../../platform/egress/client.ts';
import { mediaTypeOf } from '../../platform/egress/media-type.ts';

/** Result of reading a tool's response, with the value for the model. */
export type Answer = (
  | { ok: true; status: number; body: unknown }
  | { ok: false; error: string; status?: number; body?: unknown }
) & {
  /** Reason given by the tool for requesting a human. It is not shown to the model. */
  escalate?: string;
};

/**
 * Response header that a tool sends to request a human. Its value is the reason. The header has the same effect with
 * any HTTP status (docs/tools.md).
 */
const ESCALATE = 'parley-escalate';
/** Maximum length of the reason, as for `escalate` in the REST API. */
const REASON_MAX = 256;

type Response = Extract<EgressOutcome, { kind: 'response' }>;

/** Maximum number of bytes that are read from a response. The model receives at most 32 KiB (tool-box.ts). */
export const ANSWER_BYTES_MAX = 256 * 1024;

/**
 * Reads the response of a tool. JSON becomes a value, and text stays text. Any other content is omitted, and the model
 * is informed that it is unreadable. Removes the request's `secrets`, in case the tool repeats them.
 */
export async function readAnswer(response: Response, secrets: readonly string[]): Promise<Answer> {
  const answer = await readContent(response, secrets);
  const reason = without(secrets, first(response.headers[ESCALATE]).trim()).slice(0, REASON_MAX);
  return reason === '' ? answer : { ...answer, escalate: reason };
}

async function readContent(response: Response, secrets: readonly string[]): Promise<Answer> {
  const { statusCode: status } = response;
  const bytes = await response.body;
  const isWhole = await response.isWhole;
  if (status >= 300 && status < 400) {
    return failed(
      status,
      `the tool answered with a redirect (status ${status}), which Parley does not follow`,
    );
  }
  const isCut = bytes.length >= ANSWER_BYTES_MAX;
  const read = readBody(bytes, { headers: response.headers, isCut, secrets });
  if (status < 200 || status >= 300) {
    const answer = failed(status, `the tool answered with status ${status}`);
    return 'problem' in read ? answer : { ...answer, ...read };
  }
  if (!isWhole && !isCut) {
    return failed(status, 'the tool closed the connection in the middle of its answer');
  }
  return 'problem' in read ? failed(status, read.problem) : { ok: true, status, ...read };
}

function failed(status: number, error: string): Answer & { ok: false } {
  return { ok: false, status, error };
}

type ToRead = { headers: Response['headers']; isCut: boolean; secrets: readonly string[] };

/** Parses a body. If `isCut` is true, the body was truncated, so JSON is treated as text. */
function readBody(
  bytes: Buffer,
  { headers, isCut, secrets }: ToRead,
): { body: unknown } | { problem: string } {
  if (bytes.length === 0) return { body: null };
  const coding = first(headers['content-encoding']);
  if (coding !== '' && coding !== 'identity') {
    const what = `the content encoding ${named(coding)}, which the request does not accept`;
    return { problem: `the tool answered with ${what}` };
  }
  const media = mediaTypeOf(first(headers['content-type']));
  const isJson = media === 'application/json' || media.endsWith('+json');
  const text = without(secrets, bytes.toString('utf8'));
  if (isJson && !isCut) return readJson(text, { media, secrets });
  const isText = isJson || media === '' || (media.startsWith('text/') && media !== 'text/html');
  if (isText && !text.includes('\0')) return { body: text };
  const what = `${named(media)}, but it must answer with JSON or plain text`;
  return { problem: `the tool answered with ${what}` };
}

function readJson(
  text: string,
  { media, secrets }: { media: string; secrets: readonly string[] },
): { body: unknown } | { problem: string } {
  // A secret may be written with JSON escapes, so each parsed string is checked too.
  const revive = (_: string, value: unknown): unknown =>
    typeof value === 'string' ? without(secrets, value) : value;
  try {
    return { body: JSON.parse(text, secrets.length > 0 ? revive : undefined) as unknown };
  } catch {
    return { problem: `the tool answered with ${named(media)} that is not valid JSON` };
  }
}

function without(secrets: readonly string[], text: string): string {
  return secrets.reduce((left, secret) => left.replaceAll(secret, '[secret]'), text);
}

/** Returns a value from the tool's headers in a form that is safe to quote: short and without special characters. */
function named(word: string): string {
  return word.replaceAll(/[^\w/+.-]/g, '?').slice(0, 64) || 'no media type';
}

function first(header: string | string[] | undefined): string {
  return (Array.isArray(header) ? header[0] : header) ?? '';
}
