import { afterEach, beforeEach, expect, test } from 'vitest';
import { runDelivery } from '../../../src/roles/delivery/run.ts';
import { createAddressGuard } from '../../../src/platform/egress/address-guard.ts';
import { listen, onRequest, respond, type Receiver } from '../../platform/egress/servers.ts';
import { startDeliveryFixture, type DeliveryFixture } from '../delivery-setup.ts';

/** The delivery role judges addresses itself, whatever was thought of them when they were written. */
let fixture: DeliveryFixture;
let canary: Receiver;

beforeEach(async () => {
  fixture = await startDeliveryFixture();
  canary = await listen((socket) =>
    onRequest(socket, () => socket.end(respond('200 OK', 'in', 'connection: close\r\n'))),
  );
});

afterEach(async () => {
  await fixture.stop();
  await canary.stop();
});

test.each(['127.0.0.1', 'localhost'])(
  'an address that may not be called any more gets no connection: %s',
  async (host) => {
    await fixture.addEndpoint({ url: `http://${host}:${canary.port}/` });
    const eventId = await fixture.emit();
    // As after a restart with a shorter PARLEY_EGRESS_ALLOW.
    const delivery = await runDelivery({ ...fixture, guard: createAddressGuard({ allow: [] }) });
    try {
      const { attempts } = await fixture.deliveryWhen(eventId, (one) => one.attempts.length === 1);
      expect(attempts).toMatchObject([{ errorClass: 'blocked', statusCode: null }]);
      expect(canary.sockets).toHaveLength(0);
    } finally {
      await delivery.stop();
    }
  },
);
