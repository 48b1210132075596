import { LRUCache } from 'lru-cache';
import { estimateTokenCount } from 'tokenx';
import type { ModelMessage } from '../../../models/model.ts';
import { quoted } from '../../record/quoted.ts';
import { byRequest, NOT_KNOWN } from './tool-turns.ts';
import type { TurnRow } from '../../record/turns.sql.ts';

/**
 * This module converts earlier turns into the messages that a model reads. Providers cache the beginning of a prompt,
 * so messages are only appended from turn to turn. When the history becomes too long, half of it is removed in one
 * step, so that the new beginning stays the same for many turns.
 */

/** Maximum number of tokens of all earlier turns together. */
export const HISTORY_TOKENS_MAX = 24_000;
/** Number of tokens that are removed in one step from a history that is too long. */
const STEP_TOKENS = HISTORY_TOKENS_MAX / 2;

/**
 * Minimum number of earlier turns that are read, if the conversation has that many. The maximum is one and a half times
 * as high.
 */
const TURNS_KEPT = 128;
const STEP_TURNS = TURNS_KEPT / 2;

/** Maximum number of characters of one turn in the history. The transcript has the whole text. */
const SAID_CHARS_MAX = 16_000;
const TOOL_CHARS_MAX = 2_000;

/**
 * Returns how many of the last turns to read. The number varies, so that the oldest turn that is read stays the same
 * for 64 turns.
 */
export function turnsToRead(turnCount: number): number {
  if (turnCount <= TURNS_KEPT) return turnCount;
  return turnCount - Math.floor((turnCount - TURNS_KEPT) / STEP_TURNS) * STEP_TURNS;
}

/** Converts consecutive turns, oldest first, into messages. */
export type MakeHistory = (conversationId: string, turns: readonly TurnRow[]) => ModelMessage[];

export function createHistory(): MakeHistory {
  const counted = new LRUCache<string, number>({ max: 20_000 });
  const tokensOf = (conversationId: string, turn: TurnRow): number => {
    const key = `${conversationId} ${turn.index}`;
    const known = counted.get(key);
    if (known !== undefined) return known;
    const count = estimateTokenCount(wordsOf(turn));
    counted.set(key, count);
    return count;
  };
  return (conversationId, turns) => {
    const chars = turns.reduce((sum, turn) => sum + wordsOf(turn).length, 0);
    // Every token has at least one character, so a history with at most `HISTORY_TOKENS_MAX` characters always fits.
    // Most histories are that short, so their tokens do not have to be counted.
    if (chars <= HISTORY_TOKENS_MAX) return messagesOf(turns);
    const tokens = turns.map((turn) => tokensOf(conversationId, turn));
    return messagesOf(turns.slice(firstKept(tokens)));
  };
}

/**
 * Returns the index of the first turn to keep. It moves in steps of `STEP_TOKENS`, even if the history is only slightly
 * too long.
 */
function firstKept(tokens: readonly number[]): number {
  const tooMany = tokens.reduce((sum, count) => sum + count, 0) - HISTORY_TOKENS_MAX;
  if (tooMany <= 0) return 0;
  let toDrop = Math.ceil(tooMany / STEP_TOKENS) * STEP_TOKENS;
  const kept = tokens.findIndex((count) => {
    toDrop -= count;
    return toDrop < 0;
  });
  return kept === -1 ? tokens.length : kept;
}

function wordsOf(turn: TurnRow): string {
  if (turn.role !== 'tool') return cut(turn.text, SAID_CHARS_MAX);
  const { message, call } = turn.providerMetadata ?? {};
  const more = message || call ? JSON.stringify([message, call]) : '';
  return `${argumentsOf(turn)}${contentOf(turn)}${more}`;
}

function messagesOf(all: readonly TurnRow[]): ModelMessage[] {
  const messages: ModelMessage[] = [];
  const turns = withoutRefused(all);
  turns.forEach((turn, at) => {
    if (turn.role !== 'tool') messages.push(...saidBy(turn));
    else if (turns[at - 1]?.role !== 'tool') messages.push(...callsFrom(turns, at));
  });
  return messages;
}

/**
 * Removes messages that a content filter blocked, and messages whose reply the filter cut off. The filter would also
 * block every later prompt with these messages.
 */
function withoutRefused(turns: readonly TurnRow[]): readonly TurnRow[] {
  if (!turns.some(isRefused)) return turns;
  const left: TurnRow[] = [];
  for (const turn of turns) {
    if (!isRefused(turn)) left.push(turn);
    else while (left.at(-1)?.role === 'tool' || left.at(-1)?.role === 'user') left.pop();
  }
  return left;
}

function isRefused({ error, model }: TurnRow): boolean {
  return error?.code === 'model_content_filter' || model?.finish_reason === 'content_filter';
}

/** Returns the messages of a turn. Omits empty text, and text with which Parley replaced a failed reply. */
function saidBy({ role, text, error }: TurnRow): ModelMessage[] {
  const content = cut(text, SAID_CHARS_MAX);
  if (role === 'user') return [{ role, content }];
  if (role === 'human') {
    return [
      {
        role: 'user',
        content: `(A human colleague of yours said to the user: ${quoted(content)})`,
      },
    ];
  }
  if (role === 'system') {
    const by = '(Noted beside the talk, and below your instructions:';
    return [{ role: 'user', content: `${by} ${quoted(content)})` }];
  }
  return error === null && text !== '' ? [{ role: 'assistant', content }] : [];
}

/**
 * Returns the messages for consecutive tool calls: for each model request that made calls, one message with these
 * calls, followed by their results.
 */
function callsFrom(turns: readonly TurnRow[], at: number): ModelMessage[] {
  const end = turns.findIndex((turn, i) => i > at && turn.role !== 'tool');
  const calls = turns
    .slice(at, end === -1 ? undefined : end)
    .filter(({ toolCall }) => toolCall !== null);
  const isFirst = ({ providerMetadata }: TurnRow) => providerMetadata?.message !== undefined;
  return byRequest(calls, isFirst).flatMap(requestOf);
}

function requestOf(calls: readonly TurnRow[]): ModelMessage[] {
  const { provider: from, message: extra } = calls[0]?.providerMetadata ?? {};
  return [
    {
      role: 'assistant',
      content: '',
      toolCalls: calls.map((turn) => ({
        id: callId(turn.index),
        name: String(turn.toolCall?.['name']),
        arguments: argumentsOf(turn),
        ...(turn.providerMetadata?.call && { extra: turn.providerMetadata.call }),
      })),
      ...(from !== undefined && { from }),
      ...(extra && { extra }),
    },
    ...calls.map((turn): ModelMessage => ({
      role: 'tool',
      toolCallId: callId(turn.index),
      content: contentOf(turn),
    })),
  ];
}

/** Returns an id of nine letters and digits, the format of the strictest provider. */
export function callId(index: number): string {
  return `t${String(index).padStart(8, '0')}`;
}

/** Returns the arguments as a JSON object, because some servers reject a prompt with any other value. */
function argumentsOf({ toolCall }: TurnRow): string {
  const given = toolCall?.['arguments'];
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
  const text = isObject ? JSON.stringify(given) : '{}';
  return text.length <= TOOL_CHARS_MAX ? text : '{}';
}

function contentOf({ toolResult }: TurnRow): string {
  const content = toolResult?.['content'];
  return cut(typeof content === 'string' ? content : NOT_KNOWN.content, TOOL_CHARS_MAX);
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max).toWellFormed()}… (cut)`;
}
