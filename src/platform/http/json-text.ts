import { ApiError, type FieldError } from '../../errors.ts';
import { pointerOf } from '../resources/schema/key-map.ts';

/**
 * Parses the bytes of a request body. The nesting and the number of members are limited, so that other code can walk
 * the result safely. Values that PostgreSQL cannot store (NUL, lone surrogates) or that are dangerous in JavaScript
 * (`__proto__`) are rejected here, and their paths are reported.
 */

const DEPTH_MAX = 32;
/**
 * Default limit on the number of object members and list elements in a body, counted together. A route may allow more.
 */
export const MEMBERS_MAX = 10_000;
/**
 * Maximum number of errors to report. It keeps the response short for a long list with the same mistake in every
 * element.
 */
const ERRORS_MAX = 50;

/**
 * Parses and checks the bytes of a JSON body.
 * @throws ApiError malformed_json, malformed_request, invalid_body
 */
export function parseJsonBody(bytes: Buffer, membersMax: number = MEMBERS_MAX): unknown {
  checkShape(bytes, membersMax);
  const value = parse(decode(bytes));
  const errors: FieldError[] = [];
  findUnkeepable(value, [], errors);
  if (errors.length > 0) {
    throw new ApiError('invalid_body', 'Some values cannot be stored. See `errors`.', {
      errors: errors.slice(0, ERRORS_MAX),
    });
  }
  return value;
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new ApiError('malformed_json', 'The body is not valid UTF-8.', { cause: error });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    // The parser's message quotes the body, which may contain a secret, so only the position is reported.
    const at = /position \d+( \(line \d+ column \d+\))?/.exec(String(error))?.[0];
    throw new ApiError('malformed_json', `The body is not valid JSON${at ? ` at ${at}` : ''}.`, {
      cause: error,
    });
  }
}

/**
 * Checks the nesting and the number of members before parsing, so that a hostile body costs one pass and no memory.
 * Each non-empty object or list has one more member than it has commas outside of strings. The count may be wrong for
 * invalid JSON, which is rejected anyway. The function can work on bytes, because in UTF-8 no byte of a non-ASCII
 * character equals an ASCII character.
 */
function checkShape(bytes: Buffer, membersMax: number): void {
  let depth = 0;
  let members = 0;
  let isJustOpened = false;
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i]!;
    if (byte === SPACE || byte === LINE_FEED || byte === TAB || byte === RETURN) continue;
    const isClosing = byte === CLOSE_OBJECT || byte === CLOSE_LIST;
    if (isJustOpened && !isClosing) members += 1;
    isJustOpened = byte === OPEN_OBJECT || byte === OPEN_LIST;
    if (byte === QUOTE) i = endOfString(bytes, i);
    else if (isJustOpened) depth += 1;
    else if (isClosing) depth -= 1;
    else if (byte === COMMA) members += 1;
    if (depth > DEPTH_MAX) throw tooMuch(`be nested more than ${DEPTH_MAX} levels deep`);
    if (members > membersMax) {
      throw tooMuch(`have more than ${membersMax} members and list elements in total`);
    }
  }
}

const [SPACE, LINE_FEED, TAB, RETURN] = [0x20, 0x0a, 0x09, 0x0d];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];
const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];

/** Returns the index of the closing quote, or the length of the buffer if none exists. */
function endOfString(bytes: Buffer, start: number): number {
  for (let i = start + 1; i < bytes.length; i += 1) {
    const byte = bytes[i];
    if (byte === BACKSLASH) i += 1;
    else if (byte === QUOTE) return i;
  }
  return bytes.length;
}

function tooMuch(refused: string): ApiError {
  return new ApiError('malformed_request', `The body must not ${refused}.`);
}

function findUnkeepable(value: unknown, path: PropertyKey[], errors: FieldError[]): void {
  if (typeof value === 'string') {
    const problem = textProblem(value);
    if (problem) errors.push({ pointer: pointerOf(path), code: 'invalid_value', detail: problem });
    return;
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    const detail = 'is too large to be stored';
    errors.push({ pointer: pointerOf(path), code: 'too_large', detail });
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const isList = Array.isArray(value);
  for (const [key, member] of Object.entries(value)) {
    const at = [...path, key];
    if (!isList && key === '__proto__') {
      const detail = 'must not be named __proto__';
      errors.push({ pointer: pointerOf(at), code: 'unknown_field', detail });
    } else if (!isList && textProblem(key)) {
      const detail = `has a member with an invalid name: ${textProblem(key)}`;
      errors.push({ pointer: pointerOf(path), code: 'invalid_value', detail });
    } else findUnkeepable(member, at, errors);
  }
}

/** Returns the reason why PostgreSQL cannot store a string, or undefined if it can. */
export function textProblem(text: string): string | undefined {
  if (text.includes('\u0000')) return 'the character U+0000 is not allowed';
  return text.isWellFormed() ? undefined : 'half of a surrogate pair is not allowed';
}
