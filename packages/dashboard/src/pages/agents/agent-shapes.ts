import type { AgentContent } from '../../data/agents.ts';
import { jsonProblem, type Shape } from '../../form/json-shape.ts';

/**
 * Types of the parts of an agent that people edit with fields or as JSON, and the shapes of their JSON. `Loose` allows
 * empty fields, which occur while a part is edited.
 */

export type Loose<T> = { [Name in keyof T]?: T[Name] | null | undefined };

/** A tool. Until it is saved, it may contain plain-text secrets. */
export type Tool = NonNullable<AgentContent['tools']>[number] & {
  secret?: string;
  signing_secret?: string;
};
export type Voice = NonNullable<AgentContent['voice']>;
export type Transcriber = NonNullable<AgentContent['transcriber']>;
export type Hours = NonNullable<NonNullable<AgentContent['escalation']>['hours']>;
export type Fallback = NonNullable<NonNullable<AgentContent['model']>['fallback']>[number];

export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export const TOOL_TYPES = [
  'webhook',
  'knowledge_search',
  'handoff',
  'transfer_call',
  'end_call',
] as const satisfies readonly Tool['type'][];
export const METHODS = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'] as const;

const secret: Shape = {
  members: { name: 'string', key: 'string' },
  required: ['name', 'key'],
};
const speech = { provider: 'string', model: 'string' } as const;

type Fields<T> = { members: Record<keyof T, Shape>; required?: readonly (keyof T)[] };

const tool = {
  members: {
    type: { oneOf: TOOL_TYPES },
    name: 'string',
    description: 'string',
    parameters: 'object',
    url: 'string',
    method: { oneOf: METHODS },
    headers: 'object',
    secret: 'string',
    signing_secret: 'string',
    secret_ref: secret,
    signing_secret_ref: secret,
    timeout_ms: 'number',
    agent: 'string',
    version: 'number',
  },
  required: ['type', 'name'],
} satisfies Fields<Tool>;

const voice = {
  members: {
    ...speech,
    voice_id: 'string',
    language: 'string',
    speed: 'number',
    fallback: { items: { members: { ...speech, voice_id: 'string' } } },
  },
} satisfies Fields<Voice>;

const transcriber = {
  members: {
    ...speech,
    language: 'string',
    keywords: { items: 'string' },
    retranscribe_interrupted: 'boolean',
    fallback: { items: { members: speech } },
  },
} satisfies Fields<Transcriber>;

const period: Shape = {
  members: { days: { items: { oneOf: DAYS } }, from: 'string', to: 'string' },
  required: ['days', 'from', 'to'],
};

const hours = {
  members: {
    time_zone: 'string',
    open: { items: period },
    closed_on: { items: 'string' },
    closed_message: 'string',
  },
  required: ['time_zone', 'open'],
} satisfies Fields<Hours>;

const fallback = { members: { provider: 'string', name: 'string' } } satisfies Fields<Fallback>;

export const SHAPES = {
  tools: { items: tool },
  voice,
  transcriber,
  hours,
  fallback: { items: fallback },
} satisfies Record<string, Shape>;

/** Returns true if a part of the form contains JSON that cannot be saved. */
export function isWrongJson(part: unknown, shape: Shape): boolean {
  return typeof part === 'string' && jsonProblem(part, shape) !== undefined;
}
