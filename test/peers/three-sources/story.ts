import assert from 'node:assert/strict';
import { Webhook } from 'standardwebhooks';
import type { Parley } from '../../roles/parley-process.ts';
import { until } from '../../until.ts';
import { startReceiver, type Receiver } from '../../webhooks/receiver.ts';

/**
 * What the stories of the three kinds of sources share: everything is done by REST, as users do it, and
 * what is told arrives at an endpoint, signed.
 */

// What comes back is looked at field by field.
// oxlint-disable-next-line typescript/no-explicit-any
type Body = any;

/** Of a sync: `added updated removed failed`. */
export type Counts = `${number} ${number} ${number} ${number}`;

/** A passage that an answer was drawn from. */
export type Cited = {
  id: string;
  source_id: string;
  path: string;
  url: string | null;
  heading: string;
  text: string;
};
export type Answered = { text: string; cited: Cited[]; turnMs: number };

export type Story = {
  parley: Parley;
  /** Where it may write. */
  folder: string;
  /** `ok …` and `not ok …`, as the other peers say it. */
  lines: string[];
  check: (what: string, isSo: boolean, seen?: unknown) => void;
  note: (what: string) => void;
  /** Throws where it is not a success. */
  call: (method: string, route: string, body?: unknown) => Promise<Body>;
  newAgent: (sourceId: string) => Promise<string>;
  ask: (agentId: string, question: string) => Promise<Answered>;
  /** Once no sync of it is unfinished. */
  settled: (sourceId: string) => Promise<Body>;
  sync: (sourceId: string) => Promise<Body>;
  /** That the sync that ended last did just this, and that exactly this was told, signed. */
  expectCounts: (what: string, source: Body, counts: Counts) => Promise<void>;
  stop: () => Promise<void>;
};

const SYNC_MS = 300_000;
const TOLD_MS = 30_000;

