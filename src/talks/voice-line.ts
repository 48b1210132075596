import { monotonicMs } from '../clock.ts';
import { readCallById, type CallRow } from '../calls/calls.sql.ts';
import { insertWebCall } from '../calls/transports/web-calls.sql.ts';
import { createAudioLine, type AudioLine } from '../voice/session/audio-line.ts';
import type { Line } from '../voice/session/line.ts';
import { createPlayout } from '../voice/playout/playout.ts';
import { createSilentOutput } from '../voice/playout/text-output.ts';
import { dropLine } from '../calls/lines/lines.sql.ts';
import type { LineFor, Lines, OpenLine } from '../calls/lines/lines.ts';
import { createVoicePipeline } from '../voice/session/voice-pipeline.ts';
import { createAudioLimit } from '../voice/input/audio-limit.ts';
import { HUNG_UP, settleCall } from '../calls/settle-call.ts';
import type { AudioFormat } from '../voice/playout/audio-queue.ts';
import type { TurnTimes } from '../voice/session/turn-times.ts';
import type { ConversationDeps } from '../conversations/record/conversation-deps.ts';
import { ApiError } from '../errors.ts';
import { fromUuid, newUuid } from '../ids.ts';
import type { Logger } from '../platform/observability/logger.ts';
import type { Sealer } from '../platform/postgres/sealing.ts';
import { bytesOf, createPcmReader } from '../voice/audio/pcm.ts';
import type { SpeechProviders } from '../voice/speech-providers.ts';
import type { Admitted } from './admit-talk.ts';
import type { OpenedTalk, TalkToOpen } from './opened-talk.ts';
import { TALK_RATE, type SendFrame } from './talk-frames.ts';
import { sealResume } from './talk-token.ts';

export type VoiceTalkDeps = ConversationDeps & {
  lines: Pick<Lines, 'offer' | 'open'>;
  speech: SpeechProviders;
  sealer: Pick<Sealer, 'seal'>;
  /** Called with the latencies of each reply. */
  onTimes: (times: TurnTimes) => void;
  log: Logger;
};

const FORMAT: AudioFormat = {
  sampleRate: TALK_RATE,
  bytesPerFrame: 640,
  silence: 0,
  encode: bytesOf,
};
const BYTES_PER_MS = (TALK_RATE * 2) / 1_000;

/**
 * Opens voice talks in this process. If another window takes over a talk, the previous window is disconnected
 * immediately.
 */
export type VoiceTalks = { open: (talk: TalkToOpen) => Promise<OpenedTalk> };

/**
 * Returns an object whose `open` opens voice talks. A voice talk is a call from a web page. Its audio is sent over the
 * page's socket. In every other respect, it is handled like any other call.
 * @throws ApiError (from `open`) too_many_in_flight, unavailable, call_ended
 */
export function createVoiceTalks(deps: VoiceTalkDeps): VoiceTalks {
  const leaves = new Map<string, () => void>();

  async function open(talk: TalkToOpen): Promise<OpenedTalk> {
    const { admitted, captions } = talk;
    const call = await callFor(deps, admitted);
    leaves.get(call.id)?.();
    let line: OpenLine | undefined;
    const sound = soundLine(deps, talk, {
      on: (event) => line?.on(event),
      close: (reason) => talk.finish(line?.conversationId, reason),
    });
    const { lineFor } = sound;
    line = await openLine(deps, call, { lineFor, captions, test: admitted.token.test });
    leaves.set(call.id, talk.leave);
    const { by, namespace, agentId, origin, userId, test } = admitted.token;
    const of = { by, namespace, agentId, origin, userId, test, mode: 'voice' as const };
    const { conversationId } = line;
    captions.ready({
      type: 'ready',
      conversation_id: fromUuid('conv', conversationId),
      resume: sealResume(deps.sealer, { ...of, conversationId, callId: call.id }),
      mode: 'voice',
      sample_rate: TALK_RATE,
    });
    const end = async (): Promise<void> => {
      sound.close();
      await hangUp(deps, call);
    };
    return {
      write: sound.write,
      hear: sound.hear,
      played: sound.played,
      end,
      closed: async (isOrderly) => {
        if (leaves.get(call.id) === talk.leave) leaves.delete(call.id);
        sound.close();
        await line?.closed();
        if (isOrderly) await hangUp(deps, call);
      },
    };
  }
  return { open };
}

