import { msText } from '../../ui/time.tsx';
import type { Turn } from '../../../../widget/src/talk/frames.ts';
import type { TurnLatency } from '../../../../widget/src/talk/talk-state.ts';

const PARTS = [
  ['recognition_ms', 'recognition'],
  ['model_ms', 'model'],
  ['synthesis_ms', 'synthesis'],
] as const;

const SHOWN = 5;

/**
 * Shows the latencies of replies, newest first. A latency is the time from the end of the user's speech to the first
 * sound.
 */
export function LatencyList({
  latencies,
  turns,
}: {
  latencies: readonly TurnLatency[];
  turns: readonly Turn[];
}) {
  if (latencies.length === 0) return null;
  const shown = latencies.slice(-SHOWN).toReversed();
  const longest = Math.max(...shown.map((one) => one.total_ms ?? sumOf(one)), 1);
  return (
    <ol className="voice-latencies" aria-label="Reply latencies">
      {shown.map((latency, at) => (
        <li key={latencies.length - at}>
          <span className="voice-of small muted">{wordsOf(latency, turns)}</span>
          <svg
            className="voice-latency"
            viewBox={`0 0 ${longest} 8`}
            preserveAspectRatio="none"
            aria-hidden="true"
          >
            {segmentsOf(latency).map(({ name, from, ms }) => (
              <rect key={name} className={`voice-${name}`} x={from} width={ms} height="8" />
            ))}
          </svg>
          <span className="small numeric">
            {PARTS.flatMap(([key, name]) =>
              latency[key] === null ? [] : [`${name} ${msText(latency[key])}`],
            ).join(' → ')}
            {latency.total_ms === null ? null : (
              <>
                {' = '}
                <strong>{msText(latency.total_ms)}</strong>
              </>
            )}
            {isInterrupted(latency, turns) ? ' · interrupted' : null}
          </span>
        </li>
      ))}
    </ol>
  );
}

const sumOf = (latency: TurnLatency): number =>
  PARTS.reduce((sum, [key]) => sum + (latency[key] ?? 0), 0);

function segmentsOf(latency: TurnLatency) {
  let from = 0;
  return PARTS.map(([key, name]) => {
    const ms = latency[key] ?? 0;
    from += ms;
    return { name, from: from - ms, ms };
  });
}

function wordsOf({ index }: TurnLatency, turns: readonly Turn[]): string {
  const text = turns.find((turn) => turn.index === index)?.text ?? '…';
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

const isInterrupted = ({ index }: TurnLatency, turns: readonly Turn[]): boolean =>
  turns.find((turn) => turn.index === index)?.interrupted ?? false;
