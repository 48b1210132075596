import { TestRunner } from 'vitest';
import type { RunnerTask, RunnerTestFile } from 'vitest';

/** Skips every test if start-browser.ts found no Chromium. */
export default class BrowserRunner extends TestRunner {
  onCollected(files: RunnerTestFile[]): void {
    if (process.env['PARLEY_TEST_CHROMIUM'] === undefined) files.forEach(skip);
  }
}

function skip(task: RunnerTask): void {
  task.mode = 'skip';
  if ('tasks' in task) task.tasks.forEach(skip);
}
