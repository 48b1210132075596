import { describe, expect, test } from 'vitest';
import {
  EMPTY_TALLY,
  type AskedQuestion,
  type Tally,
} from '../../../src/conversations/record/tally.ts';
import type { UserTurn } from '../../../src/conversations/turns/read-user-turn.ts';
import type { Reply } from '../../../src/conversations/turns/responder.ts';
import { asksAgain, countReply, countUser } from '../../../src/conversations/turns/tally-turn.ts';

/** What is counted of a turn, one part at a time. */

const user = (over: Partial<UserTurn> = {}): UserTurn => ({
  question: 'Where is it?',
  query: 'Where is it?',
  isRemark: false,
  smallTalk: undefined,
  wantsHuman: false,
  isThanks: false,
  isComplaint: false,
  isConsent: false,
  isSolved: false,
  mood: 0,
  words: ['a', 'b', 'c', 'd'],
  ...over,
});
const tally = (over: Partial<Tally> = {}): Tally => ({ ...EMPTY_TALLY, ...over });
const reply = (over: Partial<Reply> = {}): Reply => ({ text: 'r', ...over });
const asked = (over: Partial<AskedQuestion> = {}): AskedQuestion => ({
  text: 'Before?',
  words: ['a', 'b', 'c', 'd'],
  isAnswered: false,
  ...over,
});
const ANSWER = { answeredFrom: 'Shop' };
const NOTHING: Partial<Reply> = {
  unanswered: { question: 'Where is it?', topScore: 0, closest: [] },
};

describe('a message of the user', () => {
  test('is a complaint, thanks, neither or both', () => {
    expect(countUser(tally(), user({ mood: 2 }))).toMatchObject({
      userTurns: 1,
      moods: [2],
      moodSum: 2,
      thanks: 0,
      complaints: 0,
      needs: 0,
    });
    expect(countUser(tally(), user({ isThanks: true }))).toMatchObject({ thanks: 1, needs: 0 });
    const angry = { complaints: 1, needs: 1, isDissatisfied: true };
    expect(countUser(tally(), user({ isComplaint: true }))).toMatchObject(angry);
    expect(countUser(tally(), user({ isComplaint: true, isSolved: true }))).toMatchObject(angry);
  });

  test('has a mood that is added up, of which the last ten are kept', () => {
    const moods = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1];
    const counted = countUser(tally({ moods }), user({ mood: -3 }));
    expect(counted).toMatchObject({ moods: [...moods.slice(1), -3], moodSum: 7 });
    expect(countUser(counted, user({ mood: 1 })).moodSum).toBe(8);
  });

  test('that says it is solved closes what was open; thanks do so after an answer or to a human', () => {
    const sad = { isDissatisfied: true, lacksHuman: true, open: [asked()], openBeyond: 2 };
    expect(countUser(tally(sad), user({ isSolved: true }))).toMatchObject({
      isDissatisfied: false,
      lacksHuman: false,
      open: [],
      openBeyond: 0,
    });
    const accepted = { ...EMPTY_TALLY.escalations, accepted: 1 };
    const isSad = (before: Partial<Tally>, isThanks: boolean): boolean =>
      countUser(tally({ ...sad, ...before }), user({ isThanks })).isDissatisfied;
    expect(isSad({}, true)).toBe(true);
    expect(isSad({ answeredLast: true }, true)).toBe(false);
    expect(isSad({ escalations: accepted }, true)).toBe(false);
    expect(isSad({ answeredLast: true }, false)).toBe(true);
  });
});

describe('the same question again', () => {
  test('shares three quarters of its words with one of the last ones', () => {
    const recent = [asked({ text: 'first' }), asked({ words: ['x'] })];
    expect(asksAgain(tally({ recent }), user())?.text).toBe('first');
    expect(asksAgain(tally({ recent }), user({ words: ['a', 'b', 'c', 'x'] }))?.text).toBe('first');
    expect(asksAgain(tally({ recent }), user({ words: ['a', 'b', 'x', 'y'] }))).toBeUndefined();
    expect(
      asksAgain(tally({ recent: [asked({ words: [] })] }), user({ words: [] })),
    ).toBeUndefined();
    const twice = [asked({ text: 'first' }), asked({ text: 'second' })];
    expect(asksAgain(tally({ recent: twice }), user())?.text).toBe('second');
  });
});

