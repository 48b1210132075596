import { z } from 'zod';
import { saying } from '../platform/resources/schema/patterns.ts';

/** ID of an account at a carrier, as it appears in TelephonyProviders and in the carrier's requests. */
export const accountIdField = z
  .string()
  .min(1)
  .max(64)
  .regex(
    ...saying(
      /^[A-Za-z0-9_-]+$/,
      'must be an account ID made up of letters, digits, hyphens and underscores',
    ),
  );
