import { expect, test } from 'vitest';
import { readRelayFrame } from '../../../src/carriers/twiml/relay-frames.ts';

const told = (frame: unknown) =>
  readRelayFrame(typeof frame === 'string' ? frame : JSON.stringify(frame));

test.each([
  [
    'an utterance',
    { type: 'prompt', voicePrompt: ' Hello. ', lang: 'en', last: true },
    { type: 'heard', text: 'Hello.' },
  ],
  [
    'one without a word of its end',
    { type: 'prompt', voicePrompt: 'Hello.' },
    { type: 'heard', text: 'Hello.' },
  ],
  ['half an utterance', { type: 'prompt', voicePrompt: 'Hel', last: false }, { type: 'other' }],
  ['silence', { type: 'prompt', voicePrompt: ' ', last: true }, { type: 'other' }],
  [
    'an interruption',
    { type: 'interrupt', utteranceUntilInterrupt: 'It costs', durationUntilInterruptMs: 460 },
    { type: 'interrupted', playedText: 'It costs' },
  ],
  ['one before a word was heard', { type: 'interrupt' }, { type: 'interrupted', playedText: '' }],
  ['a key', { type: 'dtmf', digit: '5' }, { type: 'digit', digit: '5' }],
  ['two keys at once', { type: 'dtmf', digit: '55' }, undefined],
  [
    'a mistake of ours',
    { type: 'error', description: 'Invalid message' },
    { type: 'error', description: 'Invalid message' },
  ],
  ['a mistake without a word', { type: 'error' }, { type: 'error', description: undefined }],
  [
    'who calls',
    { type: 'setup', callSid: 'CA1', customParameters: { token: 't' } },
    { type: 'setup', callId: 'CA1', token: 't' },
  ],
  [
    'who calls, handed nothing',
    { type: 'setup', callSid: 'CA1' },
    { type: 'setup', callId: 'CA1', token: undefined },
  ],
  ['a frame of a later day', { type: 'emotion', mood: 'glad' }, undefined],
  ['a list', ['prompt'], undefined],
  ['no JSON', '{"type":"prompt"', undefined],
  ['a prompt without words', { type: 'prompt' }, undefined],
  ['a prompt that is a number', { type: 'prompt', voicePrompt: 5 }, undefined],
])('%s', (_, frame, event) => {
  expect(told(frame)).toEqual(event);
});
