import { signBody, signStandard } from '../../platform/egress/signature.ts';

/**
 * Both signatures that events and tools have (contract/knowledge.md#feeds). A GET has no body, and a signature over
 * nothing would hold for every page: so what is signed in place of the body is the request target, path
 * and query as they stand in the request line. Who checks it knows that nobody has changed the cursor,
 * or asks for something else in our name.
 */
export function signRequest(
  secret: string,
  { url, id, nowMs }: { url: string; id: string; nowMs: number },
): Record<string, string> {
  const { pathname, search } = new URL(url);
  const body = Buffer.from(pathname + search);
  const timestampSec = Math.floor(nowMs / 1_000);
  return {
    'parley-signature': signBody(secret, body),
    'webhook-id': id,
    'webhook-timestamp': String(timestampSec),
    'webhook-signature': signStandard(secret, { id, timestampSec, body }),
  };
}
