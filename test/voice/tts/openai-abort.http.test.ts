import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bytesOf } from '../../../src/voice/audio/pcm.ts';
import { holdTime } from '../../clock.ts';
import { speechStub, stopAll } from '../speech-harness.ts';
import type { SpeechAnswer, SpeechStub } from '../speech-stub.ts';
import { saying, SOUND, speakWith, synthesizerOf } from './speaking.ts';

let stub: SpeechStub;
beforeEach(async () => {
  stub = await speechStub();
});
afterEach(stopAll);

describe('an abort', () => {
  const stalling: SpeechAnswer = (response) => response.write(bytesOf(SOUND));

  test.each<[string, SpeechAnswer]>([
    ['before the answer', () => undefined],
    ['in the middle of it', stalling],
  ])(
    '%s closes the socket without waiting for a timer, and nobody else is asked',
    async (_, answer) => {
      // Held time does not pass, so no timer ends what waits.
      holdTime();
      stub.answer(answer);
      const one = synthesizerOf(stub, { voice: { fallback: [{ model: 'tts-2' }] } });
      const abort = new AbortController();
      const sound = one.speak(saying({ signal: abort.signal }))[Symbol.asyncIterator]();
      const first = sound.next();
      const request = await stub.came(0);
      const waiting = answer === stalling ? first.then(() => sound.next()) : first;
      if (answer === stalling) await first;
      abort.abort();
      await expect(waiting).rejects.toThrow('aborted');
      await request.closed;
      expect(stub.asked).toHaveLength(1);
    },
  );

  test('closes it also while nobody reads', async () => {
    stub.answer(stalling);
    const abort = new AbortController();
    const spoken = synthesizerOf(stub).speak(saying({ signal: abort.signal }));
    const sound = spoken[Symbol.asyncIterator]();
    expect((await sound.next()).done).toBe(false);
    abort.abort();
    await stub.asked[0]!.closed;
    await expect(sound.next()).rejects.toThrow('aborted');
  });

  test('that comes while the provider is looked up asks nobody, and ends no process', async () => {
    const unheard: unknown[] = [];
    const note = (reason: unknown): void => void unheard.push(reason);
    process.on('unhandledRejection', note);
    try {
      const abort = new AbortController();
      const spoken = synthesizerOf(stub).speak(saying({ signal: abort.signal }));
      const first = spoken[Symbol.asyncIterator]().next();
      abort.abort();
      await expect(first).rejects.toThrow('aborted');
      // Node looks for what nobody took after the microtasks.
      await new Promise((turn) => setImmediate(turn));
    } finally {
      process.off('unhandledRejection', note);
    }
    expect(unheard).toEqual([]);
    expect(stub.asked).toHaveLength(0);
  });

  test('that came before asks nobody', async () => {
    await expect(speakWith(stub, {}, { signal: AbortSignal.abort() })).rejects.toThrow('aborted');
    expect(stub.asked).toHaveLength(0);
  });
});

test('who reads no further closes the connection, and gives its place back', async () => {
  stub.answer((response) => response.write(bytesOf(SOUND)));
  const one = synthesizerOf(stub, { endpoint: { maxConcurrent: 1 } });
  for (const at of [0, 1]) {
    for await (const chunk of one.speak(saying())) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    await stub.asked[at]!.closed;
  }
});

test('a connection is used again', async () => {
  const one = synthesizerOf(stub);
  const ports: unknown[] = [];
  stub.answer((response) => {
    ports.push(response.socket?.remotePort);
    response.writeHead(200, { 'content-type': 'audio/pcm' }).end(bytesOf(SOUND));
  });
  for (let times = 0; times < 2; times += 1) {
    for await (const chunk of one.speak(saying())) expect(chunk).toBeDefined();
    // The client takes it back after the answer's turn.
    await new Promise((turn) => setImmediate(turn));
  }
  expect(new Set(ports).size).toBe(1);
});
