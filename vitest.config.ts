import { defineConfig } from 'vitest/config';
import { ClosingLine } from './test/setup/closing-line.ts';

/** The suffix of a test file says which servers it needs; each kind starts them once for the whole run. */
const kind = (name: string, options: object = {}) => ({
  extends: true as const,
  test: { name, include: [`test/**/*.${name}.test.ts`], exclude: ['test/e2e/**'], ...options },
});

export default defineConfig({
  test: {
    // A worker loads the program once and keeps it for all of its test files, with Node's own loader and type
    // stripping (docs/decisions/0063-tests-share-the-program.md).
    pool: 'forks',
    isolate: false,
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Tests leave much garbage behind: with the usual 16 MB a worker spends a tenth of its time on it.
    execArgv: ['--max-semi-space-size=64'],
    // Tests wait about as long as they compute.
    maxWorkers: 4,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    restoreMocks: true,
    slowTestThreshold: 5_000,
    reporters: ['default', new ClosingLine()],
    projects: [
      kind('check', { include: ['test/check/**/*.test.ts'] }),
      kind('unit', {
        include: ['test/**/*.test.ts'],
        exclude: ['test/**/*.{http,program,pg,kube,faults,browser}.test.ts', 'test/{check,e2e}/**'],
      }),
      kind('http'),
      kind('program'),
      kind('pg', { globalSetup: 'test/setup/start-postgres.ts' }),
      kind('kube', {
        globalSetup: 'test/setup/start-kube.ts',
        setupFiles: ['test/setup/kube-file.ts'],
      }),
      kind('faults', {
        globalSetup: 'test/setup/start-kube.ts',
        setupFiles: ['test/setup/kube-file.ts'],
        testTimeout: 120_000,
        hookTimeout: 120_000,
      }),
      kind('browser', {
        globalSetup: 'test/setup/start-browser.ts',
        setupFiles: ['test/setup/browser-file.ts'],
        runner: 'test/setup/browser-runner.ts',
        testTimeout: 90_000,
        hookTimeout: 90_000,
      }),
      kind('e2e', {
        globalSetup: 'test/setup/start-postgres.ts',
        include: ['test/e2e/**/*.test.ts'],
        exclude: [],
      }),
    ],
  },
});
