import { schemaOf, type ParameterRow, type Parameters } from './tool-draft.ts';

/** Sample arguments as typed: one string per parameter, or one JSON string for all of them. */
export type Samples = { byName: Readonly<Record<string, string>>; json: string };

export const NO_SAMPLES: Samples = { byName: {}, json: '{}' };

/** Returns the arguments of a call, or an error message for a sample that cannot be parsed. */
export function argumentsOf(
  parameters: Parameters,
  { byName, json }: Samples,
): { value: Record<string, unknown> } | { problem: string } {
  if (typeof parameters === 'string') return objectOf(json);
  const value: Record<string, unknown> = {};
  for (const row of parameters.rows) {
    const text = byName[row.name] ?? '';
    // An empty sample is left out, so that the API reports an error if the argument is required.
    if (row.name.trim() === '' || text === '') continue;
    const read = valueOf(row, text);
    if (read === undefined) return { problem: `${row.name}: must be ${NOUNS[row.type]}` };
    value[row.name.trim()] = read;
  }
  return { value };
}

function valueOf({ type }: ParameterRow, text: string): unknown {
  if (type === 'string') return text;
  if (type === 'number' || type === 'integer') {
    const number = Number(text);
    return Number.isFinite(number) ? number : undefined;
  }
  return parsed(text);
}

const NOUNS: Record<ParameterRow['type'], string> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list in JSON, such as ["a", "b"]',
  object: 'an object in JSON, such as {"a": 1}',
};

function objectOf(json: string): { value: Record<string, unknown> } | { problem: string } {
  const value = parsed(json.trim() === '' ? '{}' : json);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { value: { ...value } }
    : { problem: 'The sample arguments must be a JSON object.' };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns true if the parameters cannot be sent because their JSON is not an object. */
export function isWrongSchema(parameters: Parameters): boolean {
  return typeof parameters === 'string' && schemaOf(parameters) === undefined;
}
