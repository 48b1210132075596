import { expect, test } from 'vitest';
import { simulated, SimulatedScript } from '../../../src/calls/transports/simulated.ts';

/** Returns the event of each step of a script, and the delay until the next one. */
function played(script: object): [string, number | null][] {
  const providerOptions = SimulatedScript.parse(script);
  const steps: [string, number | null][] = [];
  for (let step = 0; ; step += 1) {
    const due = simulated.eventAt({ providerOptions, step });
    if (!due) return steps;
    const { event } = due;
    const name =
      event.type === 'heard'
        ? `heard ${event.text}`
        : event.type === 'not_connected'
          ? event.why
          : event.type;
    steps.push([name, due.nextAfterMs]);
  }
}

test('a whole call: it rings, is answered, is talked to with pauses, and is hung up', () => {
  const turns = [{ text: 'One.', after_ms: 30 }, { text: 'Two.' }];
  expect(played({ ring_ms: 20, turns })).toEqual([
    ['ringing', 20],
    ['answered', 30],
    ['heard One.', 0],
    ['heard Two.', 0],
    ['hung_up', null],
  ]);
});

test('the line stays open when the script says so, and when nothing is said', () => {
  const open = [
    ['ringing', 0],
    ['answered', null],
  ];
  expect(played({})).toEqual(open);
  expect(played({ turns: [{ text: 'One.' }], hang_up: false }).at(-1)).toEqual([
    'heard One.',
    null,
  ]);
  expect(played({ hang_up: true })).toEqual([open[0], ['answered', 0], ['hung_up', null]]);
});

test.each([
  ['busy', [['busy', null]]],
  ['no_answer', [['no_answer', null]]],
  ['failed', [['dial_failed', null]]],
  [
    'voicemail',
    [
      ['answered', 0],
      ['message_left', null],
    ],
  ],
])('%s: nothing of what would have been said is said', (answer, rest) => {
  expect(played({ answer, ring_ms: 5, turns: [{ text: 'One.' }] })).toEqual([
    ['ringing', 5],
    ...rest,
  ]);
});

test('placing a call again gives it the same id', async () => {
  const call = { id: '01936a0e-7d5b-7000-8000-3a5c1f2b4d6e' } as Parameters<
    typeof simulated.place
  >[0];
  expect(await simulated.place(call)).toEqual(await simulated.place(call));
  const other = { ...call, id: '01936a0e-7d5b-7000-8000-3a5c1f2b4d6f' };
  expect(await simulated.place(other)).not.toEqual(await simulated.place(call));
});

test('a turn is kept redacted, and with what was taken out of it only if something was', async () => {
  const redacted = { card: 1 };
  const kept = await simulated.keepable({ turns: [{ text: 'My card' }, { text: 'Hi' }] }, (async (
    text: string,
  ) => (text === 'Hi' ? { text } : { text: '[card]', redacted })) as Parameters<
    typeof simulated.keepable
  >[1]);
  expect(kept['turns']).toStrictEqual([
    { text: '[card]', after_ms: 0, redacted },
    { text: 'Hi', after_ms: 0 },
  ]);
});
