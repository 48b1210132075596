import { randomUUID } from 'node:crypto';
import type { ModelToolCall } from './model.ts';

/** Reading JSON of which nothing is known: what is not as asked is as if it were not there. */
export type Fields = Record<string, unknown>;

/** Calls of tools, put together from the pieces of a stream. */
export type CallAssembly = {
  /** `isWhole`: it stands in a message, not in a piece of one. false: no more is taken. */
  take: (part: Fields, isWhole: boolean) => boolean;
  readonly count: number;
  /** With an id each, of its own: what answers a call names it. */
  finished: () => ModelToolCall[];
};

const MAX_ARGUMENT_CHARS = 64 * 1024;
const MAX_CALLS = 32;

type Call = { givenId: string | undefined; name: string; arguments: string };

export function createCallAssembly(): CallAssembly {
  const calls: Call[] = [];
  const byIndex = new Map<number, Call>();

  const open = (index: number | undefined, givenId: string | undefined): Call => {
    const call = { givenId, name: '', arguments: '' };
    calls.push(call);
    if (index !== undefined) byIndex.set(index, call);
    return call;
  };
  const find = (index: number | undefined, id: string | undefined): Call | undefined => {
    if (index !== undefined) return byIndex.get(index);
    return id === undefined ? calls.at(-1) : calls.find(({ givenId }) => givenId === id);
  };
  /** Some servers give each call the index 0, some no index, some no id. */
  const callOf = (part: Fields, isWhole: boolean): Call | undefined => {
    const id = textOf(part['id']);
    const index = typeof part['index'] === 'number' ? part['index'] : undefined;
    const isNamed = textOf(fieldsOf(part['function'])['name']) !== undefined;
    const known = find(index, id);
    const isNew = isNamed && (id === undefined ? index === undefined : id !== known?.givenId);
    if (known !== undefined && !isWhole && !isNew) return known;
    return calls.length < MAX_CALLS ? open(index, id) : undefined;
  };

  return {
    take: (part, isWhole) => {
      const call = callOf(part, isWhole);
      if (call === undefined) return false;
      const { name, arguments: given } = fieldsOf(part['function']);
      call.name = textOf(name) ?? call.name;
      call.arguments += typeof given === 'string' ? given : jsonOf(given);
      if (call.arguments.length <= MAX_ARGUMENT_CHARS) return true;
      call.arguments = call.arguments.slice(0, MAX_ARGUMENT_CHARS);
      return false;
    },
    get count() {
      return calls.length;
    },
    finished: () => finished(calls),
  };
}

function finished(calls: readonly Call[]): ModelToolCall[] {
  const taken = new Set<string>();
  return calls.map((call) => {
    const isUsable = call.givenId !== undefined && !taken.has(call.givenId);
    const id = isUsable ? call.givenId! : `call_${randomUUID().replaceAll('-', '')}`;
    taken.add(id);
    // Providers refuse a history with names of any other form, even of calls they made up.
    const name = call.name.replaceAll(/[^\w-]/g, '_').slice(0, 64) || 'unnamed';
    return { id, name, arguments: call.arguments.trim() === '' ? '{}' : call.arguments };
  });
}

/** Of arguments that a server gives as an object instead of its text. */
function jsonOf(value: unknown): string {
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** undefined: no text, or an empty one. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
