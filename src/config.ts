import { z } from 'zod';
import { StartupError } from './errors.ts';

/** The only module that reads `process.env` (contract/running.md#settings). It reports all invalid settings at once. */

const port = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a number from 0 to 65535')
  .transform(Number)
  .refine((number) => number <= 65_535, 'must be a number from 0 to 65535');

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean),
);

/** Origins in the form that browsers send: scheme, host and port, in lower case. */
const origins = list.refine(
  (given) => given.every(isOrigin) || (given.length === 1 && given[0] === '*'),
  'must be origins such as https://app.example.com without a path, or a single *',
);

function isOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** Limits on concurrent work in one process: for one API key, for its whole namespace, and in total. */
export type Shares = { key: number; namespace: number; process: number };

/** Parses a list of increasing numbers, one per name, such as `100,300,500`. A single `0` means no limit (null). */
function ascending<N extends string>(...names: readonly N[]) {
  const form = names.join(',').toUpperCase();
  return z
    .string()
    .regex(
      new RegExp(String.raw`^(0|\d{1,6}(,\d{1,6}){${names.length - 1}})$`),
      `must be ${form}, each larger than the previous one, or 0 for no limit`,
    )
    .transform((text) => (text === '0' ? null : text.split(',').map(Number)))
    .refine(
      (numbers) => numbers === null || numbers.every((number, i) => number > (numbers[i - 1] ?? 0)),
      `must be ${form}, each larger than the previous one, so that one key cannot use up the limit of its namespace`,
    )
    .transform((numbers) => {
      if (numbers === null) return null;
      // The cast is safe: the pattern above requires one number per name.
      return Object.fromEntries(names.map((name, i) => [name, numbers[i]])) as Record<N, number>;
    });
}

const shares = ascending('key', 'namespace', 'process');

const quota = z
  .string()
  .regex(/^\d{1,12}$/, 'must be a whole number; 0 means no limit')
  .transform(Number);

const KEY_OF_32_BYTES = /^[A-Za-z0-9+/]{43}=$/;

/**
 * Limits on concurrent work (`PARLEY_LIMIT_…`) and stored data (`PARLEY_QUOTA_…`), docs/decisions/0021. The quota of
 * webhook endpoints is lower, because each event is stored and sent once per endpoint. 0 means no limit.
 */
const limits = {
  PARLEY_LIMIT_EVENT_STREAMS: shares.prefault('100,300,500'),
  PARLEY_LIMIT_MESSAGE_STREAMS: shares.prefault('100,300,500'),
  PARLEY_LIMIT_UPLOADS: shares.prefault('2,3,4'),
  PARLEY_LIMIT_REPLAY_REQUESTS: shares.prefault('4,8,12'),
  PARLEY_LIMIT_REPLAY_JOBS: ascending('key', 'namespace').prefault('5,10'),
  PARLEY_QUOTA_KNOWLEDGE_BYTES: quota.prefault(String(10 * 1024 ** 3)),
  PARLEY_QUOTA_API_KEYS: quota.prefault('1000'),
  PARLEY_QUOTA_WEBHOOK_ENDPOINTS: quota.prefault('100'),
};

/** Parses an integer in a range. `zero` describes the meaning of 0, if 0 is allowed in addition to the range. */
function whole(unit: string, min: number, max: number, zero = '') {
  const detail = `must be a whole number of ${unit} from ${min} to ${max}${zero}`;
  const isAllowed = (number: number): boolean =>
    (number === 0 && zero !== '') || (number >= min && number <= max);
  return z
    .string()
    .regex(/^\d{1,5}$/, detail)
    .transform(Number)
    .refine(isAllowed, detail);
}

const YEAR = 365;
/** Ten years, in days. */
const LONG = 3_650;

/**
 * How long past data is kept. A delivery lives for 72 h, and its event must be kept at least as long. Events are kept
 * for at most a year, because each day of events takes up three tables.
 */
const retention = {
  PARLEY_RETENTION_EVENTS: whole('days', 4, YEAR).prefault('30'),
  PARLEY_RETENTION_CONVERSATIONS: whole('days', 1, LONG, ', or 0 for no limit').prefault('0'),
  PARLEY_RETENTION_AUDIT: whole('days', 1, LONG, ', or 0 for no limit').prefault('0'),
};

