import { createContext, Script } from 'node:vm';
import { Ajv, type ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { freeValueProblem } from '../../platform/resources/schema/free-value.ts';

/**
 * Validation of a tool's arguments against the tool's JSON Schema (contract/tools.md#parameters): draft 2020-12, or
 * draft-07 if `$schema` says so. Schemas and values are untrusted, and a pattern or a reference can take forever to
 * evaluate. Compilation and checks therefore have a time limit. Each schema gets a separate compiler, so that it can
 * refer only to itself.
 */

export type Parameters = Readonly<Record<string, unknown>>;

/**
 * Returns at most five error lines, such as `/amount must be number`, or none if the value is valid.
 * @throws SlowSchemaError
 */
export type CheckArguments = (value: unknown) => readonly string[];

/**
 * Problem with a schema. `pointer` points into the schema. `isSlow` means that the compilation exceeded its time limit.
 */
export type SchemaProblem = { pointer: string; detail: string; isSlow?: true };

/**
 * Thrown if a check exceeds its time limit or overflows the stack, so that the schema cannot be used for this value.
 */
export class SlowSchemaError extends Error {
  override readonly name = 'SlowSchemaError';
  /** True if the machine was too busy to run the check. The schema itself may be fine. */
  readonly isStarved: boolean;

  constructor(message: string, options: ErrorOptions & { isStarved?: boolean } = {}) {
    super(message, options);
    this.isStarved = options.isStarved ?? false;
  }
}

const DRAFTS = {
  '2020-12': { Compiler: Ajv2020, id: 'https://json-schema.org/draft/2020-12/schema' },
  '07': { Compiler: Ajv, id: 'http://json-schema.org/draft-07/schema' },
} as const;
type Draft = keyof typeof DRAFTS;

export const COMPILE_MS = 1_000;
/** Time limit of a check in ms. It is several hundred times the duration of an ordinary check. */
const CHECK_MS = 250;
const PROBLEMS_MAX = 5;

/** Options that make the compiler ignore unknown keywords and `format`. The drafts allow it to ignore `format`. */
const OPTIONS = { strict: false, validateFormats: false, logger: false } as const;
/**
 * Options that compile each `$ref` once instead of at every use, and do not optimize the generated code. Compilation is
 * then up to ten times faster.
 */
const COMPILED_ONCE = { inlineRefs: false, code: { optimize: false } } as const;

/**
 * Compiles a schema in about a millisecond. `compileMs` and `checkMs` limit the time of the compilation and of each
 * check.
 */
export function compileParameters(
  schema: Parameters,
  { compileMs = COMPILE_MS, checkMs = CHECK_MS }: { compileMs?: number; checkMs?: number } = {},
): { check: CheckArguments } | { problem: SchemaProblem } {
  const shape = freeValueProblem(schema);
  if (shape !== undefined) return { problem: { pointer: '', detail: shape } };
  const draft = draftOf(schema['$schema']);
  if (!draft) return refused('/$schema', 'must be draft 2020-12 (the default) or draft-07');
  if (schema['type'] !== undefined && schema['type'] !== 'object') {
    return refused('/type', 'must be "object", because the arguments of a tool are an object');
  }
  schemaOfSchemas(draft);
  try {
    return withinMs(compileMs, () => compile(schema, { draft, checkMs }));
  } catch (error) {
    if (error instanceof SlowSchemaError) return { problem: SLOW_TO_COMPILE };
    return refused('', problemOf(error));
  }
}

function compile(
  schema: Parameters,
  { draft, checkMs }: { draft: Draft; checkMs: number },
): { check: CheckArguments } | { problem: SchemaProblem } {
  const wrong = schemaOfSchemas(draft)(schema);
  if (wrong) return refused(wrong.instancePath, saidOf(wrong));
  // The meta-schema is omitted, because it is large and the schema was checked against it above.
  const compiler = new DRAFTS[draft].Compiler({
    ...OPTIONS,
    ...COMPILED_ONCE,
    meta: false,
    validateSchema: false,
    allErrors: true,
  });
  const matches = compiler.compile(schema);
  // Rejects asynchronous schemas: their check returns a promise, which is always truthy.
  if ('$async' in matches) return refused('/$async', 'must not be asynchronous');
  return {
    check: (value) =>
      ending(() => withinMs(checkMs, () => (matches(value) ? [] : linesOf(matches.errors ?? [])))),
  };
}

function draftOf(declared: unknown): Draft | undefined {
  if (declared === undefined) return '2020-12';
  if (typeof declared !== 'string') return undefined;
  const named = /^https?:\/\/json-schema\.org\/(?:draft\/|draft-)(2020-12|07)\/schema#?$/.exec(
    declared,
  );
  return named?.[1] as Draft | undefined;
}

