import type { Circus } from '@jest/types';
import { TestEnvironment } from 'jest-environment-node';

/** Node, and every test skipped where start-browser.ts found no Chromium. */
export default class BrowserEnvironment extends TestEnvironment {
  handleTestEvent(event: Circus.Event, state: Circus.State): void {
    if (event.name === 'run_start' && process.env['PARLEY_TEST_CHROMIUM'] === undefined)
      skipAll(state.rootDescribeBlock);
  }
}

function skipAll(block: Circus.DescribeBlock): void {
  for (const child of block.children) {
    if (child.type === 'test') child.mode = 'skip';
    else skipAll(child);
  }
}
