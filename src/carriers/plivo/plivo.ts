import type { Carrier } from '../carrier.ts';
import { readPlivoCallback } from './callback.ts';
import { createPlivoApi } from './plivo-api.ts';
import { PLIVO_MEDIA } from './plivo-frames.ts';
import { PLIVO_ANSWERS } from './plivo-xml.ts';
import { isSigned } from './signature.ts';

/** Plivo. It has no text socket, so agents need their own ModelProviders for speech. */
export const PLIVO: Carrier<'plivo'> = {
  type: 'plivo',
  name: 'Plivo',
  provider: {
    apiUrl: 'https://api.plivo.com',
    says: {
      accountId: 'the Auth ID',
      authToken: 'the Auth Token, which also signs its requests',
    },
    fields: {},
    rules: [],
  },
  signature: {
    header: 'X-Plivo-Signature-V3',
    refusal:
      'No matching TelephonyProvider. ?provider=tp_… in the URL must be the ID of a ' +
      'TelephonyProvider of type "plivo" with this number and with the Auth Token that ' +
      'signed X-Plivo-Signature-V3. PARLEY_BASE_URL must be the URL that the carrier ' +
      'calls.',
    provesOwner: true,
    isSigned: ({ authToken }, { bases, form, headers, target }) => {
      const read = (header: string): string => String(headers[header] ?? '');
      const nonce = read('x-plivo-signature-v3-nonce');
      // The second header is signed with the token of the main account, even if the call belongs to a subaccount.
      const given = [read('x-plivo-signature-v3'), read('x-plivo-signature-ma-v3')].join(',');
      return bases.some((base) =>
        isSigned(authToken, { url: `${base}${target}`, form, nonce }, given),
      );
    },
  },
  createApi: createPlivoApi,
  readCallback: readPlivoCallback,
  answers: PLIVO_ANSWERS,
  media: PLIVO_MEDIA,
};
