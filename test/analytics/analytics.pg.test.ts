import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countBatch } from '../../src/analytics/count-conversations.ts';
import { fromUuid, newUuid, toUuid } from '../../src/ids.ts';
import {
  shareConversationFixture,
  type ConversationFixture,
} from '../conversations/conversation-setup.ts';
import type { Reply } from '../roles/api/api-setup.ts';

/** `GET /v1/analytics` (contract/analytics.md). */
let fixture: ConversationFixture;
beforeAll(async () => {
  fixture = await shareConversationFixture();
});
afterAll(() => fixture?.stop());

const get = (query = '', key = fixture.key): Promise<Reply> =>
  fixture.call('GET', `/v1/analytics${query}`, { key });
const body = async (query = '', key = fixture.key): Promise<Reply['body']> => {
  const { status, body: found } = await get(query, key);
  expect({ status, found }).toMatchObject({ status: 200 });
  return found;
};

/** Monday, 2026-10-26, 00:00 in Berlin, one hour after the clock went back on the day before at 03:00. */
const MONDAY = Date.UTC(2026, 9, 25, 23) / 1_000;
const HOUR = 3_600;
const DAY = 24 * HOUR;
const AGENT = newUuid();

/** Stores an ended conversation; `sec` is its start after `MONDAY`. */
async function ended(sec: number, columns: Record<string, unknown> = {}): Promise<string> {
  const id = newUuid();
  const row: Record<string, unknown> = {
    id,
    namespace: await namespaceOf(),
    agent_id: AGENT,
    agent_version: 1,
    channel: 'chat',
    status: 'ended',
    outcome: 'resolved',
    started_at: new Date((MONDAY + sec) * 1_000),
    ended_at: new Date((MONDAY + sec + 60) * 1_000),
    max_duration_sec: 100,
    silence_timeout_sec: 100,
    ...columns,
  };
  const names = Object.keys(row);
  await fixture.engine.pool.query(
    `insert into conversations (${names.join(', ')}) values (${names.map((_, i) => `$${i + 1}`).join(', ')})`,
    Object.values(row),
  );
  return id;
}

/** Returns the namespace of the fixture. */
async function namespaceOf(): Promise<string> {
  const { rows } = await fixture.engine.pool.query<{ namespace: string }>(
    'select namespace from agents where id = $1',
    [toUuid('agt', fixture.agentId)],
  );
  return rows[0]!.namespace;
}

const week = (interval: string, zone = 'Europe/Berlin'): string =>
  `?from=${MONDAY}&to=${MONDAY + 7 * DAY}&interval=${interval}&time_zone=${encodeURIComponent(zone)}`;