describe('an answer', () => {
  test('is counted, and ends a run without one', () => {
    const before = tally({ unansweredInRow: 2, isDissatisfied: true, lacksHuman: true });
    expect(countReply(before, user(), reply(ANSWER))).toMatchObject({
      answered: 1,
      needs: 1,
      answeredLast: true,
      offeredHuman: false,
      unansweredInRow: 0,
      repeats: 0,
      isDissatisfied: false,
      lacksHuman: false,
      recent: [{ isAnswered: true }],
      told: [{ question: 'Where is it?', from: 'Shop' }],
    });
  });

  test('to a question that had one was of no use before', () => {
    const after = (isAnswered: boolean): Tally =>
      countReply(tally({ recent: [asked({ isAnswered })] }), user(), reply(ANSWER));
    expect(after(true)).toMatchObject({ repeats: 1, isDissatisfied: true, told: [] });
    expect(after(false)).toMatchObject({ repeats: 1, isDissatisfied: false, told: [] });
  });

  test('is told in the summary, up to three', () => {
    const told = [1, 2].map((at) => ({ question: `${at}`, from: 'Shop' }));
    expect(countReply(tally({ told }), user(), reply(ANSWER)).told).toHaveLength(3);
    const three = { told: [...told, { question: '3', from: 'Shop' }] };
    expect(countReply(tally(three), user(), reply(ANSWER)).told).toHaveLength(3);
  });

  test('closes the open question that it answers', () => {
    const last = asked({ text: 'last', words: ['a', 'b', 'c', 'd'] });
    const older = asked({ text: 'older', words: ['a', 'b', 'c', 'd'] });
    const openAfter = (words: string[], question = 'Which?'): string[] => {
      const before = tally({ open: [older, last], recent: [older, last] });
      const { open } = countReply(before, user({ words, question }), reply(ANSWER));
      return open.map(({ text }) => text);
    };
    expect(openAfter(['a', 'b', 'c'])).toEqual([]);
    expect(openAfter(['a', 'b'])).toEqual(['older']);
    expect(openAfter(['a', '1', '2'])).toEqual(['older', 'last']);
    expect(openAfter(['1', '2'], 'I mean the other one')).toEqual(['older']);
    const three = ['a', 'b', 'c', '1', '2', '3', '4', '5', '6', '7'];
    const long = asked({
      text: 'long',
      words: [...three.slice(0, 3), ...'q r s t u v w'.split(' ')],
    });
    const before = tally({ open: [long], recent: [long] });
    expect(countReply(before, user({ words: three }), reply(ANSWER)).open).toEqual([]);
  });

  test('keeps the last six questions, each on one line of 160 characters', () => {
    const recent = Array.from({ length: 6 }, (_, i) => asked({ text: `${i}`, words: [`${i}`] }));
    const textOf = (question: string): string =>
      countReply(tally({ recent }), user({ question }), reply(ANSWER)).recent.at(-1)!.text;
    expect(countReply(tally({ recent }), user(), reply(ANSWER)).recent).toHaveLength(6);
    expect(textOf('a\n  b')).toBe('a b');
    expect(textOf('x'.repeat(160))).toBe('x'.repeat(160));
    expect(textOf('x'.repeat(161))).toBe(`${'x'.repeat(159)}…`);
    expect(textOf(`${'x'.repeat(158)}😀xx`)).toBe(`${'x'.repeat(158)}…`);
  });
});

describe('no answer', () => {
  test('opens a question, once', () => {
    const first = countReply(tally({ unansweredInRow: 1 }), user(), reply(NOTHING));
    expect(first).toMatchObject({
      unanswered: 1,
      unansweredInRow: 2,
      needs: 1,
      repeats: 0,
      answeredLast: false,
      open: [{ text: 'Where is it?', isAnswered: false }],
      openBeyond: 0,
    });
    const again = countReply(first, user(), reply(NOTHING));
    expect(again).toMatchObject({ repeats: 1, openBeyond: 0 });
    expect(again.open).toHaveLength(1);
    const other = countReply(first, user({ words: ['a', 'b', 'x', 'y'] }), reply(NOTHING));
    expect(other.open).toHaveLength(2);
  });

  test('opens ten at most, and counts those beyond that are new', () => {
    const open = Array.from({ length: 10 }, (_, i) => asked({ words: [`${i}`] }));
    expect(countReply(tally({ open: open.slice(1) }), user(), reply(NOTHING))).toMatchObject({
      openBeyond: 0,
    });
    const full = countReply(tally({ open }), user(), reply(NOTHING));
    expect(full).toMatchObject({ open, openBeyond: 1 });
    expect(countReply(tally({ open }), user({ words: ['3'] }), reply(NOTHING)).openBeyond).toBe(0);
  });
});

