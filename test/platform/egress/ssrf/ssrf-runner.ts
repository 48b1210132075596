import dns from 'node:dns/promises';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createAddressGuard } from '../../../../src/platform/egress/address-guard.ts';
import { createEgressClient, type EgressClient } from '../../../../src/platform/egress/client.ts';
import { arrivalOf } from './ssrf-addresses.ts';
import type { SsrfCase } from './ssrf-cases.ts';
import type { SsrfDns } from './ssrf-dns.ts';
import { connectionsBegun } from './ssrf-network.ts';
import type { SsrfListeners } from './ssrf-listeners.ts';

/** The result of a run of many cases. Each failure is a sentence. */
export type SsrfResult = {
  cases: number;
  failures: string[];
  /** Connections at the canary, including later ones. */
  caught: readonly string[];
  /** Connections that the kernel began, and those at the receiver. If they differ, other connections were made. */
  begun: number;
  received: number;
};

type SsrfServers = { listeners: SsrfListeners; dns: SsrfDns };

/** Runs every case with the product's egress client, as in a process without PARLEY_EGRESS_ALLOW. */
export async function runGuarded(
  servers: SsrfServers,
  cases: readonly SsrfCase[],
  allow: readonly string[] = [],
): Promise<SsrfResult> {
  const client = createEgressClient({ guard: createAddressGuard({ allow }) });
  const failures: string[] = [];
  const before = { ...counts(servers.listeners) };
  for (const made of cases) {
    const caught = servers.listeners.caught().length;
    prepare(servers.dns, made);
    const outcomes: unknown[] = [];
    for (const _ of made.expected) outcomes.push(await send(client, made.url));
    const at = servers.listeners.caught().slice(caught);
    if (at.length > 0) failures.push(`${describe(made)}: reached ${at.join(', ')}`);
    if (String(outcomes) !== String(made.expected)) {
      failures.push(`${describe(made)}: ${outcomes.join(', ')}, not ${made.expected.join(', ')}`);
    }
  }
  await client.stop();
  const begun = connectionsBegun() - before.begun;
  await servers.listeners.settled();
  return {
    cases: cases.length,
    failures,
    caught: servers.listeners.caught().slice(before.caught),
    begun,
    received: servers.listeners.received() - before.received,
  };
}

/** Runs the cases with unguarded code. Each one with a control must reach the canary at its address. */
export async function runUnguarded(
  servers: SsrfServers,
  cases: readonly SsrfCase[],
): Promise<{ cases: number; failures: string[] }> {
  const twins = cases.filter(({ control }) => control !== 'none');
  const failures: string[] = [];
  for (const made of twins) {
    const before = servers.listeners.caught().length;
    prepare(servers.dns, made);
    const error = await sendUnguarded(made).then(() => '', String);
    await new Promise((resolve) => setImmediate(resolve));
    const at = servers.listeners.caught().slice(before);
    if (!at.includes(arrivalOf(made.address))) {
      failures.push(
        `${describe(made)}: not reached without a guard either (${at.join(', ')}) ${error}`,
      );
    }
  }
  return { cases: twins.length, failures };
}

const describe = ({ address, form, url }: SsrfCase): string =>
  `${address}, ${form} (${JSON.stringify(url)})`;

const counts = (listeners: SsrfListeners) => ({
  begun: connectionsBegun(),
  received: listeners.received(),
  caught: listeners.caught().length,
});

function prepare(dnsServer: SsrfDns, { url, zone }: SsrfCase): void {
  if (zone !== undefined) dnsServer.put(new URL(url).hostname.replace(/\.$/, ''), zone);
}

async function send(client: EgressClient, url: string): Promise<number | string> {
  const outcome = await client.send({
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
    timeoutMs: 5_000,
    maxResponseBytes: 4_096,
  });
  if (outcome.kind === 'error') return outcome.errorClass;
  await outcome.body;
  return outcome.statusCode;
}

/** Sends as code without any check does, or as code that checks a name and then resolves it again. */
async function sendUnguarded({ url, control, hosts = '' }: SsrfCase): Promise<void> {
  if (control === 'connect') {
    const socket = connect(80, hosts);
    await once(socket, 'connect');
    socket.destroy();
    return;
  }
  if (control === 'check, then fetch') await dns.lookup(new URL(url).hostname);
  await fetch(url, { signal: AbortSignal.timeout(5_000) });
}
