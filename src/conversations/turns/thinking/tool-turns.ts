import type { AgentContent } from '../../../agents/agent.ts';
import type {
  ModelMessage,
  ModelReply,
  ModelToolCall,
  ProviderFields,
} from '../../../models/model.ts';
import { ID_PREFIXES, newId } from '../../../ids.ts';
import type { ProviderMetadata } from '../../record/turns.sql.ts';
import { storable } from '../../record/storable.ts';
import type { ToolOutcome, ToolBox } from '../../tools/tool.ts';
import type { ToolTurn } from '../responder.ts';
import { orAborted } from './or-aborted.ts';

/**
 * This module converts tool calls into the form that a turn stores, and into the messages that the model reads in the
 * same turn.
 */

/** Tool call, with its outcome once it has one. */
export type Call = {
  /** Call as the model reads it. Its id is unique within the prompt. */
  call: ModelToolCall;
  /** Globally unique id (`tool_…`), unlike the model's own ids, which start from 0 in every turn. */
  id: string;
  outcome: Pick<ToolOutcome, 'ok' | 'content' | 'durationMs'> | undefined;
  /** Provider whose model made the call. */
  from?: string;
  /** Message fields that the provider expects back. Only the first call of each response has them. */
  message?: ProviderFields;
};

/** Maximum length of the line for a tool call in a text transcript. */
const LINE_CHARS_MAX = 1_000;
/** Maximum length of arguments. Longer arguments are truncated and stored as text. */
const ARGUMENTS_CHARS_MAX = 16_000;

export const NOT_KNOWN = failure(
  'it is not known whether this was carried out; do not do it again until that is known, and tell the user so',
);
export const NOT_CARRIED_OUT = failure('this was not carried out, because the turn had ended');
export const TOO_MANY_AT_ONCE = failure(
  'this was not carried out, because there were too many calls at once; call fewer tools at a time',
);

function failure(error: string): ToolOutcome {
  return { ok: false, content: JSON.stringify({ ok: false, error }), durationMs: 0 };
}

export function toolTurnOf(given: Call): ToolTurn {
  const { call, id, outcome } = given;
  const providerMetadata = metadataOf(given);
  const { name } = call;
  const said = outcome === undefined ? '' : ` → ${outcome.content}`;
  const line = `${name}(${call.arguments})${said}`;
  return {
    text: storable(line, LINE_CHARS_MAX),
    toolCall: { id, name: storable(name, 128), arguments: argumentsOf(call.arguments) },
    toolResult: outcome
      ? {
          ok: outcome.ok,
          content: storable(outcome.content),
          duration_ms: Math.round(outcome.durationMs * 10) / 10,
        }
      : null,
    ...(providerMetadata && { providerMetadata }),
  };
}

/** Maximum length of a call's provider metadata as JSON. Longer metadata is dropped. */
const METADATA_CHARS_MAX = 128 * 1024;

function metadataOf({ call, from, message }: Call): ProviderMetadata | undefined {
  const { extra } = call;
  if (from === undefined || (message === undefined && extra === undefined)) return undefined;
  const metadata = { provider: from, ...(message && { message }), ...(extra && { call: extra }) };
  if (JSON.stringify(metadata).length > METADATA_CHARS_MAX) return undefined;
  return cleaned(metadata) as ProviderMetadata; // The type stays the same, because `cleaned` changes only strings.
}

/** Parses arguments that a model wrote. Returns the text if it is not a JSON object. */
function argumentsOf(text: string): unknown {
  const given = text.length <= ARGUMENTS_CHARS_MAX ? objectIn(text) : undefined;
  return given ? cleaned(given) : storable(text, ARGUMENTS_CHARS_MAX);
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return storable(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [storable(key), cleaned(member)]),
  );
}

/**
 * Returns the messages for one response of the model: its text, its calls, and the results in the order of the calls.
 */
export function messagesOf(said: string, calls: readonly Call[]): ModelMessage[] {
  if (calls.length === 0) return [];
  return [
    {
      role: 'assistant',
      content: said,
      toolCalls: calls.map(({ call }) => readable(call)),
      ...givenBack(calls),
    },
    ...calls.map(({ call, outcome }): ModelMessage => ({
      role: 'tool',
      toolCallId: call.id,
      content: (outcome ?? NOT_KNOWN).content,
    })),
  ];
}

function givenBack([first]: readonly Call[]): { extra?: ProviderFields; from?: string } {
  if (first?.message === undefined) return {};
  return { extra: first.message, ...(first.from !== undefined && { from: first.from }) };
}

