import { z } from 'zod';
import { explain } from '../../platform/http/field-errors.ts';
import { idValue } from '../../platform/http/fields.ts';
import { saying } from '../../platform/resources/schema/patterns.ts';
import { storable } from '../record/storable.ts';

/**
 * This module defines chat completions in the format that OpenAI clients send and read (contract/openai.md#answers).
 */

const MESSAGES_MAX = 3_000;
const PARTS_MAX = 1_000;

/** Part of a message whose content is a list. */
const part = z.object({
  type: z.enum(['text', 'refusal'], 'must be `text`: agents do not read images, audio or files'),
  text: z.string().optional(),
  refusal: z.string().optional(),
});

/**
 * Text of a message in the forms that OpenAI allows: a string, a list of parts, or null. An error points to the part
 * that caused it.
 */
const content = z
  .unknown()
  .transform((value, context): string => {
    if (value === null) return '';
    if (typeof value === 'string') return value;
    if (!Array.isArray(value)) {
      context.addIssue({
        code: 'custom',
        message: 'must be a string, or a list of parts of type `text`',
      });
      return z.NEVER;
    }
    const parts = z.array(part).max(PARTS_MAX).safeParse(value);
    if (parts.success) return parts.data.map((one) => one.text ?? one.refusal ?? '').join('\n');
    const [issue] = parts.error.issues;
    const [, detail] = issue ? explain(issue) : ['', 'must be a string'];
    context.addIssue({ code: 'custom', path: issue?.path ?? [], message: detail });
    return z.NEVER;
  })
  .optional()
  .meta({
    description: 'Text of the message: a string, or a list of parts of type `text`.',
    anyOf: [
      { type: 'string' },
      { type: 'null' },
      {
        type: 'array',
        maxItems: PARTS_MAX,
        items: { type: 'object', properties: { type: { enum: ['text', 'refusal'] } } },
      },
    ],
  });

const message = z
  .object({
    role: z
      .enum(
        ['system', 'developer', 'user', 'assistant'],
        "must be system, developer, user or assistant: Parley runs the agent's tools, so clients send no tool results",
      )
      .describe('Author of the message.'),
    content,
    tool_calls: unless(isFilled, "must be omitted: Parley runs the agent's tools"),
    function_call: unless(isFilled, "must be omitted: Parley runs the agent's tools"),
  })
  .describe('One message of the chat.');

export type ChatMessage = z.output<typeof message>;

const TOOLS_RUN_HERE = 'must be omitted: tools are declared in the agent, and Parley runs them';

/**
 * Returns the schema of a field that has no effect here. The schema accepts and ignores any value for which `isAsked`
 * returns false. Any other value asks for a response that Parley cannot give, so it is rejected with `detail`.
 */
function unless(isAsked: (value: unknown) => boolean, detail: string) {
  return z
    .unknown()
    .refine((value) => !isAsked(value), detail)
    .optional()
    .describe(`Has no effect. A value that would change the response is rejected (${detail}).`);
}

