import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { createResampler } from '../../src/voice/audio/resampler.ts';
import { decodeMuLaw, encodeMuLaw } from '../../src/voice/audio/mu-law.ts';
import { bytesOf, createPcmReader } from '../../src/voice/audio/pcm.ts';
import { wavHeader } from '../../src/voice/audio/wav.ts';
import type { Asked, Voice } from '../../packages/drill/src/voice.ts';

/** Piper and Whisper behind OpenAI's interface, on one core; the caller speaks and hears by the same two. */
export type Engines = { voice: Voice; stop: () => void };

const RATE = 8_000;
/** What a small model mishears of a telephone: a word in thirty. */
const MISHEARS = 1 / 30;
/** Of a sound and the same one after a telephone. */
const LIKE = 0.8;
/** On a busy machine. */
const PAUSE_MS = 4_000;
/** Louder than the breath before a sentence; its end may be a soft "s". */
const LOUD = 300;
const SOFT = 80;
const TAIL = RATE * 0.03;

export async function startEngines(python: string): Promise<Engines> {
  const child = spawn(python, [path.join(import.meta.dirname, 'server.py')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
  });
  const asked: Asked[] = [];
  const port = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the engines ended with ${code}`)));
    let isFirst = true;
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (isFirst) resolve(line);
      else asked.push(JSON.parse(line) as Asked); // Our own server wrote it.
      isFirst = false;
    });
  });
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  /** What is asked for the drill itself is none of Parley's. */
  const own = new Set<string>();
  const sounds = new Map<string, Promise<Uint8Array>>();

  async function synthesize(text: string): Promise<Uint8Array> {
    own.add(text);
    const response = await fetch(`${baseUrl}/audio/speech`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'tts-1', input: text, voice: 'joe', response_format: 'pcm' }),
    });
    const rate = Number(/rate=(\d+)/.exec(response.headers.get('content-type') ?? '')?.[1]);
    const samples = createPcmReader().push(new Uint8Array(await response.arrayBuffer()));
    const down = createResampler({ from: rate, to: RATE });
    return encodeMuLaw(trimmed(joined([down.push(samples), down.end()])));
  }

  /** Asks what there is in a sound. */
  async function ask(path: string, sound: Uint8Array, more: Record<string, string>) {
    const pcm = bytesOf(decodeMuLaw(sound));
    const wav = Buffer.concat([wavHeader({ sampleRate: RATE, dataBytes: pcm.length }), pcm]);
    const form = new FormData();
    for (const [name, value] of Object.entries(more)) form.set(name, value);
    form.set('file', new Blob([new Uint8Array(wav)], { type: 'audio/wav' }), 'heard.wav');
    const response = await fetch(baseUrl + path, { method: 'POST', body: form });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    // Our own server wrote it.
    return (await response.json()) as { text: string; likeness?: number | null };
  }

  async function hear(sound: Uint8Array): Promise<string> {
    if (sound.length < RATE / 10) return '';
    const about = { model: 'whisper-1', prompt: 'carefully' };
    return (await ask('/audio/transcriptions', sound, about)).text;
  }

  async function played(sound: Uint8Array, text: string): Promise<string | undefined> {
    const told = await ask('/audio/played', sound, { text });
    return (told.likeness ?? 1) < LIKE ? undefined : told.text;
  }

  return {
    voice: {
      baseUrl,
      mishears: MISHEARS,
      pauseMs: PAUSE_MS,
      utter: (text) => {
        const sound = sounds.get(text) ?? synthesize(text);
        sounds.set(text, sound);
        return sound;
      },
      hear,
      played,
      asked: () => asked.filter(({ text, use }) => use === 'transcription' || !own.has(text)),
    },
    stop: () => void child.kill(),
  };
}

/** From the first loud sample to the last soft one. */
function trimmed(samples: Int16Array): Int16Array {
  const from = samples.findIndex((sample) => Math.abs(sample) > LOUD);
  const to = samples.findLastIndex((sample) => Math.abs(sample) > SOFT);
  return samples.slice(from, to + TAIL);
}

function joined(parts: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
