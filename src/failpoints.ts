import { StartupError } from './errors.ts';

/**
 * Places between two side effects at which a test can make a real process die, hang or fail.
 * Inert unless PARLEY_FAILPOINTS names them (src/config.ts), which only tests do: then a call costs
 * one comparison.
 */
export const FAILPOINTS = [
  // A request: before its answer is sent.
  'api.answering',
  // Any transaction: after `begin`, before and after `commit`.
  'transaction.begun',
  'transaction.committing',
  'transaction.committed',
  // Events that concurrent requests commit together.
  'outbox.committing',
  'outbox.committed',
  'notify.sending',
  'idempotency.marked',
  // A call over a carrier: before and after it is dialled; its line is held and its conversation not begun.
  'call.dialing',
  'call.dialed',
  'line.taken',
  // A call is transferred: its line is about to be closed, the carrier is about to be told whom to ring, and
  // that the caller is back with the agent.
  'transfer.closing',
  'transfer.ringing',
  'transfer.back',
  // A turn that a model is asked for, in the order of its life.
  'turn.claimed',
  'turn.noting',
  'turn.noted',
  'turn.streaming',
  'turn.storing',
  'turn.stored',
  // What happens to a conversation otherwise, a hand-over among it: before and after the commit.
  'conversation.committing',
  'conversation.committed',
  // A delivery, in the order of its life.
  'delivery.claiming',
  'delivery.claimed',
  'delivery.sending',
  'delivery.answered',
  'delivery.recording',
  'delivery.recorded',
  'delivery.starting',
  'delivery.canceling',
  'delivery.expiring',
  'delivery.taking_over',
  // A replay job, around each batch.
  'replay.batching',
  'replay.batched',
  // A sync of a source, in the order of its life: a document before and after it is staged, all of them
  // before they are applied, applied before and after the commit.
  'sync.claimed',
  'sync.staging',
  'sync.staged',
  'sync.applying',
  'sync.applied',
  'sync.finished',
  'partitions.creating',
  'partitions.dropping',
  // A batch of passages is embedded and not stored yet.
  'embeddings.storing',
  'migration.applied',
  // A declared thing is written, and its line of the audit log still says `unknown`.
  'audit.settling',
  // A batch of what is past its retention is gone, more may be there.
  'retention.removed',
] as const;
export type FailpointName = (typeof FAILPOINTS)[number];

type Action = () => Promise<void> | undefined;

let armed: Map<string, Action> | undefined;

/** To be awaited; undefined, and nothing happens, unless it is armed. @throws when armed to. */
export function failpoint(name: FailpointName): Promise<void> | undefined {
  return armed === undefined ? undefined : armed.get(name)?.();
}

/**
 * @param spec comma-separated `name=action[@n]`: `kill` and `stop` signal this process, `throw`
 * throws, `sleep(ms)` waits, `block(ms)` keeps the event loop busy. `@n`: the n-th time only.
 * Empty: disarms all.
 * @throws StartupError for an unknown name or action
 */
export function armFailpoints(spec: string): void {
  const parts = spec.split(',').filter(Boolean);
  armed = parts.length === 0 ? undefined : new Map(parts.map(readPart));
}

function readPart(part: string): [string, Action] {
  const [, name = '', verb = '', ms, nth] =
    /^([\w.]+)=(\w+)(?:\((\d+)\))?(?:@(\d+))?$/.exec(part.trim()) ?? [];
  if (!FAILPOINTS.some((known) => known === name))
    throw new StartupError(`PARLEY_FAILPOINTS: there is no ${part}`);
  const act = actionOf(name, verb, Number(ms ?? 0));
  let reached = 0;
  return [
    name,
    () => {
      reached += 1;
      return nth === undefined || reached === Number(nth) ? act() : undefined;
    },
  ];
}

function actionOf(name: string, verb: string, ms: number): Action {
  switch (verb) {
    case 'kill':
      return () => signalSelf('SIGKILL');
    case 'stop':
      return () => signalSelf('SIGSTOP');
    case 'throw':
      return () => {
        throw new Error(`failpoint ${name}`);
      };
    case 'sleep':
      return () => new Promise((resolve) => setTimeout(resolve, ms));
    case 'block':
      return () => {
        const endMs = performance.now() + ms;
        while (performance.now() < endMs);
        return undefined;
      };
    default:
      throw new StartupError(`PARLEY_FAILPOINTS: ${name} cannot ${verb}`);
  }
}

function signalSelf(signal: NodeJS.Signals): undefined {
  process.kill(process.pid, signal);
}
