import { expect, test } from 'vitest';
import { callerNumber } from '../../../src/calls/phone/answer-voice.ts';

test.each([
  ['anonymous', '+266696687'],
  ['restricted', '+7378742833'],
  ['blocked', '+2562533'],
  ['unknown', '+8656696'],
  ['unavailable', '+86282452253'],
  ['private', '+7748283'],
  ['withheld', '+94844353'],
])('a caller who is %s has no number: %s', (_, sent) => {
  expect(callerNumber(sent)).toBeNull();
});

test.each([
  null,
  '',
  'anonymous',
  'Anonymous',
  '+anonymous',
  '266696687',
  '+0',
  'sip:a@b',
  '+1-555',
])('%j is no number', (sent) => {
  expect(callerNumber(sent)).toBeNull();
});

test.each([
  '+15550100',
  '+447700900123',
  '+26696687',
  '+2666966870',
  '+12666966871',
  '+86282452254',
])('%s is the number of a person', (sent) => {
  expect(callerNumber(sent)).toBe(sent);
});
