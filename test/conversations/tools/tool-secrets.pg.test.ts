import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { readVersion } from '../../../src/agents/agent-versions.sql.ts';
import type { AgentContent } from '../../../src/agents/agent.ts';
import { createFindToolSecrets } from '../../../src/conversations/tools/tool-secrets.ts';
import type { ToolBox } from '../../../src/conversations/tools/tool.ts';
import { verifyBody } from '../../../src/platform/egress/signature.ts';
import { holdTime } from '../../clock.ts';
import { startEngine, type Engine } from '../../roles/engine.ts';
import { awaitCondition } from '../../agents/agents.ts';
import { at, receiver, stopAll } from '../../platform/egress/harness.ts';
import { onRequest, respond } from '../../platform/egress/servers.ts';
import { boxOf, run } from './tool-setup.ts';

/** Secrets of tools on their way from a Secret to a request, by operator and database. */

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
  await engine.startOperator();
});
afterEach(stopAll);
afterAll(() => engine?.stop());

const secretOf = (byte: number): string => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
const TOKEN = 'tok/en-one+very-private==';

async function declareSecret(
  name: string,
  data: Record<string, string>,
  { namespace = 'default', allow = 'true' } = {},
): Promise<void> {
  const labels = { 'parley.dev/allow': allow };
  await engine.store.apply(
    { kind: 'Secret', namespace, name, labels, spec: { data } },
    { fieldManager: 'kubectl' },
  );
}

async function declareAgent(name: string, tools: object[], namespace = 'default'): Promise<void> {
  const spec = { prompt: 'You sell bicycles.', tools };
  await engine.store.apply({ kind: 'Agent', namespace, name, spec }, { fieldManager: 'kubectl' });
  await engine.settled('Agent', name, namespace);
}

/** Answers with what it was asked, which a careless tool does. */
async function echo(): Promise<{ url: string; seen: string[] }> {
  const seen: string[] = [];
  const server = await receiver((socket) =>
    onRequest(socket, (request) => {
      seen.push(request);
      const body = JSON.stringify({ got: request }).replaceAll('/', String.raw`\/`);
      socket.write(respond('200 OK', body, 'content-type: application/json\r\n'));
    }),
  );
  return { url: at(server), seen };
}

/** The tools of a version, as turns of its conversations have them. */
async function boxFor(
  name: string,
  more: { version?: number; of?: string; namespace?: string } = {},
): Promise<ToolBox> {
  const { version = 1, of = 'default', namespace = of } = more;
  const { rows } = await engine.pool.query<{ id: string }>(
    'select id from agents where name = $1 and namespace = $2 and deleted_at is null',
    [name, of],
  );
  const agentId = rows[0]!.id;
  const { content } = (await readVersion(engine.pool, { agentId, version }))!;
  const { tools = [] } = content satisfies AgentContent;
  return boxOf(tools, { namespace, agentId, deps: { findSecrets: createFindToolSecrets(engine) } });
}

/** The token of a Secret as an agent's tools have it in the database. */
async function storedToken(agent: string, secret: string): Promise<string | undefined> {
  const { rows } = await engine.pool.query<{ id: string }>(
    `select id from agents where name = $1 and namespace = 'default' and deleted_at is null`,
    [agent],
  );
  const of = { namespace: 'default', agentId: rows[0]!.id };
  const [token] = await createFindToolSecrets(engine)(of, [{ name: secret, key: 'token' }]);
  return token;
}

const webhook = (url: string, more: object = {}) => ({
  type: 'webhook',
  name: 'act',
  url,
  parameters: { type: 'object' },
  ...more,
});
const ref = (name: string, key = 'token') => ({ secretRef: { name, key } });
const header = (request: string, name: string): string =>
  new RegExp(`\r\n${name}: ([^\r]*)`, 'i').exec(request)?.[1] ?? '';

test('a request carries the token and both signatures, and neither shows in the answer', async () => {
  const { url, seen } = await echo();
  await declareSecret('shop', { token: `${TOKEN}\n`, signing: secretOf(1) });
  const signingSecretRef = { name: 'shop', key: 'signing' };
  await declareAgent('signer', [webhook(url, { ...ref('shop'), signingSecretRef })]);
  const { ok, content } = await run(await boxFor('signer'), { order: 'ü' });
  expect(ok).toBe(true);
  expect(content).not.toContain(TOKEN);
  expect(content).toContain('Bearer [secret]');
  const [request = ''] = seen;
  expect(header(request, 'authorization')).toBe(`Bearer ${TOKEN}`);
  const body = Buffer.from(request.slice(request.indexOf('\r\n\r\n') + 4), 'latin1');
  expect(verifyBody(secretOf(1), body, header(request, 'parley-signature'))).toBe(true);
  const signed = Object.fromEntries(
    ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [
      name,
      header(request, name),
    ]),
  );
  expect(signed['webhook-id']).toBe('call_1');
  expect(new Webhook(secretOf(1)).verify(body.toString(), signed)).toEqual({ order: 'ü' });
  expect(() => new Webhook(secretOf(2)).verify(body.toString(), signed)).toThrow();
});

