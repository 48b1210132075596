import { randomBytes } from 'node:crypto';
import { delay } from '../../../src/clock.ts';

import { Parser } from 'htmlparser2';
import { pathsOf } from '../../../src/carriers/carrier.ts';
import { signatureOf } from '../../../src/carriers/twilio/signature.ts';

const PATHS = pathsOf('twilio');

/** Simulated carrier that behaves like Twilio: it signs its webhooks and follows the instructions in the responses. */
export type Carrier = {
  /** Calls Parley's number. */
  ring: () => Promise<{ sid: string; answer: Answer }>;
  /**
   * Reports to Parley that a stream has ended, and returns the next instructions. `isThere` is false if the
   * caller has hung up.
   */
  streamOver: (sid: string, answer: Answer, isThere: boolean) => Promise<Answer>;
  /** Reports to Parley that the call has ended. */
  tellStatus: (sid: string) => Promise<void>;
  /** Returns the status that the carrier reports for a call, or undefined for an unknown call. */
  statusOf: (sid: string) => string | undefined;
  /** Returns the number of webhook requests that were repeated after a failure. */
  repeats: () => number;
};

/** The parts of the TwiML response that the drill supports. */
export type Answer = {
  /** URL and parameters of the stream. */
  stream: { url: string; parameters: Record<string, string> } | undefined;
  /** URL from which the carrier requests instructions when the stream has ended. */
  action: string | undefined;
  /** Names of the TwiML verbs in the response, for error messages. */
  verbs: string;
};

export type CarrierOptions = {
  /**
   * URL at which the drill reaches Parley (`url`), and Parley's public base URL (`baseUrl`). The signatures of the
   * webhooks cover the public URL.
   */
  url: string;
  baseUrl: string;
  account: string;
  token: string;
  number: string;
  from: string;
};

const POST_MS = 10_000;
/** Number of attempts to send a webhook. Twilio repeats a webhook if it cannot connect. */
const TRIES = 3;
const RETRY_MS = 500;

export function createCarrier(options: CarrierOptions): Carrier {
  const { url, baseUrl, account, token, number, from } = options;
  const statuses = new Map<string, string>();
  let repeats = 0;

  async function post(target: string, fields: Record<string, string>): Promise<string> {
    const params = new URLSearchParams({ AccountSid: account, From: from, To: number, ...fields });
    const pathname = target.startsWith('/') ? target : new URL(target).href.slice(originOf(target));
    const signature = signatureOf(token, { url: baseUrl + pathname, params }).toString('base64');
    for (let tries = 1; ; tries += 1) {
      try {
        const response = await fetch(url + pathname, {
          method: 'POST',
          headers: { 'x-twilio-signature': signature },
          body: params,
          signal: AbortSignal.timeout(POST_MS),
        });
        const text = await response.text();
        if (response.ok) return text;
        if (response.status < 500 || tries === TRIES) {
          throw new Error(`${pathname} responded with ${response.status}: ${text.slice(0, 300)}`);
        }
      } catch (error) {
        if (tries === TRIES) throw error;
      }
      repeats += 1;
      await delay(RETRY_MS);
    }
  }

  return {
    ring: async () => {
      const sid = `CA${randomBytes(16).toString('hex')}`;
      statuses.set(sid, 'in-progress');
      const fields = { CallSid: sid, Direction: 'inbound', CallStatus: 'ringing' };
      return { sid, answer: readTwiml(await post(PATHS.voice, fields)) };
    },
    streamOver: async (sid, { action }, isThere) => {
      if (action === undefined) throw new Error('the response has no URL for further instructions');
      const CallStatus = isThere ? 'in-progress' : 'completed';
      if (!isThere) statuses.set(sid, CallStatus);
      return readTwiml(await post(action, { CallSid: sid, CallStatus }));
    },
    tellStatus: async (sid) => {
      statuses.set(sid, 'completed');
      await post(PATHS.status, { CallSid: sid, CallStatus: 'completed', CallDuration: '1' });
    },
    statusOf: (sid) => statuses.get(sid),
    repeats: () => repeats,
  };
}

const originOf = (target: string): number => new URL(target).origin.length;

export function readTwiml(xml: string): Answer {
  const answer: Answer = { stream: undefined, action: undefined, verbs: '' };
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        if (name !== 'Response') answer.verbs += `<${name}>`;
        if (name === 'Connect') answer.action = attributes['action'];
        if (name === 'Stream') answer.stream = { url: attributes['url'] ?? '', parameters: {} };
        if (name === 'Parameter' && answer.stream) {
          answer.stream.parameters[attributes['name'] ?? ''] = attributes['value'] ?? '';
        }
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
  return answer;
}
