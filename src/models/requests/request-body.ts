import type {
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import type { ModelEndpoint, ModelMessage, ModelRequest } from '../model.ts';

/** Which servers take the new name of the limit alone; all others know the old one. */
const TAKES_COMPLETION_TOKENS =
  /(^|\.)(openai\.com|openai\.azure\.com|azure-api\.net|cognitiveservices\.azure\.com)$/;

export type Asked = {
  endpoint: ModelEndpoint;
  model: string;
  temperature: number | undefined;
  maxTokens: number | undefined;
  request: Pick<ModelRequest, 'messages' | 'tools' | 'toolChoice' | 'answerAs'>;
};

/** Returns the request as it is sent. */
export function bodyOf({ endpoint, model, temperature, maxTokens, request }: Asked) {
  return {
    model,
    messages: request.messages.map(messageOf),
    stream: true,
    stream_options: { include_usage: true },
    ...(temperature === undefined ? {} : { temperature }),
    ...limitOf(endpoint.baseUrl, maxTokens),
    ...(request.answerAs === undefined
      ? {}
      : {
          response_format: {
            type: 'json_schema' as const,
            json_schema: { ...request.answerAs, strict: true },
          },
        }),
    ...(request.tools.length === 0
      ? {}
      : {
          tools: request.tools.map((tool) => ({
            type: 'function' as const,
            function: { ...tool },
          })),
          ...(request.toolChoice === undefined ? {} : { tool_choice: request.toolChoice }),
        }),
  } satisfies ChatCompletionCreateParamsStreaming;
}

function messageOf(message: ModelMessage): ChatCompletionMessageParam {
  if (message.role === 'tool') {
    return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
  }
  if (message.role !== 'assistant') return message;
  const { content, toolCalls = [] } = message;
  if (toolCalls.length === 0) return { role: 'assistant', content };
  return {
    role: 'assistant',
    // Several servers refuse an empty text beside calls.
    content: content === '' ? null : content,
    tool_calls: toolCalls.map(({ id, name, arguments: given }) => ({
      id,
      type: 'function',
      function: { name, arguments: given },
    })),
  };
}

/**
 * OpenAI itself refuses `max_tokens` for its newer models; many other servers know no
 * `max_completion_tokens`, and some ignore it without a word.
 */
function limitOf(baseUrl: string, maxTokens: number | undefined): Record<string, number> {
  if (maxTokens === undefined) return {};
  return TAKES_COMPLETION_TOKENS.test(new URL(baseUrl).hostname)
    ? { max_completion_tokens: maxTokens }
    : { max_tokens: maxTokens };
}
