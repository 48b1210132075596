import type { ErrorObject } from 'ajv';
import type { FieldError } from '../../../errors.ts';
import { escapeToken } from './cel-rules.ts';
import { wordsOf } from './patterns.ts';

/** Translates an error from ajv to a message for people that shows the given value and says what is allowed. */
export function fieldError(error: ErrorObject, root: string): FieldError {
  const pointer = root + error.instancePath;
  const params = new Map<string, unknown>(Object.entries(error.params));
  if (error.keyword === 'required') {
    const missing = String(params.get('missingProperty'));
    return {
      pointer: `${pointer}/${escapeToken(missing)}`,
      code: 'required',
      detail: 'is required',
    };
  }
  const [code, allowed] = expectation(error.keyword, Number(params.get('limit')), error.schema);
  return { pointer, code, detail: `${shown(error.data)} ${allowed}` };
}

/** Returns the error code for a failed keyword, and the end of a sentence that begins with the value. */
function expectation(keyword: string, limit: number, schema: unknown): [string, string] {
  switch (keyword) {
    case 'type':
      return ['invalid_type', `must be ${article(String(schema))}`];
    case 'enum':
      return ['not_allowed', `must be one of ${Array.isArray(schema) ? schema.join(', ') : ''}`];
    case 'pattern':
      return ['invalid_format', wordsOf(String(schema))];
    case 'format':
      return ['invalid_format', `must be ${article(String(schema))}`];
    case 'minLength':
      return [
        'too_short',
        limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`,
      ];
    case 'maxLength':
      return ['too_long', `must have at most ${limit} characters`];
    case 'minimum':
      return ['too_small', `must be at least ${limit}`];
    case 'maximum':
      return ['too_large', `must be at most ${limit}`];
    case 'maxItems':
      return ['too_many', `must have at most ${limit} items`];
    case 'maxProperties':
      return ['too_many', `must have at most ${limit} entries`];
    case 'x-kubernetes-list-type':
      return ['duplicate', 'contains the same item twice'];
    default:
      return ['invalid', `violates the rule ${keyword}`];
  }
}

function article(type: string): string {
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}

/** Returns a value in a form that is short enough for a message. For a long string, only its length is shown. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length} items`;
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value === 'string' && value.length > 64)
    return `a string of ${value.length} characters`;
  return JSON.stringify(value) ?? 'nothing';
}
