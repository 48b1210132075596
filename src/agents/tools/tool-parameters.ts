import { createContext, Script } from 'node:vm';
import { Ajv, type ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { freeValueProblem } from '../../platform/resources/schema/free-value.ts';

/**
 * The JSON Schema of a tool's arguments (contract/tools.md#parameters): draft 2020-12, or draft-07 where
 * `$schema` says so. It is somebody else's, as are the values it checks, and a pattern or a reference can
 * take for ever: so both are bounded in time, and each schema has a compiler of its own, in which it can
 * name and refer to nothing but itself.
 */

export type Parameters = Readonly<Record<string, unknown>>;

/**
 * What is wrong with a value, at most five lines of `/place must …`; empty: nothing.
 * @throws SlowSchemaError
 */
export type CheckArguments = (value: unknown) => readonly string[];

/** `pointer`: into the schema. `isSlow`: it took too long this time. */
export type SchemaProblem = { pointer: string; detail: string; isSlow?: true };

/** A check did not come to an end: the schema cannot be used on this value. */
export class SlowSchemaError extends Error {
  override readonly name = 'SlowSchemaError';
  /** The machine had no time for it: that says nothing about the schema. */
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
/** Hundreds of times what an ordinary one takes. */
const CHECK_MS = 250;
const PROBLEMS_MAX = 5;

/** `format` is a note, as the draft has it; words that a draft does not know are notes too. */
const OPTIONS = { strict: false, validateFormats: false, logger: false } as const;
/** Compiles each `$ref` once, not once for each place that has it, and as it is written: up to ten times as fast. */
const COMPILED_ONCE = { inlineRefs: false, code: { optimize: false } } as const;

/** Compiles a schema in about a millisecond. `compileMs` and `checkMs` bound the time of the compiler and of each check. */
export function compileParameters(
  schema: Parameters,
  { compileMs = COMPILE_MS, checkMs = CHECK_MS }: { compileMs?: number; checkMs?: number } = {},
): { check: CheckArguments } | { problem: SchemaProblem } {
  const shape = freeValueProblem(schema);
  if (shape !== undefined) return { problem: { pointer: '', detail: shape } };
  const draft = draftOf(schema['$schema']);
  if (!draft) return refused('/$schema', 'must be draft 2020-12 (the default) or draft-07');
  if (schema['type'] !== undefined && schema['type'] !== 'object') {
    return refused('/type', 'must be "object": the arguments of a tool are one');
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
  // Without the schema of schemas, which is large and was asked already.
  const compiler = new DRAFTS[draft].Compiler({
    ...OPTIONS,
    ...COMPILED_ONCE,
    meta: false,
    validateSchema: false,
    allErrors: true,
  });
  const matches = compiler.compile(schema);
  // Its check is a promise, and a promise is true.
  if ('$async' in matches) return refused('/$async', 'may not be asynchronous');
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

/** The schema of schemas, compiled at its first use: whatever stops a check must not stop that. */
function schemaOfSchemas(draft: Draft): SaysWrong {
  const known = saysWrong.get(draft);
  if (known) return known;
  const matches = new DRAFTS[draft].Compiler(OPTIONS).getSchema(DRAFTS[draft].id);
  if (!matches) throw new Error(`there is no schema of draft ${draft}`);
  const made: SaysWrong = (schema) => (matches(schema) ? undefined : matches.errors?.[0]);
  saysWrong.set(draft, made);
  return made;
}

function refused(pointer: string, detail: string): { problem: SchemaProblem } {
  return { problem: { pointer, detail } };
}

const SLOW_TO_COMPILE: SchemaProblem = {
  pointer: '',
  detail: 'takes too long to be compiled: make it smaller',
  isSlow: true,
};

/** ajv's words name the schema's own references and patterns, and nothing else. */
function problemOf(error: unknown): string {
  const said = Reflect.get(Object(error), 'message') as unknown;
  const text = typeof said === 'string' ? said.slice(0, 300) : 'no reason was given';
  return `cannot be compiled (${text}); a $ref may only lead into the schema itself`;
}

/** A schema that refers to itself at the same place runs out of stack before it runs out of time. */
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

/** With the values that would be right: ajv says only that there are some. */
function saidOf({ keyword, message = 'is not valid', params }: ErrorObject): string {
  const allowed: unknown = Reflect.get(params, 'allowedValues');
  if (keyword !== 'enum' || !Array.isArray(allowed)) return message.slice(0, 300);
  return `must be one of ${allowed.map((value) => JSON.stringify(value)).join(', ')}`.slice(0, 300);
}

const room = createContext({ work: undefined as unknown });
const runWork = new Script('work()');

/** So much longer by the clock for what a busy machine has kept waiting. */
const PATIENCE = 4;
/** Who had less of its time than this was waiting, and gets more; then, who has computed hardly at all. */
const WAITING = 0.5;
const HARDLY = 0.1;

/**
 * Runs something that may not end; it is stopped in the middle of an expression. Costs some 50 µs. What
 * had less than half the time for itself was waiting for the machine, and is tried once more.
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

/** Of this thread. */
function computedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
