import { describe, expect, test } from 'vitest';
import {
  closedMessage,
  type closedAt,
} from '../../../src/conversations/escalations/opening-hours.ts';

/** When people are there, by the clock on the wall of their time zone. */

type Hours = NonNullable<Parameters<typeof closedAt>[0]>;
type Day = Hours['open'][number]['days'][number];

const WORKDAYS: Day[] = ['mon', 'tue', 'wed', 'thu', 'fri'];
const BERLIN: Hours = {
  timeZone: 'Europe/Berlin',
  open: [{ days: WORKDAYS, from: '09:00', to: '17:30' }],
};
const said = (hours: Hours | undefined, at: string, language?: string): string | undefined =>
  closedMessage(
    { ...(hours && { escalation: { hours } }), ...(language !== undefined && { language }) },
    Date.parse(at),
  );
const isOpen = (hours: Hours, at: string): boolean => said(hours, at) === undefined;

test('without hours people are always there', () => {
  expect(said(undefined, '2026-11-22T03:00:00Z')).toBeUndefined();
});

test('from the first minute, and not in the last one any more', () => {
  // A Tuesday; Berlin is an hour ahead.
  expect(isOpen(BERLIN, '2026-11-24T07:59:59.999Z')).toBe(false);
  expect(isOpen(BERLIN, '2026-11-24T08:00:00Z')).toBe(true);
  expect(isOpen(BERLIN, '2026-11-24T16:29:59.999Z')).toBe(true);
  expect(isOpen(BERLIN, '2026-11-24T16:30:00Z')).toBe(false);
});

test('in summer and in winter it is the clock of people that counts', () => {
  // Clocks went forward on 29 March 2026 and back on 25 October.
  expect(isOpen(BERLIN, '2026-03-27T07:30:00Z')).toBe(false);
  expect(isOpen(BERLIN, '2026-03-30T07:30:00Z')).toBe(true);
  expect(isOpen(BERLIN, '2026-10-23T07:30:00Z')).toBe(true);
  expect(isOpen(BERLIN, '2026-10-26T07:30:00Z')).toBe(false);
  const newYork = { ...BERLIN, timeZone: 'America/New_York' };
  expect(isOpen(newYork, '2026-10-30T13:30:00Z')).toBe(true);
  expect(isOpen(newYork, '2026-11-02T13:30:00Z')).toBe(false);
});

test('the night of a change of clocks is as people read it', () => {
  const night: Hours = { ...BERLIN, open: [{ days: ['sun'], from: '02:30', to: '03:30' }] };
  // 02:30 does not come on that day: 01:59 is followed by 03:00.
  expect(isOpen(night, '2026-03-29T00:59:00Z')).toBe(false);
  expect(isOpen(night, '2026-03-29T01:00:00Z')).toBe(true);
  // 02:30 comes twice.
  expect(isOpen(night, '2026-10-25T00:30:00Z')).toBe(true);
  expect(isOpen(night, '2026-10-25T01:30:00Z')).toBe(true);
});

test('zones by half hours, and the other side of the world, have their own date', () => {
  const kolkata: Hours = {
    timeZone: 'Asia/Kolkata',
    open: [{ days: ['wed'], from: '00:00', to: '01:00' }],
  };
  expect(isOpen(kolkata, '2026-11-24T18:29:00Z')).toBe(false);
  expect(isOpen(kolkata, '2026-11-24T18:30:00Z')).toBe(true);
  expect(isOpen({ ...kolkata, timeZone: 'Pacific/Kiritimati' }, '2026-11-24T10:30:00Z')).toBe(true);
});

test('over midnight by two entries, without a minute between', () => {
  const late: Hours = {
    timeZone: 'UTC',
    open: [
      { days: ['fri'], from: '18:00', to: '24:00' },
      { days: ['sat'], from: '00:00', to: '02:00' },
    ],
  };
  for (const at of ['27T18:00', '27T23:59', '28T00:00', '28T01:59']) {
    expect(isOpen(late, `2026-11-${at}:00Z`)).toBe(true);
  }
  expect(isOpen(late, '2026-11-28T02:00:00Z')).toBe(false);
});

test('on a day when nobody is there, nobody is', () => {
  const hours = { ...BERLIN, closedOn: ['2026-12-24', '2026-12-25'] };
  expect(isOpen(hours, '2026-12-23T12:00:00Z')).toBe(true);
  expect(isOpen(hours, '2026-12-24T12:00:00Z')).toBe(false);
  expect(said(hours, '2026-12-24T12:00:00Z')).toContain('on Monday 28 December at 09:00');
});