/** Returns true for a non-empty list or object. */
function isFilled(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

/** Returns true if a `tool_choice` or a `function_call` requires the model to call a tool. */
function demandsCall(value: unknown): boolean {
  if (typeof value === 'string') return !['', 'none', 'auto'].includes(value);
  if (!isFilled(value) || Array.isArray(value)) return false;
  const { type } = value as { type?: unknown };
  return type !== 'none' && type !== 'auto';
}

/** Returns the type of a `response_format`, which some clients send as a string instead of an object. */
function formatOf(value: unknown): unknown {
  return isFilled(value) ? (value as { type?: unknown }).type : value;
}

const IN_WORDS = 'must be `text`: agents do not support structured output';
const responseFormat = z
  .unknown()
  .superRefine((value, context) => {
    const type = formatOf(value);
    if (typeof type !== 'string' || type === '' || type === 'text') return;
    const path = type === value ? [] : ['type'];
    context.addIssue({ code: 'custom', path, message: IN_WORDS });
  })
  .optional()
  .describe('Any type other than `text` is rejected.');

const modalities = z
  .unknown()
  .superRefine((value, context) => {
    const asked: unknown[] = Array.isArray(value) ? value : [value];
    const at = asked.findIndex((one) => typeof one === 'string' && one !== '' && one !== 'text');
    if (at === -1) return;
    const path = Array.isArray(value) ? [at] : [];
    context.addIssue({
      code: 'custom',
      path,
      message: 'must be `text`: agents reply with text only',
    });
  })
  .optional()
  .describe('Any value other than `text` is rejected.');

/** Maximum length of a stored user id. */
const USER_CHARS_MAX = 256;

/**
 * Identifier of the user. Numbers and objects are stored as JSON, so that different users keep different identifiers.
 */
const who = z
  .unknown()
  .transform((value, context): string | null => {
    const text =
      value === null ? '' : typeof value === 'string' ? value : storable(JSON.stringify(value));
    if (text.length > USER_CHARS_MAX) {
      context.addIssue({
        code: 'custom',
        message: `must have at most ${USER_CHARS_MAX} characters`,
      });
      return z.NEVER;
    }
    return text === '' ? null : text;
  })
  .optional();

const MEMBERS_MAX = 50;
const NAME_CHARS_MAX = 128;
const VALUE_CHARS_MAX = 1_024;

/**
 * Metadata in any form. Numbers and objects, which Vapi and other clients send, are stored as JSON. Long values are
 * truncated. Members with long names, and members beyond the first 50, are dropped.
 */
const anyMetadata = z
  .unknown()
  .transform((value): Record<string, string> => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
    const members = Object.entries(value).flatMap(([name, member]): [string, string][] => {
      const text = typeof member === 'string' ? member : JSON.stringify(member ?? null);
      const isTaken = name !== '' && name.length <= NAME_CHARS_MAX && name !== '__proto__';
      return isTaken && (member ?? null) !== null ? [[name, storable(text, VALUE_CHARS_MAX)]] : [];
    });
    return Object.fromEntries(members.slice(0, MEMBERS_MAX));
  })
  .optional()
  .meta({
    description:
      'Metadata of the conversation. `conversation_id` selects a conversation to continue. Values that ' +
      'are not strings are stored as JSON.',
    type: 'object',
    additionalProperties: true,
  });

/**
 * Body of a completion request. Fields that are not listed here are ignored, whatever their type, because clients keep
 * adding new ones.
 */
export const CompletionBody = z
  .object({
    model: z
      .string()
      .max(128)
      .describe('ID of an agent or of one of its versions: `agt_…` or `agt_…@3`.'),
    messages: z
      .array(message)
      .max(MESSAGES_MAX)
      .describe(
        'Messages so far, oldest first. If no user message follows the last reply, the agent sends the ' +
          'next message by itself, for example a greeting.',
      ),
    stream: z
      .boolean()
      .nullish()
      .describe('If true, the response is streamed in chunks as server-sent events.'),
    stream_options: z
      .unknown()
      .optional()
      .describe('`include_usage: true` adds the token usage to a stream.'),
    n: unless((value) => Number(value) > 1, 'must be 1: an agent returns one reply'),
    metadata: anyMetadata,
    user: who.describe('Your own ID for the user. It becomes the `user_id` of the conversation.'),
    safety_identifier: who.describe('Your own ID for the user. It is used if `user` is absent.'),
    tools: unless(isFilled, TOOLS_RUN_HERE),
    tool_choice: unless(demandsCall, TOOLS_RUN_HERE),
    functions: unless(isFilled, TOOLS_RUN_HERE),
    function_call: unless(demandsCall, TOOLS_RUN_HERE),
    audio: unless(isFilled, 'must be omitted: agents reply with text only'),
    modalities,
    response_format: responseFormat,
  })
  .describe('The chat to continue.');

