import { clearTimeout, monotonicMs, setTimeout } from '../../clock.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import { createVad } from '../vad/vad.ts';
import type { Stt, SttStream } from '../stt/stt.ts';
import { textInTime } from '../stt/text-in-time.ts';
import { endOfTurn } from './end-of-turn.ts';
import { isBackchannel } from './is-backchannel.ts';

/** Receives the user's audio, transcribes it with `stt`, and detects the end of each turn. */
export type AudioInput = {
  /** Receives the next samples of the user's audio: PCM16 at `sampleRate`. */
  hear: (samples: Int16Array) => void;
  /** Cancels recognition when the connection to the user has closed. */
  close: () => void;
};

export type AudioInputDeps = {
  /**
   * Sample rate of the user's audio in Hz. It may be 8,000 Hz, the rate of telephones, because recognizers accept this
   * rate, too.
   */
  sampleRate: number;
  stt: Stt;
  language: string | undefined;
  log: Logger;
  /** Returns whether the agent is speaking or about to speak. */
  isAgentSpeaking: () => boolean;
  /** Called when the user interrupts the agent, once each time the agent speaks. */
  onInterrupt: () => void;
  /**
   * Called with the text of a turn once the user's turn is over. `soundMs` is the time of the user's last sound, as
   * returned by `monotonicMs()`.
   */
  onHeard: (text: string, soundMs: number) => void;
  /** Called when the user's speech was not recognized, or not within the time limit. */
  onLost: () => void;
};

/**
 * Length in ms of speech that interrupts the agent, whatever the user says. Coughs and backchannels such as "mhm" are
 * shorter. Shorter speech interrupts the agent only when its transcript arrives, and only if the transcript is not a
 * backchannel.
 */
export const BARGE_IN_MS = 500;
const SILENCE_MS = 400;

/** A stretch of the user's speech without a pause. */
type Utterance = {
  stream: SttStream;
  /** Whether the speech began while the agent was speaking. */
  isOver: boolean;
  hasInterrupted: boolean;
};

export function createAudioInput(deps: AudioInputDeps): AudioInput {
  const { isAgentSpeaking, log, stt, sampleRate } = deps;
  const vad = createVad({ sampleRate, silenceMs: SILENCE_MS });
  const turn = createTurn(deps);
  const open = new Set<SttStream>();
  let utterance: Utterance | undefined;
  let isClosed = false;
  const said = { log, what: "the user's utterance", isClosed: () => isClosed };
  let samplesHeard = 0;
  /**
   * Settles when all utterances that have ended so far are handled. Each utterance waits for the previous ones, so that
   * texts are handled in the order in which the user said them.
   */
  let understood: Promise<void> = Promise.resolve();

  function begin(): Utterance {
    turn.goesOn();
    const stream = stt.open({ sampleRate });
    open.add(stream);
    return { stream, isOver: isAgentSpeaking(), hasInterrupted: false };
  }

  function finish(whole: Utterance, soundMs: number): void {
    const text = textInTime(whole.stream, said);
    understood = Promise.all([text, understood]).then(([words]) => {
      open.delete(whole.stream);
      if (!isClosed) take(whole, words, soundMs);
    });
  }

  function take(whole: Utterance, text: string | undefined, soundMs: number): void {
    const isOverAgent = whole.isOver && !whole.hasInterrupted && isAgentSpeaking();
    if (isOverAgent && (text === undefined || isBackchannel(text, deps.language))) return;
    // This speech interrupted the agent, so `onLost` is called even if no words were recognized.
    if (text === undefined || (text === '' && whole.hasInterrupted)) return deps.onLost();
    if (text === '') return turn.look(utterance !== undefined);
    if (isAgentSpeaking()) deps.onInterrupt();
    turn.add(text, soundMs);
    turn.look(utterance !== undefined);
  }

  function push(samples: Int16Array): void {
    if (!utterance || utterance.stream.push(samples)) return;
    // The stream has reached the maximum length of an utterance, so these and later samples go to a new stream.
    finish(utterance, monotonicMs());
    utterance = { ...utterance, ...begin(), hasInterrupted: utterance.hasInterrupted };
    utterance.stream.push(samples);
  }

  return {
    hear: (samples) => {
      if (isClosed) return;
      samplesHeard += samples.length;
      push(samples);
      for (const event of vad.push(samples)) {
        if (event.kind === 'started') {
          utterance = begin();
          push(event.preRoll);
          // The pre-roll ends with the last whole window, so the samples after that window are pushed separately.
          const rest = samplesHeard - (event.atMs * sampleRate) / 1_000;
          if (rest > 0) push(samples.subarray(-rest));
        } else if (utterance) {
          const whole = utterance;
          utterance = undefined;
          finish(whole, monotonicMs() - SILENCE_MS);
        }
      }
      if (!utterance || utterance.hasInterrupted || vad.speechMs() < BARGE_IN_MS) return;
      if (!isAgentSpeaking()) return;
      utterance.hasInterrupted = true;
      deps.onInterrupt();
    },
    close: () => {
      isClosed = true;
      turn.goesOn();
      for (const stream of open) stream.cancel();
      open.clear();
    },
  };
}

/** Collects the user's words until the user's turn is over. */
type Turn = {
  /** Adds text to the turn. `soundMs` is the time of the last sound of this text. */
  add: (text: string, soundMs: number) => void;
  /** Reports the turn if it is over. If the turn is not over, schedules another check after more silence. */
  look: (isSpeaking: boolean) => void;
  /** Keeps the turn open, because the user is speaking. */
  goesOn: () => void;
};

function createTurn({ language, onHeard }: Pick<AudioInputDeps, 'language' | 'onHeard'>): Turn {
  let texts: string[] = [];
  let lastSoundMs = 0;
  let timer: NodeJS.Timeout | undefined;
  const goesOn = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  const look = (isSpeaking: boolean): void => {
    goesOn();
    if (isSpeaking || texts.length === 0) return;
    const text = texts.join(' ');
    const silenceMs = monotonicMs() - lastSoundMs;
    const { isOver, waitMs } = endOfTurn({ text, silenceMs, language });
    if (!isOver) {
      timer = setTimeout(() => look(false), waitMs);
      return;
    }
    texts = [];
    onHeard(text, lastSoundMs);
  };
  return {
    add: (text, soundMs) => {
      texts.push(text);
      lastSoundMs = soundMs;
    },
    look,
    goesOn,
  };
}
