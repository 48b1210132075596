import { LRUCache } from 'lru-cache';
import {
  compileParameters,
  SlowSchemaError,
  type Parameters,
} from '../../agents/tools/tool-parameters.ts';
import { shapeProblem } from '../../platform/resources/schema/free-value.ts';

/** Arguments of a tool call, as the model wrote them. They are unvalidated JSON until they are checked here. */

export type Arguments = Readonly<Record<string, unknown>>;
export type ReadArguments = (
  tool: { namespace: string; agentId: string; agentVersion: number; name: string },
  parameters: Parameters,
  text: string,
) => { value: Arguments } | { problem: string };

/** Limits of the JSON that the model wrote (contract/tools.md#arguments). */
const BYTES_MAX = 64 * 1024;
const SHAPE = { depthMax: 32, membersMax: 10_000 };

/** Maximum number of compiled schemas per process; each takes about 20 KB. */
const SCHEMAS_MAX = 1_000;
/**
 * Time in ms for which a tool is paused after `TRIES_MAX` checks against its schema have timed out. Calls of a paused
 * tool are rejected unchecked.
 */
const PAUSE_MS = 60_000;
const TRIES_MAX = 2;
/**
 * Number of timed-out checks within `PAUSE_MS` in a namespace. Once this number is reached, a tool of the namespace is
 * paused after its first timeout instead of its second.
 */
const SLOW_MAX = 5;

/**
 * Creates the function that parses and validates arguments, with a cache of compiled schemas. Versions never change, so
 * a cached schema never becomes outdated.
 */
export function createReadArguments(): ReadArguments {
  // Also caches the compile errors of invalid schemas that were saved before schemas were validated on write.
  const compiled = new LRUCache<string, ReturnType<typeof compileParameters>>({ max: SCHEMAS_MAX });
  const slow = new LRUCache<string, number>({ max: 10_000, ttl: PAUSE_MS });
  const slowIn = new LRUCache<string, number>({ max: 10_000, ttl: PAUSE_MS, noUpdateTTL: true });

  return (tool, parameters, text) => {
    const parsed = parse(text);
    if ('problem' in parsed) return parsed;
    const key = `${tool.agentId} ${tool.agentVersion} ${tool.name}`;
    const known = compiled.get(key) ?? compileParameters(parameters);
    if ('problem' in known) {
      if (!known.problem.isSlow) compiled.set(key, known);
      const { pointer, detail } = known.problem;
      return { problem: `the tool's JSON Schema is not valid: ${pointer} ${detail}` };
    }
    compiled.set(key, known);
    const timesSlow = slow.get(key) ?? 0;
    const isPaused =
      timesSlow >= TRIES_MAX || (timesSlow > 0 && (slowIn.get(tool.namespace) ?? 0) >= SLOW_MAX);
    if (isPaused) return { problem: TOO_SLOW };
    try {
      const problems = known.check(parsed.value);
      if (problems.length === 0) return parsed;
      const inner = wrappedIn(parsed.value);
      if (inner && known.check(inner).length === 0) return { value: inner };
      return { problem: problems.join('; ') };
    } catch (error) {
      if (!(error instanceof SlowSchemaError)) throw error;
      if (error.isStarved) return { problem: TOO_BUSY };
      slow.set(key, timesSlow + 1);
      slowIn.set(tool.namespace, (slowIn.get(tool.namespace) ?? 0) + 1);
      return { problem: TOO_SLOW };
    }
  };
}

const TOO_SLOW =
  "checking arguments against the tool's JSON Schema takes too long: the author of the tool must simplify the schema";

const TOO_BUSY =
  'the arguments could not be checked in time, because the server is busy; try again';

/**
 * Names of a property in which some models wrap all arguments. The arguments are unwrapped only if the schema rejects
 * the wrapper and accepts its content.
 */
const WRAPPERS = new Set(['arguments', 'args', 'parameters', 'params', 'input', 'kwargs']);

function wrappedIn(value: Arguments): Arguments | undefined {
  const [[name, inner] = ['', undefined], ...others] = Object.entries(value);
  if (!WRAPPERS.has(name) || others.length > 0) return undefined;
  const read = parse(typeof inner === 'string' ? inner : JSON.stringify(inner));
  return 'value' in read ? read.value : undefined;
}

function parse(text: string): { value: Arguments } | { problem: string } {
  if (Buffer.byteLength(text) > BYTES_MAX) {
    return { problem: `the arguments may have at most ${BYTES_MAX / 1024} KiB` };
  }
  const value = parseJson(text.trim() === '' ? '{}' : text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problem: 'the arguments must be a JSON object' };
  }
  const shape = shapeProblem(value, SHAPE);
  if (shape !== undefined) return { problem: `the arguments ${shape}` };
  return { value: { ...value } };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // No JSON text parses to `undefined`, so it can stand for invalid JSON.
  }
}
