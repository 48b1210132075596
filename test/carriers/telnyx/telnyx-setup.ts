import { startMediaFixture, type MediaFixture } from '../../calls/phone/media-setup.ts';
import {
  startPhoneFixture,
  type FixtureOptions,
  type PhoneFixture,
} from '../../calls/phone/phone-setup.ts';
import {
  API_KEY,
  newKeys,
  telnyxManner,
  telnyxProvider,
  type AccountKeys,
} from './telnyx-manner.ts';

type ApiOptions = Parameters<typeof startPhoneFixture>[0];

/** Starts an API with an agent, and a number at Telnyx that rings it. */
export async function startTelnyxFixture(
  options: ApiOptions = {},
  provider: object = {},
): Promise<PhoneFixture & { keys: AccountKeys }> {
  const keys = newKeys();
  return { ...(await startPhoneFixture(options, ofTelnyx(keys, provider))), keys };
}

/** Starts the same fixture for an agent with its own speech providers. */
export function startTelnyxMediaFixture(options: ApiOptions = {}): Promise<MediaFixture> {
  return startMediaFixture(options, ofTelnyx(newKeys()));
}

function ofTelnyx(keys: AccountKeys, provider: object = {}): FixtureOptions {
  return {
    manner: telnyxManner(keys),
    token: API_KEY,
    provider: { ...telnyxProvider(keys), ...provider },
  };
}
