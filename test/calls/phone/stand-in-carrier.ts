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

/** The differences between the carriers that it stands in for. */
export type Manner = {
  /** The `type` of TelephonyProviders, and a segment of our paths. */
  type: string;
  account: string;
  newSid: () => string;
  /** Returns the headers of a form that it sends. */
  sign: (
    sent: { url: string; params: URLSearchParams },
    options: PostOptions,
  ) => Record<string, string>;
  /** Whether a request to its REST API is authorized. */
  isAuthorized: (headers: IncomingHttpHeaders) => boolean;
  /** Returns the call id in a path; undefined for a path of all calls. */
  sidIn: (path: string) => string | undefined;
  /** Parses a request to place a call. */
  placing: (body: string) => Record<string, string>;
  /** Returns the answer to a placed call. */
  placed: (call: Record<string, string>) => object;
  /** Additional fields in the report of an incoming call. */
  ringing: Record<string, string>;
  wire: Wire;
};

/** A carrier with Twilio's dialect: it has phones, calls our webhooks and serves a REST API. */
export type StandIn = {
  manner: Manner;
  /** Base of its REST API. */
  apiUrl: string;
  /** Forms of requests to place a call, oldest first. */
  placed: Record<string, string>[];
  /** Ids of calls that it was asked to end. */
  hungUp: string[];
  /** Statuses of calls that its REST API returns. Other calls are unknown. */
  statuses: Map<string, string>;
  /** Handles a request to place a call. Defaults to 201. */
  onPlace: ((response: ServerResponse) => void) | undefined;
  /** Posts a signed form to one of our webhooks. */
  post: (target: string, form: Record<string, string>, options?: PostOptions) => Promise<Posted>;
  /** Calls one of our numbers, and returns our answer. */
  ring: (to: string, form?: Record<string, string>) => Promise<Posted & { sid: string }>;
  /** Calls one of our numbers, and opens the socket that our answer requests. */
  call: (to: string, form?: Record<string, string>) => Promise<Phone>;
  /** Opens the socket that an answer requests for a call. */
  connect: (sid: string, verbs: readonly Verb[]) => Promise<Phone>;
  /** Picks up the call that was placed last. */
  pickUp: (form?: Record<string, string>) => Promise<Posted & { sid: string }>;
  stop: () => Promise<void>;
};

export type Posted = { status: number; text: string; verbs: Verb[] };
export type PostOptions = {
  token?: string;
  signature?: string | null;
  headers?: Record<string, string>;
  /** Seconds that the carrier's clock is ahead of ours. */
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

/** Starts a stand-in. `ourUrl` is the address of our webhooks, which its signatures cover. */
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
