import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { LogStore } from '@nodewright/services/logs';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { type LogDestination, logDestinationFromUrl } from '../domain/log-destination.ts';
import { createRecordDelivery } from './record-delivery.ts';
import { openServiceLogSource } from './service-log-source.ts';
import { openUdpSender } from './udp-sender.ts';

const destination: LogDestination = logDestinationFromUrl('udp://collector.example:9');
const address = { address: '127.0.0.1', family: 4 };
const openSockets = () =>
  process.getActiveResourcesInfo().filter((resource) => resource.startsWith('UDP')).length;

test('a UDP sender that is closed during the look-up of its name sends nothing, and opens no socket', async () => {
  const found = Promise.withResolvers<typeof address>();
  const sender = openUdpSender(destination, 60_000, () => found.promise);
  const sending = sender.send('one');
  await sender.close(0);
  await assert.rejects(sending, { message: 'the sender is closed' });
  found.resolve(address);
  await setImmediate();
  await setImmediate();
  assert.equal(openSockets(), 0);
  await assert.rejects(sender.send('two'), { message: 'the sender is closed' });
  assert.equal(openSockets(), 0);
});

test('a look-up that outlives the time limit of its record serves the next record', async () => {
  const receiver = createSocket('udp4').bind(0, '127.0.0.1');
  await once(receiver, 'listening');
  const found = Promise.withResolvers<typeof address>();
  let lookUps = 0;
  const sender = openUdpSender({ ...destination, port: receiver.address().port }, 3000, () => {
    lookUps += 1;
    return found.promise;
  });
  await assert.rejects(sender.send('one'), { name: 'TimeoutError' });
  const received = once(receiver, 'message');
  const again = sender.send('one again');
  found.resolve(address);
  await again;
  assert.equal(String((await received)[0]), 'one again');
  assert.equal(lookUps, 1);
  await sender.close(0);
  receiver.close();
});

test('a destination whose name is looked up without an end does not hold up the end of a delivery', async () => {
  const store = new LogStore();
  const asked = Promise.withResolvers<void>();
  const lookup = () => {
    asked.resolve();
    return new Promise<never>(() => {});
  };
  const delivery = createRecordDelivery({
    openSource: ({ extraTags }) => openServiceLogSource(store, new Map(), extraTags, Date.now),
    log: createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' }),
    createSender: (each) => openUdpSender(each, 60_000, lookup),
    drainTimeoutMs: 20,
  });
  await delivery.setDestinations([destination]);
  store.open('apid').write('one\n');
  await asked.promise;
  await delivery[Symbol.asyncDispose]();
});

test('a UDP sender sends to the address that was found', async () => {
  const receiver = createSocket('udp4').bind(0, '127.0.0.1');
  await once(receiver, 'listening');
  const received = once(receiver, 'message');
  const sender = openUdpSender(
    { ...destination, port: receiver.address().port },
    60_000,
    async () => address,
  );
  await sender.send('one');
  assert.equal(String((await received)[0]), 'one');
  await sender.close(0);
  receiver.close();
});
