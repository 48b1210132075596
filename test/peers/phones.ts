import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { startMediaSpeech } from '../calls/phone/media-speech.ts';
import { startStubModel, type StubReply, type StubRequest } from '../models/stub-model.ts';
import type { Parley } from '../roles/parley-process.ts';

/**
 * What the peers that phone talk to: an agent that hears and speaks by a provider of ours, whose sentences are
 * levels and whose callers are pitches, with a number at Twilio and one at Telnyx; and a carrier's API that
 * keeps what it is asked. All of it is on loopback.
 */
export type Phones = {
  /** Variables for a peer's script. */
  env: Record<string, string>;
  stop: () => Promise<void>;
};

const GREETING = 'This is the shop of sounds.';
const STORY = ['one', 'two', 'three', 'four', 'five', 'six'].map(
  (number) => `This is sentence ${number} of a long story that nobody hears to its very end.`,
);
/** In the order of their pitches. */
const UTTERANCES = ['Tell me a story.', 'Stop, please!'];
/** In the order of their levels. */
const SENTENCES = [GREETING, ...STORY, 'You said: Stop, please!'];

export async function startPhones({ call }: Parley): Promise<Phones> {
  const speech = await startMediaSpeech();
  for (const utterance of UTTERANCES) speech.utter(utterance);
  for (const input of SENTENCES) {
    const body = JSON.stringify({ input });
    await (await fetch(`${speech.url}/audio/speech`, { method: 'POST', body })).arrayBuffer();
  }
  const model = await startStubModel({ reply: replyTo, models: ['teller'] });
  const carrier = await startRecorder();
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const make = async (path: string, body: object): Promise<void> => {
    const answer = await call('POST', path, body);
    if (answer.status !== 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  };
  await make('/v1/model_providers', {
    name: 'sounds',
    base_url: speech.url,
    speech: { default_model: 'tts-1', default_voice: 'alloy' },
    transcription: { default_model: 'whisper-1' },
  });
  await make('/v1/model_providers', {
    name: 'teller',
    base_url: model.url,
    chat: { default_model: 'teller' },
  });
  await make('/v1/agents', {
    name: 'sounds',
    prompt: 'You tell stories.',
    first_message: GREETING,
    model: { provider: 'teller' },
    voice: { provider: 'sounds' },
    transcriber: { provider: 'sounds' },
  });
  const bound = (number: string) => ({
    auth_token_secret_ref: { name: 'carrier', key: 'token' },
    numbers: [{ number, agent: 'sounds' }],
  });
  await make('/v1/telephony_providers', {
    name: 'sounds-twilio',
    type: 'twilio',
    account_id: 'AC00000000000000000000000000000002',
    ...bound('+442071838752'),
  });
  await make('/v1/telephony_providers', {
    name: 'sounds-telnyx',
    type: 'telnyx',
    account_id: '1f1a8b6f-1234-4abc-9def-1234567890ab',
    public_key: Buffer.from(x, 'base64url').toString('base64'),
    application_id: '2811212257810187875',
    api_url: carrier.url,
    outbound: { countries: ['GB'], ring_sec: 20, voicemail_message: 'We called.' },
    ...bound('+442071838753'),
  });
  return {
    env: {
      PARLEY_SENTENCES: JSON.stringify(SENTENCES),
      PARLEY_UTTERANCES: JSON.stringify(UTTERANCES),
      PARLEY_TELNYX_API: carrier.url,
      PARLEY_TELNYX_PUBLIC_KEY: Buffer.from(x, 'base64url').toString('base64'),
      PARLEY_TELNYX_KEY: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    },
    stop: async () => {
      await Promise.all([speech.stop(), model.stop(), carrier.stop()]);
    },
  };
}

function replyTo({ body }: StubRequest): StubReply {
  const said = String(body.messages?.at(-1)?.content);
  return { text: said === UTTERANCES[0] ? STORY.join(' ') : `You said: ${said}` };
}

/** Places every call, and tells by `GET /asked` what it was asked before. */
async function startRecorder(): Promise<{ url: string; stop: () => Promise<void> }> {
  const asked: object[] = [];
  const server = createServer((request, response) => {
    void keep(request).then((body) => response.end(JSON.stringify(body)));
  });
  async function keep(request: IncomingMessage): Promise<unknown> {
    const { headers, method, url } = request;
    if (url === '/asked') return asked;
    const { authorization, 'content-type': type } = headers;
    asked.push({ method, url, authorization, type, body: await text(request) });
    return { from: '+442071838753', to: '+447400123456', status: 'queued', calls: [] };
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // It listens on a port.
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
