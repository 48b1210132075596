import { afterEach, beforeEach, expect, test } from 'vitest';
import { startEngine, type Engine } from '../roles/engine.ts';
import { startReceiver, type Received, type Receiver } from '../webhooks/receiver.ts';
import { describeKind } from '../roles/each-store.ts';

describeKind((storeName) => {
  let engine: Engine;
  let receiver: Receiver;

  beforeEach(async () => {
    engine = await startEngine(storeName);
    receiver = await startReceiver();
    await engine.startOperator();
    await engine.startDelivery();
    await engine.declareEndpoint('all', { url: receiver.url });
    await engine.settled('WebhookEndpoint', 'all');
  });

  afterEach(async () => {
    await engine.stop();
    await receiver.close();
  });

  const linesOf = (received: Received[]): string[] =>
    received.map(({ json }) => `${json.type} ${String(json.data['version'])}`);

  test('an edit publishes version 2, the old text brings version 1 back and no version 3', async () => {
    await engine.declareAgent('support', { prompt: 'one' });
    await receiver.until((received) => received.length >= 1);
    await engine.declareAgent('support', { prompt: 'two' });
    await receiver.until((received) => received.length >= 2);
    await engine.declareAgent('support', { prompt: 'one' });
    await receiver.until((received) => received.length >= 3);

    expect(linesOf(receiver.received)).toEqual([
      'agent.published 1',
      'agent.published 2',
      'agent.rolled_back 1',
    ]);
    const { rows } = await engine.pool.query('select version from agent_versions order by 1');
    expect(rows).toEqual([{ version: 1 }, { version: 2 }]);
  });
});
