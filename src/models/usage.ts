import { estimateTokenCount } from 'tokenx';
import type {
  ModelEndpoint,
  ModelReply,
  ModelRequest,
  ModelToolCall,
  ModelUsage,
} from './model.ts';

/**
 * Maximum number of characters that the estimator reads. Reading this many takes about 2 ms; more would take longer.
 */
const CHARS_READ = 16_000;

/**
 * Estimates the number of tokens of a text. For texts beyond 16,000 characters, it extrapolates from their beginning.
 */
export function estimateTokens(text: string): number {
  const read = text.slice(0, CHARS_READ);
  const tokens = estimateTokenCount(read);
  return text === read ? tokens : Math.round((tokens * text.length) / read.length);
}

/** Estimates the token counts of an answer for which the provider sent none. */
export function estimateUsage(
  request: Pick<ModelRequest, 'messages' | 'tools'>,
  answer: { text: string; toolCalls: readonly ModelToolCall[] },
): ModelUsage {
  const prompt = request.messages.map(({ content }) => content).join('\n');
  const called = request.messages.flatMap((message) =>
    message.role === 'assistant' ? (message.toolCalls ?? []) : [],
  );
  const tools = request.tools.length === 0 ? '' : JSON.stringify(request.tools);
  return {
    inputTokens: estimateTokens(prompt) + tokensOfCalls(called) + estimateTokens(tools),
    outputTokens: estimateTokens(answer.text) + tokensOfCalls(answer.toolCalls),
    cachedInputTokens: 0,
    estimated: true,
  };
}

function tokensOfCalls(calls: readonly ModelToolCall[]): number {
  return estimateTokens(calls.map((call) => `${call.name} ${call.arguments}`).join('\n'));
}

/**
 * Returns the cost by prices per million tokens, rounded to a millionth of a cent, so that sums show no floating-point
 * rounding errors.
 */
export function costOf(pricing: ModelEndpoint['pricing'], usage: ModelUsage): ModelReply['cost'] {
  if (pricing === null) return null;
  const { inputTokens, outputTokens, cachedInputTokens } = usage;
  const millionths =
    (inputTokens - cachedInputTokens) * pricing.input +
    cachedInputTokens * pricing.cachedInput +
    outputTokens * pricing.output;
  return { amount: Math.round(millionths * 100) / 100_000_000, currency: pricing.currency };
}
