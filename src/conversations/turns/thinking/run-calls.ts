import type { ToolBox, ToolOutcome } from '../../tools/tool.ts';
import { orAborted } from './or-aborted.ts';
import { NOT_CARRIED_OUT, NOT_KNOWN, sameCall, TOO_MANY_AT_ONCE, type Call } from './tool-turns.ts';

/** Maximum number of concurrent tool calls per request to a model. */
const AT_ONCE_MAX = 8;
/** Maximum number of tool calls per request to a model. */
const CALLS_MAX = 32;

/**
 * Runs tool calls with limited concurrency and sets their outcomes. Returns the outcomes in the order of the calls.
 * Skips calls that an earlier attempt has already made.
 */
export async function runCalls(
  calls: readonly Call[],
  {
    box,
    signal,
    noted,
    graceMs,
  }: { box: ToolBox; signal: AbortSignal; noted: readonly Call[]; graceMs: number },
): Promise<ToolOutcome[]> {
  const known = new Map(noted.map(({ call, outcome }) => [sameCall(call), outcome]));
  const run = async ({ call, id }: Call): Promise<ToolOutcome> => {
    const before = known.get(sameCall(call));
    if (before) return before;
    if (signal.aborted) return NOT_CARRIED_OUT;
    return (await orAborted(box.run({ ...call, id }, signal), signal, graceMs)) ?? NOT_KNOWN;
  };
  const outcomes: ToolOutcome[] = calls.map(() => TOO_MANY_AT_ONCE);
  const waiting = [...calls.slice(0, CALLS_MAX).entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [at, call] = next;
      outcomes[at] = await run(call);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE_MAX }, work));
  calls.forEach((call, at) => {
    call.outcome = outcomes[at];
  });
  return outcomes;
}
