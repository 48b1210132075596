import { randomBytes } from 'node:crypto';
import type { Attack, Target, TcpOptions } from '../attack.ts';

/** What somebody can do who only reaches the port. */

const UPGRADE = (path: string): string =>
  [
    `GET ${path} HTTP/1.1`,
    'host: parley',
    'connection: upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    `sec-websocket-key: ${Buffer.alloc(16).toString('base64')}`,
    '\r\n',
  ].join('\r\n');

const bareRequest = (path: string, ...headers: string[]): string =>
  [`GET ${path} HTTP/1.1`, 'host: parley', ...headers, '\r\n'].join('\r\n');

/** Connections without a key or a token. */
const PLACES = '5,000 connections, then the address with the most loses its oldest';

/** Connections that say this and nothing more. */
const connections = (
  count: number,
  options: TcpOptions,
  more: Omit<Attack, 'by' | 'run'>,
): Attack => ({
  ...more,
  by: 'stranger',
  run: ({ keep, tcp }) => keep(count, () => tcp(options)),
});

/** Most of a body of a megabyte. Its end never comes. */
export const unendingBody = (
  { many }: Pick<Target, 'many'>,
  path: string,
  ...headers: string[]
): string =>
  [
    `POST ${path} HTTP/1.1`,
    'host: parley',
    'content-type: application/json',
    'content-length: 1000000',
    ...headers,
    `\r\n{"name":"${'x'.repeat(many(950_000, 20_000))}`,
  ].join('\r\n');

const wrongKey = (): string => `parley_${randomBytes(30).toString('hex')}`;

export const strangers: readonly Attack[] = [
  connections(
    11_000,
    {},
    {
      name: 'silent-connections',
      bound: `10 s until the end of the headers; ${PLACES}`,
      answers: [],
    },
  ),
  connections(
    2_000,
    { text: 'GET /v1/agents HTTP/1.1\r\nhost: parley\r\nx-' },
    {
      name: 'half-headers',
      bound: `10 s until the end of the headers; ${PLACES}`,
      answers: [],
    },
  ),
  connections(
    2_000,
    {
      text: 'POST /v1/widget/tokens HTTP/1.1\r\nhost: parley\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"agent_id":"',
    },
    { name: 'half-bodies', bound: `15 s for a request; ${PLACES}`, answers: [] },
  ),
  {
    name: 'unending-bodies',
    by: 'stranger',
    bound: '32 bodies of more than 8 KiB without a key, 16 of an address: 503',
    answers: [],
    run: (target) => {
      const text = unendingBody(target, '/v1/widget/tokens');
      return target.keep(1_000, () => target.tcp({ text }));
    },
  },
  connections(
    1_000,
    { text: UPGRADE('/nowhere'), isRead: true },
    {
      name: 'refused-upgrades',
      bound: '404, and the connection is destroyed within a second',
      answers: ['404'],
    },
  ),
  connections(
    1_000,
    { text: 'NONSENSE\r\n\r\n', isRead: true },
    {
      name: 'malformed-requests',
      bound:
        '400, 20 a second for an address while few wait, and the connection is destroyed within a second',
      answers: ['400'],
    },
  ),
  connections(
    1_200,
    { text: UPGRADE('/v1/talk'), isRead: true },
    {
      name: 'talk-sockets-without-token',
      bound:
        '5 s until the first frame; 500 sockets, then the address with the most loses its oldest',
      answers: ['101'],
    },
  ),
  connections(
    2_200,
    { text: UPGRADE('/v1/telephony/twilio/relay'), isRead: true },
    {
      name: 'relay-sockets-without-token',
      bound:
        '5 s until the first frame; 500 sockets, then the address with the most loses its oldest',
      answers: ['101'],
    },
  ),
  connections(
    300,
    { text: bareRequest('/v1/openapi.json').repeat(20) },
    {
      name: 'unread-answers',
      bound:
        '16 requests of a connection wait; 30 s and 64 MiB in all for answers that nobody reads',
      answers: [],
    },
  ),
  connections(
    300,
    { text: bareRequest('/docs/').repeat(20) },
    {
      name: 'unread-docs',
      bound:
        '16 requests of a connection wait; 30 s and 64 MiB in all for answers that nobody reads',
      answers: [],
    },
  ),
  {
    name: 'huge-headers',
    by: 'stranger',
    bound: '16 KiB of headers: 400, 20 a second for an address, and the connection ends with it',
    answers: ['400'],
    run: ({ again, tcp }) =>
      again(10, () =>
        tcp({ text: bareRequest('/v1/agents', `x-filler: ${'x'.repeat(20_000)}`), isRead: true }),
      ),
  },
  {
    name: 'wrong-keys',
    by: 'stranger',
    bound: '100 wrong keys a minute from an address: 429',
    answers: ['401'],
    run: ({ again, call }) => again(20, () => call('GET', '/v1/agents', { key: wrongKey() })),
  },
  {
    name: 'large-bodies-without-key',
    by: 'stranger',
    bound: '401 before the body is read, and the connection ends with it',
    answers: ['401', 'cut'],
    run: async ({ again, call, many }) => {
      const body = Buffer.alloc(many(50_000_000), 'x');
      const headers = { 'content-type': 'application/json' };
      await again(4, () => call('POST', '/v1/agents', { key: null, body, headers }));
    },
  },
  {
    name: 'sign-in-guesses',
    by: 'stranger',
    bound: '100 wrong keys a minute from an address: 429',
    answers: ['401'],
    run: ({ again, call, url }) =>
      again(20, () =>
        call('POST', '/v1/sessions', {
          key: null,
          headers: { origin: url },
          json: { api_key: wrongKey(), name: 'Mallory' },
        }),
      ),
  },
  {
    name: 'feedback-guesses',
    by: 'stranger',
    bound: '100 wrong links a minute from an address: 429',
    answers: ['404'],
    run: ({ again, call }) =>
      again(20, () =>
        call('GET', `/feedback?token=${randomBytes(60).toString('base64url')}`, { key: null }),
      ),
  },
];
