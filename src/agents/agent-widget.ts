import { z } from 'zod';
import { LIST_SET } from '../platform/resources/schema/field-types.ts';
import { saying } from '../platform/resources/schema/patterns.ts';

/**
 * Patterns for the origins of web pages that may open conversations with an agent (contract/agents.md#widget), and
 * functions that compare origins. The allowed origins are not part of the versioned content.
 */

const HOST = String.raw`[0-9a-z_]([-0-9a-z_.]*[0-9a-z_])?|\[[0-9a-f:.]+\]`;
const WEB = `https://(${HOST})`;
/** Pattern for `http` origins, which are allowed only on the visitor's own machine. */
const LOCAL = String.raw`http://(([-0-9a-z]+\.)*localhost|127\.0\.0\.1|\[::1\])`;
/**
 * Pattern for apps and extensions, such as `capacitor://localhost`. It excludes `http` and `https` letter by letter,
 * because the API server's regular expressions (RE2) have no negative lookahead.
 */
const APP = '([a-gi-z]|h[a-su-z0-9+.-])[a-z0-9+.-]*://[-0-9A-Za-z._~]+';
/**
 * Pattern for an origin with a wildcard (`*`). At least two labels follow the wildcard, and the last begins with a
 * letter, so neither `*.com` nor `*.0.0.1` matches.
 */
const STAR = String.raw`https://\*(\.[0-9a-z_]([-0-9a-z_]*[0-9a-z_])?)+\.[a-z]([-0-9a-z]*[0-9a-z])?`;
const PORT = '(:[1-9][0-9]{0,4})?';

const originOf = (pattern: string, words: string) =>
  z
    .string()
    .min(1)
    .max(255)
    .regex(...saying(new RegExp(`^(${pattern})${PORT}$`), words));

/** An origin as browsers send it (RFC 6454), without the default port of its scheme. */
export const origin = originOf(
  `${WEB}|${LOCAL}|${APP}`,
  'must be an origin as browsers send it, such as https://shop.example.com or capacitor://localhost: a scheme (http only for localhost and 127.0.0.1), a host, an optional port, no path',
).refine(
  (one) => withoutDefaultPort(one) === one,
  'must not have the default port, which browsers omit: write https://shop.example.com instead of https://shop.example.com:443',
);

const allowedOrigin = originOf(
  `${WEB}|${STAR}|${LOCAL}|${APP}`,
  'must be an origin as browsers send it, such as https://shop.example.com or capacitor://localhost: a scheme (http only for localhost and 127.0.0.1), a host, an optional port, no path; * may replace the first label of the host, as in https://*.preview.example.com',
);

/**
 * Returns true if one of the allowed origins matches the page's origin. The wildcard `*` matches one label of the host.
 * An allowed origin may include the default port of its scheme, which browsers omit.
 */
export function allowsOrigin(allowed: readonly string[], pageOrigin: string): boolean {
  const rest = /^https:\/\/[-0-9a-z_]+(\..*)$/.exec(pageOrigin)?.[1];
  const starred = rest === undefined ? undefined : `https://*${rest}`;
  return allowed.map(withoutDefaultPort).some((one) => one === pageOrigin || one === starred);
}

function withoutDefaultPort(one: string): string {
  return one.replace(/^(https:\/\/.*):443$|^(http:\/\/.*):80$/, '$1$2');
}

export const WIDGET_TALKS_MAX = 100;

/** Widget fields of a REST body. A merge patch may omit the origins; the store then validates the merged result. */
type WidgetFields = {
  allowed_origins?: readonly string[] | undefined;
  max_concurrent?: number | undefined;
};

/** Returns true if a change allows more pages or more simultaneous visitors than before. */
export function opensWidget(
  before: WidgetFields | undefined,
  after: WidgetFields | undefined,
): boolean {
  const origins = after?.allowed_origins ?? [];
  if (origins.length === 0) return false;
  const known = before?.allowed_origins ?? [];
  const { max_concurrent: most = WIDGET_TALKS_MAX } = before ?? {};
  return (
    origins.some((one) => !known.includes(one)) ||
    (after?.max_concurrent ?? WIDGET_TALKS_MAX) > most
  );
}

export const widget = z.strictObject({
  allowedOrigins: z
    .array(allowedOrigin)
    .max(50)
    .meta(LIST_SET)
    .describe(
      'Origins of the web pages that may open conversations with the agent, such as ' +
        'https://shop.example.com, capacitor://localhost or https://*.preview.example.com.',
    ),
  maxConcurrent: z
    .int()
    .min(1)
    .max(1000)
    .describe(
      'Maximum number of concurrent voice conversations from web pages. Also the maximum number ' +
        'of new conversations per minute from one IP address, counted separately for voice and ' +
        `chat. Default: ${WIDGET_TALKS_MAX}.`,
    )
    .exactOptional(),
});
