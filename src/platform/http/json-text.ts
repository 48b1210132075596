import { ApiError, type FieldError } from '../../errors.ts';
import { pointerOf } from '../resources/schema/key-map.ts';

/**
 * A request body's bytes as a value: valid UTF-8, valid JSON, of a size and shape that the rest
 * may walk through without care. What PostgreSQL cannot keep (NUL, lone surrogates) and what
 * JavaScript would trip over (`__proto__`) is refused here, with its place.
 */

const DEPTH_MAX = 32;
/** Members of objects and elements of lists, together; a route may allow more. */
export const MEMBERS_MAX = 10_000;
/** A list of thousands of the same mistake helps nobody. */
const ERRORS_MAX = 50;

/** @throws ApiError malformed_json, malformed_request, invalid_body */
export function parseJsonBody(bytes: Buffer, membersMax: number = MEMBERS_MAX): unknown {
  const text = decode(bytes);
  checkShape(text, membersMax);
  const value = parse(text);
  const errors: FieldError[] = [];
  findUnkeepable(value, [], errors);
  if (errors.length > 0) {
    throw new ApiError('invalid_body', 'some values cannot be kept; see errors', {
      errors: errors.slice(0, ERRORS_MAX),
    });
  }
  return value;
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new ApiError('malformed_json', 'the body is not valid UTF-8', { cause: error });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    // The parser's message quotes the body, which may hold a secret; its position does not.
    const at = /position \d+( \(line \d+ column \d+\))?/.exec(String(error))?.[0];
    throw new ApiError('malformed_json', `the body is not valid JSON${at ? ` at ${at}` : ''}`, {
      cause: error,
    });
  }
}

/**
 * Counts before parsing, so that a hostile body costs one pass and no memory. Outside of strings an
 * object or list has one member more than it has commas, unless it is closed at once; invalid JSON
 * may be counted wrong and is refused anyway.
 */
function checkShape(text: string, membersMax: number): void {
  let depth = 0;
  let members = 0;
  let isJustOpened = false;
  for (let i = 0; i < text.length; i += 1) {
    const character = text[i]!;
    if (WHITE_SPACE.has(character)) continue;
    const isClosing = character === '}' || character === ']';
    if (isJustOpened && !isClosing) members += 1;
    isJustOpened = character === '{' || character === '[';
    if (character === '"') i = endOfString(text, i);
    else if (isJustOpened) depth += 1;
    else if (isClosing) depth -= 1;
    else if (character === ',') members += 1;
    if (depth > DEPTH_MAX) throw tooMuch(`nested at most ${DEPTH_MAX} deep`);
    if (members > membersMax) {
      throw tooMuch(`at most ${membersMax} members of objects and elements of lists in all`);
    }
  }
}

const WHITE_SPACE = new Set([' ', '\t', '\n', '\r']);

function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i += 1) {
    if (text[i] === '\\') i += 1;
    else if (text[i] === '"') return i;
  }
  return text.length;
}

function tooMuch(allowed: string): ApiError {
  return new ApiError('malformed_request', `the body may have JSON ${allowed}`);
}

function findUnkeepable(value: unknown, path: PropertyKey[], errors: FieldError[]): void {
  if (typeof value === 'string') {
    const problem = textProblem(value);
    if (problem) errors.push({ pointer: pointerOf(path), code: 'invalid_value', detail: problem });
    return;
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    const detail = 'the number is too large to be kept';
    errors.push({ pointer: pointerOf(path), code: 'too_large', detail });
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const isList = Array.isArray(value);
  for (const [key, member] of Object.entries(value)) {
    const at = [...path, key];
    if (!isList && key === '__proto__') {
      const detail = 'a member may not be named __proto__';
      errors.push({ pointer: pointerOf(at), code: 'unknown_field', detail });
    } else if (!isList && textProblem(key)) {
      const detail = `the name of a member: ${textProblem(key)}`;
      errors.push({ pointer: pointerOf(path), code: 'invalid_value', detail });
    } else findUnkeepable(member, at, errors);
  }
}

/** Why PostgreSQL cannot store a text. */
export function textProblem(text: string): string | undefined {
  if (text.includes('\u0000')) return 'the character U+0000 is not allowed';
  return text.isWellFormed() ? undefined : 'half of a surrogate pair is not a character';
}
