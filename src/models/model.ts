/**
 * Interface between conversation turns and language models. The implementation uses the `openai` package and has
 * fallbacks, retries and watchdogs; turns do not depend on these.
 */

/** One message of a prompt, with the roles of OpenAI's chat completions. */
export type ModelMessage =
  | { role: 'system' | 'user'; content: string }
  | {
      role: 'assistant';
      content: string;
      toolCalls?: readonly ModelToolCall[];
      /** Provider-specific fields. They are sent back only to the provider that `from` names. */
      extra?: ProviderFields;
      from?: string;
    }
  | { role: 'tool'; toolCallId: string; content: string };

/**
 * A tool call. `arguments` is JSON text as the model wrote it, and may be invalid. `extra` contains provider-specific
 * fields.
 */
export type ModelToolCall = {
  id: string;
  name: string;
  arguments: string;
  extra?: ProviderFields;
};

/**
 * Fields such as `reasoning_content` or Gemini's `extra_content`, which a provider sends with an answer and may require
 * in later requests.
 */
export type ProviderFields = Readonly<Record<string, unknown>>;

/** A tool. `parameters` is the JSON Schema of the arguments. */
export type ModelTool = {
  name: string;
  description?: string;
  parameters: Record<string, unknown>;
};

export type ModelRequest = {
  messages: readonly ModelMessage[];
  /**
   * Index that separates earlier turns from the current one: the messages after the first message and before this index
   * belong to earlier turns. The oldest of these turns are dropped if the prompt exceeds the limit of the model.
   */
  historyEnd?: number;
  tools: readonly ModelTool[];
  /**
   * `none` forbids calls in this request. The tools are sent anyway, because providers cache them and some reject a
   * prompt that has calls but no tools.
   */
  toolChoice?: 'none';
  /**
   * JSON schema that the text must follow (`response_format`). Servers that do not support it reject the request or
   * ignore the field.
   */
  answerAs?: { name: string; schema: Record<string, unknown> };
  /** Aborts the request. The request then settles within 20 ms with the partial answer, as `interrupted`. */
  signal: AbortSignal;
  /** Called with each part of the text. After the first call, the request is not retried. */
  onText: (text: string) => void;
  /** Called if all text passed to `onText` so far was reasoning and must be withdrawn. */
  onTakeBack?: () => void;
};

/**
 * Token counts. `estimated` means that Parley has estimated them, because the answer ended before the provider sent its
 * usage.
 */
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
  /** Provider-specific fields in addition to text and calls. Present only with calls. */
  extra?: ProviderFields;
  finishReason: FinishReason;
  usage: ModelUsage;
  /** Name of the ModelProvider that answered, or `default` for the default provider from the settings. */
  provider: string;
  /** Name of the model at its provider. */
  model: string;
  /** Cost by the provider's prices; `null` if the provider declares no prices. */
  cost: { amount: number; currency: string } | null;
  /** Milliseconds from the request to the first part of text or of a tool call; `null` if no part arrived. */
  timeToFirstTokenMs: number | null;
  durationMs: number;
  /** Number of requests that were sent, including failed ones. */
  attempts: number;
};

/** Returns the reply of a model. @throws ModelError if neither the model nor its fallbacks could answer */
export type Model = (request: ModelRequest) => Promise<ModelReply>;

/** Reason why a reply is missing, as a turn reports it (contract/messages.md#errors). */
export type ModelErrorCode =
  | 'model_unreachable'
  | 'model_timeout'
  | 'model_unauthorized'
  | 'model_rate_limited'
  | 'model_refused'
  | 'model_content_filter'
  | 'model_failed'
  | 'model_invalid_answer';

/**
 * Error for a request that no model could answer. `message` is written for people and is safe to show: it contains no
 * key, no URL and no text from the prompt.
 */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly code: ModelErrorCode;
  /** Partial reply, if the answer was interrupted after its first token. */
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

/** The part of an agent's `model` that selects a model (contract/agents.md#models). */
export type ModelChoice = {
  provider?: string | undefined;
  name?: string | undefined;
  temperature?: number | undefined;
  maxTokens?: number | undefined;
  fallback?: readonly { provider?: string | undefined; name?: string | undefined }[] | undefined;
};

/**
 * Returns the model of an agent with its fallbacks. Returns `undefined` if none is configured. In that case, the agent
 * answers with quotes from its knowledge. For an unusable provider, returns a model that throws.
 */
export type FindModel = (agent: {
  namespace: string;
  model: ModelChoice | undefined;
}) => Promise<Model | undefined>;

/** A provider with its key decrypted and defaults applied. */
export type ModelEndpoint = {
  /** Name of the ModelProvider, or `default` for the default provider from the settings. */
  provider: string;
  /** URL without a trailing slash, such as `https://api.example.com/v1`. */
  baseUrl: string;
  apiKey: string | undefined;
  /**
   * Header that carries the key. `authorization` carries `Bearer KEY`. The other headers (Azure: `api-key`) carry only
   * the key, and no `authorization` header is sent.
   */
  apiKeyHeader: 'authorization' | 'api-key' | 'x-api-key';
  organization: string | undefined;
  project: string | undefined;
  /** Additional headers. Their values are never shown. */
  headers: Readonly<Record<string, string>>;
  /** Query parameters of every request, such as Azure's `api-version`. */
  query: Readonly<Record<string, string>>;
  /** Model for agents that do not name one. */
  defaultModel: string | undefined;
  /** Models that agents may use; empty for any. */
  allowedModels: readonly string[];
  timeouts: { firstTokenMs: number; betweenTokensMs: number; totalMs: number };
  /** Maximum number of concurrent requests of this process; `null` without a limit. */
  maxConcurrent: number | null;
  /** Prices per million tokens; `null` if the provider declares none. */
  pricing: { input: number; output: number; cachedInput: number; currency: string } | null;
  /** Embedding settings; `undefined` if none are declared. `dimensions` is `null` for the default of the model. */
  embeddings?: { defaultModel: string; dimensions: number | null; batchSize: number } | undefined;
  /** Speech settings; `undefined` if none are declared. An empty `allowedModels` allows any model. */
  speech?:
    | { defaultModel: string; defaultVoice: string; allowedModels: readonly string[] }
    | undefined;
  /** Transcription settings; `undefined` if none are declared. An empty `allowedModels` allows any. */
  transcription?: { defaultModel: string; allowedModels: readonly string[] } | undefined;
};

/** Returns a provider, or `undefined` if it does not exist. A `name` of `undefined` stands for the default provider. */
export type FindEndpoint = (
  namespace: string,
  name: string | undefined,
) => Promise<ModelEndpoint | undefined>;
