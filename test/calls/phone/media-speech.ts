import { decodeMuLaw, encodeMuLaw, MU_LAW_SILENCE } from '../../../src/voice/audio/mu-law.ts';
import { bytesOf } from '../../../src/voice/audio/pcm.ts';
import { startSpeechStub, type SpeechAnswer, type SpeechRequest } from '../../voice/speech-stub.ts';

/**
 * A speech provider for machines: every sentence has its own level, which the phone at the other end reads, and every
 * utterance of a user has a pitch, which the transcription reads.
 */
export type MediaSpeech = {
  url: string;
  /** Sentences that the provider spoke, in order. */
  spoken: string[];
  /** Returns the number of transcribed utterances of users. */
  transcribed: () => number;
  /** Transcripts, with the time of their request (performance.now()). */
  understood: { text: string; at: number }[];
  /** Returns the sentence of a byte of µ-law; undefined for silence and unknown levels. */
  sentenceOf: (byte: number) => string | undefined;
  /** Returns an utterance as sound at 8 kHz: syllables with its pitch. */
  utter: (text: string, sec?: number) => Int16Array;
  /** Replaces the provider's speech; undefined restores it. */
  onSpeech: ((answer: Speaking) => unknown) | undefined;
  /** Replaces the provider's transcription; undefined restores it. */
  onTranscription: SpeechAnswer | undefined;
  /**
   * Returns the transcript of a sentence of the agent, of which the provider receives this number of frames. Without it
   * the transcript is empty.
   */
  onOwn: ((sentence: string, frames: number, part: 'played' | 'rest') => string) | undefined;
  stop: () => Promise<void>;
};

export type Speaking = {
  text: string;
  /** PCM16 at 8 kHz. */
  sound: Buffer;
  /** Sends the head of an answer with sound. */
  begin: () => void;
  response: Parameters<SpeechAnswer>[0];
};

export const MS_PER_CHAR = 10;
const RATE = 8_000;
/** Difference between two levels. */
const LOUD = 500;
/** Pitches of voices, far enough apart to be distinguished. */
const PITCHES = Array.from({ length: 12 }, (_, at) => 140 + at * 20);

export async function startMediaSpeech(): Promise<MediaSpeech> {
  const stub = await startSpeechStub();
  const sentences: string[] = [];
  const utterances: string[] = [];
  let transcribed = 0;
  const self: Pick<
    MediaSpeech,
    'onSpeech' | 'onTranscription' | 'onOwn' | 'spoken' | 'understood'
  > = {
    onSpeech: undefined,
    onTranscription: undefined,
    onOwn: undefined,
    spoken: [],
    understood: [],
  };

  const speak: SpeechAnswer = (response, { body }) => {
    const text = String(JSON.parse(body.toString('utf8')).input);
    self.spoken.push(text);
    const sound = bytesOf(decodeMuLaw(levelOf(sentences, text)));
    const begin = (): void =>
      void response.writeHead(200, { 'content-type': 'audio/pcm;rate=8000' });
    if (self.onSpeech) return self.onSpeech({ text, sound, begin, response });
    begin();
    return response.end(sound);
  };
  const hear: SpeechAnswer = (response, request) => {
    const sound = soundOf(request);
    const own = sentences[levelIn(sound) - 1];
    if (own === undefined) transcribed += 1;
    if (self.onTranscription) return self.onTranscription(response, request);
    const said = utterances[pitchOf(sound)] ?? '';
    const frames = Math.round((sound.samples.length / sound.rate) * 50);
    const part = Math.abs(sound.samples[0]!) < LOUD ? 'played' : 'rest';
    const text = own === undefined ? said : (self.onOwn?.(own, frames, part) ?? '');
    if (own === undefined) self.understood.push({ text, at: performance.now() });
    return response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ text }));
  };
  stub.answer((response, request) => {
    if (request.path.endsWith('/audio/speech')) return speak(response, request);
    if (request.path.endsWith('/audio/transcriptions')) return hear(response, request);
    return response.end('{}');
  });

  return Object.assign(self, {
    url: stub.url,
    transcribed: () => transcribed,
    sentenceOf: (byte: number) => sentences[byte - 1],
    utter: (text: string, sec = 0.6) => {
      if (!utterances.includes(text)) utterances.push(text);
      return syllables(PITCHES[utterances.indexOf(text)]!, sec);
    },
    stop: stub.stop,
  });
}

/** Returns the sound of a sentence: its own byte for the duration of its words, after a moment of silence. */
function levelOf(sentences: string[], text: string): Uint8Array {
  if (!sentences.includes(text)) sentences.push(text);
  const frames = Math.ceil((text.length * MS_PER_CHAR) / 20);
  return new Uint8Array(frames * 160).fill(sentences.indexOf(text) + 1).fill(MU_LAW_SILENCE, 0, 20);
}

/** Alternates between loud and soft like speech. A steady sound does not count as speech. */
function syllables(hz: number, sec: number): Int16Array {
  return Int16Array.from({ length: Math.round(sec * RATE) }, (_, at) => {
    const isLoud = (at / RATE) % 0.15 < 0.1;
    return Math.round((isLoud ? 0.5 : 0.15) * 32_767 * Math.sin((2 * Math.PI * hz * at) / RATE));
  });
}

/** Returns the byte of a sound with one level, ignoring its edges; 0 for any other sound. */
function levelIn({ samples }: Sound): number {
  const places = [0.25, 0.5, 0.75].map((share) => Math.floor(share * samples.length));
  const bytes = new Set(encodeMuLaw(Int16Array.from(places, (at) => samples[at]!)));
  const [byte = 0] = bytes;
  return bytes.size === 1 ? byte : 0;
}

type Sound = { samples: Int16Array; rate: number };

function soundOf({ body }: SpeechRequest): Sound {
  const format = body.indexOf('WAVEfmt ');
  const rate = body.readUInt32LE(format + 16);
  const start = body.indexOf('data', format, 'latin1') + 8;
  const end = body.lastIndexOf('\r\n--');
  const samples = Int16Array.from({ length: (end - start) >> 1 }, (_, at) =>
    body.readInt16LE(start + 2 * at),
  );
  return { samples, rate };
}

/**
 * Returns which of the pitches a recording has, by the median time between two waves: a busy machine leaves gaps in the
 * sound of a browser's microphone.
 */
function pitchOf({ samples, rate }: Sound): number {
  const starts = [...samples.keys()].filter(
    (at) => at > 0 && samples[at]! >= 0 && samples[at - 1]! < 0,
  );
  const periods = starts.slice(1).map((start, at) => start - starts[at]!);
  const usual = periods.toSorted((a, b) => a - b)[periods.length >> 1] ?? 0;
  const near = periods.filter((period) => Math.abs(period - usual) < usual * 0.2);
  const hz = (rate * near.length) / near.reduce((sum, period) => sum + period, 0);
  return Math.round((hz - PITCHES[0]!) / 20);
}
