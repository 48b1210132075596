import { createResampler, type Resampler } from '../../../../src/voice/audio/resampler.ts';
import { JitterBuffer } from './jitter-buffer.ts';
import { levelOf, TALK_RATE, toFloat, toInt16 } from './samples.ts';

/** What runs on the thread of the sound card: a file of its own (voice.ts loads it). */

declare const sampleRate: number;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, made: new () => AudioWorkletProcessor): void;

export type ToPlayer =
  | { type: 'sound'; samples: ArrayBuffer }
  | { type: 'mark'; name: string }
  | { type: 'clear' };

export type FromPlayer =
  | { type: 'played'; name: string }
  | { type: 'level'; level: number; isPlaying: boolean };

export type FromMicrophone = { type: 'sound'; samples: ArrayBuffer; level: number };

/** 20 ms, as they are sent. */
const FRAME = TALK_RATE / 50;
/** 4 ms: what is resampled at once; a mark is told by as much too early. */
const STEP = 64;
/** As much as is brought at once (Web Audio API, render quantum). */
const SILENCE = new Float32Array(128);

/** From the rate of the sound card to 16 kHz, in frames of 20 ms. */
class Microphone extends AudioWorkletProcessor {
  readonly #resampler: Resampler = createResampler({ from: sampleRate, to: TALK_RATE });
  readonly #frame = new Int16Array(FRAME);
  #filled = 0;

  process([input]: Float32Array[][]): boolean {
    // Of a track that is muted Firefox brings no channel. The other end has to hear that nothing is said.
    const heard = input?.[0] ?? SILENCE;
    for (const sample of this.#resampler.push(toInt16(heard))) this.#add(sample);
    return true;
  }

  #add(sample: number): void {
    this.#frame[this.#filled] = sample;
    this.#filled += 1;
    if (this.#filled < FRAME) return;
    this.#filled = 0;
    const samples = this.#frame.slice().buffer;
    const message: FromMicrophone = { type: 'sound', samples, level: levelOf(this.#frame) };
    this.port.postMessage(message, [samples]);
  }
}

/** From frames of 16 kHz to the rate of the sound card. */
class Player extends AudioWorkletProcessor {
  readonly #buffer = new JitterBuffer();
  readonly #resampler: Resampler = createResampler({ from: TALK_RATE, to: sampleRate });
  #ready = new Float32Array();
  readonly #shown = new Int16Array(3 * FRAME);
  #shownAt = 0;
  #wasSilent = true;

  constructor() {
    super();
    this.port.addEventListener('message', ({ data }: MessageEvent<ToPlayer>) => {
      if (data.type === 'sound') this.#buffer.push(new Int16Array(data.samples));
      else if (data.type === 'mark') this.#buffer.mark(data.name);
      else this.#buffer.clear();
    });
    this.port.start();
  }

  process(_: Float32Array[][], [output]: Float32Array[][]): boolean {
    const out = output?.[0];
    if (!out) return true;
    while (this.#ready.length < out.length) this.#make();
    out.set(this.#ready.subarray(0, out.length));
    this.#ready = this.#ready.slice(out.length);
    return true;
  }

  #make(): void {
    const { samples, played } = this.#buffer.pull(STEP);
    const made = toFloat(this.#resampler.push(samples));
    const ready = new Float32Array(this.#ready.length + made.length);
    ready.set(this.#ready);
    ready.set(made, this.#ready.length);
    this.#ready = ready;
    for (const name of played) this.#tell({ type: 'played', name });
    this.#show(samples);
  }

  /** Every 60 ms, and not all the time that nothing is heard. */
  #show(samples: Int16Array): void {
    this.#shown.set(samples, this.#shownAt);
    this.#shownAt += samples.length;
    if (this.#shownAt < this.#shown.length) return;
    this.#shownAt = 0;
    const level = levelOf(this.#shown);
    const { isPlaying } = this.#buffer;
    const isSilent = level === 0 && !isPlaying;
    if (!isSilent || !this.#wasSilent) this.#tell({ type: 'level', level, isPlaying });
    this.#wasSilent = isSilent;
  }

  #tell(message: FromPlayer): void {
    this.port.postMessage(message);
  }
}

registerProcessor('parley-microphone', Microphone);
registerProcessor('parley-player', Player);
