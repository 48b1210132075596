import type { ModelUsage } from '../model.ts';

/** A JSON object of unknown form. Values of an unexpected type are treated as absent. */
export type Fields = Record<string, unknown>;

/** The parts of an answer in one chunk, under uniform names. */
export type Piece = {
  /** Text of the answer, which may still contain reasoning between tags. */
  text: string;
  calls: Fields[];
  /** Other fields, such as `reasoning_content`, which the provider may require in later requests. */
  extra: Fields;
  hasReasoning: boolean;
};

export type Chunk = {
  delta: Piece | undefined;
  /**
   * The answer so far, or the whole answer. Some servers send this message in addition to the delta or instead of the
   * delta.
   */
  message: Piece | undefined;
  /** Finish reason as the server sent it. */
  finish: string | undefined;
  usage: Omit<ModelUsage, 'estimated'> | undefined;
};

/** Reads one chunk of a stream, or a whole answer. */
export function readChunk(value: unknown): Chunk {
  const fields = fieldsOf(value);
  const choice = fieldsOf(listOf(fields['choices'])[0]);
  return {
    delta: pieceOf(choice['delta']),
    message: pieceOf(choice['message']),
    finish: textOf(choice['finish_reason']),
    usage: usageOf(fields['usage']),
  };
}

/** Names of the fields in which servers send the reasoning of a model, or its signature. */
const EXTRA_NAMES = [
  'reasoning_content',
  'reasoning',
  'reasoning_details',
  'thinking_blocks',
  'extra_content',
  'thought_signature',
];

function pieceOf(value: unknown): Piece | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = fieldsOf(value);
  const content = contentOf(fields['content']);
  const { function_call: single } = fields;
  const calls = listOf(fields['tool_calls']).map(fieldsOf);
  const extra = Object.fromEntries(
    EXTRA_NAMES.flatMap((name) => (isPresent(fields[name]) ? [[name, fields[name]]] : [])),
  );
  return {
    text: content.text === '' ? (textOf(fields['refusal']) ?? '') : content.text,
    // Older servers send a single call without an id, as `function_call`.
    calls: calls.length === 0 && isPresent(single) ? [{ index: 0, function: single }] : calls,
    extra,
    hasReasoning:
      content.hasReasoning || Object.keys(extra).length > 0 || isPresent(fields['thinking']),
  };
}

/**
 * Returns the text in the content of a message. Mistral sends a list of parts; those with the type `thinking` do not
 * belong to the answer.
 */
function contentOf(content: unknown): { text: string; hasReasoning: boolean } {
  if (typeof content === 'string') return { text: content, hasReasoning: false };
  const parts = Array.isArray(content) ? content : [content];
  const texts = parts.map((part) => {
    if (typeof part === 'string') return part;
    const { type, text, refusal } = fieldsOf(part);
    const isAnswer = type === undefined || (typeof type === 'string' && ANSWER_PARTS.has(type));
    return isAnswer ? (textOf(text) ?? textOf(refusal) ?? '') : '';
  });
  const text = texts.join('');
  return { text, hasReasoning: text === '' && parts.some(isPresent) };
}

const ANSWER_PARTS = new Set(['text', 'output_text', 'refusal']);

function isPresent(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  return !Array.isArray(value) || value.length > 0;
}

function usageOf(value: unknown): Chunk['usage'] {
  const told = fieldsOf(value);
  const inputTokens = countOf(told['prompt_tokens']);
  const outputTokens = countOf(told['completion_tokens']);
  // Zero prompt tokens count as missing, because some servers send zeros until they know the counts.
  if (!inputTokens || outputTokens === undefined) return undefined;
  const cached = countOf(fieldsOf(told['prompt_tokens_details'])['cached_tokens']) ?? 0;
  return { inputTokens, outputTokens, cachedInputTokens: Math.min(cached, inputTokens) };
}

function countOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns a non-empty string, or `undefined` for empty text and for other types. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
