import path from 'node:path';
import { freePort } from '../../free-port.ts';
import { treeOf } from '../calls/processes.ts';
import { botEnvironment, startChild, type Contender } from './contender.ts';
import type { Installed } from './install.ts';
import { createLivekitPhones } from './livekit-phone.ts';
import type { Speech } from './speech.ts';

const KEY = { id: 'devkey', secret: 'a secret of loopback, thirty-two bytes' };

/** A process for each call, as it comes; the server that carries the sound stands beside. */
export async function startLivekit(installed: Installed, speech: Speech): Promise<Contender> {
  const cwd = path.dirname(installed.livekitServer);
  const [http, tcp, udp, agentPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const config = {
    port: http,
    bind_addresses: ['127.0.0.1'],
    rtc: { tcp_port: tcp, udp_port: udp, node_ip: '127.0.0.1', use_external_ip: false },
    keys: { [KEY.id]: KEY.secret },
  };
  const server = await startChild([installed.livekitServer], {
    env: { LIVEKIT_CONFIG: JSON.stringify(config) },
    ready: { url: `http://127.0.0.1:${http}/` },
    cwd,
  });
  const script = path.join(import.meta.dirname, 'livekit_agent.py');
  const agent = await startChild([installed.python, script, 'start'], {
    env: {
      ...botEnvironment(speech, agentPort),
      LIVEKIT_URL: `ws://127.0.0.1:${http}`,
      LIVEKIT_API_KEY: KEY.id,
      LIVEKIT_API_SECRET: KEY.secret,
    },
    ready: { says: 'registered worker' },
    cwd,
  });
  const phones = createLivekitPhones(installed, { url: `ws://127.0.0.1:${http}`, key: KEY });
  return {
    own: () => treeOf(agent.pid),
    beside: { name: 'livekit-server', pids: () => treeOf(server.pid) },
    ring: (caller) => phones.call(speech, caller),
    stop: async () => {
      await phones.stop();
      await agent.stop();
      await server.stop();
    },
  };
}
