import { fromUuid, toUuid } from '../../../src/ids.ts';
import type { Bench } from './bench.ts';
import { measure, type Run } from './measure.ts';
import { addEndpoint, headers, ready, type Parley } from './parley.ts';
import type { Report } from './report.ts';
import type { Produced, Request } from './wire.ts';

/** Real acts: conversations that end. Each writes the conversation, two events and one delivery. */

const CALLERS = 32;
const RATE = 100;
const PATH = 0;

export async function benchConversations(bench: Bench, report: Report): Promise<void> {
  const { parley, receiver, options } = bench;
  const url = `http://127.0.0.1:${receiver.port}/${PATH}`;
  const endpoint = await addEndpoint(parley, url, ['conversation.ended']);
  parley.endpoints.push(endpoint);
  await ready(parley);
  const { body: agent } = await parley.call('POST', '/v1/agents', { prompt: 'Help.' });
  const count = Math.round(options.events / 4);
  const closed = await endConversations(bench, agent.id, { callers: CALLERS, count });
  report.run(`  conversations that end, ${CALLERS} callers`, closed);
  const seconds = Math.round(options.latencySec / 2);
  const open = await endConversations(bench, agent.id, { rate: RATE, seconds });
  report.run(`  conversations that end, ${RATE}/s`, open);
  await parley.call('DELETE', `/v1/webhooks/${endpoint}`);
  parley.endpoints.pop();
}

type Load = { callers: number; count: number } | { rate: number; seconds: number };

/** Started before the clock runs. */
async function endConversations(bench: Bench, agentId: string, plan: Load): Promise<Run> {
  const count = 'count' in plan ? plan.count : plan.rate * plan.seconds;
  const body = JSON.stringify({ agent_id: agentId });
  const started = await bench.producer.run({
    base: bench.parley.url,
    ids: 'id',
    requests: [{ path: '/v1/conversations', headers, body, target: PATH }],
    callers: CALLERS,
    count,
  });
  const requests = started.ids.map((id): Request => ({
    path: `/v1/conversations/${id}/end`,
    headers,
    body: '{}',
    target: PATH,
  }));
  const identify = (produced: Produced): Promise<void> =>
    nameEvents(bench.parley, started.ids, produced);
  return measure(bench, 'parley', { paths: [PATH], plan, requests, identify });
}

/** The answer is the conversation; the event's id stands in the database. */
async function nameEvents(
  { pool }: Parley,
  conversations: readonly string[],
  produced: Produced,
): Promise<void> {
  const { rows } = await pool.query<{ id: string; conversation: string }>(
    `select id, conversation_id as conversation from events
      where type = 'conversation.ended' and conversation_id = any($1)`,
    [conversations.map((id) => toUuid('conv', id))],
  );
  const events = new Map(rows.map((row) => [row.conversation, fromUuid('evt', row.id)]));
  produced.ids = conversations.map((id) => events.get(toUuid('conv', id) ?? '') ?? '');
}
