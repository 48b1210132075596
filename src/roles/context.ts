import {
  DEFAULT_LIMITS,
  DEFAULT_RETENTION,
  type Config,
  type Limits,
  type Retention,
} from '../config.ts';
import { createAddressGuard, type AddressGuard } from '../platform/egress/address-guard.ts';
import { checkUrl } from '../platform/egress/url-rules.ts';
import { StartupError } from '../errors.ts';
import type { ModelSettings } from '../models/model-endpoint.ts';
import { createLogger, type Logger } from '../platform/observability/logger.ts';
import { createMetrics, type Metrics } from '../platform/observability/metrics.ts';
import { readVersion } from '../platform/observability/version.ts';
import { createPool, type Pool } from '../platform/postgres/pool.ts';
import { createSealer, type Sealer } from '../platform/postgres/sealing.ts';

/**
 * Services that every role needs, created once per process. The store of declared objects is not included, because the
 * delivery role does not use it and must not load its code. That code is in postgres-declarations.ts and
 * kubernetes-declarations.ts.
 */
export type Context = {
  databaseUrl: string;
  pool: Pool;
  sealer: Sealer;
  guard: AddressGuard;
  metrics: Metrics;
  log: Logger;
  /** Limits per API key or namespace. */
  limits: Limits;
  /** How long events, ended conversations and audit entries are stored. */
  retention: Retention;
  /** Default model provider; undefined if none is configured. */
  modelSettings: ModelSettings | undefined;
  version: string;
  close: () => Promise<void>;
};

/** Services that a role uses. `close` is omitted, because the creator of the context closes it. */
export type RoleContext = Omit<Context, 'close'>;

export type ContextInput = {
  role: string;
  databaseUrl: string;
  /** Encryption key of 32 bytes. */
  encryptionKey: Buffer;
  /** Previous encryption key (32 bytes). Used only to decrypt values that were encrypted with this key. */
  previousEncryptionKey?: Buffer | undefined;
  egressAllow: readonly string[];
  proxyVariables?: readonly string[];
  /**
   * Address of the Kubernetes API server if this process runs in a pod. Requests to tenants' URLs must never reach this
   * address.
   */
  apiServer?: string | undefined;
  logLevel: string;
  /** Default: `DEFAULT_LIMITS`. */
  limits?: Limits;
  /** Default: `DEFAULT_RETENTION`. */
  retention?: Retention;
  model?: ModelSettings | undefined;
  poolMax: number;
};

export function createContext(input: ContextInput): Context {
  const { databaseUrl } = input;
  const guard = createGuard(input);
  const log = createLogger(input.logLevel, input.role);
  const { proxyVariables: variables = [] } = input;
  // Outgoing requests use no proxy, because the guard checks the address of every connection and would see only the
  // address of the proxy.
  if (variables.length > 0)
    log.warn({ variables }, 'Proxy variables are ignored. Outgoing requests connect directly.');
  const pool = createPool(databaseUrl, { log, max: input.poolMax });
  const sealer = createSealer(input.encryptionKey, input.previousEncryptionKey);
  return {
    databaseUrl,
    pool,
    sealer,
    log,
    guard,
    modelSettings: allowedModel(input.model, guard),
    limits: input.limits ?? DEFAULT_LIMITS,
    retention: input.retention ?? DEFAULT_RETENTION,
    metrics: createMetrics({ processMetrics: true }),
    version: readVersion(),
    close: () => pool.end(),
  };
}

function createGuard({ egressAllow, apiServer }: ContextInput): AddressGuard {
  try {
    return createAddressGuard({ allow: egressAllow, apiServer });
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    throw new StartupError(`PARLEY_EGRESS_ALLOW: ${error.message}`, { cause: error });
  }
}

/**
 * Applies the rules for tenants' URLs to the default model's endpoint. Host names are resolved and checked at each
 * connection.
 */
function allowedModel(
  model: ModelSettings | undefined,
  guard: AddressGuard,
): ModelSettings | undefined {
  const checked = model && checkUrl(model.url, guard);
  if (checked && 'problem' in checked) {
    throw new StartupError(`PARLEY_MODEL_URL: ${checked.problem}`);
  }
  return model;
}

/**
 * Returns the settings that every role requires.
 * @throws StartupError if `DATABASE_URL` or `PARLEY_ENCRYPTION_KEY` is not set
 */
export function requireRoleConfig(config: Config): { databaseUrl: string; encryptionKey: Buffer } {
  const { databaseUrl, encryptionKey } = config;
  const missing = [
    ...(databaseUrl === undefined ? ['DATABASE_URL: address of PostgreSQL'] : []),
    ...(encryptionKey === undefined
      ? ['PARLEY_ENCRYPTION_KEY: 32 bytes in base64, the same for all roles']
      : []),
  ];
  if (databaseUrl === undefined || encryptionKey === undefined) {
    throw new StartupError(`required settings are missing:\n${missing.join('\n')}`);
  }
  return { databaseUrl, encryptionKey };
}
