import OpenAI from 'openai';
import {
  shareConversationFixture,
  startConversationFixture,
  type ConversationFixture,
} from '../conversation-setup.ts';
import type { startApi } from '../../roles/api/api-setup.ts';

/** Agents as OpenAI's own client reaches them. */
export type OpenAiFixture = ConversationFixture & {
  client: (key?: string, options?: object) => OpenAI;
  /** What an application does: sends all that was said, and keeps the reply. */
  chat: (options?: ChatOptions) => Chat;
};

export type ChatOptions = {
  key?: string;
  /** Beside model and messages. */
  fields?: Record<string, unknown>;
  isStreamed?: boolean;
};

export type Chat = {
  messages: OpenAI.ChatCompletionMessageParam[];
  /** The conversation it went to, and what was said. */
  say: (text: string) => Promise<{ conversation: string; reply: string }>;
};

export async function startOpenAiFixture(
  options: Parameters<typeof startApi>[0] = {},
): Promise<OpenAiFixture> {
  return openAiOf(await startConversationFixture(options));
}

/** The same in a namespace of the API that all test files of this worker share. */
export async function shareOpenAiFixture(): Promise<OpenAiFixture> {
  return openAiOf(await shareConversationFixture());
}

function openAiOf(fixture: ConversationFixture): OpenAiFixture {
  const client: OpenAiFixture['client'] = (apiKey = fixture.key, more = {}) =>
    new OpenAI({ baseURL: `${fixture.url}/v1`, apiKey, maxRetries: 0, ...more });
  return {
    ...fixture,
    client,
    chat: ({ key, fields, isStreamed = false } = {}) => {
      const messages: OpenAI.ChatCompletionMessageParam[] = [];
      const openai = client(key);
      return {
        messages,
        say: async (content) => {
          messages.push({ role: 'user', content });
          const body = { model: fixture.agentId, messages, ...fields };
          const { data, response } = isStreamed
            ? await openai.chat.completions.create({ ...body, stream: true }).withResponse()
            : await openai.chat.completions.create(body).withResponse();
          const reply = 'choices' in data ? data.choices[0]!.message.content! : await textOf(data);
          messages.push({ role: 'assistant', content: reply });
          return { conversation: response.headers.get('parley-conversation-id')!, reply };
        },
      };
    },
  };
}

async function textOf(chunks: AsyncIterable<OpenAI.ChatCompletionChunk>): Promise<string> {
  let text = '';
  for await (const { choices } of chunks) text += choices[0]?.delta.content ?? '';
  return text;
}
