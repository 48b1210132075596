import { ApiError } from '../../errors.ts';
import { asApiError } from './answer.ts';
import { problemOf } from './problem.ts';

/** Lists sent as lines of JSON, without pages (contract/pagination.md#lists). */

export const LINES_TYPE = 'application/x-ndjson';

/**
 * Rejects paging parameters for a list that is sent as lines of JSON.
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
      `\`${name}\` must be omitted: a list sent as application/x-ndjson has no pages.`,
    );
  }
}

/**
 * Makes an interrupted export recognizable to the client. An error before the first line is thrown as usual. After a
 * later error, this function yields the problem document as the last line, and then throws, so that the connection is
 * cut.
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
