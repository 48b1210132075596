import type { Source } from '../../../data/knowledge.ts';
import { linesOf, setMembers, textOfLines } from '../../../form/merge.ts';

/** Common schedules. Any other value is a cron expression. */
export const SCHEDULES: Readonly<Record<string, string>> = {
  '': 'only on request',
  '@hourly': 'every hour',
  '@daily': 'every day',
  '@weekly': 'every week',
  '@monthly': 'every month',
};

export type FetchedType = 'website' | 'integration';

/**
 * Form values of a website or feed source. They have the structure of the API, except that path patterns are text with
 * one pattern per line.
 */
export type FetchedValues = ReturnType<typeof valuesOf>;

export function valuesOf(source: Partial<Source>) {
  const { website, integration } = source;
  return {
    name: source.name ?? '',
    schedule: source.schedule ?? '',
    website: {
      ...website,
      url: website?.url ?? '',
      include: textOfLines(website?.include),
      exclude: textOfLines(website?.exclude),
    },
    integration: {
      ...integration,
      url: integration?.url ?? '',
      secret_ref: { name: '', key: '', ...integration?.secret_ref },
      signing_secret_ref: { name: '', key: '', ...integration?.signing_secret_ref },
    },
  };
}

/** Returns the fields to write through the API. Omits a Secret without a name. */
export function fieldsOf(type: FetchedType, { schedule, website, integration }: FetchedValues) {
  const { secret_ref: token, signing_secret_ref: signing } = integration;
  const read = {
    website: {
      ...website,
      include: linesOf(website.include),
      exclude: linesOf(website.exclude),
    },
    integration: {
      ...integration,
      secret_ref: token.name === '' ? undefined : token,
      signing_secret_ref: signing.name === '' ? undefined : signing,
    },
  };
  return setMembers({ schedule, [type]: setMembers(read[type]) }) ?? {};
}
