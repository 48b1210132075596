import { expect, test } from 'vitest';
import type { AgentSpec } from '../../src/agents/agent.ts';
import { notActedOn } from '../../src/agents/not-acted-on.ts';
import { WITHOUT_MODEL } from './without-model.ts';

/** What nothing acts on depends on whether a model answers. */

const spec = {
  prompt: 'Be kind.',
  tools: [{ type: 'end_call', name: 'bye' }],
  voice: { provider: 'x', speed: 2 },
  language: 'en-GB',
  model: { name: 'm' },
  escalation: { rules: [{ when: 'tool_failure' }] },
} as unknown as AgentSpec;
const withFallback = { ...spec, model: { name: 'm', fallback: [{ provider: 'acme' }] } };
const withProvider = { ...spec, model: { provider: 'acme' } };

test('without a model no agent acts on its prompt', () => {
  const plain = { prompt: 'Be kind.' } as AgentSpec;
  expect(notActedOn(plain, { hasDefaultModel: false })).toBe(WITHOUT_MODEL);
  expect(notActedOn(plain, { hasDefaultModel: true })).toBeUndefined();
});

test('without a model it is all that a model is needed for', () => {
  expect(notActedOn(spec, { hasDefaultModel: false })).toBe(
    `${WITHOUT_MODEL}, tools (bye), model, the escalation rule tool_failure; ` +
      'no effect when the carrier provides speech: voice (speed)',
  );
});

test('without a model the language has an effect: Parley says its own sentences in it', () => {
  expect(notActedOn(spec, { hasDefaultModel: false })).not.toContain('language');
});

test('a model that judges is not there without one, unless its provider is named', () => {
  const judged = { ...spec, judgement: { by: 'model' } } as AgentSpec;
  expect(notActedOn(judged, { hasDefaultModel: false })).toMatch(/, judgement;/);
  expect(notActedOn(judged, { hasDefaultModel: true })).not.toContain('judgement');
  const model = { provider: 'east' };
  const named = { ...spec, judgement: { by: 'model', model } } as AgentSpec;
  expect(notActedOn(named, { hasDefaultModel: false })).not.toContain('judgement');
});

test.each([
  [spec, true],
  [withProvider, false],
  [withProvider, true],
  [withFallback, false],
])('with one it is what no carrier is told of the voice', (of, hasDefaultModel) => {
  expect(notActedOn(of, { hasDefaultModel })).toBe(
    'no effect when the carrier provides speech: voice (speed)',
  );
  expect(notActedOn({ ...of, voice: {} }, { hasDefaultModel })).toBeUndefined();
});

test('a transcriber is named beside the voice, whoever answers', () => {
  const both = { ...spec, transcriber: { language: 'de' } } as AgentSpec;
  expect(notActedOn(both, { hasDefaultModel: true })).toBe(
    'no effect when the carrier provides speech: voice (speed), transcriber',
  );
  expect(notActedOn(both, { hasDefaultModel: false })).toContain('voice (speed), transcriber');
});

test('what a carrier is told of a voice is acted on, and all of both where both name a provider', () => {
  const voice = { provider: 'x', voiceId: 'v', language: 'de' };
  const models = { hasDefaultModel: true };
  expect(notActedOn({ ...spec, voice }, models)).toBeUndefined();
  const fully = { ...voice, model: 'm', speed: 2, fallback: [{ model: 'n' }] };
  expect(notActedOn({ ...spec, voice: fully }, models)).toBe(
    'no effect when the carrier provides speech: voice (model, speed, fallback)',
  );
  const both = { ...spec, voice: fully, transcriber: { provider: 'x', keywords: ['Tide'] } };
  expect(notActedOn(both as AgentSpec, models)).toBeUndefined();
});

test('a model of the samples is one, for the agents that it answers', () => {
  const models = { hasDefaultModel: false, isSample: () => true };
  expect(notActedOn(spec, models)).toBe(
    'no effect when the carrier provides speech: voice (speed)',
  );
  const other = { hasDefaultModel: false, isSample: () => false };
  expect(notActedOn(spec, other)).toMatch(/tools \(bye\)/);
});

test('a transcriber with a provider alone is no speech of our own', () => {
  const transcriber = { provider: 'x' };
  const heard = { ...spec, voice: { speed: 2 }, transcriber } as AgentSpec;
  expect(notActedOn(heard, { hasDefaultModel: true })).toBe(
    'no effect when the carrier provides speech: voice (speed), transcriber',
  );
});

test.each([
  [10, /tools \(t0, .*, t9\), model/],
  [11, /tools \(t0, .*, t9, and 1 more\), model/],
])('of %i tools at most ten are named', (count, named) => {
  const tools = Array.from({ length: count }, (_, i) => ({ type: 'end_call', name: `t${i}` }));
  const many = { ...spec, tools } as AgentSpec;
  expect(notActedOn(many, { hasDefaultModel: false })).toMatch(named);
});

test('a judgement by rules needs no model', () => {
  const judged = { ...spec, judgement: { by: 'rules' } } as unknown as AgentSpec;
  expect(notActedOn(judged, { hasDefaultModel: false })).not.toContain('judgement');
});
