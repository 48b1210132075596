import type { Mutant } from './mutant.ts';

const TALK = 'test/conversations/conversations.pg.test.ts';
const ENDING = 'test/conversations/ending/conversation-ending.pg.test.ts';
const OUTCOME = 'test/conversations/ending/settle-outcome.test.ts';
const ROWS = 'src/conversations/record/conversations.sql.ts';
const TURNS = 'src/conversations/record/turns.sql.ts';
const END = 'src/conversations/ending/end-conversation.ts';

/** Bugs of conversations: their turns, their end, what is kept of them. */
export const CONVERSATION_MUTANTS: readonly Mutant[] = [
  {
    name: 'version-not-pinned',
    why: 'an agent changes its mind in the midst of a conversation when somebody publishes',
    file: ROWS,
    find: 'join agent_versions v on v.agent_id = c.agent_id and v.version = c.agent_version',
    replace: `join agent_versions v on v.agent_id = c.agent_id
                and v.version = (select max(w.version) from agent_versions w where w.agent_id = c.agent_id)`,
    suite: TALK,
    test: 'what an agent has forgotten, the conversations of before still know',
  },
  {
    name: 'user-left-out-of-the-event',
    why: 'conversation.started does not say whose it is',
    file: 'src/conversations/record/conversation-deps.ts',
    find: '...(userId !== null && { user_id: userId }),',
    replace: '',
    suite: TALK,
    test: 'start, ask, end: every step is an event, in order',
  },
  {
    name: 'agent-speaks-while-escalated',
    why: 'the agent interrupts the human who has taken over',
    file: 'src/conversations/turns/take-turn.ts',
    find: `      conversation.status === 'escalated'
        ? undefined
        : await`,
    replace: '      await',
    suite: 'test/conversations/escalations/escalations.pg.test.ts',
    test: 'a human accepts, speaks, and hands back',
  },
  {
    name: 'two-write-one-turn',
    why: 'of two messages at once one is answered with an error of ours',
    file: TURNS,
    find: 'where id = $1 and turn_count = $2 and status = $3',
    replace: 'where id = $1 and $2::int is not null and status = $3',
    suite: TALK,
    test: 'in two processes at once too',
  },
  {
    name: 'longest-duration-begins-anew',
    why: 'max_duration_sec holds only until the first message',
    file: TURNS,
    find: `set turn_count = turn_count + jsonb_array_length($4::jsonb), tally = $5, status = $6,
               expires_at = least(started_at + make_interval(secs => max_duration_sec),`,
    replace: `set turn_count = turn_count + jsonb_array_length($4::jsonb), tally = $5, status = $6,
               expires_at = least(clock_timestamp() + make_interval(secs => max_duration_sec),`,
    suite: ENDING,
    test: 'the longest duration ends it however much is said',
  },
  {
    name: 'ended-when-it-was-noticed',
    why: 'a conversation that was silent lasts as long as we were down',
    file: END,
    find: 'return isTimed && row.expiresAt !== null ? Math.min(nowMs, row.expiresAt) : nowMs;',
    replace: 'return isTimed ? nowMs : row.startedAt + row.ageMs;',
    suite: ENDING,
    test: 'silence ends it at the moment it was over',
  },
  {
    name: 'duration-told-as-silence',
    why: 'ended_reason says that the user was silent, who was cut off in the midst of a word',
    file: END,
    find: 'row.expiresAt !== null && row.expiresAt >= latestMs',
    replace: 'row.expiresAt !== null && row.expiresAt > latestMs',
    suite: ENDING,
    test: 'the longest duration ends it however much is said',
  },
  {
    name: 'too-late-is-answered',
    why: 'whoever writes after the silence goes on with a conversation that is over',
    file: 'src/conversations/turns/take-turn.ts',
    find: 'if (row.endedAt === null && row.isExpired) {',
    replace: 'if (row.endedAt === null && row.isExpired && row.turnCount > 0) {',
    suite: ENDING,
    test: 'a message that comes too late ends it',
  },
  {
    name: 'two-summaries',
    why: 'conversation.transcript.ready comes as often as there are processes',
    file: ROWS,
    find: 'where c.id = $1 and c.ended_at is not null and c.summary is null and c.deleted_at is null\n        for update',
    replace:
      'where c.id = $1 and c.ended_at is not null and c.deleted_at is null\n        for update',
    suite: ENDING,
    test: 'however often and by however many it is summed up, it is one event',
  },
  {
    name: 'one-stops-the-reaper',
    why: 'one conversation that cannot be ended keeps all others open for ever',
    file: 'src/conversations/ending/reaper.ts',
    find: `log.warn(about, 'a conversation could not be brought to its end; tried again');`,
    replace: `log.warn(about, 'a conversation could not be brought to its end; tried again');
      break;`,
    suite: ENDING,
    test: 'one that cannot be ended does not keep the others open',
  },
  {
    name: 'stated-outcome-lost',
    why: 'what the caller says became of it is overruled by a guess',
    file: 'src/conversations/ending/settle-outcome.ts',
    find: '  if (stated !== undefined) return stated;\n',
    replace: '',
    suite: OUTCOME,
    test: 'what whoever ended it says goes before all',
  },
  {
    name: 'open-questions-beyond-the-list',
    why: 'who asked more than the list holds counts as content',
    file: 'src/conversations/record/tally.ts',
    find: 'return tally.open.length + tally.openBeyond;',
    replace: 'return tally.open.length;',
    suite: OUTCOME,
    test: 'the outcome',
  },
  {
    name: 'satisfaction-without-bounds',
    why: 'csat_predicted is 0.3 or 5.7, which the contract and its readers do not know',
    file: 'src/conversations/ending/predict-csat.ts',
    find: 'return Math.round(Math.min(5, Math.max(1, sum)) * 10) / 10;',
    replace: 'return Math.round(Math.min(5, sum) * 10) / 10;',
    suite: OUTCOME,
    test: 'stays between 1.0 and 5.0 with one decimal',
  },
  {
    name: 'limits-of-the-agent-ignored',
    why: 'max_duration_sec and silence_timeout_sec of an agent are kept and mean nothing',
    file: 'src/conversations/start-conversation.ts',
    find: `    ...LIMITS[isSpoken ? 'spoken' : 'written'],
    ...content.limits,`,
    replace: `    ...content.limits,
    ...LIMITS[isSpoken ? 'spoken' : 'written'],`,
    suite: ENDING,
    test: 'the longest duration ends it however much is said',
  },
  {
    name: 'changed-metadata-not-found',
    why: 'a conversation is found by the metadata it had, not by what it has',
    file: 'migrations/0010_conversation_filters.sql',
    find: 'create trigger keep_metadata after update of metadata on conversations for each row\n  when (new.metadata <> old.metadata)',
    replace:
      'create trigger keep_metadata after update of metadata on conversations for each row\n  when (new.metadata < old.metadata)',
    suite: 'test/conversations/filters.pg.test.ts',
    test: 'what was changed is found as it is now',
  },
  {
    name: 'agent-gone-conversation-stays',
    why: 'users go on waiting for an agent that was deleted',
    file: 'src/conversations/ending/reaper.ts',
    find: '  if (live.length === 0) await noneGoesOn(deps.pool, agent);',
    replace: '  await noneGoesOn(deps.pool, agent);',
    suite: 'test/conversations/ending/deleted-agent.pg.test.ts',
    test: 'however many there are',
  },
  {
    name: 'erased-in-the-list',
    why: 'a conversation that was erased stands in the list, as an id that is 404',
    file: 'src/conversations/record/list-conversations.sql.ts',
    find: 'where: `${where} and c.deleted_at is null`,',
    replace: 'where,',
    suite: 'test/erasure/erasure.pg.test.ts',
    test: 'after DELETE no table holds a word of it',
  },
  {
    name: 'sent-turn-lost-in-the-transcript',
    why: 'of a long conversation each two hundredth turn is missing',
    file: 'src/conversations/transcript.routes.ts',
    find: 'const limit = Math.min(PAGE, turnCount - from);',
    replace: 'const limit = Math.min(PAGE - 1, turnCount - from);',
    suite: 'test/conversations/transcript.pg.test.ts',
    test: 'of ten thousand turns: complete',
  },
  {
    name: 'cue-made-by-the-user',
    why: 'a user who writes "-->" puts words into the mouth of the agent',
    file: 'src/conversations/transcript-text.ts',
    find: `.replaceAll('<', '&lt;').replaceAll('>', '&gt;');`,
    replace: `.replaceAll('<', '&lt;');`,
    suite: 'test/conversations/transcript.pg.test.ts',
    test: 'WebVTT: what a user writes',
  },
  {
    name: 'braces-greet-the-user',
    why: 'who has not given a name is greeted with {{name}}',
    file: 'src/conversations/start-conversation.ts',
    find: `replaceAll(/\\{\\{\\s*([^{}\\s][^{}]{0,127}?)\\s*\\}\\}/g, (_, name: string) =>
    Object.hasOwn(variables, name) ? plain(variables[name]) : '',`,
    replace: `replaceAll(/\\{\\{\\s*([^{}\\s][^{}]{0,127}?)\\s*\\}\\}/g, (braces, name: string) =>
    Object.hasOwn(variables, name) ? plain(variables[name]) : braces,`,
    suite: TALK,
    test: 'the first message greets by name',
  },
];
