import type { Mutant } from './mutant.ts';

const CUT = 'test/talks/talk-cut.pg.test.ts';
const REFUSED = 'test/talks/refused.pg.test.ts';
const TALKS = 'test/talks/talks.pg.test.ts';
const TOKENS = 'test/talks/tokens.pg.test.ts';

/** Bugs of talks on web pages: who is let in, what they are told, and what is counted. */
export const TALK_MUTANTS: readonly Mutant[] = [
  {
    name: 'widget-for-every-origin',
    why: 'a page that an agent does not allow embeds it in front of its own visitors',
    file: 'src/talks/admit-talk.ts',
    find: 'const isAllowed = origin !== null && agent?.spec.widget?.allowedOrigins.includes(origin);',
    replace: 'const isAllowed = agent?.spec.widget !== undefined;',
    suite: TOKENS,
    test: 'that embeds it on another site is given none',
  },
  {
    name: 'origin-not-asked-again',
    why: 'an origin that was taken out of the list goes on opening talks with its old tokens',
    file: 'src/talks/admit-talk.ts',
    find: `if (by === 'widget') requireOrigin(agent, token.origin);`,
    replace: '',
    suite: REFUSED,
    test: 'is worth nothing once its origin is not allowed any more, or its agent is gone',
  },
  {
    name: 'token-without-end',
    why: 'a token that somebody finds years later still opens talks',
    file: 'src/talks/admit-talk.ts',
    find: 'if (!token || token.expiresAt * 1_000 <= deps.nowMs()) {',
    replace: 'if (!token) {',
    suite: REFUSED,
    test: 'that has expired opens nothing',
  },
  {
    name: 'talk-of-another-visitor',
    why: 'a visitor reads and goes on with the talk of another one',
    file: 'src/talks/talk-token.ts',
    find: `const SAME = ['namespace', 'agentId', 'origin', 'userId', 'test'] as const;`,
    replace: `const SAME = ['namespace', 'agentId', 'test'] as const;`,
    suite: CUT,
    test: 'nobody goes on with the talk of another visitor',
  },
  {
    name: 'page-believes-all-was-heard',
    why: 'the page shows words of a reply that nobody heard, and the transcript others',
    file: 'src/calls/lines/take-turns.ts',
    find: 'captions?.cut({ index, heard });',
    replace: '',
    suite: TALKS,
    test: 'who speaks into a reply is listened to within 50 ms, and the page shows what was heard',
  },
  {
    name: 'tools-told-to-strangers',
    why: 'a page is sent the calls of tools, and what they answered',
    file: 'src/talks/talk-captions.ts',
    find: `tellTurn({ type: 'turn', index, role, text: heard ?? text, interrupted: isCut });`,
    replace: `tellTurn({ ...followed.turn, type: 'turn', index, role, text: heard ?? text, interrupted: isCut });`,
    suite: TALKS,
    test: 'tool calls and what was found never leave',
  },
  {
    name: 'visitors-not-counted',
    why: 'as many strangers speak with an agent at once as like to, at its cost',
    file: 'src/calls/carriers/web-calls.sql.ts',
    find: 'where $9::int is null or $9 > (select',
    replace: 'where $9::int is null or $9 > 0 * (select',
    suite: CUT,
    test: 'so many speak at once, over all processes',
  },
  {
    name: 'cut-is-a-failure',
    why: 'a visitor who went away is in the figures as a call that we broke off',
    file: 'src/calls/lines/end-lost.ts',
    find: 'const became = wasLeft(call) ? HUNG_UP : await carrier.ask(call);',
    replace: 'const became = await carrier.ask(call);',
    suite: CUT,
    test: 'a visitor who does not come back has hung up',
  },
  {
    name: 'flood-is-heard',
    why: 'a page sends hours of sound in a second, and all of it is listened to',
    file: 'src/talks/voice-line.ts',
    find: 'if (realTime.allowedMs() < soundMs) return realTime.drop();',
    replace: '',
    suite: REFUSED,
    test: 'sound that comes faster than anybody speaks is dropped, and the talk goes on',
  },
];
