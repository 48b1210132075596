import { schemaOf, type ParameterRow, type Parameters } from './tool-draft.ts';

/** Sample arguments as somebody types them: a text for each parameter, or one JSON text for all. */
export type Samples = { byName: Readonly<Record<string, string>>; json: string };

export const NO_SAMPLES: Samples = { byName: {}, json: '{}' };

/** Returns the arguments of a call, or a sentence that says which sample cannot be read. */
export function argumentsOf(
  parameters: Parameters,
  { byName, json }: Samples,
): { value: Record<string, unknown> } | { problem: string } {
  if (typeof parameters === 'string') return objectOf(json);
  const value: Record<string, unknown> = {};
  for (const row of parameters.rows) {
    const text = byName[row.name] ?? '';
    // An empty sample stands for a missing argument, so that the API says if it is required.
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
  string: 'a text',
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

/** Returns whether the parameters can be sent: JSON must be an object. */
export function isWrongSchema(parameters: Parameters): boolean {
  return typeof parameters === 'string' && schemaOf(parameters) === undefined;
}