type SaysWrong = (schema: Parameters) => ErrorObject | undefined;
const saysWrong = new Map<Draft, SaysWrong>();

/**
 * Returns the function that checks a schema against the meta-schema. The meta-schema is compiled at first use, outside
 * of any time limit.
 */
function schemaOfSchemas(draft: Draft): SaysWrong {
  const known = saysWrong.get(draft);
  if (known) return known;
  const matches = new DRAFTS[draft].Compiler(OPTIONS).getSchema(DRAFTS[draft].id);
  if (!matches) throw new Error(`no meta-schema for draft ${draft}`);
  const made: SaysWrong = (schema) => (matches(schema) ? undefined : matches.errors?.[0]);
  saysWrong.set(draft, made);
  return made;
}

function refused(pointer: string, detail: string): { problem: SchemaProblem } {
  return { problem: { pointer, detail } };
}

const SLOW_TO_COMPILE: SchemaProblem = {
  pointer: '',
  detail: 'the schema takes too long to compile: make it smaller',
  isSlow: true,
};

/**
 * Returns the message for an error from ajv. The error's text is safe to quote, because it contains only references and
 * patterns from the schema itself.
 */
function problemOf(error: unknown): string {
  // A reference cycle overflows the stack. `instanceof` does not recognize errors from another realm.
  if (Reflect.get(Object(error), 'name') === 'RangeError') {
    return 'the schema cannot be compiled: a `$ref` leads back to itself, so it describes nothing';
  }
  const said = Reflect.get(Object(error), 'message') as unknown;
  const text = typeof said === 'string' ? said.slice(0, 300) : 'no reason given';
  return `the schema cannot be compiled (${text}); a \`$ref\` may only point into the schema itself`;
}

/**
 * Converts every error that a check throws to a SlowSchemaError. Most are stack overflows: a schema that applies
 * itself to the same value again overflows the stack before it exceeds the time limit.
 */
function ending<R>(check: () => R): R {
  try {
    return check();
  } catch (error) {
    throw error instanceof SlowSchemaError
      ? error
      : new SlowSchemaError('no end', { cause: error });
  }
}

function linesOf(errors: readonly ErrorObject[]): string[] {
  const lines = errors.slice(0, 100).map((error) => {
    const { instancePath, params } = error;
    const extra = Reflect.get(params, 'additionalProperty') as unknown;
    const named = typeof extra === 'string' ? ` (${extra.slice(0, 64)})` : '';
    return `${instancePath === '' ? 'the arguments' : instancePath.slice(0, 200)} ${saidOf(error)}${named}`;
  });
  return [...new Set(lines)].slice(0, PROBLEMS_MAX);
}

/** Returns the message for a validation error, with the allowed values, which ajv's own message omits. */
function saidOf({ keyword, message = 'is not valid', params }: ErrorObject): string {
  const allowed: unknown = Reflect.get(params, 'allowedValues');
  if (keyword !== 'enum' || !Array.isArray(allowed)) return message.slice(0, 300);
  return `must be one of ${allowed.map((value) => JSON.stringify(value)).join(', ')}`.slice(0, 300);
}

const room = createContext({ work: undefined as unknown });
const runWork = new Script('work()');

/** Factor by which the time limit is extended for the second attempt on a busy machine. */
const PATIENCE = 4;
/**
 * Fractions of the time limit. Work that got less CPU time than `WAITING` mostly waited for the CPU and gets a second
 * attempt. If the second attempt gets less CPU time than `HARDLY`, the machine counts as too busy.
 */
const WAITING = 0.5;
const HARDLY = 0.1;

/**
 * Runs work that may never end, and interrupts it at the time limit. Costs about 50 µs. If the interrupted work got
 * less CPU time than half of the limit, it mostly waited for the CPU. Such work is tried once more with a longer limit.
 * @throws SlowSchemaError
 */
function withinMs<R>(timeout: number, work: () => R): R {
  const first = attempt(work, timeout);
  if ('value' in first) return first.value;
  if (first.computedMs >= timeout * WAITING) throw new SlowSchemaError('too slow');
  const second = attempt(work, timeout * PATIENCE);
  if ('value' in second) return second.value;
  throw new SlowSchemaError('too slow', { isStarved: second.computedMs < timeout * HARDLY });
}

type Attempt<R> = { value: R } | { computedMs: number };

function attempt<R>(work: () => R, timeout: number): Attempt<R> {
  const startedMs = computedMs();
  try {
    room['work'] = work;
    return { value: runWork.runInContext(room, { timeout }) as R };
  } catch (error) {
    const code = Reflect.get(Object(error), 'code') as unknown;
    if (code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    return { computedMs: computedMs() - startedMs };
  } finally {
    room['work'] = undefined;
  }
}

/** Returns the CPU time of this thread in milliseconds. */
function computedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
