import type { Attack, Socket, Target } from '../attack.ts';

/** What a visitor of a page can do whose origin the attacker's agent allows. */

const ORIGIN = 'https://shop.example.com';

/** A widget that lets in all that one process allows. */
async function openWidget({ create, call }: Target): Promise<{ token: () => Promise<string> }> {
  const { id } = await create('/v1/agents', {
    prompt: 'Sell.',
    first_message: 'Hello.',
    widget: { allowed_origins: [ORIGIN], max_concurrent: 1_000 },
  });
  return {
    token: async () => {
      const asked = { key: null, headers: { origin: ORIGIN }, json: { agent_id: id } };
      const { body } = await call('POST', '/v1/widget/tokens', asked);
      return String(body?.token);
    },
  };
}

type Talk = Socket & { resume: string };

async function startTalk(
  { socket }: Target,
  token: string,
  more: object = {},
): Promise<Talk | undefined> {
  const one = await socket('/v1/talk', { origin: ORIGIN });
  await one?.send({ type: 'start', token, mode: 'chat', ...more });
  const ready = await one?.gets('ready');
  return one && ready && { ...one, resume: String(ready['resume']) };
}

/** Opens talks again and again with one token. */
const talks = (
  atOnce: number,
  act: (talk: Talk, target: Target) => Promise<unknown>,
  more: Omit<Attack, 'by' | 'run'>,
): Attack => ({
  ...more,
  by: 'visitor',
  run: async (target) => {
    const token = await (await openWidget(target)).token();
    await target.again(atOnce, async () => {
      const talk = await startTalk(target, token);
      if (talk) await act(talk, target);
      talk?.close();
    });
  },
});

async function sendTimes(talk: Socket, { signal }: Target, frame: object, times: number) {
  const text = JSON.stringify(frame);
  for (let i = 0; i < times && !signal.aborted; i += 1) await talk.send(text);
}

export const visitors: readonly Attack[] = [
  talks(
    4,
    async (talk, target) => {
      await sendTimes(talk, target, { type: 'end' }, target.many(300_000, 100));
      await talk.closed;
    },
    {
      name: 'end-flood',
      bound:
        'one end of a talk, what follows is dropped unparsed; 30 talks a minute with one token: 1013',
      answers: ['closed 1000', '201'],
    },
  ),
  talks(
    6,
    async (talk, target) => {
      const message = { type: 'message', text: 'a '.repeat(target.many(16_000, 500)) };
      await sendTimes(talk, target, message, target.many(3_500, 3));
      await talk.gets('text');
    },
    {
      name: 'message-flood',
      bound:
        'a burst of 20 messages and one a second with one token, at most 8 waiting: 1008; 30 talks a minute with it: 1013; waiting messages are dropped with the socket',
      answers: ['201'],
    },
  ),
  talks(
    10,
    async (talk, target) => {
      await sendTimes(talk, target, { type: 'hello' }, 60);
      await talk.closed;
    },
    {
      name: 'odd-frames',
      bound: '50 unknown frames in a row: 1003',
      answers: ['closed 1003', '201'],
    },
  ),
  talks(
    10,
    async (talk) => {
      await talk.send({ type: 'message', text: 'x'.repeat(70_000) });
      await talk.closed;
    },
    { name: 'large-frames', bound: '64 KiB a frame: 1009', answers: ['closed 1009', '201'] },
  ),
  talks(
    4,
    async (talk, { many, signal }) => {
      for (let i = 0; i < many(20_000) && !signal.aborted; i += 1) {
        talk.ping();
        if (i % 200 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    },
    {
      name: 'ping-flood',
      bound: '1 MiB unread; a socket is not read while its handler is behind',
      answers: ['201'],
    },
  ),
  {
    name: 'early-frames',
    by: 'visitor',
    bound:
      'only the token is read before `ready`; 30 talks a minute with it: 1013; a burst of 20 messages, at most 8 waiting: 1008',
    answers: ['201'],
    run: async (target) => {
      const token = await (await openWidget(target)).token();
      const frame = { type: 'message', text: 'a '.repeat(15_000) };
      await target.again(20, async () => {
        const one = await target.socket('/v1/talk', { origin: ORIGIN });
        if (!one) return;
        await one.send({ type: 'start', token, mode: 'chat' });
        await sendTimes(one, target, frame, target.many(100, 2));
        await one.gets('ready');
        one.close();
      });
    },
  },
  {
    name: 'resume-windows',
    by: 'visitor',
    bound:
      '5 windows of a talk, resumed 30 times a minute; one shared reader; 20 closes a second for an address, others after 5 s',
    answers: ['201'],
    run: async (target) => {
      const token = await (await openWidget(target)).token();
      const first = await startTalk(target, token);
      if (!first) throw new Error('The first window was refused');
      const talking = target.again(1, async () => {
        await first.send({ type: 'message', text: 'hello there' });
        await first.gets('text');
      });
      await target.keep(900, () => startTalk(target, token, { resume: first.resume }));
      await talking;
    },
  },
  {
    name: 'token-requests',
    by: 'visitor',
    bound: '`max_concurrent` tokens a minute of an agent, 600 requests of an address: 429',
    answers: ['201'],
    run: async (target) => {
      const widget = await openWidget(target);
      await target.again(20, widget.token);
    },
  },
  {
    name: 'tokens-of-unknown-agents',
    by: 'visitor',
    bound: '600 requests for tokens a minute from an address: 429',
    answers: ['403'],
    run: ({ again, call }) =>
      again(20, () =>
        call('POST', '/v1/widget/tokens', {
          key: null,
          headers: { origin: ORIGIN },
          json: { agent_id: 'agt_00000000000000000000000000' },
        }),
      ),
  },
  {
    name: 'wrong-talk-tokens',
    by: 'visitor',
    bound: '1008 at the first frame; 20 closes a second for an address',
    answers: ['closed 1008'],
    run: (target) =>
      target.again(20, async () => {
        const one = await target.socket('/v1/talk', { origin: ORIGIN });
        await one?.send({ type: 'start', token: `talk_${'A'.repeat(60)}`, mode: 'chat' });
        await one?.closed;
      }),
  },
];
