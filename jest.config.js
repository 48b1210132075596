// Node strips the types itself, so jest needs no transformer; ESM needs the flag that
// bin/bootstrap.mjs passes (--experimental-vm-modules).
export default {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {},
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: ['<rootDir>/test/e2e/'],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  // Two cores run PostgreSQL, a Kubernetes API server and the tests; more workers only wait.
  maxWorkers: 2,
  testTimeout: 30_000,
};
