import type { ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions';
import type { ModelEndpoint, ModelRequest } from '../model.ts';
import type { Capabilities } from './capabilities.ts';
import { wireMessages } from './request-messages.ts';

export type Asked = {
  endpoint: Pick<ModelEndpoint, 'provider'>;
  model: string;
  temperature: number | undefined;
  maxTokens: number | undefined;
  capabilities: Capabilities;
  request: Pick<ModelRequest, 'messages' | 'historyEnd' | 'tools' | 'toolChoice' | 'answerAs'>;
};

/** Returns the body of a request in the form that the model supports. */
export function bodyOf(asked: Asked): ChatCompletionCreateParamsStreaming {
  const { endpoint, model, temperature, maxTokens, capabilities, request } = asked;
  const { tools, toolChoice, answerAs } = request;
  return {
    model,
    messages: wireMessages(request, { provider: endpoint.provider, capabilities }),
    stream: true,
    ...(capabilities.streamUsage && { stream_options: { include_usage: true } }),
    ...(temperature !== undefined && capabilities.temperature && { temperature }),
    ...(maxTokens !== undefined && { [capabilities.tokenLimit]: maxTokens }),
    ...(answerAs && {
      response_format: { type: 'json_schema', json_schema: { ...answerAs, strict: true } },
    }),
    ...(tools.length > 0 && {
      tools: tools.map((tool) => ({ type: 'function' as const, function: { ...tool } })),
      ...(toolChoice && capabilities.toolChoice && { tool_choice: toolChoice }),
    }),
  };
}
