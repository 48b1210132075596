import { RATES } from '../../../../src/voice/audio/resampler.ts';
import { TalkError } from '../talk/trouble.ts';
import type { FromMicrophone, FromPlayer, ToPlayer } from './worklets.ts';

/** Microphone and loudspeaker for a talk by voice. */
export type Voice = {
  /** Plays PCM16 at 16 kHz. The buffer is transferred, so the caller cannot use it afterwards. */
  play: (frame: ArrayBuffer) => void;
  mark: (name: string) => void;
  /** Drops all audio that has not been played yet. */
  clear: () => void;
  mute: (isMuted: boolean) => void;
  /** Resumes audio that the device interrupted. Browsers may require a click for it. */
  resume: () => void;
  /** Stops the audio and releases the microphone. */
  close: () => void;
};

export type VoiceEvents = {
  onSound: (samples: ArrayBuffer) => void;
  onPlayed: (name: string) => void;
  /** Called with an audio level from 0 to 1: every 20 ms for the microphone, and at most every 60 ms for the agent. */
  onLevel: (side: 'microphone' | 'agent', level: number) => void;
  onPlaying: (isPlaying: boolean) => void;
  /** Called when the microphone was unplugged, or when the user revoked the permission. */
  onLost: () => void;
  /**
   * Called when the device interrupts the audio, for example for a phone call or at the lock screen, and again when the
   * device restores the audio.
   */
  onHalted: (isHalted: boolean) => void;
};

const MICROPHONE = {
  channelCount: 1,
  echoCancellation: true,
  noiseSuppression: true,
  autoGainControl: true,
} as const;

/**
 * Requests the microphone and opens the audio. Must be called in response to a user action such as a click, because
 * browsers otherwise play no audio.
 *
 * @param workletUrl URL of the built file of `worklets.ts`
 * @throws TalkError `microphone_refused`, `microphone_missing`, `microphone_busy`, `loudspeaker_missing`,
 * `voice_impossible`
 */
export async function openVoice(workletUrl: string, events: VoiceEvents): Promise<Voice> {
  if (!navigator.mediaDevices?.getUserMedia || typeof AudioWorkletNode === 'undefined') {
    throw new TalkError('voice_impossible', 'the microphone requires a page loaded over HTTPS');
  }
  const context = new AudioContext({ latencyHint: 'interactive' });
  let stream: MediaStream | undefined;
  try {
    requireRate(context.sampleRate);
    void context.resume();
    const loaded = loadWorklets(context, workletUrl);
    // `await loaded` below throws the error. Without this handler, the error would be an unhandled rejection if the
    // microphone is refused first.
    loaded.catch(() => undefined);
    stream = await askForMicrophone();
    await loaded;
    await untilRuns(context);
    return connect(context, stream, events);
  } catch (error) {
    for (const track of stream?.getTracks() ?? []) track.stop();
    void context.close();
    throw error;
  }
}

/** Checks the sample rate before the worklets are loaded, because an error in a worklet would not be reported. */
function requireRate(rate: number): void {
  if (!RATES.includes(rate))
    throw new TalkError('voice_impossible', `unsupported sample rate: ${rate} Hz`);
}

async function askForMicrophone(): Promise<MediaStream> {
  try {
    return await navigator.mediaDevices.getUserMedia({ audio: MICROPHONE });
  } catch (error) {
    const { name, message } = error as DOMException;
    throw new TalkError(CODES[name] ?? 'microphone_missing', message);
  }
}

const CODES: Record<string, string> = {
  NotAllowedError: 'microphone_refused',
  SecurityError: 'microphone_refused',
  NotReadableError: 'microphone_busy',
  AbortError: 'microphone_busy',
};

async function loadWorklets(context: AudioContext, url: string): Promise<void> {
  try {
    await context.audioWorklet.addModule(url);
  } catch (error) {
    // Either the page's Content Security Policy blocks the file, or a newer version of the widget has replaced it.
    throw new TalkError('voice_impossible', `${url}: ${String(error)}`);
  }
}

/**
 * Time limit in ms for the audio to start. Headsets take seconds to switch to telephone mode when their microphone is
 * opened.
 */
const RUNS_WITHIN_MS = 10_000;
const LOOK_MS = 20;

