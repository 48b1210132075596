import type { Attempt, ErrorClass } from '../../data/webhooks.ts';

type Remedy = { means: string; remedy: string };

/** Meaning and remedy of each error class. */
const OF_CLASS: Record<ErrorClass, Remedy> = {
  dns: {
    means: 'The host name in the URL cannot be resolved.',
    remedy:
      'Check the host for typos. It may also be a name that resolves only in your own network.',
  },
  connect: {
    means: 'The connection was refused, or closed before a response.',
    remedy: 'Check that the receiver runs on this port and that its firewall admits Parley.',
  },
  tls: {
    means: 'The certificate could not be trusted.',
    remedy:
      'It may have expired, belong to another host or lack an intermediate certificate. Serve the whole chain.',
  },
  timeout: {
    means: 'No response within 10 seconds.',
    remedy: 'Respond with a 2xx status as soon as the event is stored, and do the work afterwards.',
  },
  redirect: {
    means: 'The receiver responded with a redirect, which Parley never follows.',
    remedy:
      'Set the URL to the target of the redirect, which often only adds https, a trailing slash or www.',
  },
  http_status: {
    means: 'The receiver did not respond with a 2xx status.',
    remedy: 'The response below shows the reason. The receiver’s log may show more.',
  },
  blocked: {
    means: 'Parley is not allowed to call this address.',
    remedy:
      'Use a public address, or ask an administrator to add the network to PARLEY_EGRESS_ALLOW.',
  },
  lost_lease: {
    means: 'The Parley process that sent the event stopped before it got the response.',
    remedy:
      'No action is needed. Another process sends the event again, so the receiver may get it twice.',
  },
};

/** Meaning and remedy of status codes with a specific cause. */
const OF_STATUS: Record<number, Remedy> = {
  400: {
    means: 'The receiver rejected the request.',
    remedy:
      'Most often, the receiver’s signature check fails. Compare its code with “Check a signature”.',
  },
  401: {
    means: 'The receiver did not accept the credentials.',
    remedy: 'Check the secret in the receiver, or add the header it expects to this endpoint.',
  },
  403: {
    means: 'The receiver, or a proxy in front of it, forbids the request.',
    remedy: 'The cause is often a firewall or CSRF protection. Allow POST requests from Parley.',
  },
  404: { means: 'There is nothing at this path.', remedy: 'Check the path of the URL.' },
  405: { means: 'The path does not accept POST.', remedy: 'Check the path. Deliveries use POST.' },
  410: {
    means: 'The receiver says that this URL is gone.',
    remedy: 'Parley keeps trying. If the URL is gone for good, disable or delete the endpoint.',
  },
  413: {
    means: 'The body is too large for the receiver.',
    remedy: 'Make the receiver accept up to 1 MiB.',
  },
  429: {
    means: 'The receiver limits the rate of requests.',
    remedy:
      'Parley honors a Retry-After header in seconds. While the endpoint fails, Parley sends one delivery at a time.',
  },
};

/** Returns the explanation of a failed attempt, or undefined if the attempt did not fail. */
export function remedyOf(attempt: Attempt): Remedy | undefined {
  const { error_class: errorClass, status_code: status } = attempt;
  if (errorClass === null) return undefined;
  const ofStatus = errorClass === 'http_status' && status !== null ? OF_STATUS[status] : undefined;
  return ofStatus ?? OF_CLASS[errorClass];
}
