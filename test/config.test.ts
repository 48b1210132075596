import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS, readConfig } from '../src/config.ts';
import { StartupError } from '../src/errors.ts';

const KEY = Buffer.alloc(32, 5).toString('base64');

const problemsOf = (env: Record<string, string>): string[] => {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(StartupError);
    return (error as StartupError).message.split('\n');
  }
};

test('nothing set is a configuration too', () => {
  expect(readConfig({})).toMatchObject({
    databaseUrl: undefined,
    store: undefined,
    demo: true,
    dataDir: '.parley',
    port: undefined,
    host: undefined,
    metricsPort: 9090,
    baseUrl: undefined,
    apiKey: undefined,
    apiKeyNamespace: 'default',
    manifests: undefined,
    egressAllow: undefined,
    encryptionKey: undefined,
    logLevel: undefined,
  });
});

test.each(['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'])(
  '%s is noted, for the warning that it is ignored',
  (name) => {
    expect(readConfig({ [name]: 'http://proxy.example.com:3128' }).proxyVariables).toEqual([name]);
  },
);

test('NO_PROXY alone and empty proxy variables are not noted', () => {
  expect(readConfig({ HTTPS_PROXY: '', NO_PROXY: '*' }).proxyVariables).toEqual([]);
});

test.each([
  ['https://app.example.com', ['https://app.example.com']],
  ['https://a.example, http://localhost:5173', ['https://a.example', 'http://localhost:5173']],
  ['*', ['*']],
  ['', []],
])('PARLEY_CORS_ORIGINS=%s', (text, expected) => {
  expect(readConfig({ PARLEY_CORS_ORIGINS: text }).corsOrigins).toEqual(expected);
});

test.each([
  'app.example.com',
  'https://app.example.com/',
  'https://App.example.com',
  'https://app.example.com:443',
  '*,https://app.example.com',
  'null',
  'https://*.example.com',
])('PARLEY_CORS_ORIGINS=%s is no origin that a browser would send', (text) => {
  expect(problemsOf({ PARLEY_CORS_ORIGINS: text })).toEqual([
    expect.stringMatching(/^PARLEY_CORS_ORIGINS: must be origins such as https:/),
  ]);
});

test('every variable is read', () => {
  expect(
    readConfig({
      DATABASE_URL: 'postgresql://u:p@host/db',
      PARLEY_STORE: 'kubernetes',
      PARLEY_DEMO: '0',
      PARLEY_DATA_DIR: '/data',
      PARLEY_PORT: '8081',
      PARLEY_HOST: '::',
      PARLEY_METRICS_PORT: '0',
      PARLEY_BASE_URL: 'https://parley.example/x//',
      PARLEY_MANIFESTS: 'm',
      PARLEY_API_KEY: `parley_${'a'.repeat(40)}`,
      PARLEY_API_KEY_NAMESPACE: 'team-a',
      PARLEY_EGRESS_ALLOW: ' 10.0.0.0/8 , fd00::/8,',
      PARLEY_ENCRYPTION_KEY: KEY,
      PARLEY_LOG_LEVEL: 'debug',
    }),
  ).toMatchObject({
    databaseUrl: 'postgresql://u:p@host/db',
    store: 'kubernetes',
    demo: false,
    dataDir: '/data',
    port: 8081,
    host: '::',
    metricsPort: 0,
    baseUrl: 'https://parley.example/x',
    manifests: 'm',
    apiKey: `parley_${'a'.repeat(40)}`,
    apiKeyNamespace: 'team-a',
    egressAllow: ['10.0.0.0/8', 'fd00::/8'],
    encryptionKey: Buffer.alloc(32, 5),
    logLevel: 'debug',
  });
});

