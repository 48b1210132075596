import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createHmac } from 'node:crypto';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newEndpointSecret } from '../../src/platform/egress/signature.ts';
import { freePort } from '../free-port.ts';
import { temporaryFolder } from '../roles/parley-process.ts';
import { startApi, type Api, type Reply } from '../roles/api/api-setup.ts';

/** The receivers of examples/, as people copy them: started as they say, reached as they will be. */

const EXAMPLES = path.resolve(import.meta.dirname, '../../examples');
const BUILD_MS = 120_000;

type Language = {
  name: string;
  /** Absent: this machine cannot run it. */
  isThere: boolean;
  /** The command that starts it; what has to be built goes into the folder. */
  command: (folder: string) => string[];
};

const languages: Language[] = [
  {
    name: 'Node',
    isThere: true,
    command: () => [process.execPath, path.join(EXAMPLES, 'receiver.mjs')],
  },
  {
    name: 'Python',
    isThere: spawnSync('python3', ['--version']).status === 0,
    command: () => ['python3', path.join(EXAMPLES, 'receiver.py')],
  },
  {
    name: 'Go',
    isThere: spawnSync('go', ['version']).status === 0,
    command: (folder) => {
      const program = path.join(folder, 'receiver');
      const built = spawnSync('go', ['build', '-o', program, path.join(EXAMPLES, 'receiver.go')]);
      if (built.status !== 0) throw new Error(built.stderr.toString());
      return [program];
    },
  },
];

for (const { name, isThere } of languages) {
  // Nothing promises that they are installed; a run without them must not look like one with them.
  if (!isThere) console.warn(`NOT TESTED: the receiver in ${name}, which is not installed here`);
}

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder.remove());

let api: Api;
let receiver: Program;
const secret = newEndpointSecret();

beforeEach(async () => {
  api = await startApi({ delivery: true });
});
afterEach(async () => {
  await receiver.stop();
  await api.stop();
});

describe.each(languages.filter(({ isThere }) => isThere))('the receiver in $name', (language) => {
  test(
    'takes what is genuine, once, and refuses the rest',
    async () => {
      const port = await freePort();
      receiver = startProgram(language.command(folder.path), { SECRET: secret, PORT: `${port}` });
      const url = `http://localhost:${port}/`;
      await receiver.saying('listening on');

      const endpoint = await api.call('POST', '/v1/webhooks', { json: { url, secret } });
      expect(endpoint.status).toBe(201);
      const first = await sendTest(endpoint.body.id);
      expect(await finished(first.body.delivery_id)).toMatchObject([{ status_code: 204 }]);
      await receiver.saying(`agent.published ${first.body.event_id}`);

      const replay = await api.call('POST', `/v1/events/${first.body.event_id}/replay`, {});
      expect(await finished(replay.body.delivery_ids[0])).toMatchObject([{ status_code: 204 }]);

      const stranger = await api.call('POST', '/v1/webhooks', { json: { url } });
      const forged = await sendTest(stranger.body.id);
      expect(await finished(forged.body.delivery_id)).toMatchObject([{ status_code: 401 }]);

      const body = JSON.stringify({ id: 'evt_next', type: 'x', created: 1, data: {} });
      const signature = createHmac('sha256', secret).update(body).digest('hex');
      const post = async (sent: string, headers: Record<string, string>): Promise<number> =>
        (await fetch(url, { method: 'POST', body: sent, headers })).status;
      const tampered = body.replace('evt_next', 'evt_nexx');
      expect(await post(tampered, { 'parley-signature': signature })).toBe(401);
      expect(await post(body, {})).toBe(401);
      expect(await post(body, { 'parley-signature': signature.slice(0, -1) })).toBe(401);
      // As in a rotation: the current secret is another one, ours is the next.
      const rotating = {
        'parley-signature': '0'.repeat(64),
        'parley-signature-next': signature,
      };
      expect(await post(body, rotating)).toBe(204);
      await receiver.saying('x evt_next');

      const printed = receiver.output().match(/evt_\w+/g);
      expect(printed).toEqual([first.body.event_id, 'evt_next']);
    },
    BUILD_MS,
  );

  test('does not start without a secret, with which anybody could sign', async () => {
    receiver = startProgram(language.command(folder.path), { PORT: `${await freePort()}` });
    expect(await receiver.exited).toBe(1);
    expect(receiver.output()).toContain('SECRET is not set');
  });
});

function sendTest(endpointId: string): Promise<Reply> {
  return api.call('POST', `/v1/webhooks/${endpointId}/test`, { json: {} });
}

/** The attempts of a delivery, once the first is over. */
function finished(deliveryId: string): Promise<{ status_code: number }[]> {
  return api.engine.eventually(async () => {
    const { body } = await api.call('GET', `/v1/deliveries/${deliveryId}`);
    return body.attempts[0]?.status_code !== null && body.attempts.length > 0 && body.attempts;
  });
}

type Program = {
  output: () => string;
  saying: (text: string) => Promise<void>;
  exited: Promise<number | null>;
  stop: () => Promise<unknown>;
};

function startProgram([file, ...args]: string[], env: Record<string, string>): Program {
  const { PATH, HOME } = process.env;
  const child: ChildProcess = spawn(file!, args, { env: { PATH, HOME, ...env } });
  let output = '';
  const checks = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      for (const check of checks) check();
    });
  }
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    output: () => output,
    exited,
    saying: (text) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (output.includes(text)) resolve();
        };
        checks.add(check);
        check();
        void exited.then((code) => reject(new Error(`it ended with ${code}: ${output}`)));
      }),
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