/**
 * Returns the call that the page resumes, or creates a new call. Disconnects the current audio line of a resumed call.
 */
async function callFor(
  { pool, nowMs }: VoiceTalkDeps,
  { token, resume, maxConcurrent }: Admitted,
): Promise<CallRow> {
  if (resume) {
    const call = resume.callId === null ? undefined : await readCallById(pool, resume.callId);
    if (!call || call.endedAt !== null) throw new ApiError('call_ended', 'The talk has ended.');
    await dropLine(pool, call.id);
    return call;
  }
  const call = await insertWebCall(pool, {
    ...token,
    id: newUuid(nowMs()),
    agentVersion: token.version,
    maxConcurrent: maxConcurrent ?? null,
  });
  if (call) return call;
  const detail =
    'This agent is already talking with its maximum number of visitors. Try again in 10 seconds.';
  throw new ApiError('too_many_in_flight', detail, { retryAfterSec: 10 });
}

type ToOpen = Omit<Parameters<Lines['open']>[0], 'token' | 'providerCallId'>;

async function openLine(
  { lines }: VoiceTalkDeps,
  { id, providerCallId }: CallRow,
  way: ToOpen,
): Promise<OpenLine> {
  const token = await lines.offer(id);
  const open =
    token === undefined || providerCallId === null
      ? undefined
      : await lines.open({ ...way, token, providerCallId });
  if (open) return open;
  throw new ApiError(
    'unavailable',
    'The talk cannot be opened at the moment. Try again in a second.',
    {
      retryAfterSec: 1,
    },
  );
}

/** Ends the call on behalf of the visitor, unless it has already ended. */
async function hangUp(deps: VoiceTalkDeps, { id }: CallRow): Promise<void> {
  const call = await readCallById(deps.pool, id);
  if (call && call.endedAt === null) await settleCall(deps, call, HUNG_UP);
}

type SoundLine = {
  lineFor: LineFor;
  hear: (bytes: Buffer) => void;
  write: (text: string) => Promise<void> | undefined;
  played: (mark: string) => void;
  close: () => void;
};

/** Connects the socket to an audio line, which `lineFor` creates once the agent's voice is known. */
function soundLine(
  { speech: providers, onTimes: measure, log }: VoiceTalkDeps,
  { admitted, send, sendSound }: TalkToOpen,
  { on, close }: Pick<OpenLine, 'on'> & { close: (reason?: string) => void },
): SoundLine {
  let audio: AudioLine | undefined;
  const reader = createPcmReader();
  const audioLimit = createAudioLimit({
    nowMs: monotonicMs,
    onFlood: () => log.warn('dropping audio: the page sends it faster than real time'),
  });
  const sink = {
    frame: sendSound,
    mark: (name: string) => send({ type: 'mark', name }),
    clear: () => send({ type: 'clear' }),
    close,
  };
  return {
    lineFor: ({ namespace, content }) => {
      if (!content) return nobody();
      const pipeline = createVoicePipeline(providers, {
        namespace,
        content,
        sampleRate: TALK_RATE,
      });
      const onTimes = (times: TurnTimes): void => {
        tellTimes(send, times);
        if (!admitted.token.test) measure(times);
      };
      audio = createAudioLine({ pipeline, format: FORMAT, sink, on, onTimes, log });
      return audio;
    },
    hear: (bytes) => {
      const soundMs = bytes.length / BYTES_PER_MS;
      if (audioLimit.allowedMs() < soundMs) return audioLimit.drop();
      audioLimit.spend(soundMs);
      audio?.hear(reader.push(bytes));
    },
    write: (text) => audio?.write(text),
    played: (mark) => audio?.played(mark),
    close: () => audio?.close(),
  };
}

/**
 * Line without audio, used if the agent no longer exists. Opening the talk then fails, and the visitor gets an error.
 */
const nobody = (): Line => ({
  playout: createPlayout(createSilentOutput()),
  end: () => undefined,
});

function tellTimes(send: SendFrame, times: TurnTimes): void {
  const whole = (ms: number | null) => (ms === null ? null : Math.round(ms));
  send({
    type: 'latency',
    recognition_ms: whole(times.recognitionMs),
    model_ms: Math.round(times.modelMs),
    synthesis_ms: Math.round(times.synthesisMs),
    total_ms: whole(times.totalMs),
  });
}
