import { z } from 'zod';
import { StartupError } from './errors.ts';

/**
 * The only reader of process.env (contract §2). Everything is parsed at once, so that a user
 * sees all mistakes of a start in one go.
 */

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

const environment = z.object({
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
      'must look like parley_ and 20 or more letters or digits',
    )
    .optional(),
  PARLEY_MANIFESTS: z.string().optional(),
  PARLEY_EGRESS_ALLOW: list.optional(),
  PARLEY_ENCRYPTION_KEY: z
    .string()
    .refine(
      (text) => /^[A-Za-z0-9+/]{43}=$/.test(text),
      'must be 32 bytes in base64: openssl rand -base64 32',
    )
    .optional(),
  PARLEY_ENCRYPTION_KEY_PREVIOUS: z
    .string()
    .refine((text) => /^[A-Za-z0-9+/]{43}=$/.test(text), 'must be the 32 bytes in base64 of before')
    .optional(),
  PARLEY_RATE_LIMIT: z
    .string()
    .regex(/^\d{1,7}$/, 'must be requests a minute, a whole number; 0: no limit')
    .transform(Number)
    .optional(),
  PARLEY_WATCH_NAMESPACES: list.optional(),
  // Given to every pod by Kubernetes.
  KUBERNETES_SERVICE_HOST: z.string().optional(),
  KUBERNETES_SERVICE_PORT: z.string().prefault('443'),
  PARLEY_LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .optional(),
  // For fault tests only (src/failpoints.ts).
  PARLEY_FAILPOINTS: z.string().prefault(''),
});

/** The environment as read; what a role needs of it and its defaults are decided by the role. */
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
  manifests: string | undefined;
  /** CIDRs; undefined: the variable is not set */
  egressAllow: readonly string[] | undefined;
  /** Namespaces the operator answers for; empty: all */
  watchNamespaces: readonly string[];
  /** Where a pod finds the API server; undefined outside of one */
  kubernetesService: { host: string; port: string } | undefined;
  /** 32 bytes */
  encryptionKey: Buffer | undefined;
  /** 32 bytes; what was sealed with it still opens, while it is resealed */
  previousEncryptionKey: Buffer | undefined;
  /** Requests a minute for one API key; undefined: the role's default */
  rateLimit: number | undefined;
  /** undefined: info, and warn for `start`, which prints for people */
  logLevel: string | undefined;
  /** What to arm in `src/failpoints.ts`; empty outside of fault tests */
  failpoints: string;
};

/** @throws StartupError naming every variable that is wrong and how. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  // An empty variable is an unset one, as shells and Helm charts write it; but an empty
  // PARLEY_EGRESS_ALLOW says "nothing", which is not the default of `start`.
  const given = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => value !== '' || name === 'PARLEY_EGRESS_ALLOW'),
  );
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      (issue) => `${issue.path.join('.')}: ${issue.message}`,
    );
    throw new StartupError(problems.join('\n'));
  }
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
    manifests: e.PARLEY_MANIFESTS,
    egressAllow: e.PARLEY_EGRESS_ALLOW,
    watchNamespaces: e.PARLEY_WATCH_NAMESPACES ?? [],
    kubernetesService:
      e.KUBERNETES_SERVICE_HOST === undefined
        ? undefined
        : { host: e.KUBERNETES_SERVICE_HOST, port: e.KUBERNETES_SERVICE_PORT },
    encryptionKey: e.PARLEY_ENCRYPTION_KEY
      ? Buffer.from(e.PARLEY_ENCRYPTION_KEY, 'base64')
      : undefined,
    previousEncryptionKey: e.PARLEY_ENCRYPTION_KEY_PREVIOUS
      ? Buffer.from(e.PARLEY_ENCRYPTION_KEY_PREVIOUS, 'base64')
      : undefined,
    rateLimit: e.PARLEY_RATE_LIMIT,
    logLevel: e.PARLEY_LOG_LEVEL,
    failpoints: e.PARLEY_FAILPOINTS,
  };
}
