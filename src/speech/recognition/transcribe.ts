import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { readJson } from '../../models/answers/read-json.ts';
import { InvalidAnswer } from '../../models/model-failure.ts';
import { bytesOf } from '../audio/pcm.ts';
import { wavHeader } from '../audio/wav.ts';
import type { Asked } from '../providers/speech-providers.ts';
import { untilAborted } from '../providers/until-aborted.ts';
import { multipartOf } from './multipart.ts';

export type Transcribed = {
  audio: readonly Int16Array[];
  sampleRate: number;
  language?: string | undefined;
  hints?: readonly string[] | undefined;
};

/** Of an answer: a minute of speech is some 1,000 characters. */
const ANSWER_BYTES_MAX = 256 * 1024;
/**
 * Of a text, for a second of sound: the fastest speakers have 30. Models that begin to repeat themselves have hundreds.
 */
const CHARS_PER_SEC_MAX = 60;
/** Of the shortest; numbers and addresses are written longer than they are said. */
const CHARS_MIN = 200;
/** Whisper reads the last 224 tokens of a prompt. */
const HINT_CHARS_MAX = 600;

const answer = z.object({ text: z.string() });

/** One request; its only part is the text. */
export async function* transcribe(
  { client, model, signal, patience }: Asked,
  said: Transcribed,
): AsyncGenerator<string, void, undefined> {
  const boundary = `parley-${randomUUID()}`;
  const sent = client
    .post('/audio/transcriptions', {
      body: formOf(model, said, boundary),
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
      signal,
    })
    .asResponse();
  const text = await readText(await untilAborted(sent, signal));
  patience.rest();
  const sec = said.audio.reduce((sum, { length }) => sum + length, 0) / said.sampleRate;
  if (text.length > CHARS_MIN + CHARS_PER_SEC_MAX * sec) {
    throw new InvalidAnswer(
      `answered with ${text.length} characters for ${sec.toFixed(1)} s of sound`,
    );
  }
  yield text;
}

function formOf(model: string, said: Transcribed, boundary: string): Buffer {
  const samples = said.audio.map(bytesOf);
  const dataBytes = samples.reduce((sum, { length }) => sum + length, 0);
  const prompt = promptOf(said.hints ?? []);
  const language = isoOf(said.language);
  return multipartOf(
    {
      fields: [
        ['model', model],
        ['response_format', 'json'],
        ...(language === undefined ? [] : [['language', language] as const]),
        ...(prompt === '' ? [] : [['prompt', prompt] as const]),
      ],
      file: {
        field: 'file',
        name: 'audio.wav',
        type: 'audio/wav',
        bytes: [wavHeader({ sampleRate: said.sampleRate, dataBytes }), ...samples],
      },
    },
    boundary,
  );
}

/** `pt` of `pt-BR`: servers take ISO 639-1. */
function isoOf(tag: string | undefined): string | undefined {
  return tag?.split('-')[0]?.toLowerCase();
}

/** As many as there is room for, each whole. */
function promptOf(hints: readonly string[]): string {
  let prompt = '';
  for (const hint of hints) {
    const longer = prompt === '' ? hint : `${prompt}, ${hint}`;
    if (longer.length > HINT_CHARS_MAX) break;
    prompt = longer;
  }
  return prompt;
}

async function readText(response: Response): Promise<string> {
  const limit = { bytesMax: ANSWER_BYTES_MAX, tooLong: 'a text can be' };
  const parsed = answer.safeParse(await readJson(response, limit));
  if (!parsed.success) throw new InvalidAnswer('answered without a text');
  return parsed.data.text.trim();
}
