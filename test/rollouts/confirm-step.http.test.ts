import { afterEach, expect, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import type { RolloutLine } from '../../src/agents/rollouts/rollouts.sql.ts';
import { fromUuid, newUuid } from '../../src/ids.ts';
import { createAddressGuard } from '../../src/platform/egress/address-guard.ts';
import { verifyBody } from '../../src/platform/egress/signature.ts';
import type { Resource } from '../../src/platform/resources/resource-store.ts';
import { createConfirmStep, type Confirmation } from '../../src/rollouts/confirm-step.ts';
import type { Evidence } from '../../src/rollouts/judge-rollout.ts';
import { holdTime } from '../clock.ts';
import { at, createClient, receiver, stopAll } from '../platform/egress/harness.ts';
import { onRequest, respond } from '../platform/egress/servers.ts';

/** What the webhook that confirms a step receives, and what becomes of each answer. */

afterEach(stopAll);

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const ROLLOUT = newUuid();
const EVIDENCE: Evidence = {
  from: { conversations: 1_000 },
  to: { conversations: 50 },
  step: { conversations: 50, min_conversations: 50 },
  checks: [],
};

function lineOf(fields: Partial<RolloutLine> = {}): RolloutLine {
  return {
    agentId: newUuid(),
    seq: 3,
    rolloutId: ROLLOUT,
    publicId: fromUuid('ro', ROLLOUT),
    action: 'started',
    step: 0,
    weight: 5,
    fromVersion: 1,
    toVersion: 2,
    plan: {
      steps: [
        { weight: 5, minConversations: 50 },
        { weight: 25, minConversations: 150 },
      ],
      maxDurationSec: 60,
      checks: [],
      onFail: 'Abort',
    },
    actor: 'file',
    reason: null,
    evidence: null,
    at: 0,
    ...fields,
  };
}

type Server = { seen: string[]; ask: (line?: RolloutLine) => Promise<Confirmation | undefined> };

/** Starts a webhook that answers each request so, or not at all without an answer. */
async function webhook(
  answer: string | undefined,
  {
    data = { key: SECRET },
    timeoutMs = 5_000,
    allow = ['127.0.0.0/8'],
  }: { data?: object; timeoutMs?: number; allow?: string[] } = {},
): Promise<Server> {
  const seen: string[] = [];
  const server = await receiver((socket) =>
    onRequest(socket, (request) => {
      seen.push(request);
      if (answer !== undefined) socket.write(answer);
    }),
  );
  // The cast is safe: only these members of a Secret are read.
  const secret = {
    metadata: { name: 'confirm', labels: { 'parley.dev/allow': 'true' } },
    spec: { data },
    owners: {},
  } as unknown as Resource;
  const confirmStep = createConfirmStep({
    egress: createClient({ guard: createAddressGuard({ allow }) }),
    store: { get: async () => secret },
    version: '1.2.3',
  });
  const declared = {
    url: at(server),
    signingSecretRef: { name: 'confirm', key: 'key' },
    timeoutMs,
  };
  const ask: Server['ask'] = (line = lineOf()) =>
    confirmStep({ namespace: 'default', webhook: declared, line, evidence: EVIDENCE });
  return { seen, ask };
}

const json = (body: unknown): string => respond('200 OK', JSON.stringify(body));
const header = (request: string, name: string): string =>
  new RegExp(`\r\n${name}: ([^\r]*)`, 'i').exec(request)?.[1] ?? '';

test('names the step that has passed and the next one, with both signatures', async () => {
  const { ask, seen } = await webhook(json({ decision: 'confirm' }));
  const line = lineOf();
  expect(await ask(line)).toEqual({
    decision: 'confirm',
    reason: 'the webhook answered confirm',
  });
  const [request = ''] = seen;
  const body = request.slice(request.indexOf('\r\n\r\n') + 4);
  expect(JSON.parse(body)).toEqual({
    type: 'rollout.confirm',
    data: {
      agent_id: fromUuid('agt', line.agentId),
      rollout_id: line.publicId,
      step: 1,
      steps: 2,
      weight: 5,
      next_weight: 25,
      from_version: 1,
      to_version: 2,
      evidence: { from: { conversations: 1_000 }, to: { conversations: 50 }, checks: [] },
    },
  });
  const signed = Object.fromEntries(
    ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [
      name,
      header(request, name),
    ]),
  );
  expect(signed['webhook-id']).toBe(`${line.publicId}.3`);
  expect(new Webhook(SECRET).verify(body, signed)).toEqual(JSON.parse(body));
  expect(verifyBody(SECRET, Buffer.from(body), header(request, 'parley-signature'))).toBe(true);
  expect(header(request, 'user-agent')).toBe('parley/1.2.3');
});

