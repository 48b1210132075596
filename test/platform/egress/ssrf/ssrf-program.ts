/**
 * The process in the namespace. It creates the network, name server, receiver and canary, then handles its parent's
 * requests over IPC. It ends with the parent, and so do all processes that it started.
 */
import { METADATA } from './ssrf-addresses.ts';
import { makeCases } from './ssrf-cases.ts';
import { startSsrfDns } from './ssrf-dns.ts';
import { makeNetwork, overlay } from './ssrf-network.ts';
import { createDatabases } from './ssrf-databases.ts';
import { runPipeline } from './ssrf-pipeline.ts';
import { runWaysOut } from './ssrf-ways-out.ts';
import { runGuarded, runUnguarded } from './ssrf-runner.ts';
import { openListeners } from './ssrf-listeners.ts';

export type Question = 'unguarded' | 'guarded' | 'opened' | 'pipeline' | 'waysOut';

/** Selects the part of the cases that the short run tries. */
const turn = Number(process.argv[2]);
const cases = makeCases(turn);
makeNetwork();
const forget = overlay({
  '/etc/resolv.conf': 'nameserver 127.0.0.1\n',
  '/etc/nsswitch.conf': 'hosts: files dns\n',
  '/etc/hosts': hostsFile(),
});
process.once('exit', forget);
const listeners = await openListeners();
const servers = { listeners, dns: await startSsrfDns() };
const databases = createDatabases();

function hostsFile(): string {
  const lines = cases.filter(({ hosts }) => hosts !== undefined);
  return lines.map(({ url, hosts }) => `${hosts} ${new URL(url).hostname}\n`).join('');
}

/** Excludes names with several meanings, whose public addresses are correctly reached. */
const ofMetadata = cases.filter(
  ({ address, expected }) => METADATA.includes(address) && String(expected) === 'blocked',
);
const EVERYTHING = ['0.0.0.0/0', '::/0'];

const answers: Record<Question, () => Promise<unknown>> = {
  unguarded: () => runUnguarded(servers, cases),
  guarded: () => runGuarded(servers, cases),
  opened: () => runGuarded(servers, ofMetadata, EVERYTHING),
  pipeline: async () => runPipeline(servers, turn, await databases.create('pipeline')),
  waysOut: async () => runWaysOut(servers, turn, await databases.create('ways_out')),
};

process.on('message', (question: Question) => {
  answers[question]().then(
    (answer) => process.send?.({ question, answer }),
    (error: Error) => process.send?.({ question, error: error.stack }),
  );
});
process.once('disconnect', () => void databases.stop().finally(() => process.exit()));
process.send?.({ question: 'ready' });
