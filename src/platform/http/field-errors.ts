import { z } from 'zod';
import { ApiError, type FieldError } from '../../errors.ts';
import { asSchema, pointerOf, unwrap } from '../resources/schema/key-map.ts';

/** Translates zod's issues into the `errors` of a problem document, worded for callers of a REST API. */

/**
 * Maximum number of errors to report. It keeps the response short for a long list with the same mistake in every
 * element.
 */
const ERRORS_MAX = 50;

/**
 * Parses a value from a body. `at` is the path of the value in the body.
 * @throws ApiError invalid_body
 */
export function parseBody<S extends z.ZodType>(
  schema: S,
  value: unknown,
  at: readonly string[] = [],
): z.output<S> {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.flatMap((issue) => fieldErrors(schema, issue, at));
  throw new ApiError('invalid_body', 'Some fields are invalid. See `errors`.', {
    errors: errors.slice(0, ERRORS_MAX),
  });
}

function fieldErrors(
  schema: z.ZodType,
  issue: z.core.$ZodIssue,
  at: readonly string[],
): FieldError[] {
  const path = [...at, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    const known = fieldsAt(schema, issue.path);
    return issue.keys.map((key) => ({
      pointer: pointerOf([...path, key]),
      code: 'unknown_field',
      detail: `is not a known field; ${known.length > 0 ? `known fields: ${known.join(', ')}` : 'no fields are allowed here'}`,
    }));
  }
  const [code, detail] = explain(issue);
  return [{ pointer: pointerOf(path), code, detail }];
}

/**
 * Returns the error code, and a description of the violated rule. The description never includes the rejected value,
 * because it may be a secret.
 */
export function explain(issue: z.core.$ZodIssue): [code: string, detail: string] {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? ['required', `is required and must be ${nounOf(issue.expected)}`]
        : ['invalid_type', `must be ${nounOf(issue.expected)}`];
    case 'invalid_value':
      // zod's own messages begin with "Invalid ". Any other message comes from our schema and is better, so it is used.
      if (!issue.message.startsWith('Invalid ')) return ['invalid_value', issue.message];
      return ['invalid_value', `must be one of ${issue.values.map(String).join(', ')}`];
    case 'too_big':
      return bound(issue.origin, `must be at most ${issue.maximum}`, {
        text: 'too_long',
        list: 'too_many',
        number: 'too_large',
        words: `must have at most ${issue.maximum}`,
      });
    case 'too_small':
      return bound(issue.origin, `must be at least ${issue.minimum}`, {
        text: 'too_short',
        list: 'too_few',
        number: 'too_small',
        words: `must have at least ${issue.minimum}`,
      });
    case 'invalid_format':
      // Uses the message that describes the pattern in words (patterns.ts). zod's own message would quote the pattern.
      return [
        'invalid_format',
        issue.format !== 'regex' || issue.message.startsWith('Invalid ')
          ? `must be a valid ${issue.format === 'regex' ? 'string' : issue.format}`
          : issue.message,
      ];
    case 'invalid_key':
      return ['invalid_value', `has a key that is not allowed: it ${explainFirst(issue.issues)}`];
    case 'custom': // The message comes from our own check.
      return ['invalid_value', issue.message];
    case 'invalid_union':
      return ['invalid_value', explainFirst(issue.errors[0] ?? [])];
    case 'invalid_element':
      return ['invalid_value', explainFirst(issue.issues)];
    case 'not_multiple_of':
      return ['invalid_value', `must be a multiple of ${issue.divisor}`];
    // Reached only for unknown fields in an alternative of a union or in an element. `fieldErrors` reports all other
    // unknown fields itself.
    case 'unrecognized_keys':
      return ['unknown_field', `has unknown fields: ${issue.keys.join(', ')}`];
    default:
      return issue satisfies never;
  }
}

/** Explains the first of several issues with one value. */
function explainFirst([first]: readonly z.core.$ZodIssue[]): string {
  return first === undefined ? 'is not an allowed value' : explain(first)[1];
}

function bound(
  origin: string,
  numbers: string,
  codes: { text: string; list: string; number: string; words: string },
): [code: string, detail: string] {
  if (origin === 'string') {
    const isEmpty = codes.words.endsWith(' least 1');
    return [codes.text, isEmpty ? 'must not be empty' : `${codes.words} characters`];
  }
  if (origin === 'array' || origin === 'set') {
    return [codes.list, `${codes.words} ${codes.words.endsWith(' 1') ? 'item' : 'items'}`];
  }
  return [codes.number, numbers];
}

function nounOf(expected: string): string {
  const nouns: Record<string, string> = {
    record: 'an object',
    object: 'an object',
    array: 'a list',
    string: 'a string',
    int: 'a whole number',
    number: 'a number',
    boolean: 'true or false',
  };
  return nouns[expected] ?? `of type ${expected}`;
}

/** Returns the names of the schema's fields at a path. */
function fieldsAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let type: z.ZodType | undefined = unwrap(schema);
  for (const part of path) {
    if (type instanceof z.ZodObject) {
      const member: unknown = Object.hasOwn(type.shape, part)
        ? type.shape[String(part)]
        : undefined;
      type = member === undefined ? undefined : unwrap(asSchema(member));
    } else if (type instanceof z.ZodArray) type = unwrap(asSchema(type.element));
    else return [];
  }
  return type instanceof z.ZodObject ? Object.keys(type.shape) : [];
}
