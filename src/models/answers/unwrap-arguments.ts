import { fieldsOf } from './read-chunk.ts';

/**
 * Maximum number of layers to unwrap around arguments, such as JSON encoding, a code fence, or an object with `name`
 * and `arguments`.
 */
const LAYERS_MAX = 6;

/**
 * Returns the JSON object in the arguments that a model wrote, without code fences, tags or encoding around it. Returns
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
    if (typeof value === 'object' && !Array.isArray(value)) return ownOf(bare, value, toolName);
    const inner = Array.isArray(value) ? onlyObjectOf(value) : (onceOf(bare) ?? innerOf(bare));
    if (typeof value === 'number' || typeof value === 'boolean' || inner === undefined) return text;
    left = inner;
  }
  return text;
}

/**
 * Returns the arguments inside an object with `name` and `arguments` (or `parameters`), which some models put around
 * them. Returns `text` if there is no such object.
 */
function ownOf(text: string, value: object, toolName: string): string {
  const { name, arguments: given, parameters = given, ...rest } = fieldsOf(value);
  const isWrapped = name === toolName && parameters !== undefined && Object.keys(rest).length === 0;
  if (!isWrapped) return text;
  if (typeof parameters === 'string') return unwrapArguments(parameters, toolName);
  const isObject = typeof parameters === 'object' && parameters !== null;
  return isObject && !Array.isArray(parameters) ? JSON.stringify(parameters) : text;
}

/** Returns the only element of a list if it is an object, as JSON; otherwise `undefined`. */
function onlyObjectOf([one, ...others]: readonly unknown[]): string | undefined {
  const isObject = typeof one === 'object' && one !== null;
  return isObject && others.length === 0 ? JSON.stringify(one) : undefined;
}

/**
 * Returns the object if the text consists of the same object twice, or of `{}` and one object. Otherwise returns
 * `undefined`.
 */
function onceOf(text: string): string | undefined {
  const middle = Math.floor(text.length / 2);
  const [half, other] = [text.slice(0, middle).trim(), text.slice(middle).trim()];
  if (half === other) return objectOrNone(half);
  return text.startsWith('{}') ? objectOrNone(text.slice(2).trim()) : undefined;
}

/** Pattern for a code fence with its language, and for tags and tokens of a chat template. */
const AROUND =
  /(?:`+|~{3,})\s*(json\w*|javascript|js|python|tool_code)?|<[^<>]{1,40}>|\[\/?[a-z_]{1,20}\]/gi;

/**
 * Returns the JSON object in a text, or the JSON string that encodes one. Returns `undefined` if letters or digits
 * surround it that belong neither to a code fence nor to a tag.
 */
function innerOf(text: string): string | undefined {
  const from = text.search(/["{]/);
  const to = text.lastIndexOf(text[from] === '"' ? '"' : '}');
  const around = `${text.slice(0, from)} ${text.slice(to + 1)}`.replaceAll(AROUND, ' ');
  // The slice is invalid JSON if a delimiter is missing or if the delimiters are in the wrong order.
  const inner = text.slice(from, to + 1);
  if (/[\p{L}\p{N}]/u.test(around)) return undefined;
  return typeof parse(inner) === 'string' ? inner : objectOrNone(inner);
}

function objectOrNone(text: string): string | undefined {
  return typeof parse(text) === 'object' ? text : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // `undefined` can stand for an error, because JSON has no such value.
  }
}

/**
 * Returns true if a text is a complete object, apart from its wrapping. After such a text, no further piece of the same
 * call can follow.
 */
export function isWholeObject(text: string): boolean {
  if (!/[}"`>\]]\s*$/.test(text)) return false;
  const value = parse(unwrapArguments(text, ''));
  return typeof value === 'object' && !Array.isArray(value); // Never `null`, because `null` is unwrapped to `{}`.
}