export async function openStory(parley: Parley, folder: string): Promise<Story> {
  const receiver = await startReceiver();
  const lines: string[] = [];
  const note = (what: string): void => console.log(`  # ${what}`);
  const check: Story['check'] = (what, isSo, seen) => {
    lines.push(`${isSo ? 'ok' : 'not ok'} ${what}`);
    console.log(`  ${lines.at(-1)}`);
    if (!isSo && seen !== undefined) note(JSON.stringify(seen));
  };
  const call: Story['call'] = async (method, route, body) => {
    const answer = await parley.call(method, route, body);
    assert(answer.status < 300, `${method} ${route}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const endpoint = await call('POST', '/v1/webhooks', {
    url: receiver.url,
    event_types: ['knowledge.source.synced'],
  });
  const settled: Story['settled'] = (sourceId) =>
    until(
      () => call('GET', `/v1/knowledge/sources/${sourceId}`).then(JSON.stringify),
      async () => {
        const source = await call('GET', `/v1/knowledge/sources/${sourceId}`);
        assert(source.status !== 'error', source.status_message);
        return source.sync === null && source.last_sync !== null && source;
      },
      { timeoutMs: SYNC_MS },
    );
  return {
    parley,
    folder,
    lines,
    check,
    note,
    call,
    settled,
    newAgent: async (sourceId) => {
      const fields = { prompt: 'You answer from documents.' };
      const knowledge = { source_ids: [sourceId] };
      return String((await call('POST', '/v1/agents', { ...fields, knowledge })).id);
    },
    ask: (agentId, question) => ask(call, agentId, question),
    sync: async (sourceId) => {
      await call('POST', `/v1/knowledge/sources/${sourceId}/sync`);
      return settled(sourceId);
    },
    expectCounts: async (what, source, counts) => {
      check(`${what}: ${counts}`, countsOf(source.last_sync) === counts, source.last_sync);
      const told = await toldOf(receiver, { secret: endpoint.secret, source, counts });
      check(`${what}: told so, signed`, told !== undefined, receiver.received.at(-1)?.json);
    },
    stop: async () => {
      await call('DELETE', `/v1/webhooks/${endpoint.id}`);
      await receiver.close();
    },
  };
}

function countsOf({ added, updated, removed, failed }: Body): Counts {
  return `${added} ${updated} ${removed} ${failed}`;
}

/** The last event of the source, where that says the same and its signature holds; each is taken once. */
async function toldOf(
  receiver: Receiver,
  { secret, source, counts }: { secret: string; source: Body; counts: Counts },
): Promise<unknown> {
  const isIt = ({ json: { data } }: Receiver['received'][number]): boolean =>
    data['source_id'] === source.id &&
    data['status'] === 'ready' &&
    data['documents'] === source.documents &&
    countsOf(data) === counts;
  const received = await receiver.until((all) => all.some(isIt), TOLD_MS).catch(() => []);
  const one = received.find(isIt);
  if (one === undefined) return undefined;
  receiver.received.splice(receiver.received.indexOf(one), 1);
  // Throws when the signature is wrong.
  return new Webhook(secret).verify(one.body.toString(), one.headers as Record<string, string>);
}

/** A conversation of one question; what its transcript says the answer was drawn from. */
async function ask(call: Story['call'], agentId: string, question: string): Promise<Answered> {
  const { id } = await call('POST', '/v1/conversations', { agent_id: agentId });
  await call('POST', `/v1/conversations/${id}/messages`, { text: question });
  const { turns } = await call('GET', `/v1/conversations/${id}/transcript`);
  const turn = turns.at(-1);
  const cited: Cited[] = [];
  for (const { chunk_id: chunk } of turn.retrieval?.chunks ?? []) {
    cited.push(await call('GET', `/v1/knowledge/chunks/${chunk}`));
  }
  return { text: turn.text, cited, turnMs: turn.latency.turn_ms };
}

/** Documents and passages of a source, as they can be read: what a sync must leave alone. */
export type State = { documents: Map<string, Body>; passages: Map<string, Cited> };

export async function stateOf({ call }: Story, sourceId: string): Promise<State> {
  const documents = new Map<string, Body>();
  const passages = new Map<string, Cited>();
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: Body = await call(
      'GET',
      `/v1/knowledge/sources/${sourceId}/documents?limit=100${cursor && `&cursor=${cursor}`}`,
    );
    for (const document of page.data) documents.set(document.path, document);
    cursor = page.has_more ? page.next_cursor : null;
  }
  // No list of passages is offered: these are found by the names of the documents.
  for (const { title, path } of documents.values()) {
    const q = encodeURIComponent(`${title} ${path}`.slice(0, 200));
    const { data } = await call('GET', `/v1/knowledge/search?q=${q}&limit=50`);
    for (const hit of data) if (hit.source_id === sourceId) passages.set(hit.chunk_id, hit);
  }
  return { documents, passages };
}

/**
 * That since then just these documents are other ones (or gone, or new), and that all others have the ids
 * they had and the passages they had.
 */
export async function expectUntouched(
  story: Story,
  sourceId: string,
  { before, but }: { before: State; but: readonly string[] },
): Promise<State> {
  const after = await stateOf(story, sourceId);
  const differing = [...new Set([...before.documents.keys(), ...after.documents.keys()])].filter(
    (path) =>
      JSON.stringify(before.documents.get(path)) !== JSON.stringify(after.documents.get(path)),
  );
  const same =
    before.documents.size - differing.filter((path) => before.documents.has(path)).length;
  story.check(
    `all ${same} other documents are as they were`,
    differing.toSorted().join() === but.toSorted().join(),
    differing,
  );
  const changed = new Set(but.map((path) => before.documents.get(path)?.id));
  let lost = 0;
  let kept = 0;
  for (const [id, { text, ...passage }] of before.passages) {
    const { status, body } = await story.parley.call('GET', `/v1/knowledge/chunks/${id}`);
    const isKept = status === 200 && body.text === text;
    if (changed.has((passage as Body).document_id)) continue;
    if (isKept) kept += 1;
    else lost += 1;
  }
  story.check(`${kept} passages of theirs have the ids they had`, lost === 0 && kept > 0, { lost });
  return after;
}

/** That the answer is of that document, below that heading, and says what stands there. */
export function expectCited(
  story: Story,
  { question, text, cited }: Answered & { question: string },
  { path, url, heading, words }: { path: string; url?: string; heading?: RegExp; words: RegExp },
): void {
  const [first] = cited;
  const isOfIt =
    first?.path === path &&
    (url === undefined || first.url === url) &&
    (heading === undefined || heading.test(first.heading));
  story.check(`“${question}” cites ${path}`, isOfIt, { text, cited });
  const plain = (of: string): string => of.replaceAll(/[\s*_`]+/g, ' ');
  story.check(
    `  and says ${words.source}`,
    words.test(plain(text)) && cited.some((passage) => words.test(plain(passage.text))),
    text,
  );
}
