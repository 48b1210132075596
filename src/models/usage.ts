import { estimateTokens } from './estimate-tokens.ts';
import type {
  ModelEndpoint,
  ModelReply,
  ModelRequest,
  ModelToolCall,
  ModelUsage,
} from './model.ts';

/** Estimates the usage of an answer for which the provider sent no counts. */
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
    inputTokens: estimateTokens(prompt) + tokensOf(called) + estimateTokens(tools),
    outputTokens: estimateTokens(answer.text) + tokensOf(answer.toolCalls),
    cachedInputTokens: 0,
    estimated: true,
  };
}

function tokensOf(calls: readonly ModelToolCall[]): number {
  return estimateTokens(calls.map((call) => `${call.name} ${call.arguments}`).join('\n'));
}

/**
 * Returns the cost by prices per million tokens, rounded to a millionth of a cent, so that sums show no binary
 * fractions.
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
