import type { Mutant } from './mutant.ts';

const TWILIO = 'src/calls/carriers/twilio';
const INCOMING = 'test/calls/carriers/twilio/incoming.pg.test.ts';
const OUTGOING = 'test/calls/carriers/twilio/outgoing.pg.test.ts';
const REFUSED = 'test/calls/carriers/twilio/refused.pg.test.ts';
const CUT = 'test/calls/carriers/twilio/cut.pg.test.ts';
const ROWS = 'src/calls/lines/lines.sql.ts';

/** Bugs of lines: who may open one, what of it is kept, and how it ends. */
export const LINE_MUTANTS: readonly Mutant[] = [
  {
    name: 'unheard-words-kept',
    why: 'an agent believes to have told a caller what they cut off before they heard it',
    file: 'src/conversations/record/turns.sql.ts',
    find: 'update turns set text = $3, interrupted = true',
    replace: 'update turns set text = coalesce(text, $3), interrupted = true',
    suite: INCOMING,
    test: 'queued is not played: a reply that was whole before the user spoke is cut to what was heard',
  },
  {
    name: 'any-pause-is-at-a-mark',
    why: 'a voice hesitates in the middle of a sentence, and what was heard ends at a comma far from there',
    file: 'src/speech/heard/by-sound.ts',
    find: 'return nearest && nearest.off < spread ? nearest.word : undefined;',
    replace: 'return nearest?.word;',
    suite: 'test/speech/heard/by-sound.test.ts',
    test: 'where a voice pauses is a mark',
  },
  {
    name: 'shut-mouth-is-a-pause',
    why: 'each p and t is taken for a pause of the sentence, and words are stored that nobody heard',
    file: 'src/calls/lines/saying.ts',
    find: 'const PAUSE_FRAMES_MIN = 6;',
    replace: 'const PAUSE_FRAMES_MIN = 1;',
    suite: 'test/calls/lines/saying.test.ts',
    test: 'a pause is at a mark; a short one is a sound in which the mouth is shut',
  },
  {
    name: 'interrupted-speaks-on',
    why: 'an agent that was interrupted finishes its sentence after the answer to the next one',
    file: 'src/calls/lines/mouth.ts',
    find: `if (isClosed || utterance.heard !== undefined || text === '') return;`,
    replace: `if (isClosed || text === '') return;`,
    suite: INCOMING,
    test: 'nothing of an interrupted reply is said after it was interrupted',
  },
  {
    name: 'hung-up-before-goodbye',
    why: 'an agent says goodbye to a line that it has cut already',
    file: 'src/calls/lines/talk.ts',
    find: 'if (!gone.signal.aborted) await mouth.untilHeard(gone.signal);',
    replace: 'if (gone.signal.aborted) await mouth.untilHeard(gone.signal);',
    suite: INCOMING,
    test: 'an agent that says goodbye is heard to the end before it hangs up',
  },
  {
    name: 'token-used-twice',
    why: 'whoever has seen the first frame of a call opens its line again, and listens',
    file: ROWS,
    find: `text: \`update calls set line_token = null, line_holder = $3, say_from = null,
                  line_until = clock_timestamp() + $4 * interval '1 ms'
             from (select id as call_id, say_from as "sayFrom" from calls where line_token = $1 for update) old
            where id = old.call_id
              and line_token = $1 and provider_call_id = $2 and \${CALL_LIVE} and line_holder is null`,
    replace: `text: \`update calls set line_holder = $3, say_from = null,
                  line_until = clock_timestamp() + $4 * interval '1 ms'
             from (select id as call_id, say_from as "sayFrom" from calls where line_token = $1 for update) old
            where id = old.call_id
              and line_token = $1 and provider_call_id = $2 and \${CALL_LIVE}`,
    suite: REFUSED,
    test: 'a token opens a line once, for the call that it was given to',
  },
  {
    name: 'token-of-another-call',
    why: 'a token that was given to one call opens the line of it for another',
    file: ROWS,
    find: 'and line_token = $1 and provider_call_id = $2 and ${CALL_LIVE} and line_holder is null',
    replace:
      'and line_token = $1 and $2::text is not null and ${CALL_LIVE} and line_holder is null',
    suite: REFUSED,
    test: 'a token opens a line once, for the call that it was given to',
  },
  {
    name: 'signature-of-any-token',
    why: 'anybody rings a number as its carrier, and has the agent speak',
    file: `${TWILIO}/signature.ts`,
    find: 'return given.length === wanted.length && timingSafeEqual(given, wanted);',
    replace: 'return given.length === wanted.length || timingSafeEqual(given, wanted);',
    suite: REFUSED,
    test: 'is refused',
  },
  {
    name: 'account-not-compared',
    why: "a carrier's account ends the calls of another one that has the same token",
    file: `${TWILIO}/authenticate.ts`,
    find: `if (account && account.accountId === sent.form.get('AccountSid') && isFrom(deps, account, sent)) {`,
    replace: `if (account && isFrom(deps, account, sent)) {`,
    suite: REFUSED,
    test: 'of a call that is another account’s is refused',
  },
  {
    name: 'country-not-checked',
    why: 'a stolen key calls numbers at the other end of the world, at your cost',
    file: 'src/calls/choose-provider.ts',
    find: 'if (number.country !== undefined && countries.includes(number.country)) return;',
    replace: 'if (number.country !== undefined && countries.length > 0) return;',
    suite: OUTGOING,
    test: 'what is refused before anybody is rung',
  },
  {
    name: 'calls-without-a-bound',
    why: 'more calls go out at once than were declared, and are paid for',
    file: 'src/calls/choose-provider.ts',
    find: 'await lockDialing(db, id);',
    replace: 'void lockDialing;',
    suite: OUTGOING,
    test: 'more at once, and more a minute, than is declared',
  },
  {
    name: 'dialed-twice',
    why: 'a number rings twice since the answer to the first dialling was lost',
    file: `${TWILIO}/twilio-carrier.ts`,
    find: 'if (there !== undefined) return { providerCallId: there };',
    replace: 'if (there === null) return { providerCallId: there };',
    suite: OUTGOING,
    test: 'a process that was killed as it dialled: the carrier is asked before it is dialled again',
  },
  {
    name: 'webhook-makes-two-calls',
    why: 'a webhook that the carrier sends once more is a second call, of which nobody ever hears',
    file: ROWS,
    find: `'ringing', $7, $8, $9, null,`,
    replace: `'ringing', $7, nullif($8::uuid, $8), $9, null,`,
    suite: REFUSED,
    test: 'a webhook that comes twice is one call',
  },
  {
    name: 'repeat-turned-away',
    why: 'a caller is turned away since their carrier asked twice what to do with them',
    file: ROWS,
    find: 'do update set provider_call_id = excluded.provider_call_id',
    replace: 'do nothing',
    suite: REFUSED,
    test: 'a webhook that comes twice is one call',
  },
  {
    name: 'lost-line-for-ever',
    why: 'a call whose process was killed is in progress for ever, and so is its conversation',
    file: ROWS,
    find: 'where line_until <= clock_timestamp() and ${CALL_LIVE} order by line_until limit $1`,',
    replace: 'where line_until <= answered_at and ${CALL_LIVE} order by line_until limit $1`,',
    suite: CUT,
    test: 'a call that nobody holds, though it goes on, is ended as failed and hung up',
  },
  {
    name: 'lost-call-goes-on',
    why: 'a caller whose call was ended hears silence, and pays for it',
    file: 'src/calls/lines/end-lost.ts',
    find: 'if (isLive) await carrier.hangUp(call);',
    replace: 'if (!isLive) await carrier.hangUp(call);',
    suite: CUT,
    test: 'a call that nobody holds, though it goes on, is ended as failed and hung up',
  },
];
