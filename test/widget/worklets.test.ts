import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type {
  FromMicrophone,
  FromPlayer,
  ToPlayer,
} from '../../packages/widget/src/sound/worklets.ts';

/** What runs on the thread of a sound card of 48 kHz, before a port as the page has it. */

const RATE = 48_000;
/** What a sound card asks for at once. */
const QUANTUM = 128;
const LOUD = 10_000;

type Processor = { process: (inputs: Float32Array[][], outputs: Float32Array[][]) => boolean };

const registered = new Map<string, new () => Processor>();
let port: MessagePort;
/** The processor's end of it. */
let inner: MessagePort;
let said: unknown[];

beforeAll(async () => {
  Object.assign(globalThis, {
    sampleRate: RATE,
    registerProcessor: (name: string, made: new () => Processor) => registered.set(name, made),
    AudioWorkletProcessor: class {
      readonly port: MessagePort;
      constructor() {
        const channel = new MessageChannel();
        port = channel.port1;
        this.port = inner = channel.port2;
        // First, so that the processor does not see the mark.
        inner.addEventListener('message', (event) => {
          if (event.data.type !== MARK.type) return;
          event.stopImmediatePropagation();
          inner.postMessage(MARK);
        });
        inner.start();
        channel.port1.addEventListener('message', ({ data }) => said.push(data));
        channel.port1.start();
      }
    },
  });
  await import('../../packages/widget/src/sound/worklets.ts');
});
beforeEach(() => {
  said = [];
});
afterEach(() => port.close());

const MARK = { type: 'settled' } as const;

/** Resolves when all messages have arrived, in both directions: a port keeps their order. */
function settle(): Promise<void> {
  return new Promise((resolve) => {
    port.addEventListener('message', ({ data }) => {
      if (data?.type !== MARK.type) return;
      said = said.filter((one) => one !== data);
      resolve();
    });
    port.postMessage(MARK);
  });
}

const make = (name: string): Processor => new (registered.get(name)!)();

describe('the microphone', () => {
  test('gives frames of 20 ms of 16 kHz, whole ones alone', async () => {
    const microphone = make('parley-microphone');
    for (let at = 0; at < RATE; at += QUANTUM) {
      microphone.process([[new Float32Array(QUANTUM).fill(0.5)]], []);
    }
    await settle();
    const frames = said as FromMicrophone[];
    expect(new Set(frames.map(({ samples }) => samples.byteLength))).toEqual(new Set([640]));
    // A second, but for what the resampler holds and what is no frame yet.
    expect(frames.length).toBeGreaterThanOrEqual(48);
    expect(frames.length).toBeLessThanOrEqual(50);
    expect(new Int16Array(frames[25]!.samples)[100]).toBeCloseTo(0.5 * 32_767, -3);
    expect(frames[25]!.level).toBeGreaterThan(0.5);
  });

  test.each([
    ['a track that is muted, of which a browser brings no channel', [[]]],
    ['no input at all', []],
  ])('hears silence of %s', async (_, inputs) => {
    const microphone = make('parley-microphone');
    for (let at = 0; at < RATE; at += QUANTUM) microphone.process(inputs, []);
    await settle();
    const frames = said as FromMicrophone[];
    expect(frames.length).toBeGreaterThanOrEqual(48);
    expect(new Set(frames.flatMap(({ samples }) => [...new Int16Array(samples)]))).toEqual(
      new Set([0]),
    );
  });
});

describe('the player', () => {
  function hear(player: Processor, ms: number): number[] {
    const heard: number[] = [];
    for (let at = 0; at < (ms * RATE) / 1_000; at += QUANTUM) {
      const out = new Float32Array(QUANTUM);
      player.process([], [[out]]);
      heard.push(...out);
    }
    return heard;
  }

  async function tell(...messages: ToPlayer[]): Promise<void> {
    for (const message of messages) port.postMessage(message);
    await settle();
  }

  const sound = (): ToPlayer => ({
    type: 'sound',
    samples: new Int16Array(1_600).fill(LOUD).buffer,
  });
  const loudest = (heard: readonly number[]): number => Math.max(...heard.map(Math.abs));
  const names = (): string[] =>
    (said as FromPlayer[]).flatMap((one) => (one.type === 'played' ? [one.name] : []));

  test('plays what came, and tells of a mark when all before it was heard', async () => {
    const player = make('parley-player');
    await tell(sound(), { type: 'mark', name: 's1' });
    expect(loudest(hear(player, 60))).toBeCloseTo(LOUD / 32_768, 1);
    await settle();
    expect(names()).toEqual([]);
    hear(player, 60);
    await settle();
    expect(names()).toEqual(['s1']);
  });

  test('plays nothing of what came before a clear, and tells of none of its marks', async () => {
    const player = make('parley-player');
    await tell(sound(), sound(), { type: 'mark', name: 's1' });
    expect(loudest(hear(player, 40))).toBeGreaterThan(0.2);
    await tell({ type: 'clear' });
    // What fades, and what the resampler holds.
    hear(player, 15);
    expect(loudest(hear(player, 400))).toBe(0);
    await tell(sound(), { type: 'mark', name: 's2' });
    expect(loudest(hear(player, 200))).toBeGreaterThan(0.2);
    await settle();
    expect(names()).toEqual(['s2']);
  });
});
