import { z } from 'zod';
import type { Client } from '../authorize.ts';
import type { Answer, RawRequest, Route } from '../route.ts';

/** A route that others call with a form and proof of their own, such as a signature: it takes no key. */
type CallbackSpec = Pick<
  Route,
  'method' | 'path' | 'operationId' | 'summary' | 'tag' | 'answers' | 'errors'
> & {
  description: string;
  handle: (request: CallbackRequest) => Promise<Answer>;
};

export type CallbackRequest = {
  form: URLSearchParams;
  /** The form, byte for byte: what some sign. */
  body: Buffer;
  /** The path and query as they came: a signature may be over each byte of them. */
  target: string;
  query: URLSearchParams;
  headers: RawRequest['headers'];
  client: Client;
};

const FORM_TYPE = 'application/x-www-form-urlencoded';
const FORM_BYTES_MAX = 64 * 1024;

/** What its form and query have beside what it reads is let through: who calls it may send more one day. */
export function callbackRoute({ handle, ...about }: CallbackSpec): Route {
  const accepted = { mediaTypes: [FORM_TYPE], bytesMax: FORM_BYTES_MAX };
  const schema = z.string().describe('A form, and whatever its sender has in it.');
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