describe('over time', () => {
  beforeAll(async () => {
    await ended(0, { csat: 5 });
    await ended(DAY - 1, { outcome: 'unresolved' });
    await ended(DAY, { csat: 2 });
    await ended(7 * DAY - 1);
    // The periods after and before.
    await ended(7 * DAY);
    await ended(-1, { outcome: 'failed' });
    await ended(-7 * DAY);
    await ended(-7 * DAY - 1);
    await ended(DAY, { test: true });
  });

  test('days begin at midnight of the time zone, and the total is that of all intervals', async () => {
    const found = await body(week('day'));
    expect(found).toMatchObject({
      from: MONDAY,
      to: MONDAY + 7 * DAY,
      interval: 'day',
      time_zone: 'Europe/Berlin',
      group_by: null,
      groups: [],
      has_more: false,
      total: {
        conversations: 4,
        resolved: 3,
        unresolved: 1,
        resolution_rate: 0.75,
        csat_average: 3.5,
      },
    });
    const counts = found.buckets.map((one: Reply['body']) => [one.at, one.conversations]);
    expect(counts).toEqual([2, 1, 0, 0, 0, 0, 1].map((count, i) => [MONDAY + i * DAY, count]));
    expect(found.buckets[2]).toMatchObject({
      resolution_rate: null,
      csat_average: null,
      costs: {},
    });
  });

  test('the period before has the same length', async () => {
    const { previous } = await body(week('day'));
    expect(previous).toMatchObject({
      from: MONDAY - 7 * DAY,
      to: MONDAY,
      total: { conversations: 2, failed: 1, resolved: 1 },
    });
  });

  test('the same from counters as before they were', async () => {
    const before = await body(`${week('day')}&group_by=channel`);
    while (await countBatch({ pool: fixture.engine.pool })) {
      // A batch more.
    }
    expect(await body(`${week('day')}&group_by=channel`)).toEqual(before);
  });

  test('hours and weeks; a period is widened to whole intervals', async () => {
    const hours = await body(`?from=${MONDAY + 60}&to=${MONDAY + 2 * HOUR}&interval=hour`);
    expect(hours.buckets.map(({ at }: { at: number }) => at)).toEqual([MONDAY, MONDAY + HOUR]);
    expect(hours.total.conversations).toBe(1);
    const wednesday = MONDAY + 2 * DAY;
    const weeks = await body(
      `?from=${wednesday}&to=${MONDAY + 8 * DAY}&interval=week&time_zone=Europe/Berlin`,
    );
    expect(weeks.buckets.map((one: Reply['body']) => [one.at, one.conversations])).toEqual([
      [MONDAY, 4],
      [MONDAY + 7 * DAY, 1],
    ]);
  });

  test('without a period it is the last 28 days by day in UTC, with those in progress', async () => {
    const id = await fixture.start();
    const found = await body(`?agent_id=${fixture.agentId}`);
    expect(found).toMatchObject({ interval: 'day', time_zone: 'UTC' });
    expect(found.buckets).toHaveLength(29);
    expect(found.buckets.at(-1)).toMatchObject({ conversations: 1, active: 1 });
    await fixture.end(id, { outcome: 'resolved' });
    expect((await body(`?agent_id=${fixture.agentId}`)).total).toMatchObject({
      active: 0,
      resolved: 1,
      contained: 1,
      containment_rate: 1,
    });
  });

  test('another namespace has nothing of it', async () => {
    const found = await body(week('day'), await fixture.newKey('other'));
    expect(found.total).toMatchObject({ conversations: 0, resolution_rate: null });
    expect(
      await body(`${week('day')}&group_by=agent`, await fixture.newKey('other')),
    ).toMatchObject({
      groups: [],
    });
  });
});

