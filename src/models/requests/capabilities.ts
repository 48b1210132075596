import type { ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions';

/**
 * Request features that a provider's model supports. Parley learns from the server's errors which features are
 * unsupported.
 */
export type Capabilities = {
  /** Whether the server supports `stream_options.include_usage`. Without it, the usage is estimated. */
  streamUsage: boolean;
  tokenLimit: 'max_tokens' | 'max_completion_tokens';
  temperature: boolean;
  toolChoice: boolean;
  /**
   * How instructions are sent: in a separate system message (`own`), or before the text of the first user message
   * (`in_user`).
   */
  system: 'own' | 'in_user';
  /**
   * `joined`: consecutive messages of the same role are joined. `strict`: in addition, no user message directly follows
   * a tool result.
   */
  roles: 'joined' | 'strict';
  /**
   * Which assistant messages carry reasoning. `own`: only messages from the same provider. `always`: all messages, with
   * a placeholder in those from other providers. `never`: none.
   */
  reasoning: 'own' | 'always' | 'never';
  /**
   * Which calls carry additional fields of their provider. `own`: only calls from the same provider. `filled`: calls
   * from other providers get a placeholder. `never`: none.
   */
  callFields: 'own' | 'filled' | 'never';
  /** Content of an assistant message that has only calls. */
  emptyContent: null | '';
  /**
   * Whether a transcription is requested with segments (`verbose_json`). Each segment includes its probability of being
   * speech.
   */
  segments: boolean;
  /** Maximum size of a prompt in estimated tokens; `undefined` until the server rejects a prompt as too long. */
  promptTokens: number | undefined;
};

/** Hosts whose newer models reject `max_tokens`. Many other servers support only `max_tokens`. */
const TAKES_COMPLETION_TOKENS =
  /(^|\.)(openai\.com|openai\.azure\.com|azure-api\.net|cognitiveservices\.azure\.com)$/;

/** Pattern for OpenAI's newer transcription models, which support only plain JSON. */
const HAS_NO_SEGMENTS = /^gpt-/;
/** Pattern for an error about the response format. */
const NO_SEGMENTS = /response_?format|verbose_?json/;

export function defaultCapabilities(baseUrl: string, model = ''): Capabilities {
  const isNew = TAKES_COMPLETION_TOKENS.test(new URL(baseUrl).hostname);
  return {
    streamUsage: true,
    tokenLimit: isNew ? 'max_completion_tokens' : 'max_tokens',
    temperature: true,
    toolChoice: true,
    system: 'own',
    roles: 'joined',
    reasoning: 'own',
    callFields: 'own',
    emptyContent: null,
    segments: !HAS_NO_SEGMENTS.test(model),
    promptTokens: undefined,
  };
}

/** A rejected request and its error. */
export type Refused = {
  /** The provider's error as JSON in lower case. It must not be shown, because it may quote the prompt. */
  error: string;
  body: ChatCompletionCreateParamsStreaming;
  /** Returns the estimated number of tokens of the rejected prompt. */
  promptTokens: () => number;
  /** Whether the request included earlier turns, which can be dropped. */
  hasHistory: boolean;
};

type Fallback = {
  /** Pattern that the provider's error must match. */
  names: RegExp;
  /** Returns the changed capabilities, or `undefined` if there is nothing left to change. */
  change: (now: Capabilities, refused: Refused) => Partial<Capabilities> | undefined;
};

const UNKNOWN =
  /extra|unsupported|not supported|unknown|unexpected|unrecognized|not permitted|additional/;
const WANTED = /missing|must be|required|requires|pass(ed)? back/;
/** Pattern for errors about the length of a prompt, by OpenAI, vLLM, llama.cpp, TGI, Groq, Anthropic and Gemini. */
const TOO_LONG =
  /context.?(length|size|window)|(prompt|input|request|conversation)( token count)?( is)? too (long|large)|exceeds? the (available|maximum|model|context)|too many (input )?tokens|maximum (number of )?(input )?tokens|tokens? (count )?exceeds|must be <= ?\d+|reduce the length/;

/**
 * Changes to the capabilities after an error. The first entry whose pattern matches the error and whose change has an
 * effect is applied.
 */
const FALLBACKS: readonly Fallback[] = [
  { names: TOO_LONG, change: (_now, refused) => shorter(refused) },
  {
    names: /stream_options|include_usage/,
    change: (_now, { body }) => (body.stream_options ? { streamUsage: false } : undefined),
  },
  {
    names: /max_(completion_)?tokens/,
    change: (_now, { error, body }) => {
      if (!UNKNOWN.test(error) && !error.includes('instead')) return undefined;
      if (body.max_tokens) return { tokenLimit: 'max_completion_tokens' };
      return body.max_completion_tokens ? { tokenLimit: 'max_tokens' } : undefined;
    },
  },
  {
    names: /temperature/,
    change: (_now, { body }) =>
      body.temperature === undefined ? undefined : { temperature: false },
  },
  {
    names: /tool_choice/,
    change: (_now, { body }) => (body.tool_choice ? { toolChoice: false } : undefined),
  },
  {
    names:
      /system(_| )?(role|message|prompt|instruction)|role.{0,40}system|developer instruction|only user(,| and) (assistant|model)/,
    change: (now) => (now.system === 'own' ? { system: 'in_user' } : undefined),
  },
  {
    names: /alternat|roles? must|after (optional )?(the )?system|last message|consecutive/,
    change: (now) => (now.roles === 'joined' ? { roles: 'strict' } : undefined),
  },
  {
    names: /thought_?signature/,
    change: (now, { error }) => {
      const isWanted = WANTED.test(error) && now.callFields !== 'filled';
      return isWanted ? { callFields: 'filled' } : undefined;
    },
  },
  {
    names: /reasoning(_content|_details)?|thinking_blocks|\bthinking\b/,
    change: (now, { error, body }) => {
      if (WANTED.test(error)) return now.reasoning === 'own' ? { reasoning: 'always' } : undefined;
      const isSent = hasMessageField(body, /reasoning|thinking/);
      return isSent ? { reasoning: 'never' } : undefined;
    },
  },
  {
    names: /extra_content|thought_?signature|provider_specific|tool_calls/,
    change: (now, { error, body }) => {
      const isSent = now.callFields !== 'never' && hasCallField(body);
      return isSent && UNKNOWN.test(error) ? { callFields: 'never' } : undefined;
    },
  },
  {
    names: /content.{0,80}(null|none|string)|null.{0,40}content/,
    change: (now, { body }) =>
      now.emptyContent === null && body.messages.some(({ content }) => content === null)
        ? { emptyContent: '' }
        : undefined,
  },
];

/**
 * Returns the capabilities to change after the server rejected a transcription, or `undefined` if no change would help.
 * Only the segments can be omitted.
 */
export function transcriptionFallbackFor(
  { segments }: Capabilities,
  error: string,
): Partial<Capabilities> | undefined {
  return segments && NO_SEGMENTS.test(error) ? { segments: false } : undefined;
}

/**
 * Returns the capabilities to change after the server rejected a request, or `undefined` if no known change would help.
 */
export function fallbackFor(
  now: Capabilities,
  refused: Refused,
): Partial<Capabilities> | undefined {
  for (const { names, change } of FALLBACKS) {
    const changed = names.test(refused.error) ? change(now, refused) : undefined;
    if (changed) return changed;
  }
  return undefined;
}

/**
 * Lowers the limit on the prompt's length. If the error contains two numbers, their ratio shows by how much the prompt
 * is too long. The server's numbers are better than our own estimate.
 */
function shorter({ error, hasHistory, promptTokens }: Refused): Partial<Capabilities> | undefined {
  if (!hasHistory) return undefined;
  // Ignores numbers below 512, which are status codes.
  const numbers = (error.match(/\b\d{3,7}\b/g) ?? []).map(Number).filter((one) => one >= 512);
  const ratio = numbers.length < 2 ? 0.7 : Math.min(...numbers) / Math.max(...numbers);
  const part = Math.min(0.85, Math.max(0.25, ratio * 0.9));
  return { promptTokens: Math.floor(promptTokens() * part) };
}

function hasMessageField({ messages }: Refused['body'], name: RegExp): boolean {
  return messages.some((message) => Object.keys(message).some((key) => name.test(key)));
}

const CALL_FIELDS = new Set(['id', 'type', 'function']);

function hasCallField({ messages }: Refused['body']): boolean {
  const calls = messages.flatMap((message) =>
    'tool_calls' in message ? (message.tool_calls ?? []) : [],
  );
  return calls.some((call) => Object.keys(call).some((key) => !CALL_FIELDS.has(key)));
}
