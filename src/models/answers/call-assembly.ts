import { randomUUID } from 'node:crypto';
import type { ModelToolCall } from '../model.ts';
import { fieldsOf, textOf, type Fields } from './read-chunk.ts';
import { isWholeObject, unwrapArguments } from './unwrap-arguments.ts';

/** Tool calls, assembled from the pieces of a stream. */
export type CallAssembly = {
  /**
   * Adds the calls of one chunk. `isWhole` means that they come from a complete message. Returns false once a
   * limit is reached.
   */
  take: (parts: readonly Fields[], isWhole: boolean) => boolean;
  readonly count: number;
  /** Returns the calls. Each gets a unique id, because the tool results refer to it. */
  finished: () => ModelToolCall[];
};

const MAX_ARGUMENT_CHARS = 64 * 1024;
const MAX_EXTRA_CHARS = 64 * 1024;
const MAX_CALLS = 32;

/**
 * Maximum number of times that the arguments of one call are checked for completeness. The same maximum applies to the
 * pieces of a call whose additional fields are stored. Each check parses all arguments so far. Each such piece causes
 * all additional fields to be serialized. Without a limit, a server could cause this work for each of 64,000 pieces.
 */
const CHECKS_MAX = 100;

type Call = {
  givenId: string | undefined;
  name: string;
  arguments: string;
  extra: Fields;
  /** Number of checks for completeness. */
  checks: number;
  /** Number of pieces with additional fields. */
  extras: number;
};

export function createCallAssembly(): CallAssembly {
  const calls: Call[] = [];
  const byIndex = new Map<number, Call>();

  const open = (index: number | undefined, givenId: string | undefined, name: string): Call => {
    const call = { givenId, name, arguments: '', extra: {}, checks: 0, extras: 0 };
    calls.push(call);
    if (index !== undefined) byIndex.set(index, call);
    return call;
  };
  const find = (index: number | undefined, id: string | undefined): Call | undefined => {
    if (index !== undefined) return byIndex.get(index);
    return id === undefined ? calls.at(-1) : calls.findLast(({ givenId }) => givenId === id);
  };
  /**
   * Finds the call that a piece belongs to. Some servers give every call the index 0, some omit the index, and some
   * omit or repeat the id.
   */
  const callOf = (part: Fields, others: ReadonlySet<Call>): Call | undefined => {
    const id = textOf(part['id']);
    const index = typeof part['index'] === 'number' ? part['index'] : undefined;
    const known = find(index, id);
    const isNew = known !== undefined && (others.has(known) || begins(part, known, { id, index }));
    if (known !== undefined && !isNew) return known;
    return calls.length < MAX_CALLS ? open(index, id, known?.name ?? '') : undefined;
  };
  const add = (part: Fields, call: Call): boolean => {
    const { name, arguments: given, ...rest } = fieldsOf(part['function']);
    const text = typeof given === 'string' ? given : jsonOf(given);
    const wasEmpty = isEmptyObject(call.arguments) && text.trimStart().startsWith('{');
    call.name = textOf(name) ?? call.name;
    call.arguments = (wasEmpty ? '' : call.arguments) + text;
    keepExtra(call, part, rest);
    if (call.arguments.length <= MAX_ARGUMENT_CHARS) return true;
    call.arguments = copyOf(call.arguments.slice(0, MAX_ARGUMENT_CHARS));
    return false;
  };

  return {
    take: (parts, isWhole) => {
      const own = new Set<Call>();
      return parts.every((part) => {
        const isNamed = textOf(fieldsOf(part['function'])['name']) !== undefined;
        const call = callOf(part, isNamed || isWhole ? own : new Set());
        if (call === undefined) return false;
        own.add(call);
        return add(part, call);
      });
    },
    get count() {
      return calls.length;
    },
    finished: () => finished(calls),
  };
}

/**
 * Copies a part of a string. Without a copy, the part would keep the whole string in memory: up to a megabyte per call.
 */
function copyOf(part: string): string {
  return JSON.parse(JSON.stringify(part)) as string;
}

/** Returns true if a piece begins a new call, although its index or id belongs to an earlier call. */
function begins(
  part: Fields,
  known: Call,
  { id, index }: { id: string | undefined; index: number | undefined },
): boolean {
  const { name: given, arguments: more } = fieldsOf(part['function']);
  const name = textOf(given);
  const text = typeof more === 'string' ? more.trim() : jsonOf(more);
  if (name === undefined) return text.startsWith('{') && hasAll(known) && isOther(id, known);
  if (id !== undefined && id !== known.givenId) return true;
  if (known.name !== '' && known.name !== name) return true;
  if (id === undefined && index === undefined) {
    const isBlank = known.arguments.length <= BLANK_MAX && known.arguments.trim() === '';
    return isBlank || isEmptyObject(known.arguments) || hasAll(known);
  }
  return text !== '' && hasAll(known);
}

/**
 * Returns true if the arguments are a complete object that is not empty. In that case, a further piece with arguments
 * begins a new call.
 */
function hasAll(call: Call): boolean {
  if (isEmptyObject(call.arguments) || call.checks === CHECKS_MAX) return false;
  call.checks += 1;
  return isWholeObject(call.arguments);
}

/** Maximum length of a string to trim. For a longer string, `trim` would copy all the pieces that it consists of. */
const BLANK_MAX = 1_000;

function isEmptyObject(text: string): boolean {
  return text.length <= BLANK_MAX && text.trim() === '{}';
}

function isOther(id: string | undefined, { givenId }: Call): boolean {
  return id === undefined || id !== givenId;
}

/**
 * Stores additional fields of a call, because the provider may require them in later requests. Reads them only from the
 * first 100 pieces that contain any.
 */
function keepExtra(call: Call, part: Fields, ofFunction: Fields): void {
  const { index: _, id: __, type: ___, function: ____, ...ofCall } = part;
  const fields = { ...present(ofCall), ...nested(present(ofFunction)) };
  if (Object.keys(fields).length === 0 || call.extras === CHECKS_MAX) return;
  call.extras += 1;
  const extra = { ...call.extra, ...fields };
  if (JSON.stringify(extra).length <= MAX_EXTRA_CHARS) call.extra = extra;
}

function nested(ofFunction: Fields): Fields {
  return Object.keys(ofFunction).length === 0 ? {} : { function: ofFunction };
}

function present(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== ''),
  );
}

function finished(calls: readonly Call[]): ModelToolCall[] {
  const taken = new Set<string>();
  return calls.map(({ givenId, name: given, arguments: text, extra }) => {
    const isUsable = givenId !== undefined && !taken.has(givenId);
    const id = isUsable ? givenId : `call_${randomUUID().replaceAll('-', '')}`;
    taken.add(id);
    // Replaces characters other than letters, digits, `_` and `-`. Providers reject a history with such characters in
    // tool names, even if the provider itself created the names.
    const name = given.replaceAll(/[^\w-]/g, '_').slice(0, 64) || 'unnamed';
    const hasExtra = Object.keys(extra).length > 0;
    return { id, name, arguments: unwrapArguments(text, given), ...(hasExtra && { extra }) };
  });
}

/** Serializes arguments that a server sends as an object instead of as JSON text. */
function jsonOf(value: unknown): string {
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
