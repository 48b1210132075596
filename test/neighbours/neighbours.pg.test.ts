import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCall, startApi, type Api, type Call } from '../roles/api/api-setup.ts';
import { until } from '../until.ts';
import { CARRIER_SECRET, CARRIER_TOKEN, type AttackerKeys } from './attack.ts';
import { ATTACKS } from './attacks.ts';
import { openTarget } from './target.ts';

/** Each attack of the rig at small scale: what the victim and the attacker are answered, and what the attack leaves. */

// Reads the metrics and the connections of the whole process.
let api: Api;
let keys: AttackerKeys;
let victim: { call: Call; conversationId: string };
beforeAll(async () => {
  api = await startApi({ operator: false, delivery: true });
  await api.engine.startOperator();
  keys = {
    setUp: await api.newKey('attacker'),
    all: await api.newKey('attacker'),
    write: await api.newKey('attacker', ['write']),
    read: await api.newKey('attacker', ['read']),
  };
  const labels = { 'parley.dev/allow': 'true' };
  const { name, key } = CARRIER_SECRET;
  const spec = { data: { [key]: CARRIER_TOKEN } };
  await api.engine.store.apply(
    { kind: 'Secret', namespace: 'attacker', name, labels, spec },
    { fieldManager: 'kubectl' },
  );
  const call = createCall(api.url, await api.newKey('victim'));
  const agent = await call('POST', '/v1/agents', { json: { prompt: 'Sell.' } });
  const json = { agent_id: agent.body.id };
  const conversation = await call('POST', '/v1/conversations', { json });
  victim = { call, conversationId: conversation.body.id };
});
afterAll(() => api?.stop());

const ask = async (): Promise<number[]> => {
  const path = `/v1/conversations/${victim.conversationId}/messages`;
  // A connection that is kept would be one that is left.
  const headers = { connection: 'close' };
  const answers = [
    await victim.call('GET', '/v1/agents?limit=1', { headers }),
    await victim.call('POST', path, { json: { text: 'When do you open?' }, headers }),
  ];
  return answers.map(({ status }) => status);
};

/** Returns the counts of open sockets, jobs in progress and waiting database clients that are not 0. */
async function left(): Promise<string[]> {
  const { waitingCount } = api.engine.pool;
  const response = await fetch(`${api.url}/metrics`, { headers: { connection: 'close' } });
  const metrics = await response.text();
  return [
    `${connectionsTo(new URL(api.url).port)} connections`,
    ...[...metrics.matchAll(/^parley_(?:in_flight|work_running)\{kind="(\w+)"\} (\d+)$/gm)].map(
      ([, kind, count]) => `${count} ${kind}`,
    ),
    `${waitingCount} waiting for a connection to the database`,
  ].filter((line) => !line.startsWith('0 '));
}

/** Returns how many sockets of this process have this local port, in whatever state of TCP, but the one that listens. */
function connectionsTo(port: string): number {
  const own = new Set(
    readdirSync('/proc/self/fd').flatMap((fd) => {
      try {
        return [readlinkSync(path.join('/proc/self/fd', fd))];
      } catch {
        return []; // It was closed meanwhile.
      }
    }),
  );
  const hex = Number(port).toString(16).toUpperCase().padStart(4, '0');
  return readFileSync('/proc/self/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local?.endsWith(`:${hex}`) === true && state !== '0A')
    .filter((fields) => own.has(`socket:[${fields[9]}]`)).length;
}

test.each(ATTACKS.filter(({ answers }) => answers).map((attack) => [attack.name, attack] as const))(
  'beside %s the victim is answered, and nothing is left',
  async (_, attack) => {
    const attacking = openTarget({ url: api.url, keys, isFull: false });
    const running = attack.run(attacking.target);
    try {
      await Promise.race([attacking.underway, running]);
      expect(await ask()).toEqual([200, 200]);
      await Promise.race([attacking.holding, running]);
      attacking.end();
      expect(await ask()).toEqual([200, 200]);
    } finally {
      await attacking.close();
    }
    await running;
    const [first] = attack.answers!;
    const seen = [...attacking.seen.keys()];
    if (first !== undefined) expect(seen).toContain(first);
    expect(attack.answers).toEqual(expect.arrayContaining(seen));
    await until(
      async () => `the end of ${(await left()).join(', ')}`,
      async () => (await left()).length === 0,
      { everyMs: 150 }, // Each check renders all metrics of the process.
    );
  },
);

test('docs/security.md has a row for each attack', () => {
  const text = readFileSync(path.resolve(import.meta.dirname, '../../docs/security.md'), 'utf8');
  const missing = ATTACKS.filter(({ name }) => !text.includes(`\n| ${name} |`));
  expect(missing.map(({ name }) => name)).toEqual([]);
});
