import type { Mutant } from './mutant.ts';

const HOURS = 'test/conversations/escalations/hours.pg.test.ts';
const CLOCK = 'test/conversations/escalations/opening-hours.test.ts';

/** Bugs of when people are there. */
export const HOURS_MUTANTS: readonly Mutant[] = [
  {
    name: 'hours-by-utc',
    why: 'people in Sydney are called at midnight',
    file: 'src/conversations/escalations/opening-hours.ts',
    find: "hourCycle: 'h23', timeZone }",
    replace: "hourCycle: 'h23', timeZone: 'UTC' }",
    suite: CLOCK,
    test: 'in summer and in winter it is the clock of people that counts',
  },
  {
    name: 'open-in-the-last-minute',
    why: 'somebody is asked for in the minute in which everybody has left',
    file: 'src/conversations/escalations/opening-hours.ts',
    find: 'from <= time && time < to',
    replace: 'from <= time && time <= to',
    suite: CLOCK,
    test: 'from the first minute, and not in the last one any more',
  },
  {
    name: 'days-off-forgotten',
    why: 'users wait for people on the days that were named',
    file: 'src/conversations/escalations/opening-hours.ts',
    find: 'if (closedOn.includes(date)) return false;',
    replace: '',
    suite: CLOCK,
    test: 'on a day when nobody is there, nobody is',
  },
  {
    name: 'next-team-at-night',
    why: 'a time-out asks a team that is asleep, and silences the agent as long',
    file: 'src/conversations/escalations/close-escalation.ts',
    find: 'if (isNext && (await isSomebodyThere(db, conversation)))',
    replace: 'if (isNext)',
    suite: HOURS,
    test: 'the next team is not asked: the agent goes on',
  },
  {
    name: 'rule-repeats-that-nobody-is-there',
    why: 'each message in a bad mood is answered with the same sentence',
    file: 'src/conversations/turns/tally-turn.ts',
    find: 'lacksHuman: true, toldClosed: true',
    replace: 'lacksHuman: true',
    suite: HOURS,
    test: 'a rule says it once, after what was answered',
  },
  {
    name: 'transfer-at-night',
    why: 'the model silences itself for people who are not there',
    file: 'src/conversations/tools/tool-box.ts',
    find: 'if (closed !== undefined) return failed(',
    replace: 'if (closed === null) return failed(',
    suite: HOURS,
    test: 'a transfer is refused, and the model is told when somebody is back',
  },
];
