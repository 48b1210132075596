import { z } from 'zod';
import { LIST_SET, rules } from '../platform/resources/schema/field-types.ts';
import { saying } from '../platform/resources/schema/patterns.ts';

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

const time = z
  .string()
  .max(5)
  .regex(
    ...saying(
      /^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$/,
      'must be a time from 00:00 to 24:00, such as 09:30',
    ),
  );

const date = z
  .string()
  .max(10)
  .regex(
    ...saying(
      /^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$/,
      'must be a date, such as 2026-12-25',
    ),
  );

/**
 * Hours in which human agents can take over (contract/conversations.md#working-hours), or in which a telephone number
 * is answered.
 */
export const hours = z.strictObject({
  timeZone: z
    .string()
    .min(1)
    .max(64)
    .regex(
      ...saying(
        /^[A-Za-z][A-Za-z0-9_+/-]*$/,
        'must be an IANA time zone name, such as Europe/Berlin',
      ),
    )
    .describe('IANA time zone in which the hours apply.'),
  open: z
    .array(
      z
        .strictObject({
          days: z
            .array(z.enum(WEEKDAYS))
            .min(1)
            .max(7)
            .meta(LIST_SET)
            .describe('Days of the week.'),
          from: time.clone().describe('Start of the period, such as 09:00.'),
          to: time
            .clone()
            .describe('End of the period, exclusive, such as 17:30. 24:00 is the end of the day.'),
        })
        .meta(
          rules({
            rule: 'self.from < self.to',
            message:
              '`from` must be before `to`; split hours past midnight into two entries, the first with `to: 24:00`',
            fieldPath: '.from',
          }),
        ),
    )
    .min(1)
    .max(50)
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe('Opening periods. Each period applies on all of the days that it lists.'),
  closedOn: z
    .array(date)
    .max(100)
    .meta(LIST_SET)
    .describe('Dates without opening periods, such as holidays.')
    .exactOptional(),
  closedMessage: z
    .string()
    .min(1)
    .max(4000)
    .describe(
      'Message to users outside these hours. {{opens}} is replaced by the time at which the next ' +
        'opening period starts.',
    )
    .exactOptional(),
});

/**
 * Returns the time zone of the working hours in `escalation` if this server does not know that time zone. Otherwise
 * returns `undefined`. `escalation` may also be a merge patch.
 */
export function unknownTimeZone(escalation: unknown): string | undefined {
  const { hours: given } = Object(escalation) as { hours?: unknown };
  const { timeZone, time_zone: ofRest } = Object(given) as Record<string, unknown>;
  const name = timeZone ?? ofRest;
  return typeof name !== 'string' || isTimeZone(name) ? undefined : name;
}

/** Returns the error message for an unknown time zone. */
export const noTimeZone = (zone: string): string =>
  `the time zone "${zone}" does not exist; use an IANA name such as Europe/Berlin`;

/** Returns true if this server knows the time zone. Names are not case-sensitive. */
export function isTimeZone(name: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
