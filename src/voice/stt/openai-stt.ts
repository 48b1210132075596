import { monotonicMs } from '../../clock.ts';
import { failureOfAll, SpeechFailure } from '../speech-failure.ts';
import type { Choice, SpeechProviders } from '../speech-providers.ts';
import type { SttStreamOptions, SttResult, Stt, SttStream } from './stt.ts';
import { transcribe } from './transcribe.ts';
import { withoutPhantoms } from './without-phantoms.ts';

/**
 * An agent's transcriber (contract/agents.md#voice). A fallback that does not name a provider uses the transcriber's
 * provider.
 */
export type TranscriberChoice = Choice & {
  language?: string | undefined;
  keywords?: readonly string[] | undefined;
  fallback?: readonly Choice[] | undefined;
};

export type OpenAiSttDeps = {
  providers: SpeechProviders;
  namespace: string;
  transcriber: TranscriberChoice;
  /** Monotonic clock. */
  nowMs?: () => number;
};

/** Maximum length of one utterance in seconds. At 16 kHz, this is 1.9 MB of PCM16. */
export const UTTERANCE_SEC_MAX = 60;
/**
 * Minimum length of one utterance in seconds. Shorter audio is not sent, because it contains no words and servers
 * reject it.
 */
const UTTERANCE_SEC_MIN = 0.1;

/**
 * Creates a recognizer that uses `POST {base_url}/audio/transcriptions`. It buffers an utterance in memory and sends it
 * when the utterance is over. If a provider fails, the next one is used. A failed request is not repeated to the same
 * provider.
 */
export function createOpenAiStt(deps: OpenAiSttDeps): Stt {
  return { open: (listening) => openStream(deps, listening) };
}

function openStream(deps: OpenAiSttDeps, listening: SttStreamOptions): SttStream {
  const { sampleRate } = listening;
  const { nowMs = monotonicMs } = deps;
  const canceled = new AbortController();
  let chunks: Int16Array[] = [];
  let count = 0;
  let finished: Promise<SttResult> | undefined;

  const finish = async (): Promise<SttResult> => {
    const startedAt = nowMs();
    const audio = chunks;
    chunks = [];
    canceled.signal.throwIfAborted();
    const text =
      count < UTTERANCE_SEC_MIN * sampleRate
        ? ''
        : await understand(deps, { ...listening, audio, signal: canceled.signal });
    const audioMs = Math.round((count / sampleRate) * 1_000);
    return { text, ms: Math.round(nowMs() - startedAt), audioMs };
  };

  return {
    push: (samples) => {
      const room = UTTERANCE_SEC_MAX * sampleRate - count;
      if (finished === undefined && !canceled.signal.aborted && room > 0) {
        const kept = samples.slice(0, room);
        chunks.push(kept);
        count += kept.length;
      }
      return samples.length <= room;
    },
    finish: () => (finished ??= finish()),
    cancel: () => {
      chunks = [];
      canceled.abort();
    },
  };
}

type Heard = SttStreamOptions & { audio: readonly Int16Array[]; signal: AbortSignal };

async function understand(deps: OpenAiSttDeps, heard: Heard): Promise<string> {
  const { providers, namespace, transcriber } = deps;
  const { fallback = [], provider, language, keywords } = transcriber;
  const wanted = { language, hints: keywords, ...heard };
  const failures: SpeechFailure[] = [];
  for (const choice of [transcriber, ...fallback.map((other) => ({ provider, ...other }))]) {
    const about = { namespace, choice, use: 'transcription' as const, signal: heard.signal };
    try {
      for await (const transcript of providers.ask(about, (asked) => transcribe(asked, wanted)))
        return withoutPhantoms(transcript, heard);
    } catch (error) {
      if (!(error instanceof SpeechFailure)) throw error;
      failures.push(error);
    }
  }
  throw failureOfAll(failures);
}