const usage = z.strictObject({
  prompt_tokens: z.int().min(0),
  completion_tokens: z.int().min(0),
  total_tokens: z.int().min(0),
});
export type Usage = z.output<typeof usage>;

const FINISH_REASONS = ['stop', 'length', 'content_filter'] as const;
export type FinishReason = (typeof FINISH_REASONS)[number];

export const Completion = z
  .strictObject({
    id: z.string().meta({ description: 'ID of the completion, `chatcmpl-…`.' }),
    object: z.literal('chat.completion'),
    created: z.int().meta({ description: 'Unix seconds.' }),
    model: z.string().meta({ description: 'Name of the model, as given in the request.' }),
    system_fingerprint: z
      .string()
      .meta({ description: 'Agent version that replied, such as `agt_…@3`.' }),
    choices: z.array(
      z.strictObject({
        index: z.int(),
        message: z.strictObject({
          role: z.literal('assistant'),
          content: z.string(),
          refusal: z.null(),
        }),
        logprobs: z.null(),
        finish_reason: z.enum(FINISH_REASONS),
      }),
    ),
    usage,
    metadata: z.strictObject({ conversation_id: z.string() }),
  })
  .meta({ id: 'ChatCompletion', description: "The agent's reply." });
export type Completion = z.output<typeof Completion>;

/** Properties of a response that are known before its first word is generated. */
export type Head = Pick<Completion, 'id' | 'created' | 'model' | 'system_fingerprint' | 'metadata'>;

export function completionOf(
  head: Head,
  said: { content: string; finishReason: FinishReason; usage: Usage },
): Completion {
  const { content, finishReason: finish_reason, usage } = said;
  const message = { role: 'assistant' as const, content, refusal: null };
  const choices = [{ index: 0, message, logprobs: null, finish_reason }];
  return { ...head, object: 'chat.completion', choices, usage };
}

/**
 * Returns a chunk of a streamed response. If the client requested usage, `usage` is null in every chunk except the
 * last.
 */
export function chunkOf(
  head: Head,
  part: { delta: object; finishReason?: FinishReason } | { usage: Usage },
  hasUsage: boolean,
): object {
  const isUsage = 'usage' in part;
  const choices = isUsage
    ? []
    : [{ index: 0, delta: part.delta, logprobs: null, finish_reason: part.finishReason ?? null }];
  const usage = isUsage ? part.usage : null;
  return { ...head, object: 'chat.completion.chunk', choices, ...(hasUsage && { usage }) };
}

const [NAME] = saying(
  /^agt_[0-9a-z]{26}(@[1-9][0-9]{0,9})?$/,
  'must be the ID of an agent, such as agt_…, or of one of its versions, such as agt_…@3',
);

/** Parses `agt_…` or `agt_…@3`. Returns undefined for any other name. `agentId` is a UUID. */
export function readModelName(
  name: string,
): { agentId: string; version: number | undefined } | undefined {
  if (!NAME.test(name)) return undefined;
  const [id = '', version] = name.split('@');
  const parsed = idValue('agt').safeParse(id);
  const number = version === undefined ? undefined : Number(version);
  if (!parsed.success || (number ?? 0) > VERSION_MAX) return undefined;
  return { agentId: parsed.data, version: number };
}

const VERSION_MAX = 2_147_483_647;

export const Model = z
  .strictObject({
    id: z.string().meta({ description: 'ID of the agent or the version: `agt_…` or `agt_…@3`.' }),
    object: z.literal('model'),
    created: z.int().meta({ description: 'Creation time of the agent, in Unix seconds.' }),
    owned_by: z.string().meta({ description: 'Namespace of the agent.' }),
    name: z.string().meta({ description: 'Display name of the agent.' }),
  })
  .meta({ id: 'OpenAiModel', description: 'An agent, presented as a model.' });

export const Models = z
  .strictObject({ object: z.literal('list'), data: z.array(Model) })
  .meta({ id: 'OpenAiModels', description: 'Agents with an active version.' });