describe('by group', () => {
  const other = newUuid();
  const AT = 60 * DAY;
  const span = `?from=${MONDAY + AT}&to=${MONDAY + AT + DAY}&time_zone=Europe/Berlin`;
  const groups = async (query: string): Promise<Reply['body'][]> =>
    (await body(`${span}${query}`)).groups;

  beforeAll(async () => {
    const judged = { topics: ['billing', '=HYPERLINK("x"),"y"'] };
    const usage = { inputTokens: 10, outputTokens: 2, cachedInputTokens: 1, costs: { USD: 0.5 } };
    await ended(AT, { judgement: judged, tally: { answered: 3, unanswered: 1, usage } });
    await ended(AT + 1, { agent_version: 2, channel: 'voice', judgement: { topics: ['billing'] } });
    await ended(AT - 1, { judgement: { topics: ['billing'] } });
    // Triggers count escalations at the end of their conversation.
    const tally = { escalations: { requested: 2, accepted: 1 } };
    const helped = await ended(AT + 2, {
      agent_id: other,
      status: 'active',
      ended_at: null,
      tally,
    });
    const escalation = { namespace: await namespaceOf(), conversation_id: helped, agent_id: other };
    for (const [status, accepted_by, accepted_at, is_missed] of [
      ['completed', { id: 'ann@example.com', name: 'Ann' }, new Date(42_000), false],
      ['timed_out', null, null, true],
    ]) {
      const row = { ...escalation, status, accepted_by, accepted_at, is_missed };
      await fixture.engine.pool.query(
        `insert into escalations (id, requested_at, times_out_at, reason, summary, ${Object.keys(row).join(', ')})
         values ($1, $2, $2, '', '', $3, $4, $5, $6, $7, $8, $9)`,
        [newUuid(), new Date(0), ...Object.values(row)],
      );
    }
    await fixture.engine.pool.query(
      `update conversations set status = 'ended', ended_at = started_at, outcome = 'escalated' where id = $1`,
      [helped],
    );
  });

  const keyOf = ({ total: { conversations }, previous, ...key }: Reply['body']) => [
    ...Object.values(key).filter((part) => part !== null),
    conversations,
    previous.conversations,
  ];

  test('agents, versions, channels, topics and people, with the period before', async () => {
    const [one, two] = [AGENT, other].map((id) => fromUuid('agt', id));
    const by = async (name: string) => (await groups(`&group_by=${name}`)).map(keyOf);
    expect(await by('agent')).toEqual([
      [one, 2, 1],
      [two, 1, 0],
    ]);
    expect(new Set(await by('version'))).toEqual(
      new Set([
        [one, 1, 1, 1],
        [one, 2, 1, 0],
        [two, 1, 1, 0],
      ]),
    );
    expect(await by('channel')).toEqual([
      ['chat', 2, 1],
      ['voice', 1, 0],
    ]);
    expect(await by('topic')).toEqual([
      ['billing', 2, 1],
      ['=HYPERLINK("x"),"y"', 1, 0],
    ]);
    expect(await by('person')).toEqual([[{ id: 'ann@example.com', name: 'Ann' }, 1, 0]]);
  });

  test('leave the total of all conversations as it is', async () => {
    for (const by of ['agent', 'topic', 'person']) {
      const found = await body(`${span}&group_by=${by}`);
      expect([by, found.total.conversations, found.previous.total.conversations]).toEqual([
        by,
        3,
        1,
      ]);
      const started = found.buckets.map((one: { conversations: number }) => one.conversations);
      expect(started.reduce((sum: number, one: number) => sum + one, 0)).toBe(3);
    }
  });

  test('the figures of a group', async () => {
    const [person] = await groups('&group_by=person');
    expect(person.total).toMatchObject({
      escalated: 1,
      escalations: 2,
      accepted_escalations: 1,
      time_to_accept_sec: 42,
      missed_escalations: 0,
      contained: 0,
    });
    expect((await body(span)).total).toMatchObject({
      conversations: 3,
      missed_escalations: 1,
      contained: 2,
      containment_rate: 2 / 3,
      questions: 4,
      gap_rate: 0.25,
      input_tokens: 10,
      output_tokens: 2,
      cached_input_tokens: 1,
      costs: { USD: 0.5 },
    });
  });

  test('each filter', async () => {
    const total = async (query: string) => (await body(`${span}${query}`)).total.conversations;
    const agent = `&agent_id=${fromUuid('agt', AGENT)}`;
    expect(await total(agent)).toBe(2);
    expect(await total(`${agent}&version=2`)).toBe(1);
    expect(await total('&channel=voice')).toBe(1);
    expect(await total('&topic=billing')).toBe(2);
    expect(await total('&topic=billing&channel=voice')).toBe(1);
    expect(await total('&person=ann%40example.com')).toBe(1);
    expect(await total('&person=bob')).toBe(0);
    expect((await groups(`&topic=billing&group_by=channel`)).map(keyOf)).toEqual([
      ['chat', 1, 1],
      ['voice', 1, 0],
    ]);
  });

  const csv = async (query: string): Promise<string[]> => {
    const { status, headers, text } = await fixture.call('GET', `/v1/analytics${query}`, {
      headers: { accept: 'text/csv' },
    });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    return text.split('\r\n');
  };

  test('a table has a line for each interval', async () => {
    const [head, ...lines] = await csv(span);
    const names = head!.split(',');
    expect(names.slice(0, 3)).toEqual(['start', 'conversations', 'active']);
    expect(names.at(-1)).toBe('cost_usd');
    expect(lines).toHaveLength(2); // The last one is empty.
    expect(lines[0]).toMatch(/^2026-12-25T00:00:00\+01:00,3,0,3,/);
    expect(lines[0]).toMatch(/,0\.5$/);
  });

  test('a table by group has a line for each interval and group, and no formula', async () => {
    const [head, ...lines] = await csv(`${span}&group_by=topic`);
    expect(head).toMatch(/^start,topic,conversations,/);
    expect(lines.slice(0, -1).map((line) => line.replace(/,0,\d.*$/, ''))).toEqual([
      `2026-12-25T00:00:00+01:00,"'=HYPERLINK(""x""),""y""",1`,
      '2026-12-25T00:00:00+01:00,billing,2',
    ]);
    expect((await csv(`${span}&group_by=version`))[0]).toMatch(/^start,agent_id,version,conv/);
    expect((await csv(`${span}&group_by=person`))[1]).toContain(',ann@example.com,Ann,1,');
    expect((await csv(`${span}&group_by=agent`))[1]).toContain(',agt_');
    expect((await csv(`${span}&group_by=channel`))[1]).toContain(',chat,');
  });
});