test('limits and quotas are read, and 0 is none', () => {
  const { limits } = readConfig({
    PARLEY_LIMIT_EVENT_STREAMS: '10,20,30',
    PARLEY_LIMIT_UPLOADS: '0',
    PARLEY_LIMIT_REPLAY_JOBS: '1,2',
    PARLEY_QUOTA_AGENTS: '0',
    PARLEY_QUOTA_KNOWLEDGE_BYTES: '5000000000',
  });
  expect(limits).toEqual({
    shares: {
      ...DEFAULT_LIMITS.shares,
      event_streams: { key: 10, namespace: 20, process: 30 },
      uploads: null,
    },
    replayJobs: { key: 1, namespace: 2 },
    quotas: { ...DEFAULT_LIMITS.quotas, agents: 0, knowledge_bytes: 5_000_000_000 },
  });
  expect(readConfig({}).limits).toEqual(DEFAULT_LIMITS);
});

test('a kind of declared thing has a quota without an entry here', () => {
  expect(readConfig({ PARLEY_QUOTA_GREETINGS: '5' }).limits.quotas).toMatchObject({ greetings: 5 });
  expect(() => readConfig({ PARLEY_QUOTA_GREETINGS: 'x' })).toThrow(
    'PARLEY_QUOTA_GREETINGS: must be a whole number; 0 means no limit',
  );
});

test('retention is whole days; what is set alone changes', () => {
  expect(readConfig({}).retention).toEqual({ events: 30, conversations: 0, audit: 0 });
  const { retention } = readConfig({
    PARLEY_RETENTION_EVENTS: '4',
    PARLEY_RETENTION_CONVERSATIONS: '1',
  });
  expect(retention).toEqual({ events: 4, conversations: 1, audit: 0 });
});

const WRONG: [string, string][] = [
  ['PARLEY_RETENTION_EVENTS', '3'],
  ['PARLEY_RETENTION_EVENTS', '0'],
  ['PARLEY_RETENTION_EVENTS', '366'],
  ['PARLEY_RETENTION_CONVERSATIONS', '3651'],
  ['PARLEY_RETENTION_AUDIT', '1.5'],
  ['PARLEY_RETENTION_AUDIT', '-1'],
  ['PARLEY_LIMIT_EVENT_STREAMS', '100'],
  ['PARLEY_LIMIT_EVENT_STREAMS', '100,100,500'],
  ['PARLEY_LIMIT_EVENT_STREAMS', '0,1,2'],
  ['PARLEY_LIMIT_REPLAY_JOBS', '3,2'],
  ['PARLEY_LIMIT_REPLAY_JOBS', '1,2,3'],
  ['PARLEY_QUOTA_AGENTS', '-1'],
  ['DATABASE_URL', 'mysql://host/db'],
  ['DATABASE_URL', 'localhost:5432'],
  ['PARLEY_STORE', 'etcd'],
  ['PARLEY_DEMO', 'yes'],
  ['PARLEY_PORT', '65536'],
  ['PARLEY_PORT', '-1'],
  ['PARLEY_PORT', '80.5'],
  ['PARLEY_PORT', 'http'],
  ['PARLEY_METRICS_PORT', '99999'],
  ['PARLEY_BASE_URL', 'parley.example'],
  ['PARLEY_API_KEY', 'secret'],
  ['PARLEY_API_KEY', 'parley_short'],
  ['PARLEY_API_KEY_NAMESPACE', 'Team A'],
  ['PARLEY_ENCRYPTION_KEY', Buffer.alloc(31).toString('base64')],
  ['PARLEY_ENCRYPTION_KEY', Buffer.alloc(33).toString('base64')],
  ['PARLEY_ENCRYPTION_KEY', 'a'.repeat(32)],
  ['PARLEY_LOG_LEVEL', 'loud'],
];

test.each(WRONG)('%s=%s is refused by name', (name, value) => {
  const problems = problemsOf({ [name]: value });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(new RegExp(`^${name}: .{10,}`));
});

test('all mistakes are named at once, and no value is repeated', () => {
  const env = Object.fromEntries(WRONG.toReversed());
  const problems = problemsOf(env);
  expect(problems.map((problem) => problem.split(':')[0]!).sort()).toEqual(Object.keys(env).sort());
  for (const name of ['PARLEY_API_KEY', 'PARLEY_ENCRYPTION_KEY', 'DATABASE_URL']) {
    expect(problems.join('\n')).not.toContain(env[name]);
  }
});

