import { monotonicMs } from '../../clock.ts';
import { sentencesIn } from '../../conversations/sentences/sentences.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import { createAudioInput } from '../input/audio-input.ts';
import type { Line } from './line.ts';
import { createRetranscriber } from '../playout/retranscriber.ts';
import type { VoicePipeline } from './voice-pipeline.ts';
import { createPlayout } from '../playout/playout.ts';
import type { AudioFormat, AudioSink } from '../playout/audio-queue.ts';
import { createAudioOutput } from '../playout/audio-output.ts';
import type { AgentSession } from './agent-session.ts';
import { createTurnClock, type TurnTimes } from './turn-times.ts';

/** Line that carries audio. Parley itself transcribes and synthesizes the speech (contract/agents.md#voice). */
export type AudioLine = Line & {
  /** Receives PCM16 at the sample rate of the line, in order and without gaps. */
  hear: (samples: Int16Array) => void;
  /** Records that the other side has played all audio before this mark. */
  played: (mark: string) => void;
  /** Receives a DTMF key that the user pressed. Like speech, a key interrupts the agent. */
  press: (digit: string) => void;
  /** Receives a written message from the user. Like speech, a message interrupts the agent. */
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
  /** Receives the response times of each turn that the agent answers. */
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
  const retranscriber = pipeline.retranscribes
    ? createRetranscriber({ pipeline, sampleRate: format.sampleRate, log })
    : undefined;
  const output = createAudioOutput({ tts, language, format, sink, log, retranscriber });
  const playout = createPlayout({
    ...output,
    pushText: (segment, words) => {
      // An aside, such as an apology, is not part of the reply whose delay is measured.
      if (!segment.isAside) clock.said();
      output.pushText(segment, words);
    },
  });

  const interrupt = (): void => void on({ type: 'interrupted' });

  const input = createAudioInput({
    sampleRate: format.sampleRate,
    stt: pipeline.stt,
    language: pipeline.inputLanguage,
    log,
    isAgentSpeaking: playout.isPlaying,
    onInterrupt: interrupt,
    onHeard: (text, soundMs) => {
      clock.heard(soundMs);
      void on({ type: 'heard', text });
    },
    onLost: () => {
      if (!playout.isPlaying()) playout.aside(sorry);
    },
  });

  function close(): void {
    input.close();
    retranscriber?.close();
    playout.stop();
  }

  return {
    playout,
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
