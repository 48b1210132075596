import { expect, test } from 'vitest';
import { readTwimlCallback } from '../../../src/carriers/twiml/callback.ts';

/** Forms of Twilio and Telnyx, in the type that all carriers share. */

const read = (form: Record<string, string>) => readTwimlCallback(new URLSearchParams(form));

test('a form says whose call it is, and which', () => {
  const form = { AccountSid: 'AC1', CallSid: 'CA2', ParentCallSid: 'CA1', From: '+1', To: '+2' };
  expect(read(form)).toMatchObject({
    accountId: 'AC1',
    callId: 'CA2',
    parentCallId: 'CA1',
    from: '+1',
    to: '+2',
  });
});

test('an empty form says nothing, and names no account', () => {
  expect(read({})).toEqual({
    accountId: '',
    callId: '',
    parentCallId: undefined,
    from: null,
    to: null,
    direction: undefined,
    state: undefined,
    isAnswered: false,
    isMachine: false,
    relayEnd: undefined,
    dialed: 'failed',
  });
});

test.each([
  [{ Direction: 'inbound' }, { direction: 'inbound' }],
  [{ Direction: 'outbound-api' }, { direction: 'outbound' }],
  [{ CallStatus: 'ringing' }, { state: 'live', isAnswered: false }],
  [{ CallStatus: 'in-progress' }, { state: 'live', isAnswered: true }],
  [{ CallStatus: 'answered' }, { state: 'live', isAnswered: true }],
  [{ CallStatus: 'busy' }, { state: { status: 'busy', reason: 'busy' }, isAnswered: false }],
  [{ AnsweredBy: 'human' }, { isMachine: false }],
  [{ AnsweredBy: 'machine_end_beep' }, { isMachine: true }],
  [{ AnsweredBy: 'fax' }, { isMachine: true }],
  [{ SessionStatus: 'ended' }, { relayEnd: 'ended' }],
  [{ SessionStatus: 'failed' }, { relayEnd: 'failed' }],
  [{ DialCallStatus: 'completed' }, { dialed: 'answered' }],
  [{ DialCallStatus: 'answered' }, { dialed: 'answered' }],
  [{ DialCallStatus: 'busy' }, { dialed: 'busy' }],
  [{ DialCallStatus: 'no-answer' }, { dialed: 'no_answer' }],
  [{ DialCallStatus: 'canceled' }, { dialed: 'failed' }],
])('%o', (form, said) => {
  expect(read(form)).toMatchObject(said);
});
