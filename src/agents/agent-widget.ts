import { z } from 'zod';
import { LIST_SET } from '../platform/resources/schema/field-types.ts';
import { saying } from '../platform/resources/schema/patterns.ts';

/** Web pages that an agent may be talked with from (contract §4): no content, it makes no versions. */

/** As a browser sends it (RFC 6454): lower case, and without the port that its scheme has anyway. */
export const origin = z
  .string()
  .min(1)
  .max(255)
  .regex(
    ...saying(
      /^(https:\/\/[0-9a-z]([-0-9a-z.]*[0-9a-z])?|http:\/\/(localhost|127\.0\.0\.1))(:[1-9][0-9]{0,4})?$/,
      'must be an origin in lower case, such as https://shop.example.com: https (http for localhost and 127.0.0.1 alone), a host, a port if it has one, no path',
    ),
  );

export const WIDGET_TALKS_MAX = 100;

export const widget = z.strictObject({
  allowedOrigins: z
    .array(origin)
    .max(50)
    .meta(LIST_SET)
    .describe('Origins whose pages may talk with it, such as https://shop.example.com.'),
  maxConcurrent: z
    .int()
    .min(1)
    .max(1000)
    .describe(
      `Most visitors who speak at once, and who come in a minute; ${WIDGET_TALKS_MAX} when absent.`,
    )
    .exactOptional(),
});
