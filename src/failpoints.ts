import { StartupError } from './errors.ts';

/**
 * Points between two side effects at which a test can make a real process die, hang or fail. Only tests arm failpoints,
 * by naming them in `PARLEY_FAILPOINTS` (src/config.ts). An unarmed failpoint does nothing and costs one comparison.
 */
export const FAILPOINTS = [
  // Request: before its response is sent.
  'api.answering',
  // Any transaction: after `begin`, and before and after `commit`.
  'transaction.begun',
  'transaction.committing',
  'transaction.committed',
  // Transaction that commits the events of concurrent requests together.
  'outbox.committing',
  'outbox.committed',
  'notify.sending',
  'idempotency.marked',
  // Call through a carrier: before and after dialing, and once this process owns the call's line but before the
  // conversation begins.
  'call.dialing',
  'call.dialed',
  'line.taken',
  // Transfer of a call. In this order: before the line is closed, before Parley asks the carrier to ring the target, and
  // before the carrier learns that the caller is back with the agent.
  'transfer.closing',
  'transfer.ringing',
  'transfer.back',
  // Turn that needs a model, in the order of its steps.
  'turn.claimed',
  'turn.noting',
  'turn.noted',
  'turn.streaming',
  'turn.storing',
  'turn.stored',
  // Other changes to a conversation, including handoffs: before and after the commit.
  'conversation.committing',
  'conversation.committed',
  // Delivery, in the order of its steps.
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
  // Replay job: before and after each batch.
  'replay.batching',
  'replay.batched',
  // Sync of a knowledge source, in the order of its steps: before and after staging a document, before all documents
  // are applied, and before and after the commit.
  'sync.claimed',
  'sync.staging',
  'sync.staged',
  'sync.applying',
  'sync.applied',
  'sync.finished',
  'partitions.creating',
  'partitions.dropping',
  // A batch of passages has been embedded but not stored.
  'embeddings.storing',
  'migration.applied',
  // A declared object has been written, and its audit record still has the result `unknown`.
  'audit.settling',
  // A batch of expired data has been deleted, and more may remain.
  'retention.removed',
  // Erasure of a customer's data: before each object.
  'erasure.erasing',
] as const;
export type FailpointName = (typeof FAILPOINTS)[number];

type Action = () => Promise<void> | undefined;

let armed: Map<string, Action> | undefined;

/**
 * Runs the armed action, if any. The caller must await the result.
 * @throws an error if the failpoint is armed to throw
 */
export function failpoint(name: FailpointName): Promise<void> | undefined {
  return armed === undefined ? undefined : armed.get(name)?.();
}

/**
 * Arms failpoints.
 * @param spec comma-separated `name=action[@n]`: `kill` and `stop` signal this process, `throw` throws, `sleep(ms)`
 * waits, `block(ms)` keeps the event loop busy. `@n` means the n-th time only. An empty spec disarms all failpoints.
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
    throw new StartupError(`PARLEY_FAILPOINTS: unknown failpoint: ${part}`);
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
      throw new StartupError(`PARLEY_FAILPOINTS: unknown action for ${name}: ${verb}`);
  }
}

function signalSelf(signal: NodeJS.Signals): undefined {
  process.kill(process.pid, signal);
}
