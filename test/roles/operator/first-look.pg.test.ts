import { afterEach, beforeEach, expect, test } from 'vitest';
import { activations } from '../../agents/agents.ts';
import { startEngine, type Engine } from '../engine.ts';

let engine: Engine;
beforeEach(async () => {
  engine = await startEngine();
});
afterEach(() => engine.stop());

test('what changed while nobody led goes before all that is in force already', async () => {
  const first = await engine.startOperator();
  const names = Array.from({ length: 20 }, (_, i) => `agent-${i + 10}`);
  for (const name of [...names, 'last']) await engine.declareAgent(name, { prompt: 'one' });
  for (const name of [...names, 'last']) await engine.settled('Agent', name);
  await first.stop();
  await engine.declareAgent('last', { prompt: 'two' });

  const looked: string[] = [];
  const store = {
    ...engine.store,
    get: (...[kind, key]: Parameters<typeof engine.store.get>) => {
      if (kind === 'Agent') looked.push(key.name);
      return engine.store.get(kind, key);
    },
  };
  await engine.startOperator({ store });
  await engine.eventually(async () => looked.length > names.length);
  expect(looked[0]).toBe('last');
  await engine.settled('Agent', 'last');
  expect((await activations(engine, 'last')).at(-1)).toMatch(/^published 1>2 /);
});