test('a version is never live without its Secrets: they come in one transaction', async () => {
  await declareSecret('whole', { token: 'one', signing: secretOf(1) });
  const url = 'https://shop.example.com/';
  await declareAgent('whole', [webhook(url, ref('whole'))]);
  await declareAgent('whole', [webhook(url, ref('whole', 'signing'))]);
  const { rows } = await engine.pool.query(
    `select v.version, t.key from tool_secrets t join agents a on a.id = t.agent_id
       join agent_versions v on v.agent_id = a.id and v.xmin = t.xmin
      where a.name = 'whole' order by 1`,
  );
  expect(rows).toEqual([
    { version: 1, key: 'token' },
    { version: 2, key: 'signing' },
  ]);
});

test('a GET signs the empty body', async () => {
  const { url, seen } = await echo();
  await declareSecret('getter', { signing: secretOf(1) });
  const signingSecretRef = { name: 'getter', key: 'signing' };
  await declareAgent('getter', [webhook(url, { method: 'GET', signingSecretRef })]);
  expect((await run(await boxFor('getter'), { q: 1 })).ok).toBe(true);
  expect(verifyBody(secretOf(1), Buffer.alloc(0), header(seen[0]!, 'parley-signature'))).toBe(true);
});

test('a Secret that changes is used within two seconds, also by an earlier version', async () => {
  const { url, seen } = await echo();
  await declareSecret('turning', { token: 'one' });
  await declareAgent('turner', [webhook(url, ref('turning'))]);
  await declareAgent('turner', [webhook(url)]);
  const box = await boxFor('turner', { version: 1 });
  await run(box);
  await declareSecret('turning', { token: 'two' });
  await engine.eventually(async () => (await storedToken('turner', 'turning')) === 'two');
  const time = holdTime();
  await time.advance(1_000); // As long as a value is kept.
  await run(box);
  expect(header(seen.at(-1)!, 'authorization')).toBe('Bearer two');
});

test('one that may not be used any more is not, and is again when it may', async () => {
  const { url, seen } = await echo();
  await declareSecret('lent', { token: 'one' });
  await declareAgent('borrower', [webhook(url, ref('lent'))]);
  const box = await boxFor('borrower');
  expect((await run(box)).ok).toBe(true);
  await declareSecret('lent', { token: 'one' }, { allow: 'false' });
  const { said } = await engine.eventually(async () => {
    const outcome = await run(box);
    return outcome.ok ? undefined : outcome;
  });
  expect(said['error']).toContain(
    'key "token" of Secret "lent" does not exist, or Parley may not use it',
  );
  const count = seen.length;
  await run(box);
  expect(seen).toHaveLength(count);
  await declareSecret('lent', { token: 'one' });
  await engine.eventually(async () => (await run(box)).ok);
});

test('a tenant has the Secret of its own namespace alone', async () => {
  const { url, seen } = await echo();
  await engine.makeNamespace('team-b');
  await declareSecret('same', { token: 'ours' });
  await declareSecret('same', { token: 'theirs' }, { namespace: 'team-b' });
  await declareAgent('same', [webhook(url, ref('same'))]);
  await declareAgent('same', [webhook(url, ref('same'))], 'team-b');
  await run(await boxFor('same'));
  await run(await boxFor('same', { of: 'team-b' }));
  expect(seen.map((request) => header(request, 'authorization'))).toEqual([
    'Bearer ours',
    'Bearer theirs',
  ]);
  const { ok } = await run(await boxFor('same', { of: 'default', namespace: 'team-b' }));
  expect(ok).toBe(false);
  expect(seen).toHaveLength(2);
});

test('what cannot be sent or sign is refused where it is declared', async () => {
  await declareSecret('bad', { token: 'two\nlines', signing: 'no-secret' });
  for (const more of [ref('bad'), { signingSecretRef: { name: 'bad', key: 'signing' } }]) {
    await declareAgent('bad', [webhook('https://shop.example.com/', more)]);
    const wanted = { type: 'ResolvedRefs', status: 'False', reason: 'InvalidSecret' } as const;
    await awaitCondition(engine, { kind: 'Agent', name: 'bad' }, wanted);
  }
});

test('in the database they are sealed, and gone with their agent', async () => {
  await declareSecret('rest', { token: 'in-clear-nowhere' });
  await declareAgent('rest', [webhook('https://shop.example.com/', ref('rest'))]);
  const read = async () => {
    const { rows } = await engine.pool.query<{ value: Buffer }>(
      `select value from tool_secrets where name = 'rest'`,
    );
    return rows;
  };
  const [row] = await read();
  expect(row!.value.toString('latin1')).not.toContain('in-clear');
  await engine.store.delete('Agent', { namespace: 'default', name: 'rest' });
  await engine.eventually(async () => (await read()).length === 0);
});
