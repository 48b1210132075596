import { isStorable } from '../../platform/reconcile/unstorable.ts';
import type { ExtractOne } from '../formats/extractor.ts';
import type { Fetched } from '../sources/fetching.ts';
import type { FeedLimits } from './feed-limits.ts';
import { invalidFeed } from './feed-refused.ts';

type Given = Readonly<Record<string, unknown>>;
/** Error for an invalid document. The message is one sentence for users. */
class Unfit extends Error {}

/** Properties that may hold the text of a document. A document must have exactly one of them. */
const TEXTS = ['text', 'markdown', 'html'] as const;

export type ReadingDeps = {
  limits: FeedLimits;
  /** Extracts the text of documents that contain HTML. */
  extract: ExtractOne;
  signal: AbortSignal;
};

type Told = Exclude<Fetched, { kind: 'found' }>;
/** Content of a document without its id. `title` and `language` are `null` if the document declares none. */
type Read = { text: string; title: string | null; language: string | null };

/**
 * Validates and reads a document of a feed. A missing or invalid id fails the whole feed, because the document could be
 * any of those that are already indexed. All other invalid properties affect only this document.
 * @throws FetchRefused and errors of `extract`
 */
export async function readDocument(deps: ReadingDeps, value: unknown, at: number): Promise<Told> {
  const given = objectOf(value, at);
  const path = idOf(given, at, deps.limits);
  try {
    return await readGiven(deps, given, path);
  } catch (error) {
    if (error instanceof Unfit) return { kind: 'failed', path, reason: error.message };
    throw error;
  }
}

async function readGiven(deps: ReadingDeps, given: Given, path: string): Promise<Told> {
  const { limits } = deps;
  if (isDeleted(given))
    return { kind: 'skipped', path, reason: 'the feed marks the document as deleted' };
  const [name, text] = textOf(given, limits);
  if (text.trim() === '') return { kind: 'skipped', path, reason: 'the document has no text' };
  const title = optionalText(given, 'title');
  const url = urlOf(given, limits);
  const language = languageOf(given);
  const updatedAt = updatedAtOf(given);
  const read = name === 'html' ? await readHtml(deps, { html: text, path, url }) : plain(text);
  return {
    kind: 'document',
    path,
    title: (title || read.title || path).slice(0, limits.titleChars).toWellFormed(),
    text: read.text,
    url,
    language: language ?? read.language,
    validators: { etag: null, lastModified: updatedAt },
  };
}

function plain(text: string): Read {
  return { text, title: null, language: null };
}

async function readHtml(
  { extract, signal }: ReadingDeps,
  { html, path, url }: { html: string; path: string; url: string | null },
): Promise<Read> {
  const document = { mediaType: 'text/html', charset: 'utf-8', name: path, url };
  const found = await extract({ bytes: Buffer.from(html), ...document }, signal);
  if ('refused' in found) throw new Unfit(`its \`html\` cannot be read: ${found.refused.detail}`);
  const [read] = found.documents;
  if (read === undefined || read.text.trim() === '') throw new Unfit('its `html` has no text');
  return read;
}

function objectOf(value: unknown, at: number): Given {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidFeed(
      `must return each document as an object, but documents[${at}] is not an object`,
    );
  }
  return value as Given;
}

function idOf({ id }: Given, at: number, { idChars }: FeedLimits): string {
  const isId =
    typeof id === 'string' &&
    id.length >= 1 &&
    id.length <= idChars &&
    id.isWellFormed() &&
    !/\p{Cc}/u.test(id);
  if (isId) return id;
  const bound = `a string of 1 to ${idChars} characters without control characters`;
  throw invalidFeed(
    `must give each document an \`id\`, ${bound}; documents[${at}].id is not valid`,
  );
}

function isDeleted({ deleted = false }: Given): boolean {
  if (typeof deleted !== 'boolean') throw new Unfit('`deleted` must be true or false');
  return deleted;
}

function textOf(
  given: Given,
  { documentBytes }: FeedLimits,
): [name: (typeof TEXTS)[number], text: string] {
  const present = TEXTS.filter((name) => given[name] !== undefined && given[name] !== null);
  const [name] = present;
  if (name === undefined || present.length > 1) {
    throw new Unfit(`the document must have exactly one of ${TEXTS.join(', ')}`);
  }
  const text = optionalText(given, name) ?? '';
  if (Buffer.byteLength(text) > documentBytes) {
    throw new Unfit(
      `its \`${name}\` is larger than ${documentBytes / 1024 / 1024} MiB: split it into several documents`,
    );
  }
  return [name, text];
}

/** Returns an optional text. Treats `null` as missing, because many programs send `null` for missing values. */
function optionalText(given: Given, name: string): string | undefined {
  const value = given[name] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== 'string') throw new Unfit(`\`${name}\` must be a string`);
  if (!isStorable(value)) {
    throw new Unfit(`\`${name}\` must not contain U+0000 or half of a surrogate pair`);
  }
  return value;
}

function urlOf(given: Given, { urlChars }: FeedLimits): string | null {
  const url = optionalText(given, 'url');
  if (url === undefined) return null;
  const isWeb = url.length <= urlChars && /^https?:\/\/[^\s\p{Cc}]+$/iu.test(url);
  if (isWeb && URL.canParse(url)) return url;
  throw new Unfit(`\`url\` must be an http or https address of at most ${urlChars} characters`);
}

/** Returns the two-letter language code, such as `en` for `en-GB`, or `null` if the language has only a longer code. */
function languageOf(given: Given): string | null {
  const tag = optionalText(given, 'language');
  if (tag === undefined) return null;
  if (!/^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$/.test(tag)) {
    throw new Unfit('`language` must be a language tag, such as en or pt-BR');
  }
  const [first = ''] = tag.toLowerCase().split(/[-_]/);
  return first.length === 2 ? first : null;
}

function updatedAtOf({ updated_at: at = null }: Given): string | null {
  if (at === null) return null;
  if (typeof at === 'number' && Number.isFinite(at)) return String(at);
  if (typeof at === 'string' && at.length <= 64 && isStorable(at)) return at;
  throw new Unfit(
    '`updated_at` must be a time: Unix seconds, or a string such as 2026-01-31T12:00:00Z',
  );
}
