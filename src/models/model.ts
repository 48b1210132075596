/**
 * What a turn needs of a language model, whoever serves it. Behind it are the `openai` package, the
 * fallbacks that an agent declares, retries and watchdogs; a turn knows none of them.
 */

/** One message of a prompt, as OpenAI's chat completions name its parts. */
export type ModelMessage =
  | { role: 'system' | 'user'; content: string }
  | {
      role: 'assistant';
      content: string;
      toolCalls?: readonly ModelToolCall[];
      /** What its provider sent beside it; `from` is the provider that gets it back, and no other one. */
      extra?: ProviderFields;
      from?: string;
    }
  | { role: 'tool'; toolCallId: string; content: string };

/** `arguments` is JSON text as the model wrote it: it may be anything. `extra`: what its provider sent with it. */
export type ModelToolCall = {
  id: string;
  name: string;
  arguments: string;
  extra?: ProviderFields;
};

/** Fields such as `reasoning_content` or Gemini's `extra_content`, as a provider sent them and wants them back. */
export type ProviderFields = Readonly<Record<string, unknown>>;

/** `parameters`: JSON Schema of the arguments. */
export type ModelTool = {
  name: string;
  description?: string;
  parameters: Record<string, unknown>;
};

export type ModelRequest = {
  messages: readonly ModelMessage[];
  /**
   * Messages between the first one and this index are of earlier turns: the oldest are left out where the model
   * takes no more.
   */
  historyEnd?: number;
  tools: readonly ModelTool[];
  /**
   * `none`: none of the tools may be called now. They are sent all the same: they are part of what a
   * provider caches, and some refuse a prompt with calls in it that names no tools.
   */
  toolChoice?: 'none';
  /**
   * The text is to be JSON of this JSON Schema (`response_format`). Not every server knows it: one may refuse the
   * request, and another ignore it.
   */
  answerAs?: { name: string; schema: Record<string, unknown> };
  /** Aborted: nobody wants the rest. It settles within 20 ms with what there is, as `interrupted`. */
  signal: AbortSignal;
  /** Parts of the text as they come. Nothing is retried after the first one. */
  onText: (text: string) => void;
  /** All text so far was the thinking of the model. */
  onTakeBack?: () => void;
};

/** Tokens; `estimated`: counted by us, since the answer did not get as far as its usage. */
export type ModelUsage = {
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens: number;
  estimated: boolean;
};

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'interrupted';

export type ModelReply = {
  text: string;
  toolCalls: readonly ModelToolCall[];
  /** What the provider sent beside text and calls; only with calls. */
  extra?: ProviderFields;
  finishReason: FinishReason;
  usage: ModelUsage;
  /** Name of the ModelProvider that answered; `default`: that of the settings. */
  provider: string;
  /** As the provider calls the model that answered. */
  model: string;
  /** By the provider's prices; null: it names none. */
  cost: { amount: number; currency: string } | null;
  /** ms from the request to its first part, of text or of a tool call; null: there was none. */
  timeToFirstTokenMs: number | null;
  durationMs: number;
  /** Requests made for it, with those that failed. */
  attempts: number;
};

/** @throws ModelError when neither the model nor a fallback of it could answer */
export type Model = (request: ModelRequest) => Promise<ModelReply>;

/** The reason of a missing reply, as a turn shows it (contract/messages.md#errors). */
export type ModelErrorCode =
  | 'model_unreachable'
  | 'model_timeout'
  | 'model_unauthorized'
  | 'model_rate_limited'
  | 'model_refused'
  | 'model_content_filter'
  | 'model_failed'
  | 'model_invalid_answer';

/** `message` is for people and safe to show: no key, no URL, no words of the prompt. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly code: ModelErrorCode;
  /** What had come when it broke off, after the first token; undefined: nothing. */
  readonly partial: ModelReply | undefined;

  constructor(
    code: ModelErrorCode,
    message: string,
    options: ErrorOptions & { partial?: ModelReply } = {},
  ) {
    super(message, options);
    this.code = code;
    this.partial = options.partial;
  }
}

/** The part of an agent's `model` that chooses a model (contract/agents.md#models). */
export type ModelChoice = {
  provider?: string | undefined;
  name?: string | undefined;
  temperature?: number | undefined;
  maxTokens?: number | undefined;
  fallback?: readonly { provider?: string | undefined; name?: string | undefined }[] | undefined;
};

/**
 * The model of an agent with its fallbacks; undefined: none is configured, so the built-in responder
 * quotes. A provider that is named and cannot be used is a model that throws, and never undefined.
 */
export type FindModel = (agent: {
  namespace: string;
  model: ModelChoice | undefined;
}) => Promise<Model | undefined>;

/** A provider as its requests need it, opened and with defaults applied. */
export type ModelEndpoint = {
  /** Of the ModelProvider; `default`: that of the settings. */
  provider: string;
  /** As `https://api.example.com/v1`, without a slash at its end. */
  baseUrl: string;
  apiKey: string | undefined;
  /**
   * The header that carries the key: `authorization` as `Bearer KEY`; in the others (Azure: `api-key`)
   * the key alone, and then no `authorization` is sent.
   */
  apiKeyHeader: 'authorization' | 'api-key' | 'x-api-key';
  organization: string | undefined;
  project: string | undefined;
  /** Sent besides; never shown. */
  headers: Readonly<Record<string, string>>;
  /** Query parameters of every request, such as Azure's `api-version`. */
  query: Readonly<Record<string, string>>;
  /** When an agent names none. */
  defaultModel: string | undefined;
  /** Models it may be asked for; empty: any. */
  allowedModels: readonly string[];
  timeouts: { firstTokenMs: number; betweenTokensMs: number; totalMs: number };
  /** Requests at once of this process; null: no limit. */
  maxConcurrent: number | null;
  /** Per million tokens. */
  pricing: { input: number; output: number; cachedInput: number; currency: string } | null;
  /** What it embeds texts with; undefined: nothing is declared. `dimensions` null: the model's own. */
  embeddings?: { defaultModel: string; dimensions: number | null; batchSize: number } | undefined;
  /** What it speaks with; undefined: nothing is declared. `allowedModels` empty: any. */
  speech?:
    | { defaultModel: string; defaultVoice: string; allowedModels: readonly string[] }
    | undefined;
  /** What it writes down what is said with; as `speech`. */
  transcription?: { defaultModel: string; allowedModels: readonly string[] } | undefined;
};

/** `name` undefined: the default one. undefined: there is no such provider, or no default. */
export type FindEndpoint = (
  namespace: string,
  name: string | undefined,
) => Promise<ModelEndpoint | undefined>;
