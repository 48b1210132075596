import { signatureOf } from '../../../src/carriers/twilio/signature.ts';
import { readTwiml } from '../../calls/phone/read-twiml.ts';
import { CARRIER_SECRET, CARRIER_TOKEN, type Attack, type Socket, type Target } from '../attack.ts';

/** Attacks by a carrier, or in the name of one. */

const ACCOUNT = 'ACneighbours';
const NUMBER = '+442071838759';
const VOICE = '/v1/telephony/twilio/voice';

async function declareAccount({ create }: Target): Promise<void> {
  const { name } = await create('/v1/agents', { prompt: 'Sell.', first_message: 'Hello.' });
  await create('/v1/telephony_providers', {
    type: 'twilio',
    account_id: ACCOUNT,
    auth_token_secret_ref: CARRIER_SECRET,
    numbers: [{ number: NUMBER, agent: name }],
  });
}

function form(): Record<string, string> {
  const sid = `CA${crypto.randomUUID().replaceAll('-', '')}`;
  return {
    AccountSid: ACCOUNT,
    CallSid: sid,
    From: '+447700900123',
    To: NUMBER,
    CallStatus: 'ringing',
    Direction: 'inbound',
  };
}

async function post({ url, call }: Target, fields: Record<string, string>, token: string) {
  const params = new URLSearchParams(fields);
  return call('POST', VOICE, {
    key: null,
    body: params.toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': signatureOf(token, { url: url + VOICE, params }).toString('base64'),
    },
  });
}

/** Rings, and opens the socket that the answer names. */
async function ring(target: Target): Promise<Socket | undefined> {
  const fields = form();
  const { status, body } = await post(target, fields, CARRIER_TOKEN);
  const relay = status === 200 ? readTwiml(String(body))[0]?.inside[0] : undefined;
  if (!relay) return undefined;
  const parameters = relay.inside.map(({ attributes }) => [
    attributes['name'],
    attributes['value'],
  ]);
  const { pathname, search } = new URL(relay.attributes['url']!);
  const socket = await target.socket(pathname + search);
  await socket?.send({
    type: 'setup',
    sessionId: 'VX1',
    accountSid: ACCOUNT,
    callSid: fields['CallSid'],
    direction: 'inbound',
    customParameters: Object.fromEntries(parameters),
  });
  return socket;
}

export const carriers: readonly Attack[] = [
  {
    name: 'unsigned-webhooks',
    by: 'carrier',
    bound: '64 KiB a form; 100 wrong signatures a minute from an address: 429',
    answers: ['401'],
    run: (target) => target.again(20, () => post(target, form(), 'not-the-token')),
  },
  {
    name: 'relay-brackets',
    by: 'carrier',
    bound: '64 KiB a frame; work in proportion to the text',
    answers: ['200'],
    run: async (target) => {
      await declareAccount(target);
      const frame = {
        type: 'prompt',
        voicePrompt: '<'.repeat(target.many(32_000, 1_000)),
        lang: 'en-US',
        last: true,
      };
      await target.again(2, async () => {
        const line = await ring(target);
        await line?.gets('text');
        for (let i = 0; i < target.many(20, 2) && !target.signal.aborted; i += 1)
          await line?.send(frame);
        line?.close();
        await line?.closed;
      });
    },
  },
  {
    name: 'many-rings',
    by: 'carrier',
    bound: '`inbound.max_concurrent_calls` of a provider: the busy message',
    answers: ['200'],
    run: async (target) => {
      await declareAccount(target);
      await target.again(10, () => post(target, form(), CARRIER_TOKEN));
    },
  },
];