/** Groups calls by the model request in which they were made, as far as that is known. */
export function byRequest<T>(calls: readonly T[], isFirst: (call: T) => boolean): T[][] {
  const groups: T[][] = [];
  for (const call of calls) {
    const group = groups.at(-1);
    if (group === undefined || isFirst(call)) groups.push([call]);
    else group.push(call);
  }
  return groups;
}

/**
 * Replaces arguments that are not a JSON object, because some servers reject a prompt with such arguments. The call's
 * result describes the error.
 */
function readable(call: ModelToolCall): ModelToolCall {
  return objectIn(call.arguments) ? call : { ...call, arguments: '{}' };
}

/** Creates calls from a model's response. Fills in missing arguments, and replaces empty or duplicate ids. */
export function beginCalls(
  { toolCalls: calls, extra, provider }: Pick<ModelReply, 'toolCalls' | 'extra' | 'provider'>,
  before: readonly Call[],
  nowMs: number,
): Call[] {
  const taken = new Set(before.map(({ call }) => call.id));
  const hasMore = extra !== undefined || calls.some((call) => call.extra !== undefined);
  return calls.map((call, at) => {
    const isFree = call.id !== '' && !taken.has(call.id);
    const own = { ...call, id: isFree ? call.id : spareId(taken.size) };
    taken.add(own.id);
    if (own.arguments.trim() === '') own.arguments = '{}';
    return {
      call: own,
      id: newId(ID_PREFIXES.tool, nowMs),
      outcome: undefined,
      ...(hasMore && { from: provider }),
      ...(hasMore && at === 0 && { message: extra ?? {} }),
    };
  });
}

/** Returns an id of nine letters and digits, the format of the strictest provider. */
function spareId(at: number): string {
  return `n${String(at).padStart(8, '0')}`;
}

/**
 * Returns the calls that a killed attempt made. Omits calls of built-in tools: these calls take effect only when the
 * turn is stored, so they can be made again.
 */
export function notedCalls(noted: readonly ToolTurn[], { tools }: AgentContent): Call[] {
  const isOurs = (name: unknown): boolean =>
    tools?.some((tool) => tool.name === name && tool.type !== 'webhook') ?? false;
  return noted.flatMap(({ toolCall, toolResult, providerMetadata }, at): Call[] => {
    if (toolCall === null || isOurs(toolCall['name'])) return [];
    const given = toolCall['arguments'];
    const call = {
      id: spareId(at),
      name: String(toolCall['name']),
      arguments: typeof given === 'string' ? given : JSON.stringify(given),
      ...(providerMetadata?.call && { extra: providerMetadata.call }),
    };
    const outcome = toolResult === null ? NOT_KNOWN : outcomeOf(toolResult);
    const { provider: from, message } = providerMetadata ?? {};
    const more = { ...(from !== undefined && { from }), ...(message && { message }) };
    return [{ call, id: String(toolCall['id']), outcome, ...more }];
  });
}

function outcomeOf(result: Record<string, unknown>): Call['outcome'] {
  return {
    ok: result['ok'] === true,
    content: String(result['content']),
    durationMs: Number(result['duration_ms']),
  };
}

/** Returns a key that is equal for calls of the same tool with equal arguments. */
export function sameCall({ name, arguments: text }: ModelToolCall): string {
  return JSON.stringify([name, sorted(objectIn(text) ?? text)]);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([key, member]) => [key, sorted(member)]));
}

/** Maximum number of concurrent tool calls per request to a model. */
const AT_ONCE_MAX = 8;
/** Maximum number of tool calls per request to a model. Further calls are not run. */
const CALLS_MAX = 32;

/**
 * Runs tool calls with limited concurrency and sets their outcomes. Returns the outcomes in the order of the calls.
 * Does not run calls that an earlier attempt has already made, nor calls beyond `CALLS_MAX`.
 */
export async function runCalls(
  calls: readonly Call[],
  {
    box,
    signal,
    noted,
    graceMs,
  }: { box: ToolBox; signal: AbortSignal; noted: readonly Call[]; graceMs: number },
): Promise<ToolOutcome[]> {
  const known = new Map(noted.map(({ call, outcome }) => [sameCall(call), outcome]));
  const run = async ({ call, id }: Call): Promise<ToolOutcome> => {
    const before = known.get(sameCall(call));
    if (before) return before;
    if (signal.aborted) return NOT_CARRIED_OUT;
    return (await orAborted(box.run({ ...call, id }, signal), signal, graceMs)) ?? NOT_KNOWN;
  };
  const outcomes: ToolOutcome[] = calls.map(() => TOO_MANY_AT_ONCE);
  const waiting = [...calls.slice(0, CALLS_MAX).entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [at, call] = next;
      outcomes[at] = await run(call);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE_MAX }, work));
  calls.forEach((call, at) => {
    call.outcome = outcomes[at];
  });
  return outcomes;
}
