import { expect } from 'vitest';
import { startApi, type Api, type Reply } from '../roles/api/api-setup.ts';
import { addPools, meanwhile } from '../calls/passing-time.ts';
import { startMediaSpeech, type MediaSpeech } from '../calls/phone/media-speech.ts';
import { openPage, type Page, type PageOptions } from './page.ts';

/** An API with an agent that pages of one origin may talk with, by voice too. */
export type TalkFixture = {
  api: Api;
  speech: MediaSpeech;
  agentId: string;
  read: (path: string) => Promise<Reply['body']>;
  /** A page asks for a token, as a browser does. */
  widgetToken: (options?: { origin?: string | null; agentId?: string }) => Promise<Reply>;
  /** The server of a customer asks for one. */
  talkToken: (json?: object, options?: { agentId?: string; key?: string }) => Promise<Reply>;
  /** A visitor of the page opens the widget and begins a talk. */
  visit: (options?: Partial<PageOptions> & { url?: string }) => Promise<Page>;
  /** Role and text of each turn, with ` (interrupted)` where it was. */
  transcript: (conversationId: string) => Promise<string[]>;
  events: (conversationId: string) => Promise<string[]>;
  stop: () => Promise<void>;
};

export const ORIGIN = 'https://shop.example.com';
export const GREETING = 'Hello, this is the shop.';
const SPEECH = 'speech';

export async function startTalkFixture(
  options: Parameters<typeof startApi>[0] = {},
  agent: object = {},
): Promise<TalkFixture> {
  const speech = await startMediaSpeech();
  const api = await startApi(options);
  const removePools = addPools(...api.pools);
  const json = {
    name: 'shop',
    display_name: 'The shop',
    prompt: 'Sell.',
    first_message: GREETING,
    voice: { provider: SPEECH },
    transcriber: { provider: SPEECH },
    widget: { allowed_origins: [ORIGIN] },
    ...agent,
  };
  const made = await api.call('POST', '/v1/agents', { json });
  expect([made.status, made.text]).toEqual([201, expect.anything()]);
  const agentId: string = made.body.id;
  await declareSpeech(api, speech);
  const read = async (path: string): Promise<Reply['body']> => {
    const reply = await api.call('GET', path);
    expect(reply.status).toBe(200);
    return reply.body;
  };
  const widgetToken: TalkFixture['widgetToken'] = ({ origin = ORIGIN, ...of } = {}) =>
    api.call('POST', '/v1/widget/tokens', {
      key: null,
      json: { agent_id: of.agentId ?? agentId },
      headers: origin === null ? {} : { origin },
    });
  return {
    api,
    speech,
    agentId,
    read,
    widgetToken,
    talkToken: (body, of = {}) =>
      api.call('POST', `/v1/agents/${of.agentId ?? agentId}/talk_tokens`, {
        ...(body && { json: body }),
        ...(of.key !== undefined && { key: of.key }),
      }),
    visit: async ({ url = api.url, token, ...page } = {}) => {
      const { body } = token === undefined ? await widgetToken() : { body: { token } };
      return openPage(`${url.replace(/^http/, 'ws')}/v1/talk`, speech, {
        origin: ORIGIN,
        mode: 'chat',
        ...page,
        token: body.token,
      });
    },
    transcript: async (id) => {
      const { turns } = await read(`/v1/conversations/${id}/transcript`);
      return turns.map(
        ({ role, text, interrupted }: { role: string; text: string; interrupted: boolean }) =>
          `${role}: ${text}${interrupted ? ' (interrupted)' : ''}`,
      );
    },
    events: async (id) => {
      const { data } = await read(`/v1/events?conversation_id=${id}`);
      return data.map(({ type }: { type: string }) => type).toReversed();
    },
    stop: async () => {
      removePools();
      await meanwhile(api.stop());
      await speech.stop();
    },
  };
}

async function declareSpeech(api: Api, speech: MediaSpeech): Promise<void> {
  const declared = await api.call('POST', '/v1/model_providers', {
    json: {
      name: SPEECH,
      base_url: speech.url,
      speech: { default_model: 'tts-1', default_voice: 'alloy' },
      transcription: { default_model: 'whisper-1' },
    },
  });
  expect([declared.status, declared.text]).toEqual([201, expect.anything()]);
  await api.engine.settled('ModelProvider', SPEECH);
}
