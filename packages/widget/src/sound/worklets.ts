import { createResampler, type Resampler } from '../../../../src/voice/audio/resampler.ts';
import { JitterBuffer } from './jitter-buffer.ts';
import { levelOf, TALK_RATE, toFloat, toInt16 } from './samples.ts';

/** Worklets that run in the browser's audio thread. They are built into a separate file, which `voice.ts` loads. */

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

/** Number of samples in each frame that is sent: 20 ms. */
const FRAME = TALK_RATE / 50;
/** Number of samples that are resampled together: 4 ms. Marks may therefore be reported up to 4 ms too early. */
const STEP = 64;
/** One block of silence. Browsers process audio in blocks of this length (a render quantum of the Web Audio API). */
const SILENCE = new Float32Array(128);

/** Worklet that converts audio from the rate of the sound card to 16 kHz, in frames of 20 ms. */
class Microphone extends AudioWorkletProcessor {
  readonly #resampler: Resampler = createResampler({ from: sampleRate, to: TALK_RATE });
  readonly #frame = new Int16Array(FRAME);
  #filled = 0;

  process([input]: Float32Array[][]): boolean {
    // Firefox passes no channel while the track is muted. The server still needs frames, so silence is sent.
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

/** Worklet that plays frames at 16 kHz: it buffers them and converts them to the rate of the sound card. */
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

  /** Reports the audio level every 60 ms. Repeated silence is reported only once. */
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
