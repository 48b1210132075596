import net from 'node:net';
import tls from 'node:tls';
import type { AddressGuard } from './address-guard.ts';
import { connectFailure, EgressFailure, tlsFailure } from './failure.ts';
import type { ResolvedAddress } from './name-lookup.ts';
import type { Resolve } from './resolver.ts';
import { portOf } from './url-rules.ts';

/**
 * Opens connections. Resolves the host name, checks every address, connects to exactly one allowed address, and checks
 * the peer's address again. The name is resolved only once, so a DNS response that changes afterwards (DNS rebinding)
 * has no effect.
 */

export type Target = { hostname: string; protocol: string; port: string };
export type ConnectDone = (error: EgressFailure | null, socket: net.Socket | null) => void;
/**
 * Opens a connection and calls `done` exactly once. The returned function cancels the attempt if the connection is not
 * open yet.
 */
export type Connect = (target: Target, done: ConnectDone) => () => void;

/**
 * Time in ms to wait for a connection to one address before trying the next one. The attempt for the last address may
 * take until the request's deadline.
 */
const NEXT_ADDRESS_AFTER_MS = 1000;

/** Creates a connector. `tlsCa` is a PEM certificate to trust in addition to the system's certificates, for tests. */
export function createConnector(deps: {
  guard: AddressGuard;
  resolve: Resolve;
  tlsCa?: string | undefined;
}): Connect {
  // Shared by all connections, because parsing about 150 root certificates takes milliseconds.
  const secureContext = tls.createSecureContext({
    minVersion: 'TLSv1.2',
    ...(deps.tlsCa === undefined ? {} : { ca: [...tls.getCACertificates('default'), deps.tlsCa] }),
  });

  return (target, done) => {
    let socket: net.Socket | undefined;
    let isOver = false;
    const finish: ConnectDone = (error, connected) => {
      if (isOver) return;
      isOver = true;
      if (error !== null) socket?.destroy();
      done(error, connected);
    };
    const hostname = target.hostname.replace(/\.$/, '');

    const start = async (): Promise<void> => {
      const port = portOf(target);
      const resolved = await deps.resolve(hostname);
      if (isOver) return;
      const addresses = resolved.filter(({ address }) => !deps.guard.isOwnPort(address, port));
      if (addresses.length === 0) throw new EgressFailure('blocked', OWN_PORT);
      socket = dial({ ...target, hostname }, addresses, secureContext);
      watch(socket, {
        isTls: target.protocol === 'https:',
        isAllowed: (peer) => deps.guard.isAllowed(peer, hostname),
        finish,
      });
    };
    start().catch((error: unknown) => finish(connectFailure(error), null));
    return () => finish(new EgressFailure('timeout', 'The connection was canceled.'), null);
  };
}

const OWN_PORT = "Requests to Parley's own address and port are not allowed.";

/**
 * Connects to one of the addresses, which have all passed the check. The host name is not resolved again: it is used
 * only for SNI and the certificate check, and `lookup` returns the checked addresses. `rejectUnauthorized` is explicit,
 * because its default is read from an environment variable. TLS sessions are not resumed, so that every connection
 * checks the certificate.
 */
function dial(
  target: Target,
  addresses: ResolvedAddress[],
  secureContext: tls.SecureContext,
): net.Socket {
  const isTls = target.protocol === 'https:';
  const { hostname } = target;
  const options: net.TcpNetConnectOpts = {
    host: hostname,
    port: portOf(target),
    noDelay: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    // Node does not call `lookup` for a literal IP address. The resolver has already checked such an address.
    lookup: (_name, { all }, callback) => {
      const [first] = addresses;
      if (all === true) callback(null, addresses);
      else callback(null, first?.address ?? '', first?.family ?? 4);
    },
  };
  if (!isTls) return net.connect(options);
  return tls.connect({
    ...options,
    secureContext,
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
    // SNI contains only names (RFC 6066). The certificate for a literal IP address is checked against `host`.
    ...(net.isIP(hostname) === 0 ? { servername: hostname } : {}),
  });
}

function watch(
  socket: net.Socket,
  deps: { isTls: boolean; isAllowed: (peer: string) => boolean; finish: ConnectDone },
): void {
  let isConnected = false;
  const isReady = (): void => {
    if (!socket.destroyed) deps.finish(null, socket);
  };
  const fail = (error: unknown): void =>
    deps.finish(isConnected && deps.isTls ? tlsFailure(error) : connectFailure(error), null);

  socket.once('connect', () => {
    isConnected = true;
    const peer = socket.remoteAddress;
    // The connection was reset before the peer could be checked. The peer's address is unknown, so the failure is not
    // classified as `blocked`.
    if (peer === undefined) return fail(undefined);
    if (!deps.isAllowed(peer)) {
      deps.finish(new EgressFailure('blocked', 'Requests to this address are not allowed.'), null);
    } else if (!deps.isTls) {
      isReady();
    }
  });
  if (deps.isTls) socket.once('secureConnect', isReady);
  // This listener stays for the lifetime of the socket. Without it, an error that occurs before the socket's next owner
  // adds a listener would crash the process.
  socket.on('error', fail);
  socket.once('close', () => fail(undefined));
}
