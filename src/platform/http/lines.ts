import { ApiError } from '../../errors.ts';
import { asApiError } from './answer.ts';
import { problemOf } from './problem.ts';

/** Lists as lines of JSON without pages (contract/pagination.md#lists). */

export const LINES_TYPE = 'application/x-ndjson';

/**
 * Rejects the parameters of pages for a list in lines.
 * @throws ApiError invalid_parameter
 */
export function requireLinesOnly(query: {
  limit?: number | undefined;
  total?: boolean | undefined;
}): void {
  for (const name of ['limit', 'total'] as const) {
    if (query[name] === undefined) continue;
    throw new ApiError(
      'invalid_parameter',
      `\`${name}\` must be omitted: a list in lines (application/x-ndjson) has no pages.`,
    );
  }
}

/**
 * Makes an interrupted export recognizable. An error before the first byte is returned as usual. A later error is sent
 * as the last line, and then the connection is cut.
 */
export async function* visiblyBroken(
  lines: AsyncIterable<string>,
  requestId: string,
): AsyncGenerator<string> {
  let hasBegun = false;
  try {
    for await (const text of lines) {
      yield text;
      hasBegun = true;
    }
  } catch (error) {
    if (hasBegun) yield `\n${JSON.stringify(problemOf(asApiError(error), requestId))}\n`;
    throw error;
  }
}
