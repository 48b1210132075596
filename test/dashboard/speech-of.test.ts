import { expect, test } from 'vitest';
import {
  speechOf,
  type Provider,
  type Spoken,
} from '../../packages/dashboard/src/pages/playground/speech-of.ts';

/** The playground offers to talk only if an agent's voice is complete, and otherwise names the missing part. */

/** Returns the content of a version that declares only these fields. */
const contentOf = (declared: object): Spoken => declared as Spoken;

const BOTH = { voice: { provider: 'a' }, transcriber: { provider: 'b' } };
const provider = (name: string, has: object): Provider => ({
  name,
  speech: null,
  transcription: null,
  ...has,
});
const SPEAKS = provider('a', { speech: {} });
const HEARS = provider('b', { transcription: {} });

test.each<[string, object, Provider[], string | null]>([
  ['both are there', BOTH, [SPEAKS, HEARS], null],
  [
    'there is no transcriber',
    { voice: { provider: 'a' } },
    [SPEAKS],
    'the transcriber does not name a provider',
  ],
  [
    'there is no voice',
    { transcriber: { provider: 'b' } },
    [HEARS],
    'the voice does not name a provider',
  ],
  ['the voice does not exist', BOTH, [HEARS], 'the voice’s model provider “a” does not exist'],
  [
    'the voice has no speech',
    BOTH,
    [provider('a', {}), HEARS],
    'the voice’s model provider “a” has no speech',
  ],
  [
    'the transcriber has no transcription',
    BOTH,
    [SPEAKS, provider('b', { speech: {} })],
    'the transcriber’s model provider “b” has no transcription',
  ],
])('if %s', (_, content, providers, whyNot) => {
  expect(speechOf(contentOf(content), providers)).toEqual({ canSpeak: whyNot === null, whyNot });
});

test('nothing is missing if no voice is declared', () => {
  expect(speechOf(contentOf({}), [SPEAKS, HEARS])).toEqual({ canSpeak: false, whyNot: null });
});
