import { beforeEach, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { runDrill } from '../../packages/drill/src/run-drill.ts';
import { createStandIn } from '../../packages/drill/src/stand-in/stand-in.ts';
import { addPools, addSocket, meanwhile, passTime } from '../calls/passing-time.ts';
import { newTenant, type Tenant } from '../roles/api/shared-api.ts';
import { IS_NIGHTLY } from '../nightly.ts';

/** The calls of `parley drill`, in this process and while held time passes: drill.faults.test.ts has the command. */

const TOKEN = 'token-of-the-drill';
const tokenFrom = { name: 'drill', key: 'token' };
let tenant: Tenant;

beforeEach(async () => {
  tenant = await newTenant();
  const labels = { 'parley.dev/allow': 'true' };
  const { engine } = tenant.api;
  const spec = { data: { [tokenFrom.key]: TOKEN } };
  await engine.store.apply(
    { kind: 'Secret', namespace: tenant.namespace, name: tokenFrom.name, labels, spec },
    { fieldManager: 'kubectl' },
  );
});

/** Each step of time waits for the sockets of callers, which the drill keeps to itself. */
function waitForSockets(): void {
  const sockets = WebSocket.prototype as unknown as { setSocket: (...args: unknown[]) => void };
  const { setSocket } = sockets;
  vi.spyOn(sockets, 'setSocket').mockImplementation(function (this: WebSocket, ...args) {
    setSocket.apply(this, args);
    addSocket(this);
  });
}

async function drill(
  token: string,
  retranscribes = false,
): Promise<{ isRight: boolean; lines: string[] }> {
  const removePools = addPools(...tenant.api.pools);
  waitForSockets();
  passTime();
  const standIn = createStandIn();
  const lines: string[] = [];
  const { url } = tenant.api;
  const isRight = await meanwhile(
    runDrill({
      url,
      baseUrl: url,
      apiKey: tenant.key,
      tokenFrom,
      token,
      voiceAt: standIn.voiceAt,
      serves: [standIn.serve],
      listen: { host: '127.0.0.1', port: 0, name: '127.0.0.1' },
      interruptions: 1,
      atOnce: 5,
      retranscribes,
      write: (line) => void lines.push(line),
    }),
  );
  removePools();
  return { isRight, lines };
}

test.each([
  ['estimated from the sound', false] as const,
  ...(IS_NIGHTLY ? [['transcribed', true] as const] : []),
])(
  'callers are greeted, answered and interrupt, with interrupted sentences %s, and nothing is left behind',
  async (_, retranscribes) => {
    const { isRight, lines } = await drill(TOKEN, retranscribes);
    expect(lines).toContain('5 calls, 0 failed; 1 of 1 interruptions were handled correctly');
    expect(isRight).toBe(true);
    await nothingIsLeft();
  },
);

test('a token that is not the Secret’s is found out, and nothing is left behind', async () => {
  const { isRight, lines } = await drill('another token');
  expect(lines.join('\n')).toMatch(/responded with 401/);
  expect(isRight).toBe(false);
  await nothingIsLeft();
});

async function nothingIsLeft(): Promise<void> {
  for (const kind of ['agents', 'model_providers', 'telephony_providers', 'webhooks']) {
    const { body } = await tenant.call('GET', `/v1/${kind}`);
    expect(body.data).toEqual([]);
  }
}
