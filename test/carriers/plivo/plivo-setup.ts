import { randomUUID } from 'node:crypto';
import { startMediaFixture, type MediaFixture } from '../../calls/phone/media-setup.ts';
import { NUMBER, type startPhoneFixture } from '../../calls/phone/phone-setup.ts';
import { CALLER } from '../../calls/phone/stand-in-carrier.ts';
import { connectPlivoPhone, type PlivoPhone } from './plivo-phone.ts';
import {
  AUTH_ID,
  AUTH_TOKEN,
  startPlivo,
  type Posted,
  type PostOptions,
  type StandInPlivo,
} from './stand-in-plivo.ts';

/** An API with an agent with its own speech providers, and a number at Plivo that rings it. */
export type PlivoFixture = Omit<MediaFixture, 'carrier' | 'ring' | 'connect'> & {
  plivo: StandInPlivo;
  /** Addresses that the owner of the account configures at Plivo. */
  answerUrl: string;
  hangupUrl: string;
  /** Calls the number, and returns our answer. */
  ring: (form?: Record<string, string>, options?: PostOptions) => Promise<Ringing>;
  /** Calls the number, and opens the stream that our answer requests. */
  call: (start?: object) => Promise<PlivoPhone>;
  connect: (ringing: Ringing, start?: object) => Promise<PlivoPhone>;
};

export type Ringing = Posted & { id: string; form: Record<string, string> };

export const digitsOf = (number: string): string => number.slice(1);

export async function startPlivoFixture(
  options: Parameters<typeof startPhoneFixture>[0] = {},
): Promise<PlivoFixture> {
  const plivo = await startPlivo();
  const { carrier, ...phones } = await startMediaFixture(options, {
    token: AUTH_TOKEN,
    provider: { type: 'plivo', account_id: AUTH_ID, api_url: plivo.apiUrl },
  });
  // The fixture's stand-in for Twilio is not needed.
  await carrier.stop();
  plivo.ourUrl = phones.api.url;
  const { data } = await phones.read('/v1/telephony_providers?name=carrier');
  const of = `?provider=${data[0].id}`;
  const answerUrl = `/v1/telephony/plivo/voice${of}`;
  const ring: PlivoFixture['ring'] = async (over = {}, posting = {}) => {
    const id = over['CallUUID'] ?? randomUUID();
    const form = {
      CallUUID: id,
      From: digitsOf(CALLER),
      To: digitsOf(NUMBER),
      Direction: 'inbound',
      CallStatus: 'ringing',
      Event: 'StartApp',
      ...over,
    };
    return { id, form, ...(await plivo.post(answerUrl, form, posting)) };
  };
  const connect: PlivoFixture['connect'] = ({ id, form, verbs }, start) =>
    connectPlivoPhone({ plivo, speech: phones.speech, id, verbs, form, ...(start && { start }) });
  return {
    ...phones,
    plivo,
    answerUrl,
    hangupUrl: `/v1/telephony/plivo/status${of}`,
    ring,
    connect,
    call: async (start) => connect(await ring(), start),
    stop: async () => {
      await phones.stop();
      await plivo.stop();
    },
  };
}