test('says 100 as the next weight of the last step', async () => {
  const { ask, seen } = await webhook(json({ decision: 'confirm' }));
  await ask(lineOf({ step: 1, weight: 25 }));
  expect(seen[0]).toContain('"next_weight":100');
});

test.each<[string, string, Confirmation['decision'], string]>([
  [
    'hold with a reason',
    json({ decision: 'hold', reason: 'Not on\na Friday.' }),
    'hold',
    'the webhook answered hold: Not on a Friday.',
  ],
  ['abort', json({ decision: 'abort', reason: null }), 'abort', 'the webhook answered abort'],
  [
    'a long reason',
    json({ decision: 'confirm', reason: 'x'.repeat(2_000) }),
    'confirm',
    `the webhook answered confirm: ${'x'.repeat(512)}`,
  ],
  ['an unknown decision', json({ decision: 'yes' }), 'hold', 'its response must have a `decision`'],
  ['no JSON', respond('200 OK', 'confirm'), 'hold', 'its response must have a `decision`'],
  ['nothing', respond('204 No Content', ''), 'hold', 'its response must have a `decision`'],
  [
    'an answer of more than 16 KiB',
    json({ decision: 'confirm', reason: 'x'.repeat(17_000) }),
    'hold',
    'its response must have a `decision`',
  ],
  [
    'an error, whatever its body says',
    respond('500 Internal Server Error', '{"decision":"confirm"}'),
    'hold',
    'it answered with status 500',
  ],
  [
    'a redirect',
    respond('307 Temporary Redirect', '', 'location: http://127.0.0.1:9/\r\n'),
    'hold',
    'it answered with status 307',
  ],
])('%s', async (_, response, decision, reason) => {
  const { ask } = await webhook(response);
  const answer = await ask();
  expect(answer?.decision).toBe(decision);
  expect(answer?.reason).toContain(reason);
});

test('a webhook that does not answer in time holds, and nobody waits longer than a second', async () => {
  const time = holdTime();
  const { ask, seen } = await webhook(undefined, { timeoutMs: 1_500 });
  const line = lineOf();
  const first = ask(line);
  await time.armed(1_500);
  await time.advance(1_000);
  expect(await first).toBeUndefined();
  const second = ask(line);
  await time.advance(500);
  expect(await second).toEqual({
    decision: 'hold',
    reason: 'the webhook did not confirm: it did not answer within 1500 ms',
  });
  expect(seen).toHaveLength(1);
});

test('a step is asked once, and again after somebody has resumed it', async () => {
  const { ask, seen } = await webhook(json({ decision: 'hold' }));
  const line = lineOf();
  await Promise.all([ask(line), ask(line)]);
  await ask(line);
  expect(seen).toHaveLength(1);
  await ask({ ...line, seq: 5 });
  expect(seen).toHaveLength(2);
  await ask({ ...line, publicId: fromUuid('ro', newUuid()) });
  expect(seen).toHaveLength(3);
});

test('a Secret that cannot be used holds, and nothing is sent', async () => {
  const { ask, seen } = await webhook(json({ decision: 'confirm' }), { data: { key: 'short' } });
  expect(await ask()).toMatchObject({
    decision: 'hold',
    reason: expect.stringContaining('key "key" of Secret "confirm" must be `whsec_`'),
  });
  expect(seen).toEqual([]);
});

test('an address that the guard refuses holds, and nothing is sent', async () => {
  const { ask, seen } = await webhook(json({ decision: 'confirm' }), { allow: [] });
  expect(await ask()).toMatchObject({
    decision: 'hold',
    reason: expect.stringContaining('the webhook did not confirm: '),
  });
  expect(seen).toEqual([]);
});
