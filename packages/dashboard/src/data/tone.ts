const NOTES_HZ = [660, 880];
const NOTE_SEC = 0.14;
const LOUDNESS = 0.08;

let audio: AudioContext | undefined;

/** Enables sound for the page. Browsers allow this only after a click or a key press, so call it from such an event. */
export function wakeSound(): void {
  audio ??= new AudioContext();
  if (audio.state === 'suspended') void audio.resume();
}

export function playTone(): void {
  if (!audio) return;
  const startSec = audio.currentTime + 0.02;
  for (const [at, hz] of NOTES_HZ.entries()) playNote(audio, hz, startSec + at * NOTE_SEC);
}

function playNote(context: AudioContext, hz: number, startSec: number): void {
  const note = new OscillatorNode(context, { frequency: hz });
  const loudness = new GainNode(context, { gain: 0 });
  loudness.gain.setValueAtTime(0, startSec);
  loudness.gain.linearRampToValueAtTime(LOUDNESS, startSec + 0.02);
  loudness.gain.linearRampToValueAtTime(0, startSec + NOTE_SEC);
  note.connect(loudness).connect(context.destination);
  note.start(startSec);
  note.stop(startSec + NOTE_SEC);
}
