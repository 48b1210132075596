import { createCallAssembly, fieldsOf, listOf, textOf, type Fields } from './call-assembly.ts';
import type { FinishReason, ModelToolCall, ModelUsage } from './model.ts';

/**
 * An answer as far as it came, put together from the chunks of a stream. What a server sends is
 * anything: nothing is read without looking at its type, and nothing grows without end.
 */
export type AnswerDraft = {
  /** Takes one chunk in. `onText` gets what it adds to the text. */
  take: (chunk: unknown, onText: (text: string) => void) => Taken;
  readonly text: string;
  /** Whether there is anything of an answer: from then on nothing is retried. */
  readonly hasPart: boolean;
  /** Whether the server said that it had finished, and why. */
  readonly isFinished: boolean;
  finishReason: () => FinishReason;
  toolCalls: () => ModelToolCall[];
  /** As the server tells it; undefined: it did not. */
  readonly usage: Omit<ModelUsage, 'estimated'> | undefined;
};

/**
 * `idle`: a sign of life without anything in it; `busy`: words that are no part of the answer, such
 * as the reasoning before it; `part`: of the answer; `full`: a part, and no more is taken.
 */
export type Taken = 'idle' | 'busy' | 'part' | 'full';

const MAX_TEXT_CHARS = 256 * 1024;

/** As servers write the reasons that are not OpenAI's; what is in neither table is a plain end. */
const FINISH_REASONS: Record<string, FinishReason> = {
  stop: 'stop',
  length: 'length',
  max_tokens: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
};

export function createAnswerDraft(): AnswerDraft {
  const calls = createCallAssembly();
  let text = '';
  let finish: string | undefined;
  let usage: AnswerDraft['usage'];
  let isFull = false;

  const takeText = (piece: string, onText: (text: string) => void): void => {
    const fitting = piece.slice(0, MAX_TEXT_CHARS - text.length);
    if (fitting.length < piece.length) isFull = true;
    text += fitting;
    if (fitting !== '') onText(fitting);
  };

  return {
    take: (chunk, onText) => {
      if (isFull) return 'full';
      const fields = fieldsOf(chunk);
      usage = usageOf(fields['usage']) ?? usage;
      const choice = fieldsOf(listOf(fields['choices'])[0]);
      finish = textOf(choice['finish_reason']) ?? finish;
      // A server that ignores `stream` has it whole, as `message`.
      const isWhole = typeof choice['message'] === 'object';
      const delta = fieldsOf(isWhole ? choice['message'] : choice['delta']);
      const words = textOf(delta['content']) ?? textOf(delta['refusal']);
      if (words !== undefined) takeText(words, onText);
      const given = listOf(delta['tool_calls']);
      for (const part of given) isFull ||= !calls.take(fieldsOf(part), isWhole);
      if (isFull) return 'full';
      if (words !== undefined || given.length > 0) return 'part';
      return isReasoning(delta) ? 'busy' : 'idle';
    },
    get text() {
      return text;
    },
    get hasPart() {
      return text !== '' || calls.count > 0;
    },
    get isFinished() {
      return finish !== undefined || isFull;
    },
    get usage() {
      return usage;
    },
    finishReason: () => {
      if (isFull) return 'length';
      const known = FINISH_REASONS[finish ?? ''] ?? 'stop';
      if (known !== 'stop' && known !== 'tool_calls') return known;
      // Some servers say `stop` after calls, and some the other way round.
      return calls.count > 0 ? 'tool_calls' : 'stop';
    },
    toolCalls: () => calls.finished(),
  };
}

function isReasoning(delta: Fields): boolean {
  return (textOf(delta['reasoning_content']) ?? textOf(delta['reasoning'])) !== undefined;
}

function usageOf(value: unknown): AnswerDraft['usage'] {
  const told = fieldsOf(value);
  const inputTokens = countOf(told['prompt_tokens']);
  const outputTokens = countOf(told['completion_tokens']);
  // Some servers tell zeros while they do not know.
  if (!inputTokens || outputTokens === undefined) return undefined;
  const cached = countOf(fieldsOf(told['prompt_tokens_details'])['cached_tokens']) ?? 0;
  return { inputTokens, outputTokens, cachedInputTokens: Math.min(cached, inputTokens) };
}

function countOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
}