describe('what the user is told', () => {
  test.each([
    ['2026-11-24T05:00:00Z', 'today at 09:00'],
    ['2026-11-24T18:00:00Z', 'tomorrow at 09:00'],
    ['2026-11-27T18:00:00Z', 'on Monday 30 November at 09:00'],
    // In Berlin it is Monday already.
    ['2026-11-29T23:30:00Z', 'today at 09:00'],
  ])('at %s: %s', (at, when) => {
    expect(said(BERLIN, at)).toBe(
      `I am sorry, nobody is available to take over at the moment. Somebody will be back ${when} (Europe/Berlin).`,
    );
  });

  test('the first of several times of a day', () => {
    const open = [
      { days: WORKDAYS, from: '14:00', to: '18:00' },
      { days: WORKDAYS, from: '08:00', to: '12:00' },
    ];
    const hours = { ...BERLIN, open };
    expect(said(hours, '2026-11-24T05:00:00Z')).toContain('today at 08:00');
    expect(said(hours, '2026-11-24T11:30:00Z')).toContain('today at 14:00');
  });

  test('nothing of when, where that is not within two weeks', () => {
    const first = Date.parse('2026-11-24');
    const closedOn = Array.from({ length: 20 }, (_, day) =>
      new Date(first + day * 86_400_000).toISOString().slice(0, 10),
    );
    expect(said({ ...BERLIN, closedOn }, '2026-11-24T12:00:00Z')).toBe(
      'I am sorry, nobody is available to take over at the moment.',
    );
  });

  test('the words of the agent, with when somebody is back', () => {
    const closedMessage = 'We sleep. Call {{opens}}.';
    expect(said({ ...BERLIN, closedMessage }, '2026-11-24T05:00:00Z')).toBe(
      'We sleep. Call today at 09:00 (Europe/Berlin).',
    );
  });
});

describe('in the language of the agent', () => {
  const SATURDAY = '2026-11-28T12:00:00Z';
  test.each([
    [
      'de-AT',
      'Es tut mir leid, im Moment ist niemand da, der übernehmen kann. Wir sind am Montag, 30. November um 09:00 Uhr (Europe/Berlin) wieder für Sie da.',
    ],
    ['fr', /de retour le lundi 30 novembre à 09:00 \(Europe\/Berlin\)\.$/],
    ['ja', /ただいま対応できる担当者がおりません。11月30日月曜日09:00（Europe\/Berlin）に/],
    ['ru', /на связи 30 ноября \(понедельник\) в 09:00 \(Europe\/Berlin\)\.$/],
    ['xx', /^I am sorry, .* back on Monday 30 November at 09:00 \(Europe\/Berlin\)\.$/],
  ])('%s: nobody is there until a day', (language, text) => {
    expect(said(BERLIN, SATURDAY, language)).toMatch(text);
  });

  test('today, tomorrow, and what the operator says of it', () => {
    expect(said(BERLIN, '2026-11-24T05:00:00Z', 'de')).toContain('heute um 09:00 Uhr');
    expect(said(BERLIN, '2026-11-24T20:00:00Z', 'de')).toContain('morgen um 09:00 Uhr');
    const closedMessage = 'Wir sind {{opens}} wieder da.';
    expect(said({ ...BERLIN, closedMessage }, '2026-11-24T05:00:00Z', 'de')).toBe(
      'Wir sind heute um 09:00 Uhr (Europe/Berlin) wieder da.',
    );
  });

  test('nothing of when, where that is not within two weeks', () => {
    const far = { ...BERLIN, closedOn: [] as string[] };
    far.closedOn = Array.from({ length: 20 }, (_, day) =>
      new Date(Date.parse('2026-11-24') + day * 86_400_000).toISOString().slice(0, 10),
    );
    expect(said(far, '2026-11-24T12:00:00Z', 'es')).toBe(
      'Lo siento, en este momento no hay nadie que pueda atenderle.',
    );
  });
});

test('a time zone that this server does not know closes nothing', () => {
  expect(isOpen({ ...BERLIN, timeZone: 'Mars/Olympus' }, '2026-11-24T05:00:00Z')).toBe(true);
});

test('people are announced up to 14 days ahead', () => {
  // A Tuesday; the one after the next is 14 days ahead.
  const opens = (...closedOn: string[]): string | undefined =>
    said(
      {
        ...BERLIN,
        open: [{ days: ['tue'], from: '09:00', to: '10:00' }],
        closedOn,
        closedMessage: 'Again: {{opens}}',
      },
      '2026-11-24T12:00:00Z',
    );
  expect(opens()).toContain('09:00');
  expect(opens('2026-12-01')).toContain('09:00');
  expect(opens('2026-12-01', '2026-12-08')).toBe('Again: ');
});
