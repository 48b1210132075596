import type { Mutant } from './mutant.ts';

const COMMITS = 'test/events/commits.pg.test.ts';
const OUTBOX = 'test/events/outbox.pg.test.ts';
const REPLAYS = 'test/webhooks/replay/replay-jobs.pg.test.ts';
const WAKE_UPS = 'test/platform/postgres/notifications.pg.test.ts';
const SEND_TEST = 'src/webhooks/endpoints/send-test-event.ts';

/** Bugs of what comes before delivery: the commit, the answer, idempotency, replays. */
export const PRODUCER_MUTANTS: readonly Mutant[] = [
  {
    name: 'answer-before-commit',
    why: 'a crash after the 202 loses an event that was promised',
    file: SEND_TEST,
    find: 'const queued = await insertTestEvents(outbox, events);',
    replace: `void insertTestEvents(outbox, events).catch(() => undefined);
      const queued = new Set(events.map(({ deliveryId }) => deliveryId));`,
    suite: COMMITS,
    test: 'nobody is answered before the commit',
  },
  {
    name: 'commit-not-waited-for',
    why: 'a change whose commit fails is answered as done',
    file: 'src/platform/postgres/transaction.ts',
    find: "await client.query('commit');",
    replace: "client.query('commit').catch(() => undefined);",
    suite: COMMITS,
    test: 'a commit that fails is no success',
  },
  {
    name: 'rollback-forgotten',
    why: 'half a change stays: the event is told of something that was refused',
    file: 'src/platform/postgres/transaction.ts',
    find: "await client.query('rollback').catch(() => {",
    replace: "await client.query('commit').catch(() => {",
    suite: COMMITS,
    test: 'what fails inside a transaction leaves nothing',
  },
  {
    name: 'answers-mixed-up',
    why: 'of requests that share a commit one is told 202 for what was refused to another',
    file: SEND_TEST,
    find: 'return events.map(({ deliveryId }) => queued.has(deliveryId));',
    replace: 'return events.map((_, i) => i < queued.size);',
    suite: COMMITS,
    test: 'each has its own answer',
  },
  {
    name: 'batch-answers-the-first',
    why: 'a result that did not count is taken for one that did, and the other way round',
    file: 'src/platform/controller/batcher.ts',
    find: 'resolve(answers[i]!)',
    replace: 'resolve(answers[i - i]!)',
    suite: 'test/webhooks/delivery/completer.test.ts',
    test: 'what comes while a statement runs goes into the next one',
  },
  {
    name: 'bodies-mixed-up',
    why: 'events that share a commit carry parts of each other: one tenant reads another',
    file: 'src/events/outbox.sql.ts',
    find: 'ends.map((at, i) => at - events[i]!.body.length),',
    replace: 'ends.map((_, i) => i * events[0]!.body.length),',
    suite: COMMITS,
    test: 'each has its own bytes',
  },
  {
    name: 'queued-for-the-deleted',
    why: 'events pile up for endpoints that are gone: for 72 h they are pending, then they have failed',
    file: 'src/events/outbox.sql.ts',
    find: 'where e.namespace = $2 and e.enabled and e.deleted_at is null',
    replace: 'where e.namespace = $2 and e.enabled',
    suite: OUTBOX,
    test: 'an event is queued for those who are there, enabled and subscribed',
  },
  {
    name: 'events-cross-namespaces',
    why: 'one tenant receives the conversations of another',
    file: 'src/events/outbox.sql.ts',
    find: 'where e.namespace = $2 and e.enabled and e.deleted_at is null',
    replace: 'where e.namespace >= $2 and e.enabled and e.deleted_at is null',
    suite: OUTBOX,
    test: 'an event is queued for those who are there, enabled and subscribed',
  },
  {
    name: 'mark-outside-the-transaction',
    why: 'a crash between the two leaves an answer for what was never done, or does it twice',
    file: 'src/platform/idempotency/idempotency.ts',
    find: 'if (!(await finishMark(db, claimed, kept))) throw inProgress();',
    replace: `void db;
      if (!(await finishMark(pool, claimed, kept))) throw inProgress();`,
    suite: COMMITS,
    test: 'a change that is rolled back leaves no answer',
  },
  {
    name: 'replay-never-ends',
    why: 'a replay never ends, and one of all events sends its last one again and again',
    file: 'src/webhooks/replay/run-replay-jobs.ts',
    find: 'job.cursor === null ? scope.from : nextUuid(job.cursor);',
    replace: 'job.cursor === null ? scope.from : job.cursor;',
    suite: REPLAYS,
    test: 'what was made while an endpoint was disabled is found by missing',
  },
  {
    name: 'replay-skips-what-did-not-fit',
    why: 'a large replay leaves out most of what it was asked for, and says that it is done',
    file: 'src/webhooks/replay/jobs.sql.ts',
    find: 'case when (select count(*) from matching) = $9',
    replace: 'case when (select count(*) from matching) > $9',
    suite: REPLAYS,
    test: 'a job never has more than its bound outstanding',
  },
  {
    name: 'idempotency-without-fence',
    why: 'a request that was thought dead commits as well: what was to be done once is done twice',
    file: 'src/platform/idempotency/idempotency-marks.sql.ts',
    find: `set answer = $4, conversation_ids = $5
            where api_key_id = $1 and place_hash = $2 and token = $3 and answer is null`,
    replace: `set answer = $4, conversation_ids = $5
            where api_key_id = $1 and place_hash = $2 and $3::uuid is not null`,
    suite: 'test/platform/idempotency/idempotency.pg.test.ts',
    test: 'an unfinished mark holds for 60 s',
  },
  {
    name: 'deadlock-shown-outside',
    why: 'two requests that only stood in each other’s way: one of them is answered 500',
    file: 'src/platform/postgres/transaction.ts',
    find: 'const TRIES = 3;',
    replace: 'const TRIES = 1;',
    suite: 'test/platform/postgres/transaction.pg.test.ts',
    test: 'of two transactions in a deadlock one is run again',
  },
  {
    name: 'wake-up-too-long',
    why: 'a change that concerns 300 endpoints wakes nobody: the message is refused',
    file: 'src/platform/postgres/notifications.ts',
    find: "items.has('*') || items.size > PAYLOAD_ITEMS_MAX ? '*'",
    replace: "items.has('*') ? '*'",
    suite: WAKE_UPS,
    test: 'more endpoints than one message can name',
  },
  {
    name: 'wake-ups-overwrite-each-other',
    why: 'of events that are committed at the same moment all but the last wait for the sweep',
    file: 'src/platform/postgres/notifications.ts',
    find: 'const set = waiting.get(channel) ?? new Set();',
    replace: 'const set = new Set<string>();',
    suite: WAKE_UPS,
    test: 'those that come together are sent together',
  },
  {
    name: 'test-event-wakes-nobody',
    why: 'who tries an endpoint out waits for the sweep, and sees a slow product first of all',
    file: 'src/events/outbox.sql.ts',
    find: "coalesce(string_agg(distinct endpoint_id::text, ','), '')",
    replace: "coalesce(min(endpoint_id::text), '')",
    suite: WAKE_UPS,
    test: 'test events wake their endpoints',
  },
];
