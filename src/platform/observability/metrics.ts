import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { monotonicMs } from '../../clock.ts';

/**
 * All metrics. Only this file imports prom-client. contract/metrics.md defines the names, labels and meanings of the
 * metrics. A label never contains an id, a URL, a host, a key or an error message.
 */
export type Metrics = ReturnType<typeof createMetrics>;

export type AttemptKind = 'first' | 'retry' | 'replay';
export type RequestOutcome = 'acknowledged' | 'rejected' | 'timeout' | 'connect_error' | 'blocked';

/**
 * Buckets for delivery latency in seconds. One bound is exactly 0.5, so that the goal "median under 500 ms" can be
 * measured.
 */
const DELIVERY_BUCKETS = [
  0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 10, 30, 60, 300, 3600, 28800,
  86400, 259200,
];
const REQUEST_BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const HTTP_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const SYNC_BUCKETS = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200];
/**
 * Buckets for event-loop stalls in seconds. The first bound is just above the shortest stall that the watchdog reports
 * (100 ms).
 */
const STALL_BUCKETS = [0.15, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const CONTROLLER_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Buckets that OpenTelemetry's conventions recommend. */
const GEN_AI_BUCKETS = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];
const TOKEN_BUCKETS = [
  1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216,
  67_108_864,
];

export function createMetrics(options: { processMetrics: boolean }) {
  const registry = new Registry();
  if (options.processMetrics) collectDefaultMetrics({ register: registry });
  /** Functions that update gauges before each scrape. The key names what the gauges measure, such as `event loop`. */
  const beforeScrape = new Map<string, () => void>();
  return {
    contentType: registry.contentType,
    beforeScrape,
    /** Returns all metrics in the Prometheus text format. */
    render: () => {
      for (const refresh of beforeScrape.values()) refresh();
      return registry.metrics();
    },
    ...createDeliveryMetrics(registry),
    ...createBacklogMetrics(registry, beforeScrape),
    ...createWaitingMetrics(registry, beforeScrape),
    ...createProductMetrics(registry),
    ...createGenAiMetrics(registry),
    ...createLimitMetrics(registry),
    ...createLoopMetrics(registry),
    ...createControllerMetrics(registry),
  };
}

/**
 * Creates the metrics for limits. These metrics have no label for the API key or the namespace, because the number of
 * keys and namespaces is unlimited.
 */
function createLimitMetrics(registry: Registry) {
  const { counter, gauge } = makersIn(registry);
  return {
    inFlight: gauge('parley_in_flight', 'Requests and streams in progress in this process.', [
      'kind',
    ]),
    inFlightRefused: counter(
      'parley_in_flight_refused_total',
      'Requests rejected because an API key, namespace or process had reached its concurrency limit.',
      ['kind', 'share'],
    ),
    workWaiting: gauge('parley_work_waiting', 'Jobs waiting to run in this process.', ['kind']),
    workRunning: gauge('parley_work_running', 'Jobs in progress in this process.', ['kind']),
    workRefused: counter(
      'parley_work_refused_total',
      'Jobs rejected because too many jobs of the same kind were waiting.',
      ['kind', 'share'],
    ),
    quotaRefused: counter(
      'parley_quota_refused_total',
      'Requests and declared objects rejected because they would exceed a quota.',
      ['quota'],
    ),
  };
}

function createLoopMetrics(registry: Registry) {
  const { histogram } = makersIn(registry);
  return {
    eventLoopStall: histogram(
      'parley_event_loop_stall_seconds',
      'Event loop stalls of more than 100 ms, by the work that caused them.',
      ['work'],
      STALL_BUCKETS,
    ),
  };
}

function createDeliveryMetrics(registry: Registry) {
  const { counter, histogram } = makersIn(registry);
  const kind = ['attempt_kind'];
  return {
    deliveryDuration: histogram(
      'parley_webhook_delivery_duration_seconds',
      "Time from the commit of an event or replay request to the receiver's acknowledgement.",
      kind,
      DELIVERY_BUCKETS,
    ),
    queueDuration: histogram(
      'parley_webhook_queue_duration_seconds',
      "Time from when a delivery attempt is due until it starts: Parley's share of the latency.",
      kind,
      DELIVERY_BUCKETS,
    ),
    requestDuration: histogram(
      'parley_webhook_request_duration_seconds',
      "Time from the start of a delivery attempt to the response: the receiver's share of the latency.",
      ['outcome'],
      REQUEST_BUCKETS,
    ),
    deliveries: counter(
      'parley_webhook_deliveries_total',
      'Failed webhook delivery attempts and finished webhook deliveries, by outcome.',
      ['outcome'],
    ),
  };
}

/**
 * Maximum age of a measurement in ms. An older measurement is not exported, because readers would mistake it for a
 * current value.
 */
const MEASURED_MAX_AGE_MS = 30_000;

