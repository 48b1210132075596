import { useEffect, useRef } from 'react';
import { Button } from '../../ui/button.tsx';
import { LatencyList } from './latency-list.tsx';
import type { Spoken } from './use-line.ts';
import './voice.css';

/** Shows who is speaking, the volume, the latency of each reply, and buttons to mute and stop. */
export function VoiceBar({ spoken }: { spoken: Spoken }) {
  const { sound, talk } = spoken;
  const error = sound.error ?? (talk.phase === 'failed' ? talk.error : null);
  if (!spoken.isOn && !error && talk.latencies.length === 0) return null;
  return (
    <section className="card stack-small voice" aria-label="Talk by voice">
      {spoken.isOn ? (
        <div className="voice-row">
          <span className="voice-dot" data-muted={sound.isMuted || undefined} />
          <span role="status">{stateOf(spoken)}</span>
          <Meters spoken={spoken} />
          {sound.isHalted ? (
            <Button size="small" kind="primary" onClick={spoken.resumeSound}>
              Continue
            </Button>
          ) : null}
          <Button
            size="small"
            aria-pressed={sound.isMuted}
            onClick={() => spoken.mute(!sound.isMuted)}
          >
            Mute
          </Button>
          <Button size="small" kind="danger" onClick={spoken.stop}>
            Stop talking
          </Button>
        </div>
      ) : null}
      {error ? (
        <p className="problem" role="alert">
          {PROBLEMS[error.code] ?? error.message}
        </p>
      ) : null}
      <LatencyList latencies={talk.latencies} turns={talk.turns} />
    </section>
  );
}

const PROBLEMS: Record<string, string> = {
  microphone_refused:
    'The browser blocks the microphone. Allow it next to the address bar, then try again.',
  microphone_missing: 'No microphone was found.',
  microphone_busy: 'Another program is using the microphone. Close it, then try again.',
  loudspeaker_missing: 'No loudspeaker was found. Connect one, then try again.',
  voice_impossible: 'The microphone works only on pages served over https or from localhost.',
  offline: 'The connection failed. Try again.',
};

function stateOf({ talk, sound }: Spoken): string {
  if (sound.microphone === 'asking') return 'Waiting for permission to use the microphone';
  if (talk.phase === 'connecting') return 'Connecting';
  if (talk.phase === 'waiting') return 'Connection lost. Reconnecting…';
  if (sound.isHalted) return 'The device paused the sound';
  if (talk.status === 'escalated') return 'The agent requested a human agent.';
  if (sound.isPlaying) return 'The agent is speaking. You can interrupt it.';
  return sound.isMuted ? 'Muted' : 'Listening';
}

/** Updates the level bars directly, without a React render for each level. */
function Meters({ spoken }: { spoken: Spoken }) {
  const you = useRef<HTMLElement>(null);
  const agent = useRef<HTMLElement>(null);
  const { onLevel } = spoken;
  useEffect(
    () =>
      onLevel((side, level) => {
        const bar = side === 'agent' ? agent.current : you.current;
        if (bar) bar.style.transform = `scaleX(${level.toFixed(2)})`;
      }),
    [onLevel],
  );
  return (
    <span className="voice-meters" aria-hidden="true">
      <span className="small muted">You</span>
      <span className="voice-meter">
        <i ref={you} />
      </span>
      <span className="small muted">Agent</span>
      <span className="voice-meter">
        <i ref={agent} />
      </span>
    </span>
  );
}
