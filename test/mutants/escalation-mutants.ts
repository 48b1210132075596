import type { Mutant } from './mutant.ts';

const SUITE = 'test/conversations/escalations/escalations.pg.test.ts';
const WAITS = 'test/conversations/escalations/escalation-waits.pg.test.ts';
const ENDING = 'test/conversations/ending/conversation-ending.pg.test.ts';
const ROWS = 'src/conversations/escalations/escalations.sql.ts';
const ACCEPT = 'src/conversations/escalations/accept-escalation.ts';
const REQUEST = 'src/conversations/escalations/request-escalation.ts';
const CLOSE = 'src/conversations/escalations/close-escalation.ts';
const RULES = 'src/conversations/escalations/escalation-rules.ts';

/** Bugs of handing over to a human: who takes over, how long is waited, what becomes of it. */
export const ESCALATION_MUTANTS: readonly Mutant[] = [
  {
    name: 'second-wait-for-the-first',
    why: 'the wait of the last human counts, not the longest: an hour of waiting is forgotten',
    file: ACCEPT,
    find: 'waitSec: Math.max(waitSec, by.waitSec),',
    replace: 'waitSec: by.waitSec,',
    suite: WAITS,
    test: 'a wait is in seconds, in the resource and in its event',
  },
  {
    name: 'wait-in-milliseconds',
    why: 'wait_sec is a thousand times what the user has waited',
    file: ACCEPT,
    find: 'Math.max(0, Math.floor((row.acceptedAt - row.requestedAt) / 1_000));',
    replace: 'Math.max(0, Math.floor(row.acceptedAt - row.requestedAt));',
    suite: WAITS,
    test: 'a wait is in seconds, in the resource and in its event',
  },
  {
    name: 'last-who-accepts-wins',
    why: 'two humans believe that the conversation is theirs',
    file: ROWS,
    find: `where id = $1 and status = 'requested' returning`,
    replace: `where id = $1 and status in ('requested', 'accepted') returning`,
    suite: SUITE,
    test: 'twenty accept at once: one wins',
  },
  {
    name: 'completed-before-accepted',
    why: 'a hand-over that nobody took is told as one that a human has dealt with',
    file: ROWS,
    find: 'where id = $1 and status = $2 returning',
    replace: `where id = $1 and $2 is not null and status in ('requested', 'accepted') returning`,
    suite: SUITE,
    test: 'a human accepts, speaks, and hands back',
  },
  {
    name: 'human-speaks-after-hand-back',
    why: 'a human and the agent talk to the user at the same time',
    file: 'src/conversations/escalations/say-as-human.ts',
    find: `if (escalation.status !== 'accepted' || !conversation)`,
    replace: `if (escalation.status === 'requested' || !conversation)`,
    suite: SUITE,
    test: 'a human accepts, speaks, and hands back',
  },
  {
    name: 'agent-silent-after-decline',
    why: 'nobody comes and nobody answers: the user talks to nobody until silence ends it',
    file: CLOSE,
    find: `status: 'active',`,
    replace: `status: from === 'requested' ? 'escalated' : 'active',`,
    suite: SUITE,
    test: 'declined: the agent goes on',
  },
  {
    name: 'wait-of-the-agent-ignored',
    why: 'who is asked for by REST is waited for 300 s, whatever the agent says',
    file: REQUEST,
    find: 'const timeoutSec = version?.content.escalation?.timeoutSec ?? DEFAULT_TIMEOUT_SEC;',
    replace: 'const timeoutSec = version ? DEFAULT_TIMEOUT_SEC : 0;',
    suite: WAITS,
    test: 'who is asked for by REST is waited for as long as the agent says',
  },
  {
    name: 'silence-while-waiting',
    why: 'a conversation ends for silence while the user waits for the human it has promised',
    file: REQUEST,
    find: 'return Math.max(silenceSec, timeoutSec);',
    replace: 'return Math.min(silenceSec, timeoutSec);',
    suite: ENDING,
    test: 'while a human is waited for it is no shorter than that wait',
  },
  {
    name: 'silence-after-a-human-spoke',
    why: 'while a human types for a minute, a conversation ends that a chat would not have',
    file: 'src/conversations/escalations/say-as-human.ts',
    find: 'silenceSec: silenceWhileEscalated(silenceTimeoutSec, timeoutOf(escalation)),',
    replace: 'silenceSec: timeoutOf(escalation) > 0 ? silenceTimeoutSec : 0,',
    suite: WAITS,
    test: 'a human who takes their time is no silence',
  },
  {
    name: 'silence-after-the-acceptance',
    why: 'the human who has just taken over finds a conversation that ended for silence',
    file: ACCEPT,
    find: 'silenceSec: silenceWhileEscalated(conversation.silenceTimeoutSec, timeoutOf(row)),',
    replace: 'silenceSec: timeoutOf(row) > 0 ? conversation.silenceTimeoutSec : 0,',
    suite: WAITS,
    test: 'a human who takes their time is no silence',
  },
  {
    name: 'taken-over-is-canceled',
    why: 'what a human has dealt with is counted as a request that was taken back',
    file: ROWS,
    find: `set status = case status when 'accepted' then 'completed' else 'canceled' end,`,
    replace: `set status = 'canceled',`,
    suite: SUITE,
    test: 'the end closes it',
  },
  {
    name: 'no-time-of-the-end',
    why: 'finished_at stays null: nobody can tell how long a human was busy',
    file: ROWS,
    find: 'set status = $3, finished_at = clock_timestamp()',
    replace: 'set status = $3',
    suite: WAITS,
    test: 'a wait is in seconds, in the resource and in its event',
  },
  {
    name: 'keyword-within-a-word',
    why: 'who has an issue is handed to the lawyers, who wait for "sue"',
    file: RULES,
    find: '(?<![\\\\p{L}\\\\p{N}_])${words',
    replace: '${words',
    suite: SUITE,
    test: 'the rules',
  },
  {
    name: 'one-answer-forgives-nothing',
    why: 'low_confidence counts over a whole conversation, not in a row: answers do not help',
    file: 'src/conversations/turns/tally-turn.ts',
    find: '    unansweredInRow: 0,\n',
    replace: '',
    suite: WAITS,
    test: 'an answer in between forgives',
  },
  {
    name: 'gap-lost-at-hand-over',
    why: 'the very question that had to be handed over is no gap: nobody ever answers it',
    file: 'src/conversations/turns/record-turn.ts',
    find: '  if (gap) {',
    replace: '  if (gap && !escalation) {',
    suite: WAITS,
    test: 'an answer in between forgives',
  },
];
