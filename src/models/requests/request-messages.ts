import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { estimateTokenCount } from 'tokenx';
import type { ModelMessage, ModelRequest, ModelToolCall, ProviderFields } from '../model.ts';
import type { Capabilities } from './capabilities.ts';

type Prompt = Pick<ModelRequest, 'messages' | 'historyEnd'>;
type Assistant = Extract<ModelMessage, { role: 'assistant' }>;

/**
 * Placeholder before a prompt that begins with an assistant message, because the chat templates of Mistral and Gemma
 * require a user message first.
 */
const BEGINNING: ModelMessage = { role: 'user', content: '(The conversation begins.)' };
/** Placeholder for the missing answer of a turn that ended with tool calls. */
const NO_ANSWER: ModelMessage = { role: 'assistant', content: '(No answer.)' };
/** Placeholder signature that Google documents for calls that another model made. */
const ANY_SIGNATURE = { google: { thought_signature: 'skip_thought_signature_validator' } };
const NO_REASONING = '(none)';

/** Returns the messages of a prompt in the form that the model supports. */
export function wireMessages(
  prompt: Prompt,
  to: { provider: string; capabilities: Capabilities },
): ChatCompletionMessageParam[] {
  const { capabilities } = to;
  const fitting = fittingMessages(prompt, capabilities.promptTokens);
  const begun = withUserFirst(fitting);
  const strict = capabilities.roles === 'strict' ? withAnswers(begun) : begun;
  const placed = capabilities.system === 'own' ? strict : withoutSystem(strict);
  return joined(placed).map((message) => wireMessage(message, to));
}

/**
 * Drops the oldest turns of a long prompt. Drops many at a time, so that the following prompts have the same prefix,
 * which providers cache.
 */
function fittingMessages({ messages, historyEnd = 0 }: Prompt, limit: number | undefined) {
  if (limit === undefined || historyEnd <= 1) return messages;
  const tokens = messages.map(promptTokensOf);
  const tooMany = tokens.reduce((sum, count) => sum + count, 0) - limit;
  if (tooMany <= 0) return messages;
  const step = Math.max(1, Math.floor(limit / 2));
  let toDrop = Math.ceil(tooMany / step) * step;
  let from = 1;
  for (; from < historyEnd && toDrop > 0; from += 1) toDrop -= tokens[from] ?? 0;
  while (from < historyEnd && messages[from]?.role !== 'user') from += 1;
  return [...messages.slice(0, 1), ...messages.slice(from)];
}

/** Estimates the number of tokens that a server counts for a message. */
export function promptTokensOf(message: ModelMessage): number {
  const calls = message.role === 'assistant' ? JSON.stringify(message.toolCalls ?? []) : '';
  const extra = message.role === 'assistant' ? JSON.stringify(message.extra ?? '') : '';
  return estimateTokenCount(message.content + calls + extra) + 4;
}

function withUserFirst(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const first = messages.findIndex(({ role }) => role !== 'system');
  if (messages[first]?.role !== 'assistant') return messages;
  return [...messages.slice(0, first), BEGINNING, ...messages.slice(first)];
}

/**
 * Separates a tool result from a user message that follows it. If that message contains Parley's notes and ends the
 * prompt, its text is appended to the tool result. Otherwise, a placeholder answer is inserted between the two.
 */
function withAnswers(messages: readonly ModelMessage[]): ModelMessage[] {
  return messages.reduce<ModelMessage[]>((before, message, at) => {
    const last = before.at(-1);
    if (last?.role !== 'tool' || message.role !== 'user') return [...before, message];
    const isEnd = at === messages.length - 1 && message.content.startsWith('(');
    if (!isEnd) return [...before, NO_ANSWER, message];
    return [...before.slice(0, -1), { ...last, content: `${last.content}\n\n${message.content}` }];
  }, []);
}

function withoutSystem(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const system = messages.filter(({ role }) => role === 'system');
  const rest = messages.filter(({ role }) => role !== 'system');
  const content = system.map((message) => message.content).join('\n\n');
  return content === '' ? rest : [{ role: 'user', content }, ...rest];
}

/** Joins consecutive messages with the same role, except tool results. */
function joined(messages: readonly ModelMessage[]): ModelMessage[] {
  const all: ModelMessage[] = [];
  for (const message of messages) {
    const last = all.at(-1);
    const one = last && joinTwo(last, message);
    if (one) all[all.length - 1] = one;
    else all.push(message);
  }
  return all;
}

function joinTwo(last: ModelMessage, next: ModelMessage): ModelMessage | undefined {
  if (last.role === 'tool' || last.role !== next.role) return undefined;
  const content = [last.content, next.content].filter(Boolean).join('\n\n');
  if (last.role !== 'assistant') return { ...last, content };
  // The cast is safe, because both messages have the same role.
  return last.toolCalls?.length ? undefined : { ...(next as Assistant), content };
}

type To = { provider: string; capabilities: Capabilities };

function wireMessage(message: ModelMessage, to: To): ChatCompletionMessageParam {
  if (message.role === 'tool') {
    return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
  }
  if (message.role !== 'assistant') return message;
  const { capabilities } = to;
  const { content, toolCalls = [], extra, from } = message;
  const isOwn = from === to.provider;
  const reasoning = reasoningFor(capabilities.reasoning, isOwn ? extra : undefined);
  if (toolCalls.length === 0) return { role: 'assistant', content, ...reasoning };
  return {
    role: 'assistant',
    // Several servers reject an empty text in a message with calls.
    content: content === '' ? capabilities.emptyContent : content,
    ...reasoning,
    tool_calls: toolCalls.map((call, at) => wireCall(call, capabilities.callFields, { isOwn, at })),
  };
}

function reasoningFor(
  mode: Capabilities['reasoning'],
  extra: ProviderFields | undefined,
): ProviderFields {
  if (mode === 'never') return {};
  return mode === 'always' ? { reasoning_content: NO_REASONING, ...extra } : (extra ?? {});
}

function wireCall(
  { id, name, arguments: given, extra = {} }: ModelToolCall,
  mode: Capabilities['callFields'],
  { isOwn, at }: { isOwn: boolean; at: number },
) {
  const { function: ofFunction, ...ofCall } = isOwn && mode !== 'never' ? extra : {};
  const more = typeof ofFunction === 'object' ? ofFunction : {};
  const hasSignature = Object.keys(ofCall).length > 0 || Object.keys(more ?? {}).length > 0;
  // The first of several parallel calls carries a signature, and the others carry none.
  const isFilled = mode === 'filled' && !hasSignature && at === 0;
  return {
    id,
    type: 'function' as const,
    function: { name, arguments: given, ...more },
    ...(isFilled ? { extra_content: ANY_SIGNATURE } : ofCall),
  };
}
