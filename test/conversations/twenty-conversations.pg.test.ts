import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { fromUuid, toUuid } from '../../src/ids.ts';
import { startApi, type Api } from '../roles/api/api-setup.ts';
import { declareSource } from './conversation-setup.ts';

/**
 * Twenty conversations with what a person says of them, written before the rules and never edited
 * to suit them (test/conversations/conversations.yaml): played through the API on the knowledge they name.
 */

type Say = { say: string; gap: boolean; answered_by?: string };
type Act =
  | Say
  | { human: string }
  | { accept: { id: string; name: string } }
  | { decline: true }
  | { complete: true }
  | { escalate: { reason: string } }
  | { silence: true }
  | { end: { outcome?: string } };
type Case = {
  name: string;
  agent?: Record<string, unknown>;
  channel: string;
  acts: Act[];
  expect: { escalation: string | null; outcome: string };
};
type Corpus = {
  knowledge: { name: string; text: string }[];
  conversations: Case[];
  csat_order: [string, string][];
};

const FILE = path.resolve(import.meta.dirname, './conversations.yaml');
const corpus = parse(await readFile(FILE, 'utf8')) as Corpus;

type Said = Pick<Say, 'say' | 'gap'> & { answered_by: string | undefined };
type Played = {
  said: Said[];
  escalation: string | null;
  outcome: string;
  csat: number;
};

let api: Api;
const played = new Map<string, Played>();

beforeAll(async () => {
  api = await startApi();
  for (const { name, text } of corpus.knowledge) await declareSource(api.engine, name, text);
  for (const one of corpus.conversations) played.set(one.name, await play(one));
}, 120_000);
afterAll(() => api?.stop());

test('there are twenty of them', () => {
  expect(corpus.conversations).toHaveLength(20);
});

test.each(corpus.conversations)('$name', ({ name, acts, expect: { escalation, outcome } }) => {
  const said = acts
    .filter((act) => 'say' in act)
    .map(({ say, gap, answered_by }) => ({ say, gap, answered_by }));
  const { csat: _, ...was } = played.get(name)!;
  expect(was).toEqual({ said, escalation, outcome });
});

test.each(corpus.csat_order)('%s leaves the user more content than %s', (better, worse) => {
  expect(played.get(better)!.csat).toBeGreaterThan(played.get(worse)!.csat);
});

async function play({ agent = {}, channel, acts }: Case): Promise<Played> {
  const source_names = corpus.knowledge.map(({ name }) => name);
  const made = await api.call('POST', '/v1/agents', {
    json: {
      prompt: 'Help the customers of a bicycle shop.',
      knowledge: { source_names },
      ...agent,
    },
  });
  const agentId = String(made.body.id);
  const started = await api.call('POST', '/v1/conversations', {
    json: { agent_id: agentId, channel },
  });
  expect(started.status).toBe(201);
  const at = `/v1/conversations/${String(started.body.id)}`;
  const said: Said[] = [];
  for (const act of acts) {
    if ('say' in act) said.push(await sayIt(at, { agentId, text: act.say }));
    else await perform(at, act);
  }
  const { body } = await api.call('GET', at);
  const escalations = await escalationsOf(at);
  return {
    said,
    escalation: furthest(escalations),
    outcome: body.outcome,
    csat: body.csat_predicted,
  };
}

async function sayIt(
  at: string,
  { agentId, text }: { agentId: string; text: string },
): Promise<Said> {
  const before = await gapsOf(agentId);
  const { status, body } = await api.call('POST', `${at}/messages`, { json: { text } });
  expect(status).toBe(200);
  const source = body.turns.at(-1).retrieval?.chunks[0]?.source_id;
  return {
    say: text,
    gap: (await gapsOf(agentId)) > before,
    answered_by: source === undefined ? undefined : await nameOf(source),
  };
}

async function perform(at: string, act: Exclude<Act, Say>): Promise<void> {
  if ('silence' in act) {
    await api.engine.pool.query(`update conversations set expires_at = now() where id = $1`, [
      toUuid('conv', at.split('/').at(-1)!),
    ]);
    await api.engine.eventually(async () => {
      const { body } = await api.call('GET', at);
      return body.summary !== null;
    });
    return;
  }
  const [escalation] = await escalationsOf(at);
  const of = `/v1/escalations/${escalation?.id}`;
  const [url, json] =
    'human' in act
      ? [`${of}/messages`, { text: act.human }]
      : 'accept' in act
        ? [`${of}/accept`, { accepted_by: act.accept }]
        : 'decline' in act
          ? [`${of}/decline`, undefined]
          : 'complete' in act
            ? [`${of}/complete`, undefined]
            : 'escalate' in act
              ? [`${at}/escalate`, act.escalate]
              : [`${at}/end`, act.end];
  const { status } = await api.call('POST', url, json === undefined ? {} : { json });
  // An escalation that was expected and is none fails the comparison, not this.
  expect([200, 201, 404, 409]).toContain(status);
}

async function escalationsOf(
  at: string,
): Promise<{ id: string; status: string; accepted_at: unknown }[]> {
  const id = at.split('/').at(-1);
  return (await api.call('GET', `/v1/escalations?conversation_id=${id}`)).body.data;
}

function furthest(escalations: { status: string; accepted_at: unknown }[]): string | null {
  if (escalations.length === 0) return null;
  if (escalations.some(({ accepted_at }) => accepted_at !== null)) return 'accepted';
  return escalations.some(({ status }) => status === 'declined') ? 'declined' : 'requested';
}

async function gapsOf(agentId: string): Promise<number> {
  const { rows } = await api.engine.pool.query<{ asked: number }>(
    `select coalesce(sum(count), 0)::int as asked from knowledge_gaps where agent_id = $1`,
    [toUuid('agt', agentId)],
  );
  return rows[0]!.asked;
}

async function nameOf(sourceId: string): Promise<string | undefined> {
  const { rows } = await api.engine.pool.query<{ name: string; id: string }>(
    'select id, name from knowledge_sources',
  );
  return rows.find(({ id }) => fromUuid('ks', id) === sourceId)?.name;
}