/**
 * Returns a function to call after each measurement. The function exports the gauges until the measurement is older
 * than `MEASURED_MAX_AGE_MS`. A process that never measures does not export the gauges, so they never show a wrong 0.
 */
function showingWhileFresh(
  registry: Registry,
  beforeScrape: Map<string, () => void>,
  { subject, gauges }: { subject: string; gauges: Record<string, Gauge<never> | Gauge<'state'>> },
): (nowMs: () => number) => void {
  return (nowMs) => {
    for (const gauge of Object.values(gauges)) registry.registerMetric(gauge);
    const measuredMs = nowMs();
    beforeScrape.set(subject, () => {
      if (nowMs() - measuredMs <= MEASURED_MAX_AGE_MS) return;
      for (const name of Object.keys(gauges)) registry.removeSingleMetric(name);
    });
  };
}

/** Creates the metrics for the delivery queue. */
function createBacklogMetrics(registry: Registry, beforeScrape: Map<string, () => void>) {
  const { gauge } = makersIn(undefined);
  const names = [
    'parley_webhook_deliveries_pending',
    'parley_webhook_oldest_due_age_seconds',
    'parley_webhook_endpoints',
  ] as const;
  const pending = gauge(names[0], 'Number of unfinished webhook deliveries.');
  const oldestDueAge = gauge(
    names[1],
    'How long the oldest due webhook delivery has been waiting for its next attempt.',
  );
  const endpoints = gauge(names[2], 'Number of webhook endpoints, by state.', ['state']);
  const show = showingWhileFresh(registry, beforeScrape, {
    subject: 'backlog',
    gauges: { [names[0]]: pending, [names[1]]: oldestDueAge, [names[2]]: endpoints },
  });
  return {
    showBacklog: (
      measured: { pending: number; oldestDueAgeSec: number; endpoints: Record<string, number> },
      nowMs = monotonicMs,
    ): void => {
      pending.set(measured.pending);
      oldestDueAge.set(measured.oldestDueAgeSec);
      for (const [state, count] of Object.entries(measured.endpoints)) {
        endpoints.set({ state }, count);
      }
      show(nowMs);
    },
  };
}

/** Creates the metrics for users who are waiting for a human agent. */
function createWaitingMetrics(registry: Registry, beforeScrape: Map<string, () => void>) {
  const { gauge } = makersIn(undefined);
  const names = ['parley_escalations_waiting', 'parley_escalation_oldest_wait_seconds'] as const;
  const waiting = gauge(names[0], 'Number of escalations that nobody has accepted yet.');
  const oldestWait = gauge(names[1], 'How long the oldest unaccepted escalation has been waiting.');
  const show = showingWhileFresh(registry, beforeScrape, {
    subject: 'waiting',
    gauges: { [names[0]]: waiting, [names[1]]: oldestWait },
  });
  return {
    showWaiting: (
      measured: { waiting: number; oldestWaitSec: number },
      nowMs = monotonicMs,
    ): void => {
      waiting.set(measured.waiting);
      oldestWait.set(measured.oldestWaitSec);
      show(nowMs);
    },
  };
}

function createProductMetrics(registry: Registry) {
  const { counter, gauge, histogram } = makersIn(registry);
  return {
    events: counter('parley_events_total', 'Events committed, by type.', ['type']),
    conversations: counter('parley_conversations_total', 'Conversations that have ended.', [
      'channel',
      'outcome',
    ]),
    rolloutActs: counter('parley_rollout_acts_total', 'Actions on rollouts.', ['action', 'by']),
    turnDuration: histogram(
      'parley_conversation_turn_duration_seconds',
      "Time from the user's message to the commit of the reply.",
      [],
      REQUEST_BUCKETS,
    ),
    voiceTurnDuration: histogram(
      'parley_voice_turn_duration_seconds',
      "Time from the end of the user's speech to the first audio of the reply, in total and by part.",
      ['part'],
      REQUEST_BUCKETS,
    ),
    turnErrors: counter(
      'parley_conversation_turn_errors_total',
      'Replies that failed, by error code.',
      ['code'],
    ),
    redactions: counter(
      'parley_redactions_total',
      'Values redacted in stored user messages, by kind.',
      ['kind'],
    ),
    judgements: counter(
      'parley_judgements_total',
      'Model evaluations of ended conversations, by result.',
      ['result'],
    ),
    escalations: counter(
      'parley_escalations_total',
      'Changes to the status of an escalation, by new status.',
      ['status'],
    ),
    knowledgeSyncs: counter(
      'parley_knowledge_syncs_total',
      'Finished attempts to index a knowledge source.',
      ['type', 'result'],
    ),
    knowledgeSyncDuration: histogram(
      'parley_knowledge_sync_duration_seconds',
      'Duration of finished website and integration syncs.',
      ['type'],
      SYNC_BUCKETS,
    ),
    knowledgeOverdue: gauge(
      'parley_knowledge_sources_overdue',
      'Number of knowledge sources whose last sync was more than three scheduled intervals ago.',
    ),
    knowledgeGaps: counter(
      'parley_knowledge_gaps_total',
      'Distinct questions to which no answer was found.',
    ),
    httpRequestDuration: histogram(
      'http_server_request_duration_seconds',
      'Duration of HTTP requests to this server.',
      ['http_request_method', 'http_route', 'http_response_status_code', 'url_scheme'],
      HTTP_BUCKETS,
    ),
  };
}

