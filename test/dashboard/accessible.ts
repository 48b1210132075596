import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

let axeSource: string | undefined;

type Violation = {
  id: string;
  help: string;
  nodes: { target: unknown[]; failureSummary?: string }[];
};

/**
 * WCAG 2.2 AA as far as axe-core can tell, and headings whose levels skip none. It is run by the debugger in a world of its own, since the
 * policy of the page lets nobody else's script in.
 */
export async function expectAccessible(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
    // The same world as long as the document is the same.
    worldName: 'axe',
  });
  const evaluate = async (expression: string): Promise<unknown> => {
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      expression,
      contextId,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(`axe-core: ${JSON.stringify(exceptionDetails)}`);
    return result.value;
  };
  const isLoaded = await evaluate(`typeof axe !== 'undefined'`);
  if (isLoaded !== true) await evaluate(`${(axeSource ??= await readFile(AXE, 'utf8'))};0`);
  const only = JSON.stringify({
    runOnly: RULES,
    rules: { 'heading-order': { enabled: true } },
    resultTypes: ['violations'],
  });
  const text = await evaluate(
    `axe.run(document, ${only}).then(({ violations }) => JSON.stringify(violations))`,
  );
  await session.detach();
  const violations = JSON.parse(String(text)) as Violation[];
  if (violations.length > 0)
    throw new Error(`not accessible:\n${violations.map(describeViolation).join('\n')}`);
}

function describeViolation({ id, help, nodes }: Violation): string {
  const places = nodes.map(
    ({ target, failureSummary }) => `    ${target.join(' ')}: ${failureSummary ?? ''}`,
  );
  return [`  ${id}: ${help}`, ...places].join('\n');
}

/** Runs in the page: the texts of those elements that do not fit into their width. */
export function cutOff(elements: readonly Measured[]): string[] {
  return elements
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
    .map(({ textContent }) => textContent ?? '');
}

/** What a page measures of an element; other projects know no types of the DOM. */
type Measured = { scrollWidth: number; clientWidth: number; textContent: string | null };
