import { startStubModel, type StubReply } from '../models/stub-model.ts';

/**
 * The stub of a model as a process of its own, for model-turns.ts: its work is not counted as ours.
 * Each token carries the time it was written at, by the clock that all processes share.
 *
 * A request's last message says how it is answered: `TOKENS DELAY_MS`, or `hang` after one token.
 */

const clockMs = (): number => performance.timeOrigin + performance.now();

const stub = await startStubModel({
  reply: (request) => {
    const words = String(request.body.messages?.findLast(({ role }) => role === 'user')?.content);
    void request.closed.then(() => {
      if (request.isAborted()) process.send?.({ abortedAtMs: clockMs() });
    });
    return replyOf(words);
  },
});

function replyOf(words: string): StubReply {
  if (words.includes('hang')) return { text: ['Hm.'], hang: 'between_tokens' };
  const [, tokens = '20', delayMs = '0'] = /(\d+) (\d+)/.exec(words) ?? [];
  const text = Array.from({ length: Number(tokens) }, () => 'word');
  const stamp = (token: string): string => `${token} ${clockMs().toFixed(3)} `;
  return Number(delayMs) === 0 ? { text, stamp } : { text, stamp, tokenDelayMs: Number(delayMs) };
}

process.on('disconnect', () => process.exit(0));
process.send?.({ url: stub.url });
