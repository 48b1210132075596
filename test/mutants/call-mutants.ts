import type { Mutant } from './mutant.ts';

const CALLS = 'test/calls/calls.pg.test.ts';
const REST = 'test/calls/calls-api.pg.test.ts';
const ROWS = 'src/calls/calls.sql.ts';
const STEP = 'src/calls/do-step.ts';
const ROUTES = 'src/calls/calls.routes.ts';

/** Bugs of calls: who is rung up, how often, what is said, and how it ends. */
export const CALL_MUTANTS: readonly Mutant[] = [
  {
    name: 'call-without-a-number',
    why: 'a call from nobody to nobody is taken, and fails when nobody looks any more',
    file: ROUTES,
    find: `direction === 'outbound' ? (['to', to] as const) : (['from', from] as const);`,
    replace: `direction === 'outbound' ? (['to', to] as const) : (['from', from ?? to ?? '+1'] as const);`,
    suite: REST,
    test: 'nobody who calls',
  },
  {
    name: 'number-of-any-length',
    why: 'a number that no network knows is dialed',
    file: 'src/platform/http/fields.ts',
    find: String.raw`/^\+[1-9]\d{1,14}$/,`,
    replace: String.raw`/^\+[1-9]\d{1,14}/,`,
    suite: REST,
    test: 'a number that is too long',
  },
  {
    name: 'duration-with-the-ringing',
    why: 'duration_sec, which is billed, counts the time nobody had answered',
    file: 'src/calls/call.view.ts',
    find: 'function durationSec({ answeredAt, endedAt }: CallRow): number | null {',
    replace: `function durationSec({ createdAt, answeredAt: answered, endedAt }: CallRow): number | null {
  const answeredAt = answered && createdAt;`,
    suite: CALLS,
    test: 'lasts from the answer, not from the request',
  },
  {
    name: 'step-done-twice',
    why: 'a process that was too slow says a sentence of the user a second time',
    file: ROWS,
    find: 'where id = $1 and lease_token = $2 and step = $3 and ${CALL_LIVE}`,',
    replace: 'where id = $1 and $2::uuid is not null and $3::int is not null and ${CALL_LIVE}`,',
    suite: CALLS,
    test: 'a process that was too slow for its lease',
  },
  {
    name: 'ended-twice',
    why: 'a call that was busy is made a completed one by whoever ends it late',
    file: ROWS,
    find: 'where id = $1 and status = any($2) returning ${CALL_COLUMNS}`,',
    replace: 'where id = $1 and $2::text[] is not null returning ${CALL_COLUMNS}`,',
    suite: CALLS,
    test: 'of three who cancel it at once one does',
  },
  {
    name: 'hung-up-conversation-goes-on',
    why: 'a call is over and its conversation waits for silence, without an event',
    file: 'src/calls/end-call.ts',
    find: 'call.conversationId === null\n',
    replace: `call.conversationId === null || call.status === 'in_progress'\n`,
    suite: CALLS,
    test: 'is talked to by messages, and is ended by us',
  },
  {
    name: 'call-outlives-its-conversation',
    why: 'a line stays open, and is paid for, when its conversation has long ended',
    file: ROWS,
    find: `where c.status in ('in_progress', 'transferring') and (v.id is null or v.ended_at is not null)`,
    replace: `where c.status in ('in_progress', 'transferring') and v.id is null`,
    suite: CALLS,
    test: 'ends when its conversation is ended by other means',
  },
  {
    name: 'dialed-hours-later',
    why: 'after an outage people are rung up in the night, for what they asked at noon',
    file: ROWS,
    find: 'const LATEST_DIAL_MS = 600_000;',
    replace: 'const LATEST_DIAL_MS = 600_000_000;',
    suite: CALLS,
    test: 'is not placed hours after it was asked for',
  },
  {
    name: 'script-kept',
    why: 'the words of a user stay in the call, where erasing the conversation leaves them',
    file: ROWS,
    find: "export const CALL_FINISHED = `provider_options = '{}', due_at = null,",
    replace: 'export const CALL_FINISHED = `due_at = null,',
    suite: CALLS,
    test: 'keeps nothing of its script once it has ended',
  },
  {
    name: 'voicemail-resolved',
    why: 'a call that reached a mailbox is no voicemail in the outcome',
    file: STEP,
    find: `hangUp(deps, call, { reason: 'voicemail', outcome: 'voicemail' }),`,
    replace: `hangUp(deps, call, { reason: 'user_hangup' }),`,
    suite: CALLS,
    test: 'by a machine: leaves the first message',
  },
  {
    name: 'caller-forgotten',
    why: 'the conversation of a call does not know whose it is, nor how to greet',
    file: STEP,
    find: 'const about = { namespace, agentId, userId, variables, metadata, callId: call.id };',
    replace:
      'const about = { namespace, agentId, userId: userId && null, variables, metadata, callId: call.id };',
    suite: CALLS,
    test: 'is a conversation by voice with what the script says',
  },
  {
    name: 'failed-call-retried-for-ever',
    why: 'a call to an agent that is gone rings again each second',
    file: STEP,
    find: `if (step.due.event.type !== 'answered') throw error;`,
    replace: `if (step.due.event.type === 'answered') throw error;`,
    suite: CALLS,
    test: 'fails when the agent has gone meanwhile',
  },
  {
    name: 'calls-of-one-direction',
    why: 'a list of incoming calls shows all of them',
    file: ROWS,
    find: `['direction =', filter.direction],`,
    replace: `['direction <>', filter.direction && 'none'],`,
    suite: REST,
    test: 'has the newest first, in pages, by each filter',
  },
  {
    name: 'call-before-its-idempotency',
    why: 'a crash leaves a call that the repeat of the request places once more',
    file: 'src/calls/create-call.ts',
    find: 'const row = await insertCall(db, {',
    replace: 'const row = await insertCall(deps.pool, {',
    suite: REST,
    test: 'undoes a call when it fails',
  },
];
