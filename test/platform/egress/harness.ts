/** A client that may reach loopback, receivers for it, and shared helpers. */
import { createAddressGuard } from '../../../src/platform/egress/address-guard.ts';
import { createEgressClient } from '../../../src/platform/egress/client.ts';
import type {
  EgressClient,
  EgressClientOptions,
  EgressOutcome,
  EgressRequest,
} from '../../../src/platform/egress/client.ts';
import type { ResolvedAddress } from '../../../src/platform/egress/name-lookup.ts';
import { listen } from './servers.ts';
import type { Receiver } from './servers.ts';

const LOOPBACK = createAddressGuard({ allow: ['127.0.0.0/8', '::1/128'] });
const stops: (() => Promise<void>)[] = [];

/** Stops every client and receiver of a test, the last one first. Call it after each test. */
export async function stopAll(): Promise<void> {
  for (const stop of stops.splice(0).toReversed()) await stop();
}

export const receiver = async (...args: Parameters<typeof listen>): Promise<Receiver> => {
  const made = await listen(...args);
  stops.push(made.stop);
  return made;
};
export const createClient = (options: Partial<EgressClientOptions> = {}): EgressClient => {
  const made = createEgressClient({ guard: LOOPBACK, ...options });
  stops.push(made.stop);
  return made;
};
export const post = (url: string, more: Partial<EgressRequest> = {}): EgressRequest => ({
  url,
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"a":1}',
  timeoutMs: 5000,
  maxResponseBytes: 4096,
  ...more,
});
export const at = ({ port }: Receiver, path = '/'): string => `http://127.0.0.1:${port}${path}`;
export const bodyOf = async (outcome: EgressOutcome): Promise<string> =>
  outcome.kind === 'response' ? (await outcome.body).toString() : `error: ${outcome.message}`;

/** Waits a turn of the event loop, after which undici frees the connection of a completed response. */
export const nextTurn = async (): Promise<void> => {
  await new Promise((resolve) => setImmediate(resolve));
};

export const toLoopback = async (): Promise<ResolvedAddress[]> => [
  { address: '127.0.0.1', family: 4 },
];
