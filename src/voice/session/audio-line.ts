import { monotonicMs } from '../../clock.ts';
import { sentencesIn } from '../../conversations/sentences/sentences.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import { createAudioInput } from '../input/audio-input.ts';
import type { Line } from '../line.ts';
import { createRetranscriber, type Retranscriber } from '../playout/retranscriber.ts';
import type { VoicePipeline } from './voice-pipeline.ts';
import { withCut, type Heard } from '../playout/audio-segment.ts';
import type { AudioFormat, AudioSink } from '../playout/audio-queue.ts';
import { createAudioOutput } from '../playout/audio-output.ts';
import type { AgentSession } from './agent-session.ts';
import { createTurnClock, type TurnTimes } from './turn-times.ts';

/** Line that carries audio: Parley itself transcribes and synthesizes the speech (contract/agents.md#voice). */
export type AudioLine = Line & {
  /** Takes PCM16 at the sample rate of the line, in order and without gaps. */
  hear: (samples: Int16Array) => void;
  /** Notes that the other side has played all audio before this mark. */
  played: (mark: string) => void;
  /** Takes a DTMF key that the user pressed. Like speech, it interrupts the agent. */
  press: (digit: string) => void;
  /** Takes a written message of the user. Like speech, it interrupts the agent. */
  write: (text: string) => Promise<void> | undefined;
  /** Stops listening and speaking when the user has left. */
  close: () => void;
};

export type AudioLineDeps = {
  pipeline: VoicePipeline;
  format: AudioFormat;
  /** `close` hangs up. */
  sink: AudioSink & { close: (reason?: string) => void };
  on: AgentSession['on'];
  /** Receives the times that the user waited, once for each answered turn. */
  onTimes: (times: TurnTimes) => void;
  log: Logger;
};

export function createAudioLine(deps: AudioLineDeps): AudioLine {
  const { format, log, on, pipeline, onTimes } = deps;
  const clock = createTurnClock({ nowMs: monotonicMs, told: onTimes });
  const frame = (bytes: Uint8Array): void => {
    clock.sounded();
    deps.sink.frame(bytes);
  };
  const sink = { ...deps.sink, frame };
  const { sorry } = sentencesIn(pipeline.outputLanguage);
  const { tts, outputLanguage: language } = pipeline;
  const output = createAudioOutput({ tts, language, format, sink, log });

  const retranscriber = pipeline.retranscribes
    ? createRetranscriber({ pipeline, sampleRate: format.sampleRate, log })
    : undefined;

  function interrupt(): void {
    const heard = output.interrupt();
    if (!heard) return;
    const surely = retranscriber && refine(retranscriber, heard);
    const first = withCut(heard, heard.cut?.guess ?? '');
    void on({ type: 'interrupted', heard: first, ...(surely && { surely }) });
  }

  const input = createAudioInput({
    sampleRate: format.sampleRate,
    stt: pipeline.stt,
    language: pipeline.inputLanguage,
    log,
    isAgentSpeaking: output.isSpeaking,
    onInterrupt: interrupt,
    onHeard: (text, soundMs) => {
      clock.heard(soundMs);
      void on({ type: 'heard', text });
    },
    onLost: () => {
      if (!output.isSpeaking()) output.aside(sorry);
    },
  });

  function close(): void {
    input.close();
    retranscriber?.close();
    output.close();
  }

  return {
    say: (text, isKept) => {
      clock.said();
      output.say(text, isKept);
    },
    endSegment: output.endSegment,
    untilPlayed: output.untilPlayed,
    sendKeys: output.sendKeys,
    end: (reason) => {
      close();
      sink.close(reason);
    },
    hear: input.hear,
    played: output.played,
    press: (digit) => {
      interrupt();
      void on({ type: 'digit', digit });
    },
    write: (text) => {
      interrupt();
      clock.heard(undefined);
      return on({ type: 'written', text });
    },
    close,
  };
}

/** Transcribes the interrupted sentence. Resolves to all played words, or to undefined if the first estimate stays. */
const refine = ({ listen }: Retranscriber, heard: Heard): Promise<string | undefined> | undefined =>
  heard.cut &&
  listen(heard.cut).then((words) => (words === undefined ? undefined : withCut(heard, words)));
