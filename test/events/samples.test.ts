import { expect, test } from 'vitest';
import { EVENT_DATA, EVENT_TYPES } from '../../src/events/event-types.ts';
import { isId } from '../../src/ids.ts';
import { EVENT_SAMPLES } from '../../src/events/samples.ts';

test.each(EVENT_TYPES)(
  'the sample of %s is what its schema says, in the order of the contract',
  (type) => {
    const parsed: object = EVENT_DATA[type].parse(EVENT_SAMPLES[type]);
    expect(parsed).toEqual(EVENT_SAMPLES[type]);
    expect(Object.keys(EVENT_SAMPLES[type])).toEqual(Object.keys(EVENT_DATA[type].shape));
  },
);

test('the ids in samples are ids', () => {
  const prefixes = {
    agent_id: 'agt',
    conversation_id: 'conv',
    escalation_id: 'esc',
    gap_id: 'gap',
    source_id: 'ks',
    call_id: 'call',
  } as const;
  for (const [field, prefix] of Object.entries(prefixes)) {
    for (const sample of Object.values(EVENT_SAMPLES)) {
      const id: unknown = Reflect.get(sample, field);
      if (typeof id === 'string') expect([id, isId(prefix, id)]).toEqual([id, true]);
    }
  }
});