/**
 * Waits until the audio context is running. If there is no loudspeaker, Firefox waits for one, and the microphone does
 * not work in the meantime.
 * @throws TalkError `loudspeaker_missing` after `RUNS_WITHIN_MS`
 */
async function untilRuns(context: AudioContext): Promise<void> {
  const givenUpMs = performance.now() + RUNS_WITHIN_MS;
  while (context.currentTime === 0) {
    if (performance.now() > givenUpMs) {
      throw new TalkError('loudspeaker_missing', 'the audio clock is not running');
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

function connect(context: AudioContext, stream: MediaStream, events: VoiceEvents): Voice {
  const source = context.createMediaStreamSource(stream);
  const microphone = new AudioWorkletNode(context, 'parley-microphone', {
    numberOfOutputs: 0,
    channelCount: 1,
    channelCountMode: 'explicit',
  });
  const player = new AudioWorkletNode(context, 'parley-player', {
    numberOfInputs: 0,
    outputChannelCount: [1],
  });
  source.connect(microphone);
  player.connect(context.destination);
  const tell = (message: ToPlayer, given: Transferable[] = []): void =>
    player.port.postMessage(message, given);
  listen(context, { microphone, player, events });
  const [track] = stream.getAudioTracks();
  track?.addEventListener('ended', events.onLost);
  const stopWatching = watchHalts(context, track, events.onHalted);
  return {
    play: (samples) => tell({ type: 'sound', samples }, [samples]),
    mark: (name) => tell({ type: 'mark', name }),
    clear: () => tell({ type: 'clear' }),
    mute: (isMuted) => {
      if (track) track.enabled = !isMuted;
    },
    resume: () => resume(context),
    close: () => {
      stopWatching();
      track?.removeEventListener('ended', events.onLost);
      // Closing the ports drops messages that are still queued.
      microphone.port.close();
      player.port.close();
      for (const one of stream.getTracks()) one.stop();
      void context.close();
    },
  };
}

/**
 * Detects interruptions of the audio by the device, and resumes the audio as soon as the browser allows it. During an
 * interruption the context is `suspended` (Web Audio) or, on iOS, `interrupted`, or the system mutes the track (Media
 * Capture §4.3).
 */
function watchHalts(
  context: AudioContext,
  track: MediaStreamTrack | undefined,
  onHalted: (isHalted: boolean) => void,
): () => void {
  let wasHalted = false;
  const look = (): void => {
    const isHalted = context.state !== 'running' || track?.muted === true;
    if (isHalted !== wasHalted) onHalted(isHalted);
    wasHalted = isHalted;
    if (context.state !== 'running') resume(context);
  };
  const places: [EventTarget | undefined, string][] = [
    [context, 'statechange'],
    [track, 'mute'],
    [track, 'unmute'],
    [document, 'visibilitychange'],
  ];
  for (const [place, type] of places) place?.addEventListener(type, look);
  look();
  return () => {
    for (const [place, type] of places) place?.removeEventListener(type, look);
  };
}

function resume(context: AudioContext): void {
  // During a phone call the browser refuses to resume. It reports the end of the phone call with a `statechange` event.
  context.resume().catch(() => undefined);
}

type Ends = { microphone: AudioWorkletNode; player: AudioWorkletNode; events: VoiceEvents };

function listen(context: AudioContext, { microphone, player, events }: Ends): void {
  let wasPlaying = false;
  microphone.port.addEventListener('message', ({ data }: MessageEvent<FromMicrophone>) => {
    events.onSound(data.samples);
    events.onLevel('microphone', data.level);
  });
  player.port.addEventListener('message', ({ data }: MessageEvent<FromPlayer>) => {
    if (data.type === 'played') {
      // The sound card plays the audio a little later than the worklet passes it on, so the report is delayed by that
      // time.
      const lateMs = 1_000 * (context.outputLatency || context.baseLatency || 0);
      setTimeout(() => events.onPlayed(data.name), lateMs);
      return;
    }
    events.onLevel('agent', data.level);
    if (data.isPlaying !== wasPlaying) events.onPlaying(data.isPlaying);
    wasPlaying = data.isPlaying;
  });
  microphone.port.start();
  player.port.start();
}
