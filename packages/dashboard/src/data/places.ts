/** Address of the page that shows an object, by the prefix of its ID (contract/names.md#ids). */
const PLACES: Record<string, (id: string) => string> = {
  agt: (id) => `/agents/${id}`,
  conv: (id) => `/conversations/${id}`,
  esc: (id) => `/escalations/${id}`,
  call: (id) => `/calls/${id}`,
  ks: (id) => `/knowledge/sources/${id}`,
  gap: (id) => `/knowledge/gaps/${id}`,
  we: (id) => `/webhooks/${id}`,
  evt: (id) => `/webhooks/events/${id}`,
  dlv: (id) => `/webhooks/deliveries/${id}`,
  key: () => '/settings',
  ses: () => '/settings/sessions',
  job: () => '/settings/jobs',
  era: () => '/settings/jobs',
  mp: () => '/settings/providers',
  tp: () => '/settings/telephony',
};

/** Returns the address of the page that shows the object, or undefined if there is no such page. */
export function placeOf(id: string): string | undefined {
  const [prefix = ''] = id.split('_', 1);
  return PLACES[prefix]?.(id);
}
