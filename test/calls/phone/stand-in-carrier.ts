import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { signatureOf } from '../../../src/carriers/twilio/signature.ts';
import { until } from '../passing-time.ts';
import { ACCOUNT, TOKEN } from './account.ts';
import { TWILIO_WIRE, type Wire } from './media-wire.ts';
import { connectPhone, type Phone } from './phone.ts';
import { readTwiml, type Verb } from './read-twiml.ts';

/** In what the carriers differ that it stands in for. */
export type Manner = {
  /** Of a TelephonyProvider, and in our paths. */
  type: string;
  account: string;
  newSid: () => string;
  /** Headers of a form that it sends. */
  sign: (
    sent: { url: string; params: URLSearchParams },
    options: PostOptions,
  ) => Record<string, string>;
  /** Of its REST API. */
  isAuthorized: (headers: IncomingHttpHeaders) => boolean;
  /** The id of the call that a path is of; undefined: of all. */
  sidIn: (path: string) => string | undefined;
  /** What it was asked to place. */
  placing: (body: string) => Record<string, string>;
  /** What it answers to that. */
  placed: (call: Record<string, string>) => object;
  /** Of what it tells of a call that comes in, beside what all tell. */
  ringing: Record<string, string>;
  wire: Wire;
};

/** A carrier that speaks Twilio's dialect: it has phones, calls our webhooks, and answers a REST API. */
export type StandIn = {
  manner: Manner;
  /** Of its REST API. */
  apiUrl: string;
  /** Calls that it was asked to place, as forms, the oldest first. */
  placed: Record<string, string>[];
  /** Ids of calls that it was told to end. */
  hungUp: string[];
  /** What it says of a call that somebody asks for; default: it knows none. */
  statuses: Map<string, string>;
  /** What it does with a request to place a call; default: 201. */
  onPlace: ((response: ServerResponse) => void) | undefined;
  /** A form to one of our webhooks, signed. */
  post: (target: string, form: Record<string, string>, options?: PostOptions) => Promise<Posted>;
  /** A phone rings a number of ours, and what we answer. */
  ring: (to: string, form?: Record<string, string>) => Promise<Posted & { sid: string }>;
  /** The same, with the socket that we asked for open. */
  call: (to: string, form?: Record<string, string>) => Promise<Phone>;
  /** Opens the socket that an answer asks for, for a call. */
  connect: (sid: string, verbs: readonly Verb[]) => Promise<Phone>;
  /** The call that was placed last is picked up. */
  pickUp: (form?: Record<string, string>) => Promise<Posted & { sid: string }>;
  stop: () => Promise<void>;
};

export type Posted = { status: number; text: string; verbs: Verb[] };
export type PostOptions = {
  token?: string;
  signature?: string | null;
  headers?: Record<string, string>;
  /** Of where the carrier's clock is, in seconds from ours. */
  aheadSec?: number;
};

export const CALLER = '+447700900123';

const TWILIO: Manner = {
  type: 'twilio',
  account: ACCOUNT,
  newSid: () => `CA${randomBytes(16).toString('hex')}`,
  sign: (sent, { token = TOKEN, signature }) =>
    signature === null
      ? {}
      : { 'x-twilio-signature': signature ?? signatureOf(token, sent).toString('base64') },
  isAuthorized: ({ authorization }) =>
    authorization === `Basic ${Buffer.from(`${ACCOUNT}:${TOKEN}`).toString('base64')}`,
  sidIn: (path) => /\/Calls\/(\w+)\.json$/.exec(path)?.[1],
  placing: (body) => Object.fromEntries(new URLSearchParams(body)),
  placed: ({ CallSid: sid }) => ({ sid, status: 'queued' }),
  ringing: { Direction: 'inbound' },
  wire: TWILIO_WIRE,
};

/** `ourUrl`: how we are called, which its signatures are made over. */
export async function startStandIn(ourUrl: string, manner: Manner = TWILIO): Promise<StandIn> {
  const { account, newSid } = manner;
  const standIn = {
    manner,
    placed: [] as Record<string, string>[],
    hungUp: [] as string[],
    statuses: new Map<string, string>(),
  };
  const self: Pick<StandIn, 'onPlace'> = { onPlace: undefined };

  async function serveApi(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (!manner.isAuthorized(request.headers))
      return answer(401, { code: 20003, message: 'Authenticate' });
    const body = await bodyOf(request);
    const url = new URL(request.url ?? '', 'http://carrier');
    const sid = manner.sidIn(url.pathname);
    if (sid !== undefined && request.method === 'POST') {
      assert.equal(new URLSearchParams(body).get('Status'), 'completed');
      standIn.hungUp.push(sid);
      return answer(200, { sid, status: 'completed' });
    }
    if (sid !== undefined) {
      const status = standIn.statuses.get(sid);
      return status === undefined
        ? answer(404, { code: 20404, message: 'No such call' })
        : answer(200, { sid, status });
    }
    if (request.method === 'GET') {
      const calls = standIn.placed.filter(
        ({ From, To }) =>
          From === url.searchParams.get('From') && To === url.searchParams.get('To'),
      );
      return answer(200, {
        calls: calls.map((one) => ({ sid: one['CallSid'], date_created: one['at'] })),
      });
    }
    if (self.onPlace) return self.onPlace(response);
    const made = { ...manner.placing(body), CallSid: newSid(), at: new Date().toUTCString() };
    standIn.placed.push(made);
    return answer(201, manner.placed(made));
  }

  const server = createServer((request, response) => {
    serveApi(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  const post: StandIn['post'] = async (target, form, options = {}) => {
    const params = new URLSearchParams(form);
    const url = target.startsWith('http') ? target : ourUrl + target;
    const response = await fetch(url, {
      method: 'POST',
      body: params.toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
        ...manner.sign({ url, params }, options),
        ...options.headers,
      },
    });
    const text = await response.text();
    return {
      status: response.status,
      text,
      verbs: response.status === 200 && text !== '' ? readTwiml(text) : [],
    };
  };

  const ring: StandIn['ring'] = async (to, form = {}) => {
    const sid = form['CallSid'] ?? newSid();
    const sent = {
      AccountSid: account,
      CallSid: sid,
      From: CALLER,
      To: to,
      CallStatus: 'ringing',
      ...manner.ringing,
    };
    return { sid, ...(await post(`/v1/telephony/${manner.type}/voice`, { ...sent, ...form })) };
  };

  const connect: StandIn['connect'] = (sid, verbs) => connectPhone({ sid, verbs, account, post });

  return Object.assign(self, standIn, {
    apiUrl: `http://127.0.0.1:${port}`,
    post,
    ring,
    connect,
    call: async (to: string, form?: Record<string, string>) => {
      const { sid, verbs } = await ring(to, form);
      return connect(sid, verbs);
    },
    pickUp: async (form = {}) => {
      const placed = await until('a call to be placed', () => standIn.placed.at(-1));
      const { CallSid = '', From = '', To = '', Url = '' } = placed;
      const sent = {
        AccountSid: account,
        CallSid,
        From,
        To,
        Direction: 'outbound-api',
        CallStatus: 'in-progress',
      };
      return { sid: CallSid, ...(await post(Url, { ...sent, ...form })) };
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
