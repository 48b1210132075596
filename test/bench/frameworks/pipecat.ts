import path from 'node:path';
import { ACCOUNT } from '../../calls/phone/account.ts';
import { connectMediaPhone } from '../../calls/phone/media-phone.ts';
import { TWILIO_WIRE } from '../../calls/phone/media-wire.ts';
import { freePort } from '../../free-port.ts';
import { treeOf } from '../calls/processes.ts';
import { botEnvironment, callOf, NO_WORDS, startChild, type Contender } from './contender.ts';
import type { Installed } from './install.ts';
import type { Speech } from './speech.ts';

/** Nobody asks it for TwiML: the address of its socket is known. */
const CARRIER = {
  manner: { account: ACCOUNT, wire: TWILIO_WIRE },
  post: async () => ({ status: 200, text: '', verbs: [] }),
};

/** One process for all calls. */
export async function startPipecat({ python }: Installed, speech: Speech): Promise<Contender> {
  const port = await freePort();
  const child = await startChild([python, path.join(import.meta.dirname, 'pipecat_bot.py')], {
    env: botEnvironment(speech, port),
    ready: { url: `http://127.0.0.1:${port}/` },
    cwd: path.dirname(python),
  });
  return {
    own: () => treeOf(child.pid),
    ring: async (caller) => {
      const stream = {
        name: 'Stream',
        attributes: { url: `ws://127.0.0.1:${port}/${caller}` },
        text: '',
        inside: [],
      };
      const verbs = [{ name: 'Connect', attributes: { action: '' }, text: '', inside: [stream] }];
      const call = { sid: `CA${caller}`, verbs, anySize: true };
      const phone = await connectMediaPhone(CARRIER, NO_WORDS, call);
      return callOf(phone, speech, caller);
    },
    stop: child.stop,
  };
}
