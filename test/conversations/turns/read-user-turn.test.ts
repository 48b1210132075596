import { describe, expect, test } from 'vitest';
import {
  likeness,
  readUserTurn,
  moodOf,
  wantsHuman,
} from '../../../src/conversations/turns/read-user-turn.ts';

describe('who asks for a human', () => {
  test.each([
    'I want to speak to a human',
    'Can I talk to someone please?',
    'human please',
    'agent',
    'Let me talk to your manager',
    'connect me to an agent',
    'Put me through to customer service',
    'I need a real person',
    'I want a human!',
    'How can I reach a human?',
    'how do I talk to a real person?',
    'I’d like to speak with a representative.',
    'Is there anyone I can talk to?',
    'transfer me',
    'please hand me over to a colleague',
    'You are useless, give me a human',
    'Could I talk to one of your colleagues?',
    'I need help contacting someone',
    'I want to speak to an assistant',
    'live agent',
    'I don’t know how to talk to an agent',
    'I don’t want to talk to a bot',
    'i wnat to tlak to a represntative',
    'Why can’t I reach anyone? I want a person, not a machine',
    'I do not need an agent, I need a supervisor',
  ])('is heard: %s', (text) => expect(wantsHuman(text)).toBe(true));

  test.each([
    'Is a human reviewing my claim?',
    'Do I need to speak to an agent to change my address?',
    'How do I become an agent?',
    'Are you a human?',
    'I spoke to an agent yesterday',
    'I don’t want to talk to a human',
    'Can a person under 18 order?',
    'Do your agents work on Sundays?',
    'Will somebody call me?',
    'What does your support team do?',
    'Is it a real person who reads my mail?',
    'Am I talking to a real person?',
    'No need for an agent',
    'Please don’t connect me to an agent',
    'I need a travel agent for my trip',
    'What are your customer service hours?',
    'How do I transfer money to another person?',
    'Update my contact person',
    'I’m not a robot',
  ])('is not made up: %s', (text) => expect(wantsHuman(text)).toBe(false));
});

describe('what is asked', () => {
  test.each([
    ['Hi, how long does delivery take?', 'how long does delivery take?'],
    ['Hello! I have a question. Do you ship to Norway?', 'Do you ship to Norway?'],
    ['My coffee machine is broken', 'My coffee machine is broken'],
    ['opening hours', 'opening hours'],
    ['I want to cancel my order', 'I want to cancel my order'],
    ['ok thanks. and what about islands?', 'and what about islands?'],
    ['Where is it? This is ridiculous', 'Where is it?'],
    ['We missed the last ferry. Can you help me?', 'We missed the last ferry.'],
  ])('of %j is %j', (text, question) => {
    expect(readUserTurn(text)).toMatchObject({ question, isRemark: false });
  });

  test.each([
    ['hello there', 'greeting'],
    ['Can you help me check?', 'greeting'],
    ['Thanks a lot!', 'thanks'],
    ['ok, bye', 'goodbye'],
    ['no thanks', 'no'],
    ['yes please', 'yes'],
    ['This is useless', 'complaint'],
    ['That didn’t help', 'complaint'],
    ['👍', 'noise'],
    ['Perfect, that leaves me enough time. Thank you!', 'thanks'],
  ])('of %j is nothing: it is %s', (text, smallTalk) => {
    expect(readUserTurn(text)).toMatchObject({ question: '', smallTalk });
  });

  test('a remark is worth a search and no more', () => {
    const text = 'We thought of coming over with the children';
    expect(readUserTurn(text)).toMatchObject({ question: text, isRemark: true });
  });

  test('what leads to a question is kept apart from it in the search', () => {
    const { query } = readUserTurn('One more thing: is there parking?');
    expect(query).toBe('One more thing. is there parking?');
  });
});

test.each([
  ['That helped, thank you', { isThanks: true, isSolved: true }],
  ['never mind, I found it myself', { isSolved: true }],
  ['if that worked I would tell you', { isSolved: false }],
  ['Thanks for nothing', { isThanks: false, isComplaint: true }],
  ['Thanks. That is wrong.', { isThanks: false, isComplaint: true }],
  ['Where is my order?', { isThanks: false, isComplaint: false, isConsent: false }],
  ['the parcel seems to be lost somewhere between here and Norway', { isRemark: false }],
  ['the parcel seems to be green somewhere between here and Norway', { isRemark: true }],
  ['sure, yes please', { isConsent: true }],
  ['ok', { isConsent: false }],
])('%j is %j', (text, expected) => expect(readUserTurn(text)).toMatchObject(expected));

test.each([
  ['I love it, wonderful!', 1],
  ['this is terrible and I am angry', -1],
  ['that is not good', -1],
  ['please cancel my order, there is a problem with the fee', 0],
])('%j sounds like %i', (text, sign) => expect(Math.sign(moodOf(text))).toBe(sign));

test('a mood has its limits', () => {
  expect(moodOf('terrible '.repeat(50))).toBe(-5);
  expect(moodOf('wonderful '.repeat(50))).toBe(5);
});

test('the same question is known in other words; a longer one about more is another', () => {
  const words = (text: string): string[] => readUserTurn(text).words;
  expect(likeness(words('When is delivery?'), words('when do you deliver'))).toBe(1);
  expect(
    likeness(words('Delivery time?'), words('Delivery to the islands of Norway?')),
  ).toBeLessThan(0.5);
  expect(likeness([], [])).toBe(0);
});

test.each([
  ['cancelling the order', 'how do I cancel an order'],
  ['shipping', 'do you ship?'],
  ['a payment', 'how do I pay'],
  ['adding a passenger', 'add passengers'],
])('%j is the same question as %j', (one, other) => {
  expect(likeness(readUserTurn(one).words, readUserTurn(other).words)).toBe(1);
});

test.each([
  ['the shower', 'show me the party'],
  ['on sale', 'with salt'],
  ['constructor', 'toString'],
])('%j is another question than %j', (one, other) => {
  expect(likeness(readUserTurn(one).words, readUserTurn(other).words)).toBe(0);
});

describe('of a long message', () => {
  const wish = 'I want to talk to a human.';
  const filler = (chars: number): string => 'The parcel is blue. '.repeat(chars / 20);

  test('the first and the last 2,000 characters are read', () => {
    expect(readUserTurn(wish + filler(10_000)).wantsHuman).toBe(true);
    expect(readUserTurn(filler(10_000) + wish).wantsHuman).toBe(true);
    expect(readUserTurn(filler(4_000) + wish + filler(4_000)).wantsHuman).toBe(false);
    expect(readUserTurn(filler(1_980) + wish + filler(1_980)).wantsHuman).toBe(true);
  });

  test('the first and the last 100 clauses are read', () => {
    const clauses = (count: number): string => 'x. '.repeat(count);
    expect(readUserTurn(`${clauses(100)}${wish} ${clauses(99)}`).wantsHuman).toBe(true);
    expect(readUserTurn(`${clauses(101)}${wish} ${clauses(101)}`).wantsHuman).toBe(false);
    expect(readUserTurn(`${clauses(99)}Thanks. ${clauses(300)}`).isThanks).toBe(true);
    expect(readUserTurn(`${clauses(300)}Thanks. ${clauses(99)}`).isThanks).toBe(true);
    expect(readUserTurn(`${clauses(101)}Thanks. ${clauses(101)}`).isThanks).toBe(false);
  });

  test('all is the question if nothing of it is small talk', () => {
    const long = `${filler(10_000)}Where is it?`;
    expect(readUserTurn(long).question).toBe(long);
  });
});
