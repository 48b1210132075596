type SecretRef = { name: string; key: string };
type Website = {
  url: string;
  max_depth?: number;
  max_pages?: number;
  include?: string[];
  exclude?: string[];
  delay_ms?: number;
};
type Integration = { url: string; secret_ref?: SecretRef; signing_secret_ref?: SecretRef };

/** A source to create from a website or a feed. The API sets defaults for omitted fields. */
export type NewSource = { name?: string; schedule?: string } & (
  | { type: 'website'; website: Website }
  | { type: 'integration'; integration: Integration }
);

type Nullable<T> = { [K in keyof T]?: T[K] | null };

/** Changes to a website or feed source. `null` resets a field. */
export type FetchedPatch = {
  schedule?: string | null;
  website?: Nullable<Website>;
  integration?: Nullable<Integration>;
};

/** A website or feed source as the API returns it. */
type Fetched = {
  name: string;
  website: Website | null;
  integration: Integration | null;
  schedule: string | null;
};

/** The form fields of a website or feed source, as typed. */
export const EMPTY_DRAFT = {
  name: '',
  url: '',
  include: '',
  exclude: '',
  depth: '',
  pages: '',
  delay: '',
  token: '',
  tokenKey: '',
  signing: '',
  signingKey: '',
  schedule: '',
};
export type FetchedDraft = typeof EMPTY_DRAFT;
export type FetchedType = 'website' | 'integration';

/** JSON Pointers into the request body that have a form field. */
export const PLACES: Readonly<Record<FetchedType, readonly string[]>> = {
  website: [
    '/name',
    '/schedule',
    ...['url', 'max_depth', 'max_pages', 'include', 'exclude', 'delay_ms'].map(
      (field) => `/website/${field}`,
    ),
  ],
  integration: [
    '/name',
    '/schedule',
    ...['url', 'secret_ref', 'signing_secret_ref'].map((field) => `/integration/${field}`),
  ],
};

export function draftOf({ name, website, integration, schedule }: Fetched): FetchedDraft {
  const { secret_ref: token, signing_secret_ref: signing } = integration ?? {};
  return {
    name,
    url: (website ?? integration)?.url ?? '',
    include: website?.include?.join('\n') ?? '',
    exclude: website?.exclude?.join('\n') ?? '',
    depth: textOf(website?.max_depth),
    pages: textOf(website?.max_pages),
    delay: textOf(website?.delay_ms),
    token: token?.name ?? '',
    tokenKey: token?.key ?? '',
    signing: signing?.name ?? '',
    signingKey: signing?.key ?? '',
    schedule: schedule ?? '',
  };
}

/** Builds the request that creates the source. Omits empty fields, so that the API sets their defaults. */
export function newSourceOf(type: FetchedType, draft: FetchedDraft): NewSource {
  const url = draft.url.trim();
  const schedule = scheduleOf(draft);
  const own = { ...(draft.name !== '' && { name: draft.name }), ...(schedule && { schedule }) };
  return type === 'website'
    ? { type, ...own, website: { ...withoutNulls(websiteOf(draft)), url } }
    : { type, ...own, integration: { ...withoutNulls(integrationOf(draft)), url } };
}

/** Returns the changed fields. Emptied fields are null. */
export function patchOf(
  type: FetchedType,
  draft: FetchedDraft,
  before: FetchedDraft,
): FetchedPatch {
  const schedule = scheduleOf(draft);
  const read =
    type === 'website'
      ? { website: differing(websiteOf(draft), websiteOf(before)) }
      : { integration: differing(integrationOf(draft), integrationOf(before)) };
  return {
    ...(schedule !== scheduleOf(before) && { schedule }),
    ...(Object.values(read).some((fields) => Object.keys(fields).length > 0) && read),
  };
}

function websiteOf(draft: FetchedDraft) {
  return {
    url: draft.url.trim(),
    max_depth: numberOf(draft.depth),
    max_pages: numberOf(draft.pages),
    include: linesOf(draft.include),
    exclude: linesOf(draft.exclude),
    delay_ms: numberOf(draft.delay),
  };
}

function integrationOf({ url, token, tokenKey, signing, signingKey }: FetchedDraft) {
  return {
    url: url.trim(),
    secret_ref: token === '' ? null : { name: token, key: tokenKey },
    signing_secret_ref: signing === '' ? null : { name: signing, key: signingKey },
  };
}

function scheduleOf({ schedule }: FetchedDraft): string | null {
  return schedule.trim() || null;
}

function differing<T extends object>(now: T, before: T): Partial<T> {
  const was = new Map<string, unknown>(Object.entries(before));
  const entries = Object.entries(now).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(was.get(field)),
  );
  return Object.fromEntries(entries) as Partial<T>;
}

type WithoutNulls<T> = { [K in keyof T]?: NonNullable<T[K]> };

function withoutNulls<T extends object>(fields: T): WithoutNulls<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== null);
  return Object.fromEntries(entries) as WithoutNulls<T>;
}

function textOf(value: number | undefined): string {
  return value === undefined ? '' : String(value);
}

function linesOf(text: string): string[] | null {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.length > 0 ? lines : null;
}

function numberOf(text: string): number | null {
  return text.trim() === '' ? null : Number(text);
}