describe('another reply', () => {
  test('offers a human, hands over or says that nobody is there', () => {
    expect(countReply(tally(), user(), reply())).toMatchObject({ needs: 0, offeredHuman: false });
    expect(countReply(tally(), user(), reply({ offersHuman: true })).offeredHuman).toBe(true);
    const handover = { handover: { reason: 'user_request' } } as unknown as Partial<Reply>;
    expect(countReply(tally(), user(), reply(handover))).toMatchObject({ needs: 1 });
    expect(countReply(tally(), user(), reply(handover))).not.toHaveProperty('toldClosed');
    const closed = { isClosed: true } as Partial<Reply>;
    const told = { needs: 1, lacksHuman: true, toldClosed: true };
    expect(countReply(tally(), user(), reply(closed))).toMatchObject(told);
    expect(countReply(tally(), user(), reply({ ...closed, ...ANSWER }))).toMatchObject(told);
  });

  test('calls tools, of which ten are counted by name', () => {
    const turn = (name: string, ok: boolean) => ({ toolCall: { name }, toolResult: { ok } });
    const toolsAfter = (before: Partial<Tally>, ...turns: object[]) =>
      countReply(tally(before), user(), reply({ toolTurns: turns } as Partial<Reply>)).tools;
    expect(countReply(tally(), user(), reply())).not.toHaveProperty('tools');
    expect(toolsAfter({}, turn('a', false), turn('b', true), turn('a', false))).toEqual([
      { name: 'a', failed: 2 },
      { name: 'b', failed: 0 },
    ]);
    const nine = Array.from({ length: 9 }, (_, i) => ({ name: `${i}`, failed: 0 }));
    const ten = toolsAfter({ tools: nine }, turn('a', true), turn('b', true), turn('3', false))!;
    expect(ten.map(({ name }) => name)).toEqual([...nine.map(({ name }) => name), 'a']);
    expect(ten[3]).toEqual({ name: '3', failed: 1 });
    const inRow = (toolFailuresInRow?: number) => ({
      ...(toolFailuresInRow !== undefined && { toolFailuresInRow }),
    });
    expect(
      countReply(tally({ toolFailuresInRow: 2 }), user(), reply(inRow())).toolFailuresInRow,
    ).toBe(2);
    expect(
      countReply(tally({ toolFailuresInRow: 2 }), user(), reply(inRow(0))).toolFailuresInRow,
    ).toBe(0);
  });
});

describe('a message that nobody answers', () => {
  const talk = { question: '', smallTalk: 'greeting' } as const;
  const said = (over: Partial<UserTurn>, replied: Partial<Reply>, before: Partial<Tally> = {}) =>
    countReply(tally(before), user(over), reply(replied), 'Words').said;

  test.each<[string, Partial<UserTurn>, Partial<Reply>]>([
    ['a request for a human', { ...talk, wantsHuman: true }, {}],
    ['a complaint', { ...talk, isComplaint: true }, {}],
    ['a remark', { isRemark: true }, {}],
    ['what makes a rule request a human', talk, { handover: { reason: 'r' } }],
    ['what is said while nobody is there', talk, { isClosed: true }],
  ])('is kept if it is %s', (_, over, replied) => {
    expect(said(over, replied)).toEqual(['Words']);
  });

  test('is not kept if it is small talk, a consent, or kept as an open question', () => {
    expect(said(talk, {})).toBeUndefined();
    expect(said({ ...talk, isConsent: true }, { handover: { reason: 'r' } })).toBeUndefined();
    expect(said({}, NOTHING)).toBeUndefined();
  });

  test('is kept beside the one before it, once, until something is answered or solved', () => {
    const remark = { isRemark: true };
    expect(said(remark, {}, { said: ['1', '2'] })).toEqual(['2', 'Words']);
    expect(said(remark, {}, { said: ['Words', '2'] })).toEqual(['2', 'Words']);
    expect(said({}, ANSWER, { said: ['1'] })).toEqual([]);
    expect(countUser(tally({ said: ['1'] }), user({ isSolved: true })).said).toEqual([]);
  });

  test('is shortened to 300 characters, and kept only if it has words', () => {
    const kept = (text: string) =>
      countReply(tally(), user({ wantsHuman: true }), reply(), text).said;
    expect(kept('x'.repeat(300))).toEqual(['x'.repeat(300)]);
    expect(kept('x'.repeat(301))).toEqual([`${'x'.repeat(299)}…`]);
    expect(kept(' a \n b ')).toEqual(['a b']);
    expect(kept(' ')).toEqual([]);
  });
});
