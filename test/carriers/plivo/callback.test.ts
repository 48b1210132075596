import { expect, test } from 'vitest';
import { readPlivoCallback } from '../../../src/carriers/plivo/callback.ts';

/** Forms of Plivo, in the type that all carriers share. */

const read = (form: Record<string, string>) => readPlivoCallback(new URLSearchParams(form));

test('a form says which call it is about, and names no account', () => {
  const form = { CallUUID: 'c-1', From: '447700900123', To: '442071838750', Direction: 'inbound' };
  expect(read({ ...form, CallStatus: 'ringing', Event: 'StartApp' })).toEqual({
    accountId: undefined,
    callId: 'c-1',
    parentCallId: undefined,
    from: '+447700900123',
    to: '+442071838750',
    direction: 'inbound',
    state: 'live',
    isAnswered: false,
    isMachine: false,
    relayEnd: undefined,
    dialed: 'failed',
  });
});

const NO_ANSWER = { status: 'no_answer', reason: 'no_answer' };
test.each([
  [{}, { callId: '', from: null, to: null, direction: undefined, state: undefined }],
  [{ From: '+447700900123' }, { from: '+447700900123' }],
  [{ From: 'anonymous' }, { from: 'anonymous' }],
  [{ From: 'sip:a@phone.plivo.com' }, { from: 'sip:a@phone.plivo.com' }],
  [{ Direction: 'outbound' }, { direction: 'outbound' }],
  [{ CallStatus: 'in-progress' }, { state: 'live', isAnswered: false }],
  [{ CallStatus: 'completed' }, { state: { status: 'completed', reason: 'user_hangup' } }],
  [{ CallStatus: 'busy' }, { state: { status: 'busy', reason: 'busy' } }],
  [{ CallStatus: 'no-answer' }, { state: NO_ANSWER }],
  [{ CallStatus: 'timeout' }, { state: NO_ANSWER }],
  [{ CallStatus: 'failed' }, { state: { status: 'failed', reason: 'dial_failed' } }],
  [{ CallStatus: 'cancel' }, { state: { status: 'canceled', reason: 'canceled' } }],
  [{ CallStatus: 'made up' }, { state: undefined }],
  [
    { DialAction: 'answer', DialALegUUID: 'c-1' },
    { isAnswered: true, parentCallId: 'c-1' },
  ],
  [{ DialAction: 'hangup', DialALegUUID: 'c-1' }, { isAnswered: false }],
  [{ Machine: 'true' }, { isMachine: true }],
  [{ Machine: 'false' }, { isMachine: false }],
  [{ DialStatus: 'completed' }, { dialed: 'answered' }],
  [{ DialStatus: 'busy' }, { dialed: 'busy' }],
  [{ DialStatus: 'no-answer' }, { dialed: 'no_answer' }],
  [{ DialStatus: 'timeout' }, { dialed: 'no_answer' }],
  [{ DialStatus: 'cancel' }, { dialed: 'failed' }],
])('%o', (form, said) => {
  expect(read(form)).toMatchObject(said);
});
