import { fieldsOf } from './read-chunk.ts';

/** Encoded in a text, in a fence, in name and arguments: each is one layer. */
const LAYERS_MAX = 6;

/**
 * Returns the JSON object in the arguments that a model wrote, without fences, tags or encoding around it. Returns
 * ambiguous text unchanged.
 */
export function unwrapArguments(text: string, toolName: string): string {
  let left = text;
  for (let layer = 0; layer < LAYERS_MAX; layer += 1) {
    const bare = left.trim();
    if (bare === '') return '{}';
    const value = parse(bare);
    if (value === null) return '{}';
    if (typeof value === 'string') {
      left = value;
      continue;
    }
    if (typeof value === 'object')
      return Array.isArray(value) ? text : ownOf(bare, value, toolName);
    const inner = objectWithin(bare);
    if (value !== undefined || inner === undefined) return text;
    left = inner;
  }
  return text;
}

/** Some models repeat the name of the tool around its arguments. */
function ownOf(text: string, value: object, toolName: string): string {
  const { name, arguments: given, parameters = given, ...rest } = fieldsOf(value);
  const isWrapped = name === toolName && parameters !== undefined && Object.keys(rest).length === 0;
  if (!isWrapped) return text;
  if (typeof parameters === 'string') return unwrapArguments(parameters, toolName);
  const isObject = typeof parameters === 'object' && parameters !== null;
  return isObject && !Array.isArray(parameters) ? JSON.stringify(parameters) : text;
}

/** A fence with its language, tags and tokens of a chat template. */
const AROUND =
  /`{1,}\s*(json\w*|javascript|js|python|tool_code)?|<[^<>]{1,40}>|\[\/?[A-Z_]{1,20}\]/g;

/** Returns the object in a text that has no letters or digits outside it. */
function objectWithin(text: string): string | undefined {
  const [from, to] = [text.indexOf('{'), text.lastIndexOf('}')];
  if (from === -1 || to < from) return undefined;
  const around = `${text.slice(0, from)} ${text.slice(to + 1)}`.replaceAll(AROUND, ' ');
  return /[\p{L}\p{N}]/u.test(around) ? undefined : objectOrNone(text.slice(from, to + 1));
}

function objectOrNone(text: string): string | undefined {
  return typeof parse(text) === 'object' ? text : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // JSON has no such value.
  }
}

/** Whether a text is an object in whole, whatever is around it: no piece of the same call can follow it. */
export function isWholeObject(text: string): boolean {
  if (!/[}"`>\]]\s*$/.test(text)) return false;
  const value = parse(unwrapArguments(text, ''));
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
