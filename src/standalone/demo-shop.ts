import type { Server } from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { codeOf } from '../errors.ts';
import { createNameLookup, type Lookup } from '../platform/egress/name-lookup.ts';

/**
 * HTTP server from examples/shop.mjs, which the tools in examples/shop-assistant.yaml call. The manifest uses the host
 * name of a Service, so that it also works in a cluster. `lookup` resolves that name to this server.
 */
export type DemoShop = { lookup: Lookup; stop: () => Promise<void> };

export const SHOP_HOST = 'shop.default.svc';
const SHOP_PORT = 4780;
const SHOP_FILE = path.resolve(import.meta.dirname, '../../examples/shop.mjs');
/**
 * Addresses to try, in order, so that each `parley start` on a machine can use a different address. If loopback has
 * only one address, the first process gets it.
 */
const ADDRESSES = Array.from({ length: 20 }, (_, i) => `127.0.0.${i + 1}`);

/** Starts the shop. Returns undefined if the port is in use on every address. */
export async function startDemoShop(): Promise<DemoShop | undefined> {
  const { createShop } = (await import(pathToFileURL(SHOP_FILE).href)) as {
    createShop: () => Server;
  };
  for (const address of ADDRESSES) {
    const server = createShop();
    if (!(await isListening(server, address))) continue;
    return { lookup: knowing(address), stop: () => stopServer(server) };
  }
  return undefined;
}

function isListening(server: Server, address: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const isTaken = ['EADDRINUSE', 'EADDRNOTAVAIL'].includes(codeOf(error));
      if (isTaken) resolve(false);
      else reject(error);
    });
    server.listen(SHOP_PORT, address, () => resolve(true));
  });
}

function knowing(address: string): Lookup {
  const others = createNameLookup();
  return async (host, options) =>
    host.toLowerCase() === SHOP_HOST ? [{ address, family: 4 }] : others(host, options);
}

function stopServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
