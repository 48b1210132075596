import { clearTimeout, monotonicMs, setTimeout } from '../../clock.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import { createActivity } from '../../speech/activity/activity.ts';
import type { Recognizer, RecognizerSession } from '../../speech/recognition/recognizer.ts';
import { textInTime } from '../../speech/recognition/text-in-time.ts';
import { endOfTurn } from '../../speech/turns/end-of-turn.ts';
import { isBackchannel } from '../../speech/turns/is-backchannel.ts';

/** Sound becomes what the user said, whole turns of it. */
export type Ear = {
  /** PCM16 at the rate of the line, as it comes. */
  hear: (samples: Int16Array) => void;
  /** Nobody wants to know any more. */
  close: () => void;
};

export type EarDeps = {
  /** Hz of the line: recognizers take telephones as they are. */
  sampleRate: number;
  recognizer: Recognizer;
  language: string | undefined;
  log: Logger;
  /** Whether the agent is heard at the moment, or about to be. */
  isAgentSpeaking: () => boolean;
  /** The user speaks into it and means it; told once for each time that the agent speaks. */
  onInterrupt: () => void;
  /** `soundMs` is the moment of the last sound, in `monotonicMs()`. */
  onHeard: (text: string, soundMs: number) => void;
  /** Something was said, and is lost: it was not understood in time, or not at all. */
  onLost: () => void;
};

/**
 * Who speaks so long into the agent's words means it, whatever the words are: "mhm" and a cough are shorter.
 * What is shorter interrupts when it is understood.
 */
export const BARGE_IN_MS = 500;
const SILENCE_MS = 400;

/** What the user says without a pause. */
type Segment = {
  session: RecognizerSession;
  /** Whether it began in the agent's words. */
  isOver: boolean;
  hasInterrupted: boolean;
};

export function createEar(deps: EarDeps): Ear {
  const { isAgentSpeaking, log, recognizer, sampleRate } = deps;
  const activity = createActivity({ sampleRate, silenceMs: SILENCE_MS });
  const turn = createTurn(deps);
  const open = new Set<RecognizerSession>();
  let segment: Segment | undefined;
  let isClosed = false;
  const said = { log, what: 'what a user said', isClosed: () => isClosed };
  let samplesHeard = 0;
  /** Texts come in the order in which they were said. */
  let understood: Promise<void> = Promise.resolve();

  function begin(): Segment {
    turn.goesOn();
    const session = recognizer.open({ sampleRate });
    open.add(session);
    return { session, isOver: isAgentSpeaking(), hasInterrupted: false };
  }

  function finish(whole: Segment, soundMs: number): void {
    const text = textInTime(whole.session, said);
    understood = Promise.all([text, understood]).then(([words]) => {
      open.delete(whole.session);
      if (!isClosed) take(whole, words, soundMs);
    });
  }

  function take(whole: Segment, text: string | undefined, soundMs: number): void {
    const isOverAgent = whole.isOver && !whole.hasInterrupted && isAgentSpeaking();
    if (isOverAgent && (text === undefined || isBackchannel(text, deps.language))) return;
    // After an interruption somebody has to say something.
    if (text === undefined || (text === '' && whole.hasInterrupted)) return deps.onLost();
    if (text === '') return turn.look(segment !== undefined);
    if (isAgentSpeaking()) deps.onInterrupt();
    turn.add(text, soundMs);
    turn.look(segment !== undefined);
  }

  function push(samples: Int16Array): void {
    if (!segment || segment.session.push(samples)) return;
    // It has all that one utterance may have; the rest is another.
    finish(segment, monotonicMs());
    segment = { ...segment, ...begin(), hasInterrupted: segment.hasInterrupted };
    segment.session.push(samples);
  }

  return {
    hear: (samples) => {
      if (isClosed) return;
      samplesHeard += samples.length;
      push(samples);
      for (const event of activity.push(samples)) {
        if (event.kind === 'started') {
          segment = begin();
          push(event.preRoll);
          // What follows the last whole window is in no pre-roll.
          const rest = samplesHeard - (event.atMs * sampleRate) / 1_000;
          if (rest > 0) push(samples.subarray(-rest));
        } else if (segment) {
          const whole = segment;
          segment = undefined;
          finish(whole, monotonicMs() - SILENCE_MS);
        }
      }
      if (!segment || segment.hasInterrupted || activity.speechMs() < BARGE_IN_MS) return;
      if (!isAgentSpeaking()) return;
      segment.hasInterrupted = true;
      deps.onInterrupt();
    },
    close: () => {
      isClosed = true;
      turn.goesOn();
      for (const session of open) session.cancel();
      open.clear();
    },
  };
}

/** What was said since the last turn, until it is one. */
type Turn = {
  /** `soundMs`: when the last sound of it was heard. */
  add: (text: string, soundMs: number) => void;
  /** Looks whether it is over, now or when nothing more is heard. */
  look: (isSpeaking: boolean) => void;
  /** The user is speaking: it is not over. */
  goesOn: () => void;
};

function createTurn({ language, onHeard }: Pick<EarDeps, 'language' | 'onHeard'>): Turn {
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