test('an empty variable is an unset one, but an empty allow list allows nothing', () => {
  const names = new Set(WRONG.map(([name]) => name));
  const empty = Object.fromEntries([...names].map((name) => [name, '']));
  expect(readConfig(empty)).toEqual(readConfig({}));
  expect(readConfig({ PARLEY_EGRESS_ALLOW: '' }).egressAllow).toEqual([]);
  expect(readConfig({ PARLEY_EGRESS_ALLOW: ' , ' }).egressAllow).toEqual([]);
});

test('variables of others are left alone', () => {
  expect(readConfig({ PATH: '/bin', PARLEY_UNKNOWN: 'x' })).toEqual(readConfig({}));
});

describe('the default provider of models', () => {
  const given = { PARLEY_MODEL_URL: 'http://localhost:11434/v1', PARLEY_MODEL: 'm-1' };

  test('is its address, its model and a key, which may be missing', () => {
    expect(readConfig({}).model).toBeUndefined();
    const { PARLEY_MODEL_URL: url, PARLEY_MODEL: model } = given;
    expect(readConfig(given).model).toEqual({ url, model, key: undefined });
    expect(readConfig({ ...given, PARLEY_MODEL_KEY: 'k' }).model).toEqual({ url, model, key: 'k' });
    const embedding = { ...given, PARLEY_EMBEDDING_MODEL: 'e-1' };
    expect(readConfig(embedding).model).toEqual({ url, model, embeddingModel: 'e-1' });
  });

  test.each([
    [
      { PARLEY_MODEL_URL: given.PARLEY_MODEL_URL },
      'PARLEY_MODEL: is required with PARLEY_MODEL_URL',
    ],
    [{ PARLEY_MODEL: 'm-1' }, 'PARLEY_MODEL: requires PARLEY_MODEL_URL'],
    [{ PARLEY_EMBEDDING_MODEL: 'e' }, 'PARLEY_EMBEDDING_MODEL: requires PARLEY_MODEL_URL'],
    [{ PARLEY_MODEL_KEY: 'k' }, 'PARLEY_MODEL_KEY: requires PARLEY_MODEL_URL'],
    [{ ...given, PARLEY_MODEL_URL: 'ftp://x.example' }, 'PARLEY_MODEL_URL: must be a base URL'],
    [
      { ...given, PARLEY_MODEL_URL: 'https://x.example/v1?a=b' },
      'PARLEY_MODEL_URL: must be a base URL',
    ],
  ])('%j is refused', (env, problem) => {
    expect(problemsOf(env)).toEqual([expect.stringContaining(problem)]);
  });

  test('is named with all else that is wrong', () => {
    expect(problemsOf({ PARLEY_MODEL_KEY: 'k', PARLEY_PORT: 'x' })).toHaveLength(2);
  });
});

describe('a collector of spans', () => {
  const COMMON = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otel.test//' };
  const urlOf = (env: Record<string, string>): string | undefined => readConfig(env).tracing?.url;

  test('is its own address as it is, or the common one with a path', () => {
    expect(urlOf({})).toBeUndefined();
    expect(urlOf(COMMON)).toBe('https://otel.test/v1/traces');
    const own = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.test/a' };
    expect(urlOf({ ...COMMON, ...own })).toBe('https://traces.test/a');
  });

  test.each([
    [{ OTEL_SDK_DISABLED: 'TRUE' }, false],
    [{ OTEL_SDK_DISABLED: 'no' }, true],
    [{ OTEL_TRACES_EXPORTER: 'none' }, false],
    [{ OTEL_TRACES_EXPORTER: 'otlp' }, true],
  ])('with %j is used: %s', (over, isUsed) => {
    expect(urlOf({ ...COMMON, ...over }) !== undefined).toBe(isUsed);
  });
});