/** OpenTelemetry variables for exporting spans. Parley parses them itself, not the OpenTelemetry SDK. */
const tracing = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  OTEL_SDK_DISABLED: z.string().optional(),
  OTEL_TRACES_EXPORTER: z.string().optional(),
  OTEL_TRACES_SAMPLER: z
    .enum([
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ])
    .default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d+)?|1(\.0+)?)$/, 'must be a fraction from 0 to 1, such as 0.1')
    .transform(Number)
    .prefault('1'),
};

/** Settings for exporting spans. Without them, the OpenTelemetry packages are not loaded. */
export type TracingSettings = {
  url: string;
  sampler: z.output<typeof tracing.OTEL_TRACES_SAMPLER>;
  /** Fraction of traces to sample, from 0 to 1. Only the `traceidratio` samplers use it. */
  ratio: number;
};

export const environment = z.object({
  ...limits,
  ...retention,
  ...tracing,
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must begin with postgresql://')
    .optional(),
  PARLEY_STORE: z.enum(['kubernetes', 'postgres']).optional(),
  PARLEY_DEMO: z.enum(['0', '1']).default('1'),
  PARLEY_DATA_DIR: z.string().default('.parley'),
  PARLEY_PORT: port.optional(),
  PARLEY_HOST: z.string().optional(),
  PARLEY_METRICS_PORT: port.prefault('9090'),
  PARLEY_BASE_URL: z.url({ protocol: /^https?$/ }).optional(),
  PARLEY_API_KEY: z
    .string()
    .regex(
      /^parley_[A-Za-z0-9_-]{20,200}$/,
      'must be parley_ followed by at least 20 letters or digits',
    )
    .optional(),
  PARLEY_MANIFESTS: z.string().optional(),
  PARLEY_EGRESS_ALLOW: list.optional(),
  PARLEY_ENCRYPTION_KEY: z
    .string()
    .regex(KEY_OF_32_BYTES, 'must be 32 bytes in base64; create one with: openssl rand -base64 32')
    .optional(),
  PARLEY_ENCRYPTION_KEY_PREVIOUS: z
    .string()
    .regex(KEY_OF_32_BYTES, 'must be the previous key, 32 bytes in base64')
    .optional(),
  PARLEY_MODEL_URL: z
    .string()
    .regex(/^https?:\/\/[^?#]+$/, 'must be a base URL, such as https://api.example.com/v1')
    .refine((text) => URL.canParse(text), 'is not a URL')
    .optional(),
  PARLEY_MODEL_KEY: z.string().optional(),
  PARLEY_MODEL: z.string().max(128).optional(),
  PARLEY_EMBEDDING_MODEL: z.string().max(128).optional(),
  PARLEY_RATE_LIMIT: z
    .string()
    .regex(/^\d{1,7}$/, 'must be a whole number of requests per minute; 0 means no limit')
    .transform(Number)
    .optional(),
  PARLEY_CORS_ORIGINS: origins.optional(),
  PARLEY_CALL_DRAIN_SEC: whole('seconds', 0, 86_400).optional(),
  PARLEY_WATCH_NAMESPACES: list.optional(),
  PARLEY_API_KEY_NAMESPACE: z.stringFormat('namespace', /^[a-z0-9-]+$/).prefault('default'),
  // Set by Kubernetes in every pod.
  KUBERNETES_SERVICE_HOST: z.string().optional(),
  KUBERNETES_SERVICE_PORT: z.string().prefault('443'),
  PARLEY_LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .optional(),
  // Used only by fault tests (src/failpoints.ts).
  PARLEY_FAILPOINTS: z.string().prefault(''),
});

/** Adds every quota variable in `given` to the schema, such as `PARLEY_QUOTA_AGENTS`. */
function environmentOf(given: object): typeof environment {
  const names = Object.keys(given).filter((name) => QUOTA_SETTING.test(name));
  const quotas = Object.fromEntries(names.map((name) => [name, quota]));
  return environment.extend(quotas) as unknown as typeof environment; // The type omits the quota settings.
}

/** Checks that the model settings are complete: a key or a model requires a URL, and a URL requires a model. */
function modelProblems({
  PARLEY_MODEL_URL: url,
  PARLEY_MODEL_KEY: key,
  PARLEY_MODEL: model,
  PARLEY_EMBEDDING_MODEL: embeddingModel,
}: Record<string, string | undefined>): string[] {
  const isAlone = 'requires PARLEY_MODEL_URL, the base URL of the model API';
  const isNeeded = 'is required with PARLEY_MODEL_URL, as the model of agents that do not name one';
  return [
    ...(url === undefined && key !== undefined ? [`PARLEY_MODEL_KEY: ${isAlone}`] : []),
    ...(url === undefined && model !== undefined ? [`PARLEY_MODEL: ${isAlone}`] : []),
    ...(url === undefined && embeddingModel !== undefined
      ? [`PARLEY_EMBEDDING_MODEL: ${isAlone}`]
      : []),
    ...(url !== undefined && model === undefined ? [`PARLEY_MODEL: ${isNeeded}`] : []),
  ];
}

function modelOf({
  PARLEY_MODEL_URL: url,
  PARLEY_MODEL_KEY: key,
  PARLEY_MODEL: model,
  PARLEY_EMBEDDING_MODEL: embeddingModel,
}: z.output<typeof environment>): Config['model'] {
  if (url === undefined || model === undefined) return undefined;
  return { url, key, model, embeddingModel };
}

/** Limits on concurrent work; null means no limit. */
export type InFlightShares = Record<
  'event_streams' | 'message_streams' | 'uploads' | 'replay_requests',
  Shares | null
>;

/** Quotas per namespace, in objects or (`knowledge_bytes`) in bytes. 0 means no limit. Default: 1,000 (quota.ts). */
export type Quotas = Readonly<Record<string, number>>;

const QUOTA_SETTING = /^PARLEY_QUOTA_[A-Z_]+$/;

export type Limits = {
  shares: InFlightShares;
  /** Limits on replay jobs, counted over all processes together. */
  replayJobs: Omit<Shares, 'process'> | null;
  quotas: Quotas;
};

/** Retention times in days; 0 means forever. */
export type Retention = {
  /** How long events can be replayed and streamed. Never 0. */
  events: number;
  /** How long a conversation is kept after it has ended. */
  conversations: number;
  audit: number;
};

/** Parsed environment. Each role decides which settings it needs, and which defaults they have. */
export type Config = {
  databaseUrl: string | undefined;
  store: 'kubernetes' | 'postgres' | undefined;
  demo: boolean;
  dataDir: string;
  port: number | undefined;
  host: string | undefined;
  metricsPort: number;
  baseUrl: string | undefined;
  apiKey: string | undefined;
  apiKeyNamespace: string;
  manifests: string | undefined;
  /** CIDRs and host patterns that requests to tenants' URLs may reach; undefined if the variable is not set. */
  egressAllow: readonly string[] | undefined;
  /** Names of proxy variables that are set but ignored. */
  proxyVariables: readonly string[];
  /** Namespaces that the operator handles; empty means all. */
  watchNamespaces: readonly string[];
  /** Address of the Kubernetes API server. Undefined outside a pod. */
  kubernetesService: { host: string; port: string } | undefined;
  /** 32-byte key that encrypts stored secrets. */
  encryptionKey: Buffer | undefined;
  /** Previous 32-byte key. It only decrypts values that are not yet re-encrypted with the current key. */
  previousEncryptionKey: Buffer | undefined;
  /** Provider and models for agents that do not name their own. Undefined if no provider is set. */
  model:
    | { url: string; key: string | undefined; model: string; embeddingModel: string | undefined }
    | undefined;
  /** Requests per minute for one API key; undefined means the role's default. */
  rateLimit: number | undefined;
  /** How long a shutdown waits for active calls; undefined means the role's default. */
  callDrainSec: number | undefined;
  /** Origins whose pages may call the API, or a single `*`. Empty means none. */
  corsOrigins: readonly string[];
  limits: Limits;
  retention: Retention;
  tracing: TracingSettings | undefined;
  /** Undefined means the default: `warn` for `start`, whose output people read, and `info` for other commands. */
  logLevel: string | undefined;
  /** Failpoints to arm (`src/failpoints.ts`); empty outside of fault tests. */
  failpoints: string;
};

const fromBase64 = (text?: string) => (text ? Buffer.from(text, 'base64') : undefined);

/** Reads the environment. @throws StartupError that lists every invalid variable and what is wrong with it */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  // An empty variable counts as unset, because shells and Helm charts produce empty variables. The exception is
  // `PARLEY_EGRESS_ALLOW`: an empty value allows no private addresses, but `start` allows some by default.
  const given = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => value !== '' || name === 'PARLEY_EGRESS_ALLOW'),
  );
  const parsed = environmentOf(given).safeParse(given);
  const issues = parsed.error?.issues ?? [];
  const problems = [
    ...issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`),
    ...modelProblems(given),
  ];
  if (!parsed.success || problems.length > 0) throw new StartupError(problems.join('\n'));
  const e = parsed.data;
  return {
    databaseUrl: e.DATABASE_URL,
    store: e.PARLEY_STORE,
    demo: e.PARLEY_DEMO === '1',
    dataDir: e.PARLEY_DATA_DIR,
    port: e.PARLEY_PORT,
    host: e.PARLEY_HOST,
    metricsPort: e.PARLEY_METRICS_PORT,
    baseUrl: e.PARLEY_BASE_URL?.replace(/\/+$/, ''),
    apiKey: e.PARLEY_API_KEY,
    apiKeyNamespace: e.PARLEY_API_KEY_NAMESPACE,
    manifests: e.PARLEY_MANIFESTS,
    egressAllow: e.PARLEY_EGRESS_ALLOW,
    proxyVariables: Object.keys(given).filter((name) => /^(https?|all)_proxy$/i.test(name)),
    watchNamespaces: e.PARLEY_WATCH_NAMESPACES ?? [],
    kubernetesService:
      e.KUBERNETES_SERVICE_HOST === undefined
        ? undefined
        : { host: e.KUBERNETES_SERVICE_HOST, port: e.KUBERNETES_SERVICE_PORT },
    encryptionKey: fromBase64(e.PARLEY_ENCRYPTION_KEY),
    previousEncryptionKey: fromBase64(e.PARLEY_ENCRYPTION_KEY_PREVIOUS),
    model: modelOf(e),
    rateLimit: e.PARLEY_RATE_LIMIT,
    callDrainSec: e.PARLEY_CALL_DRAIN_SEC,
    corsOrigins: e.PARLEY_CORS_ORIGINS ?? [],
    limits: limitsOf(e),
    retention: retentionOf(e),
    tracing: tracingOf(e),
    logLevel: e.PARLEY_LOG_LEVEL,
    failpoints: e.PARLEY_FAILPOINTS,
  };
}

/** Returns a message for each setting without effect. `hasCluster`: whether a Kubernetes cluster stores the objects. */
export function notUsed(
  { watchNamespaces }: Pick<Config, 'watchNamespaces'>,
  { hasCluster }: { hasCluster: boolean },
): readonly string[] {
  const namespaces =
    'PARLEY_WATCH_NAMESPACES: not used without a cluster, so all namespaces are watched';
  return !hasCluster && watchNamespaces.length > 0 ? [namespaces] : [];
}

/** Limits that apply if the environment sets none. */
export const DEFAULT_LIMITS: Limits = limitsOf(z.object(limits).parse({}));

export const DEFAULT_RETENTION: Retention = retentionOf(z.object(retention).parse({}));

function retentionOf(e: z.output<z.ZodObject<typeof retention>>): Retention {
  return {
    events: e.PARLEY_RETENTION_EVENTS,
    conversations: e.PARLEY_RETENTION_CONVERSATIONS,
    audit: e.PARLEY_RETENTION_AUDIT,
  };
}

/** Returns the tracing settings. Appends `/v1/traces` to the general OTLP endpoint, but not to the one for traces. */
function tracingOf(e: z.output<z.ZodObject<typeof tracing>>): TracingSettings | undefined {
  const common = e.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/*$/, '/v1/traces');
  const url = e.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? common;
  const isOff = e.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || e.OTEL_TRACES_EXPORTER === 'none';
  if (url === undefined || isOff) return undefined;
  return { url, sampler: e.OTEL_TRACES_SAMPLER, ratio: e.OTEL_TRACES_SAMPLER_ARG };
}

function limitsOf(e: z.output<z.ZodObject<typeof limits>>): Limits {
  return {
    shares: {
      event_streams: e.PARLEY_LIMIT_EVENT_STREAMS,
      message_streams: e.PARLEY_LIMIT_MESSAGE_STREAMS,
      uploads: e.PARLEY_LIMIT_UPLOADS,
      replay_requests: e.PARLEY_LIMIT_REPLAY_REQUESTS,
    },
    replayJobs: e.PARLEY_LIMIT_REPLAY_JOBS,
    quotas: quotasIn(e),
  };
}

function quotasIn(settings: object): Quotas {
  const given = Object.entries(settings).filter(([name]) => QUOTA_SETTING.test(name));
  return Object.fromEntries(
    given.map(([name, value]) => [name.replace('PARLEY_QUOTA_', '').toLowerCase(), Number(value)]),
  );
}