/** Creates the metrics for gen-ai.ts, under the names that OpenTelemetry's metrics have in Prometheus. */
function createGenAiMetrics(registry: Registry) {
  const { histogram } = makersIn(registry);
  const model = ['gen_ai_operation_name', 'gen_ai_provider_name', 'gen_ai_request_model'];
  return {
    modelDuration: histogram(
      'gen_ai_client_operation_duration_seconds',
      'Duration of model requests, including retries and fallbacks.',
      [...model, 'error_type'],
      GEN_AI_BUCKETS,
    ),
    modelFirstChunk: histogram(
      'gen_ai_client_operation_time_to_first_chunk_seconds',
      'Time from a model request to the first part of the response.',
      model,
      GEN_AI_BUCKETS,
    ),
    modelTokens: histogram(
      'gen_ai_client_token_usage',
      'Number of input or output tokens per model request.',
      [...model, 'gen_ai_token_type'],
      TOKEN_BUCKETS,
    ),
    toolDuration: histogram(
      'gen_ai_execute_tool_duration_seconds',
      'Duration of tool calls.',
      ['gen_ai_tool_name', 'error_type'],
      GEN_AI_BUCKETS,
    ),
  };
}

/** Creates metrics under the names of controller-runtime and client-go, so that their dashboards and alerts work. */
function createControllerMetrics(registry: Registry) {
  const { counter, gauge, histogram } = makersIn(registry);
  const c = ['controller'];
  const n = ['name', 'controller'];
  return {
    restClientRequests: counter('rest_client_requests_total', 'Requests to the Kubernetes API.', [
      'code',
      'method',
    ]),
    leader: gauge('leader_election_master_status', '1 while this process is the leader.', ['name']),
    reconciles: counter('controller_runtime_reconcile_total', 'Reconciles.', [...c, 'result']),
    reconcileErrors: counter('controller_runtime_reconcile_errors_total', 'Failed reconciles.', c),
    terminalErrors: counter(
      'controller_runtime_terminal_reconcile_errors_total',
      'Failed reconciles that will not be retried.',
      c,
    ),
    reconcilePanics: counter(
      'controller_runtime_reconcile_panics_total',
      'Reconciles that failed because of a bug.',
      c,
    ),
    reconcileTimeouts: counter(
      'controller_runtime_reconcile_timeouts_total',
      'Reconciles that timed out.',
      c,
    ),
    reconcileTime: histogram(
      'controller_runtime_reconcile_time_seconds',
      'Duration of reconciles.',
      c,
    ),
    activeWorkers: gauge('controller_runtime_active_workers', 'Number of busy workers.', c),
    maxConcurrent: gauge(
      'controller_runtime_max_concurrent_reconciles',
      'Maximum number of concurrent reconciles.',
      c,
    ),
    queueDepth: gauge('workqueue_depth', 'Number of objects waiting in the work queue.', n),
    queueAdds: counter('workqueue_adds_total', 'Objects added to the work queue.', n),
    queueWait: histogram(
      'workqueue_queue_duration_seconds',
      'How long an object waited in the work queue.',
      n,
    ),
    queueWork: histogram('workqueue_work_duration_seconds', 'Time to process an object.', n),
    queueUnfinished: gauge(
      'workqueue_unfinished_work_seconds',
      'Total time spent so far on the objects that are being processed.',
      n,
    ),
    queueLongest: gauge(
      'workqueue_longest_running_processor_seconds',
      'Longest time spent so far on an object that is being processed.',
      n,
    ),
    queueRetries: counter(
      'workqueue_retries_total',
      'Objects scheduled to be added to the work queue after a delay, such as for a retry.',
      n,
    ),
  };
}

/** Returns functions that create metrics. Without a registry, a metric is not exported until it is registered later. */
function makersIn(registry: Registry | undefined) {
  const registers = registry === undefined ? [] : [registry];
  return {
    counter: <L extends string>(name: string, help: string, labelNames: L[] = []) =>
      new Counter({ name, help, labelNames, registers }),
    gauge: <L extends string>(name: string, help: string, labelNames: L[] = []) =>
      new Gauge({ name, help, labelNames, registers }),
    histogram: <L extends string>(
      name: string,
      help: string,
      labelNames: L[] = [],
      buckets = CONTROLLER_BUCKETS,
    ) => new Histogram({ name, help, labelNames, buckets, registers }),
  };
}