test('of 101 agents the 100 with the most conversations are groups', async () => {
  const pool = fixture.engine.pool;
  await pool.query(
    `insert into conversations (id, namespace, agent_id, agent_version, channel, status, outcome, started_at, ended_at,
                                max_duration_sec, silence_timeout_sec)
     select parley_uuid_v7(), $1, parley_uuid_v7(), 1, 'sms', 'ended', 'unknown', to_timestamp($2), to_timestamp($2), 1, 1
       from generate_series(1, 101)`,
    [await namespaceOf(), MONDAY - 100 * DAY],
  );
  const found = await body(
    `?from=${MONDAY - 100 * DAY}&to=${MONDAY - 99 * DAY}&channel=sms&group_by=agent`,
  );
  expect(found).toMatchObject({ has_more: true, total: { conversations: 101, unknown: 101 } });
  expect(found.groups).toHaveLength(100);
});

test('refuses what it cannot answer, with the cure', async () => {
  const refused = async (query: string): Promise<string> => {
    const { status, body: problem } = await get(query);
    expect({ query, status, code: problem.code }).toMatchObject({
      status: 400,
      code: 'invalid_parameter',
    });
    return problem.detail;
  };
  expect(await refused(`?from=${MONDAY}&to=${MONDAY}`)).toBe('`from` must be before `to`.');
  const from = (days: number, interval: string) =>
    `?to=${MONDAY}&from=${MONDAY - days * DAY}&interval=${interval}`;
  expect(await refused(from(32, 'hour'))).toContain('at most 31 days');
  expect(await refused(from(367, 'day'))).toContain('at most 366 days');
  expect(await refused(from(1_099, 'week'))).toContain('at most 1098 days');
  expect(await refused('?time_zone=Mars/Olympus')).toContain('IANA');
  expect(await refused('?interval=month')).toContain('hour, day, week');
  expect(await refused('?group_by=user')).toContain('agent, version');
  expect(await refused('?version=1')).toContain('requires `agent_id`');
  expect(await refused('?topic=a&person=b')).toContain('cannot be combined');
  expect(await refused('?topic=a&group_by=person')).toContain('cannot be combined');
  expect(await refused('?person=a&group_by=topic')).toContain('cannot be combined');
  expect((await get('', await fixture.newKey('default', ['write']))).status).toBe(403);
  expect((await get('', await fixture.newKey('default', ['read']))).status).toBe(200);
  expect((await body(from(31, 'hour'))).buckets).toHaveLength(744);
});
