/**
 * Shape of the JSON that a form's fields can display: a type, one of several strings, a list whose items have one
 * shape, or an object with the given members. `'object'` is an object with any members.
 */
export type Shape =
  | 'string'
  | 'number'
  | 'boolean'
  | 'object'
  | { oneOf: readonly string[] }
  | { items: Shape }
  | { members: Readonly<Record<string, Shape>>; required?: readonly string[] };

/** Returns the first error in a JSON text, or undefined if the JSON fits the shape. Blank text means no value. */
export function jsonProblem(text: string, shape: Shape): string | undefined {
  if (text.trim() === '') return undefined;
  try {
    return shapeProblem(JSON.parse(text), shape);
  } catch (error) {
    return `must be valid JSON: ${(error as Error).message}`;
  }
}

function shapeProblem(value: unknown, shape: Shape, place = ''): string | undefined {
  const must = (what: string): string => `${place ? `${place}: ` : ''}must be ${what}`;
  if (typeof shape === 'string') {
    const isRight = shape === 'object' ? isObject(value) : typeof value === shape;
    return isRight ? undefined : must(NOUNS[shape]);
  }
  if ('oneOf' in shape) {
    const isOne = typeof value === 'string' && shape.oneOf.includes(value);
    return isOne ? undefined : must(`one of ${shape.oneOf.join(', ')}`);
  }
  if ('items' in shape) {
    if (!Array.isArray(value)) return must('a list');
    return firstOf(value.map((item, at) => shapeProblem(item, shape.items, below(place, at))));
  }
  if (!isObject(value)) return must('an object');
  const { members, required = [] } = shape;
  const problems = Object.entries(value).map(([name, one]) =>
    Object.hasOwn(members, name)
      ? shapeProblem(one, members[name]!, below(place, name))
      : `${below(place, name)}: is not a known field; known fields: ${Object.keys(members).join(', ')}`,
  );
  const missing = required.find((name) => value[name] === undefined);
  const absent = missing === undefined ? undefined : `${below(place, missing)}: is required`;
  return firstOf([...problems, absent]);
}

const NOUNS = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
};

const below = (place: string, name: string | number): string =>
  place === '' ? String(name) : `${place}/${name}`;

const firstOf = (problems: readonly (string | undefined)[]): string | undefined =>
  problems.find((problem) => problem !== undefined);

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
