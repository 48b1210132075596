// Node strips the types itself, so jest needs no transformer; ESM needs the flag that
// bin/bootstrap.mjs passes (--experimental-vm-modules).
const common = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {},
  testPathIgnorePatterns: ['<rootDir>/test/e2e/'],
};

/** Of what kind a test is stands in its suffix, and says which servers are started for it. */
const kind = (name, globalSetup) => ({
  ...common,
  displayName: name,
  testMatch: [`<rootDir>/test/**/*.${name}.test.ts`],
  globalSetup: `<rootDir>/test/jest/${globalSetup}`,
  globalTeardown: '<rootDir>/test/jest/stop-servers.ts',
});

export default {
  projects: [
    {
      ...common,
      displayName: 'unit',
      testMatch: ['<rootDir>/test/**/!(*.pg|*.kube|*.faults|*.browser).test.ts'],
    },
    kind('pg', 'start-postgres.ts'),
    kind('kube', 'start-kube.ts'),
    kind('faults', 'start-kube.ts'),
    {
      ...kind('browser', 'start-browser.ts'),
      testEnvironment: '<rootDir>/test/jest/browser-environment.ts',
    },
    {
      ...kind('e2e', 'start-postgres.ts'),
      testMatch: ['<rootDir>/test/e2e/**/*.test.ts'],
      testPathIgnorePatterns: [],
    },
  ],
  // Two cores run PostgreSQL, a Kubernetes API server and the tests; more workers only wait.
  maxWorkers: 2,
  // Modules of a test file stay in memory after it, and collecting 4 GB of garbage is long enough to fail a test.
  workerIdleMemoryLimit: '1.5GB',
  testTimeout: 30_000,
};
