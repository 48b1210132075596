import { randomUUID } from 'node:crypto';
import { APIError } from 'openai/core/error';
import { z } from 'zod';
import { readJson } from '../../models/answers/read-json.ts';
import { InvalidAnswer, readFailure } from '../../models/model-failure.ts';
import { bytesOf } from '../audio/pcm.ts';
import { wavHeader } from '../audio/wav.ts';
import type { Asked } from '../speech-providers.ts';
import { untilAborted } from '../until-aborted.ts';
import { certaintyOf, isSilence, type Certainty } from './without-phantoms.ts';

export type Transcribed = {
  audio: readonly Int16Array[];
  sampleRate: number;
  language?: string | undefined;
  hints?: readonly string[] | undefined;
};

/** Maximum size of a response in bytes. A minute of speech has about 1,000 characters of text. */
const ANSWER_BYTES_MAX = 256 * 1024;
/**
 * Maximum number of characters of text per second of audio; a longer transcript is an error. The fastest speakers reach
 * 30. Models that begin to repeat themselves reach hundreds.
 */
const CHARS_PER_SEC_MAX = 60;
/**
 * Number of characters that are allowed in addition to `CHARS_PER_SEC_MAX`. Without them, numbers and addresses in
 * short audio could exceed the limit, because they are longer in writing than in speech.
 */
const CHARS_MIN = 200;
/** Maximum length of the hints in characters. Whisper reads only the last 224 tokens of a prompt. */
const HINT_CHARS_MAX = 600;

const number = z.number().nullish().catch(undefined);
const likelihood = { no_speech_prob: number, avg_logprob: number };
const segment = z.object({ text: z.string().catch(''), ...likelihood });
const answer = z.object({
  text: z.string(),
  segments: z.array(segment).nullish().catch(undefined),
  ...likelihood,
});

/** Transcript, without the segments that the transcriber itself considers to be silence. */
export type Transcript = { text: string; certainty: Certainty };

/**
 * Sends a request and yields one transcript. If the server rejects `verbose_json`, sends a second request without it.
 */
export async function* transcribe(
  asked: Asked,
  said: Transcribed,
): AsyncGenerator<Transcript, void, undefined> {
  const transcript = await readTranscript(await answerTo(asked, said));
  const { text } = transcript;
  asked.patience.rest();
  const sec = said.audio.reduce((sum, { length }) => sum + length, 0) / said.sampleRate;
  if (text.length > CHARS_MIN + CHARS_PER_SEC_MAX * sec) {
    throw new InvalidAnswer(
      `answered with ${text.length} characters for ${sec.toFixed(1)} s of audio`,
    );
  }
  yield transcript;
}

async function answerTo(asked: Asked, said: Transcribed): Promise<Response> {
  const { client, endpoint, habits, model, signal } = asked;
  const boundary = `parley-${randomUUID()}`;
  const sent = client
    .post('/audio/transcriptions', {
      body: formOf(asked, said, boundary),
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
      signal,
    })
    .asResponse();
  try {
    return await untilAborted(sent, signal);
  } catch (error) {
    if (signal.aborted || !(error instanceof APIError)) throw error;
    const { refusal } = readFailure(error, { provider: endpoint.provider, model });
    const isRefused = error.status === 400 || error.status === 415 || error.status === 422;
    if (!isRefused || !habits.learnTranscription(refusal ?? '')) throw error;
    return answerTo(asked, said);
  }
}

function formOf({ habits, model }: Asked, said: Transcribed, boundary: string): Buffer {
  const samples = said.audio.map(bytesOf);
  const dataBytes = samples.reduce((sum, { length }) => sum + length, 0);
  const prompt = promptOf(said.hints ?? []);
  const language = isoOf(said.language);
  return multipartOf(
    {
      fields: [
        ['model', model],
        ['response_format', habits.capabilities.segments ? 'verbose_json' : 'json'],
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

/** Returns the ISO 639-1 code of a language tag, such as `pt` for `pt-BR`. Servers do not accept longer tags. */
function isoOf(tag: string | undefined): string | undefined {
  return tag?.split('-')[0]?.toLowerCase();
}

/** Joins as many whole hints as fit into the maximum length. */
function promptOf(hints: readonly string[]): string {
  let prompt = '';
  for (const hint of hints) {
    const longer = prompt === '' ? hint : `${prompt}, ${hint}`;
    if (longer.length > HINT_CHARS_MAX) break;
    prompt = longer;
  }
  return prompt;
}

async function readTranscript(response: Response): Promise<Transcript> {
  const limit = { bytesMax: ANSWER_BYTES_MAX, tooLong: '256 KiB' };
  const parsed = answer.safeParse(await readJson(response, limit));
  if (!parsed.success) throw new InvalidAnswer('answered without a transcript');
  const { text, segments, ...whole } = parsed.data;
  const parts = segments?.length ? segments : [{ text, ...whole }];
  const spoken = parts.filter((part) => !isSilence(part));
  const kept = spoken.length === parts.length ? text : spoken.map((part) => part.text).join('');
  return { text: kept.trim(), certainty: certaintyOf(spoken) };
}

/** Form to encode as `multipart/form-data` (RFC 7578): the fields in order, then one file. */
type Form = {
  fields: readonly (readonly [name: string, value: string])[];
  /** File in the form. Parley chooses the field name and the file name, so they need no quoting. */
  file: { field: string; name: string; type: string; bytes: readonly Buffer[] };
};

/** Encodes a form. `boundary` must not occur in the contents, so use a random string. */
function multipartOf({ fields, file }: Form, boundary: string): Buffer {
  const parts = fields.map(([name, value]) =>
    Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    ),
  );
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="${file.field}"; filename="${file.name}"\r\ncontent-type: ${file.type}\r\n\r\n`;
  return Buffer.concat([
    ...parts,
    Buffer.from(head),
    ...file.bytes,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
}
