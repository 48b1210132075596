import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ResourceEvent } from '../../src/platform/resources/resource-store.ts';
import { startEngine, type Engine } from '../roles/engine.ts';
import type { Operator } from '../../src/roles/operator/run.ts';
import { until } from '../until.ts';
import { awaitCondition, conditionsOf } from './agents.ts';
import { WITHOUT_MODEL } from './without-model.ts';

/** What an agent declares and nothing acts on is said, where it is declared and by REST. */

const told: ResourceEvent[] = [];
let engine: Engine;
let operator: Operator;
beforeAll(async () => {
  engine = await startEngine();
  operator = await engine.startOperator({ record: (_, event) => told.push(event) });
});
afterAll(() => engine?.stop());

/** The operator records an Event after it has written the status, so a test that counts Events waits for the first one. */
const toldOf = (note: string) => () =>
  told.some((event) => event.reason === 'NotSupported' && event.note === note);

const tool = (name: string) => ({ type: 'webhook', name, url: 'https://example.com/' });

function declareProvider(name: string, spec: object) {
  return engine.store.apply(
    {
      kind: 'ModelProvider',
      namespace: 'default',
      name,
      spec: { baseUrl: 'https://models.example.com/v1', ...spec },
    },
    { fieldManager: 'kubectl' },
  );
}

test('is a condition that is there while it is true, and one Event', async () => {
  await engine.declareAgent('clara', {
    prompt: 'Be kind.',
    tools: [tool('refund'), { type: 'end_call', name: 'bye' }],
    voice: { provider: 'x', speed: 2 },
    language: 'en-GB',
    model: { name: 'm' },
    escalation: { rules: [{ when: 'user_request' }, { when: 'tool_failure', count: 2 }] },
  });
  const of = { kind: 'Agent', name: 'clara' };
  await awaitCondition(engine, of, { type: 'Ready', status: 'True', reason: 'Published' });
  const { Degraded, Stalled } = conditionsOf(await engine.settled('Agent', 'clara'));
  const message =
    `${WITHOUT_MODEL}, tools (refund, bye), model, the escalation rule ` +
    'tool_failure; no effect when the carrier provides speech: voice (speed)';
  expect(Degraded).toMatchObject({ status: 'True', reason: 'NotSupported', message });
  expect(Stalled).toBeUndefined();
  await until('its Event is recorded', toldOf(message));

  await declareProvider('east', {});
  await engine.declareAgent('clara', {
    prompt: 'Be brief.',
    model: { provider: 'east' },
    tools: [],
    voice: {},
    escalation: { rules: [{ when: 'user_request' }] },
  });
  const now = conditionsOf(await engine.settled('Agent', 'clara'));
  expect(Object.keys(now).sort()).toEqual(['Accepted', 'Published', 'Ready', 'ResolvedRefs']);
  expect(told.filter(({ reason }) => reason === 'NotSupported')).toEqual([
    { type: 'Warning', action: 'Publish', reason: 'NotSupported', note: message },
  ]);
});

test('is said of an agent that is held for another reason too, and names ten tools', async () => {
  const tools = Array.from({ length: 12 }, (_, i) => tool(`t${i}`));
  const knowledge = { sourceNames: ['none'] };
  await engine.declareAgent('held', { prompt: 'Be kind.', tools, knowledge });
  const { Ready, Degraded } = conditionsOf(await engine.settled('Agent', 'held'));
  expect(Ready).toMatchObject({ status: 'False', reason: 'KnowledgeSourceNotFound' });
  expect(Degraded?.message).toMatch(/tools \(t0, .*, t9, and 2 more\)$/);
});

test('is told once, however often it is looked at', async () => {
  await engine.declareAgent('again', { prompt: 'Be kind.', tools: [tool('refund')] });
  await engine.settled('Agent', 'again');
  await until('its Event is recorded', toldOf(`${WITHOUT_MODEL}, tools (refund)`));
  const before = told.length;
  await engine.declareAgent('again', { prompt: 'Be brief.', tools: [tool('refund')] });
  const { Degraded } = conditionsOf(await engine.settled('Agent', 'again'));
  expect(Degraded).toMatchObject({ status: 'True' });
  expect(told.slice(before).filter(({ reason }) => reason === 'NotSupported')).toEqual([]);
});

test('names the speech provider that the namespace lacks, and is gone when it is there', async () => {
  const message = async (): Promise<string | undefined> =>
    conditionsOf(await engine.settled('Agent', 'spoken'))['Degraded']?.message;
  const noEffect = (why: string) =>
    `${WITHOUT_MODEL}; no effect when the carrier provides speech (${why}): voice (speed), transcriber`;
  const comes = (why: string) => until(why, async () => (await message()) === noEffect(why));

  await engine.declareAgent('spoken', {
    prompt: 'Be kind.',
    voice: { provider: 'says', speed: 2 },
    transcriber: { provider: 'hears' },
  });
  await comes('ModelProvider "says" does not exist in this namespace');
  await declareProvider('says', {});
  await comes('ModelProvider "says" has no `speech`');
  await declareProvider('says', { speech: { defaultModel: 'm', defaultVoice: 'v' } });
  await comes('ModelProvider "hears" does not exist in this namespace');
  await declareProvider('hears', {});
  await comes('ModelProvider "hears" has no `transcription`');
  await declareProvider('hears', { transcription: { defaultModel: 'm' } });
  await until('it is gone', async () => (await message()) === WITHOUT_MODEL);
});

test('is gone when the operator is started with a default model, and back without', async () => {
  await engine.declareAgent('later', { prompt: 'Be kind.', tools: [tool('refund')] });
  await engine.settled('Agent', 'later');
  const restart = async (modelSettings?: { url: string; key: undefined; model: string }) => {
    await operator.stop();
    operator = await engine.startOperator({ modelSettings });
  };
  const isDegraded = async (): Promise<boolean> =>
    'Degraded' in conditionsOf(await engine.settled('Agent', 'later'));
  await restart({ url: 'https://models.example.com/v1', key: undefined, model: 'm' });
  await until('it is gone', async () => !(await isDegraded()));
  await restart();
  await until('it is back', isDegraded);
});
