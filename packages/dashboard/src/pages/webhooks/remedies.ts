import type { Attempt, ErrorClass } from '../../data/webhooks.ts';

type Remedy = { means: string; remedy: string };

/** Meaning and remedy of each error class. */
const OF_CLASS: Record<ErrorClass, Remedy> = {
  dns: {
    means: 'The host of the URL has no address.',
    remedy: 'Look for a misspelt host, or for a name that only your own network knows.',
  },
  connect: {
    means: 'Nobody took the connection, or it was cut before an answer.',
    remedy: 'Is the receiver running, on this port, and does its firewall let Parley in?',
  },
  tls: {
    means: 'The certificate could not be trusted.',
    remedy:
      'It may have run out, be for another host, or lack its intermediate: serve the whole chain.',
  },
  timeout: {
    means: 'No status came within 10 seconds.',
    remedy: 'Answer 2xx as soon as the event is stored, and do the work afterwards.',
  },
  redirect: {
    means: 'It answered with a redirect, which is never followed.',
    remedy: 'Set the URL to the address it leads to: often https, a slash at the end, or www.',
  },
  http_status: {
    means: 'It answered, but not with 2xx.',
    remedy: 'Its answer below says why; its own log says more.',
  },
  blocked: {
    means: 'The address is one that Parley must not call.',
    remedy:
      'Private addresses are refused. Use a public one, or let an administrator add the network to PARLEY_EGRESS_ALLOW.',
  },
  lost_lease: {
    means: 'The process that sent it went away before it had the answer.',
    remedy: 'Nothing: another one goes on by itself. The receiver may see the event twice.',
  },
};

/** Meaning and remedy of status codes with a specific cause. */
const OF_STATUS: Record<number, Remedy> = {
  400: {
    means: 'The receiver did not take the request.',
    remedy: 'Most often its check of the signature: compare it with “Check a signature”.',
  },
  401: {
    means: 'The receiver does not know who asks.',
    remedy: 'Check the secret in the receiver, or add the header it expects to this endpoint.',
  },
  403: {
    means: 'The receiver, or what stands before it, forbids it.',
    remedy: 'A firewall or a protection against forged forms: let POST from Parley through.',
  },
  404: { means: 'There is nothing at this path.', remedy: 'Compare the path of the URL.' },
  405: { means: 'The path takes no POST.', remedy: 'Compare the path; deliveries are POST.' },
  410: {
    means: 'The receiver says that it is gone.',
    remedy: 'Parley goes on trying: disable or delete the endpoint if that is right.',
  },
  413: { means: 'The body is too large for it.', remedy: 'Let the receiver take up to 1 MiB.' },
  429: {
    means: 'The receiver wants less at once.',
    remedy: 'A Retry-After in seconds is followed. More come one at a time while it fails.',
  },
};

/** Returns the explanation of a failed attempt, or undefined. */
export function remedyOf(attempt: Attempt): Remedy | undefined {
  const { error_class: errorClass, status_code: status } = attempt;
  if (errorClass === null) return undefined;
  const ofStatus = errorClass === 'http_status' && status !== null ? OF_STATUS[status] : undefined;
  return ofStatus ?? OF_CLASS[errorClass];
}
