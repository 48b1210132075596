import type { Mutant } from './mutant.ts';

const SUITE = 'test/platform/idempotency/idempotency.pg.test.ts';
const KEPT = 'test/platform/idempotency/idempotency-kept.pg.test.ts';
const MARKS = 'src/platform/idempotency/idempotency-marks.sql.ts';
const IDEMPOTENCY = 'src/platform/idempotency/idempotency.ts';
const RUN_ONCE = 'src/platform/http/run-once.ts';

/** Bugs of Idempotency-Key: what is done twice, refused without a reason, or answered to another. */
export const IDEMPOTENCY_MUTANTS: readonly Mutant[] = [
  {
    name: 'another-query-is-the-same',
    why: 'another request with the same key is answered with what the first one did',
    file: RUN_ONCE,
    find: `content: [query.join('?'), await request.readBytes()],`,
    replace: 'content: [await request.readBytes()],',
    suite: SUITE,
    test: 'another query is another request',
  },
  {
    name: 'one-key-for-all-paths',
    why: 'a key that was used to make an agent cannot be used to make an endpoint',
    file: IDEMPOTENCY,
    find: '.update(`${method}\\n${path}\\n${key}`)',
    replace: '.update(`${method}\\n${path.length > 0}\\n${key}`)',
    suite: SUITE,
    test: 'each API key and each path has its own',
  },
  {
    name: 'answers-kept-for-an-hour',
    why: 'a client that was away for the night does everything a second time',
    file: MARKS,
    find: `case when started_at < clock_timestamp() - interval '24 hours' then 'expired'`,
    replace: `case when started_at < clock_timestamp() - interval '1 hour' then 'expired'`,
    suite: SUITE,
    test: 'anything after 24 hours',
  },
  {
    name: 'answers-kept-for-ever',
    why: 'a key that was used last year is answered with what was done then',
    file: MARKS,
    find: `case when started_at < clock_timestamp() - interval '24 hours' then 'expired'`,
    replace: `case when started_at < clock_timestamp() - interval '24 years' then 'expired'`,
    suite: SUITE,
    test: 'anything after 24 hours',
  },
  {
    name: 'swept-while-kept',
    why: 'the sweep removes the marks of today, and a repeat does everything again',
    file: MARKS,
    find: `where started_at < clock_timestamp() - interval '24 hours'
        order by`,
    replace: `where started_at < clock_timestamp() - interval '24 minutes'
        order by`,
    suite: KEPT,
    test: 'an answer of almost a day is not swept away',
  },
  {
    name: 'taken-over-while-it-runs',
    why: 'a slow request is done a second time while the first is still at it',
    file: MARKS,
    find: `when claimed_at < clock_timestamp() - interval '60 seconds' then 'abandoned'`,
    replace: `when claimed_at < clock_timestamp() - interval '6 seconds' then 'abandoned'`,
    suite: SUITE,
    test: 'an unfinished mark holds for 60 s by the clock of the database',
  },
  {
    name: 'answer-kept-apart',
    why: 'a crash keeps an answer to a change that was rolled back, or a change without its answer',
    file: IDEMPOTENCY,
    find: 'if (!(await finishMark(db, claimed, kept))) throw inProgress();',
    replace: 'if (!(await finishMark(pool, claimed, kept)) && db) throw inProgress();',
    suite: KEPT,
    test: 'a change that is rolled back at the last moment leaves no answer',
  },
  {
    name: 'failures-kept',
    why: 'a request that failed for us once fails for a day',
    file: RUN_ONCE,
    find: 'return status < 500 && status !== 429 && status !== 401;',
    replace: 'return status !== 429 && status !== 401;',
    suite: SUITE,
    test: 'a failure of ours: a repeat does it',
  },
  {
    name: 'replay-of-another-request',
    why: 'the Request-Id of a repeat is found nowhere in the log of what was done',
    file: RUN_ONCE,
    find: `    'Request-Id': kept.requestId,\n`,
    replace: '',
    suite: SUITE,
    test: 'is answered the same, and nothing is made',
  },
  {
    name: 'refusals-done-again',
    why: 'what was refused happens at the third try, when the client has long done something else',
    file: RUN_ONCE,
    find: `if (isLasting(shown)) await mark.keep`,
    replace: `if (isLasting(shown) && shown.status === 422) await mark.keep`,
    suite: SUITE,
    test: 'a refusal is an answer too',
  },
];
