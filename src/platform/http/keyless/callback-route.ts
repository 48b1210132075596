import { z } from 'zod';
import type { Client } from '../authorize.ts';
import type { Answer, RawRequest, Route } from '../route.ts';

/**
 * Definition of a route that third parties call with a form. It needs no API key, because the request carries its own
 * proof of origin, such as a signature.
 */
type CallbackSpec = Pick<
  Route,
  'method' | 'path' | 'operationId' | 'summary' | 'tag' | 'answers' | 'errors'
> & {
  description: string;
  handle: (request: CallbackRequest) => Promise<Answer>;
};

export type CallbackRequest = {
  form: URLSearchParams;
  /** The unparsed form, because some senders sign its bytes. */
  body: Buffer;
  /** Path and query exactly as sent, because a signature may cover every byte. */
  target: string;
  query: URLSearchParams;
  headers: RawRequest['headers'];
  client: Client;
};

const FORM_TYPE = 'application/x-www-form-urlencoded';
const FORM_BYTES_MAX = 64 * 1024;

/**
 * Builds a callback route. Unknown parameters in the form and the query are ignored, because senders may add new ones.
 */
export function callbackRoute({ handle, ...about }: CallbackSpec): Route {
  const accepted = { mediaTypes: [FORM_TYPE], bytesMax: FORM_BYTES_MAX };
  const schema = z.string().describe("A form with the carrier's fields.");
  return {
    ...about,
    params: z.object({}),
    query: z.object({}),
    body: { schema, isOptional: false, mediaTypes: [FORM_TYPE] },
    scope: null,
    run: async ({ client, headers, query, readRaw, target }) => {
      const { bytes } = await readRaw(accepted);
      const form = new URLSearchParams(bytes.toString('utf8'));
      return handle({ form, body: bytes, target, query, headers, client });
    },
  };
}
