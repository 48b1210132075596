import { SEALED_MARK_COLUMNS } from '../platform/idempotency/idempotency-marks.sql.ts';
import type { SealedColumn } from '../platform/postgres/sealed-values.ts';
import { SEALED_SECRET_COLUMN } from '../platform/resources/resources.sql.ts';
import { SEALED_ENDPOINT_COLUMNS } from '../webhooks/endpoints/webhook-endpoints.sql.ts';

/** Every column that holds something sealed; `parley reseal` walks them. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  ...SEALED_ENDPOINT_COLUMNS,
  SEALED_SECRET_COLUMN,
  ...SEALED_MARK_COLUMNS,
];
