import { namesOf } from '../../platform/resources/kind-names.ts';
import {
  AGE_COLUMN,
  MESSAGE_COLUMN,
  printerColumn,
  READY_COLUMN,
  type KindDefinition,
} from '../../platform/resources/schema/kind-definition.ts';
import { telephonyProviderSpec, telephonyProviderStatus } from './telephony-provider.ts';

export const TELEPHONY_PROVIDER_KIND: KindDefinition = {
  ...namesOf({ kind: 'TelephonyProvider', idPrefix: 'tp' }),
  shortNames: ['tp'],
  description: 'An account at a carrier of calls, and which agent answers each of its numbers.',
  spec: telephonyProviderSpec,
  status: telephonyProviderStatus,
  printerColumns: [
    READY_COLUMN,
    printerColumn('Type', 'string', '.spec.type', 'How the carrier is spoken to.'),
    printerColumn('Numbers', 'integer', '.status.numbers', 'How many of its numbers are in force.'),
    AGE_COLUMN,
    MESSAGE_COLUMN,
    { ...printerColumn('ID', 'string', '.status.providerId', 'Id in the REST API.'), priority: 1 },
  ],
  selectableFields: ['.spec.type', '.spec.accountId'],
};
