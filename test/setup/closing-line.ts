import type { Reporter, TestModule } from 'vitest/node';

/** Prints `parley: 381 passed, 2 failed` at the end of a run, for .ci/run. A file that does not load is a failure. */
export class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const count = { passed: 0, failed: errors.length };
    for (const module of modules) {
      if (module.errors().length > 0) count.failed += 1;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed' || state === 'failed') count[state] += 1;
      }
    }
    console.log(`parley: ${count.passed} passed, ${count.failed} failed`);
  }
}
