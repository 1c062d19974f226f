// What the tests in these namespaces share: a udevd-bridge with udevd, clients of it, and ways to make events.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import {
  DeviceServiceDefinition,
  type Event,
  type EventSource,
  type Position,
} from '@nodewright/contract/gen/suite/devices/v1/devices.ts';
import { loadNativeCalls } from '@nodewright/linux';
import { createRpcClient, openUnixChannel } from '@nodewright/rpc';
import { noTelemetry } from '@nodewright/telemetry';
import { type DaemonProcess, eventually, spawnDaemon } from '@nodewright/testkit';

// udevd must never see the devices of the host.
assert.ok(
  existsSync('/own-namespaces') && !existsSync('/sys/devices/system'),
  'run this with make test-devices',
);

export type DeviceClient = ReturnType<typeof createRpcClient<typeof DeviceServiceDefinition>>;
export const socket = '/run/udevd-bridge/devices.sock';

export interface OwnMachine extends AsyncDisposable {
  readonly process: DaemonProcess;
  readonly client: DeviceClient;
}

export function connect(): { readonly client: DeviceClient } & Disposable {
  const channel = openUnixChannel(socket, { maxReconnectPauseMs: 100 });
  const client = createRpcClient(DeviceServiceDefinition, channel, { telemetry: noTelemetry });
  return { client, [Symbol.dispose]: () => channel[Symbol.dispose]() };
}

/** Starts udevd-bridge and waits until udevd has processed all devices. */
export async function startMachine(): Promise<OwnMachine> {
  const scope = new AsyncDisposableStack();
  const process = scope.use(
    await spawnDaemon({
      name: 'udevd-bridge',
      args: ['--socket', socket, '--udevd', '/usr/bin/systemd-udevd'],
      // A device that a test makes up is in no sysfs.
      env: { SYSTEMD_DEVICE_VERIFY_SYSFS: '0' },
    }),
  );
  const { client } = scope.use(connect());
  await eventually(async () => (await client.status({})).udevd?.isSettled === true, {
    ...{ what: 'udevd', timeoutMs: 300_000 },
    explain: () => process.stdout() + process.stderr(),
  });
  return { process, client, [Symbol.asyncDispose]: () => scope.disposeAsync() };
}

/** Far above what udevd needs for 10,000 events, also beside much other work. */
const endMs = 600_000;

/** Collects events until `isEnough`, from a position on. */
export async function collect(
  client: DeviceClient,
  request: { after?: Position | undefined; subsystems?: string[]; sources?: EventSource[] },
  isEnough: (events: readonly Event[]) => boolean,
) {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(new Error('no more events')), endMs);
  const events: Event[] = [];
  const gaps: number[] = [];
  let position = request.after;
  try {
    for await (const response of client.events(request, { signal: stop.signal })) {
      if (response.gap !== undefined) gaps.push(response.gap.reason);
      events.push(...response.events);
      position = response.position;
      if (isEnough(events)) break;
    }
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
  return { events, gaps, position };
}

/** Makes the kernel announce the loopback device of these namespaces again. */
export const announceLoopback = () => writeFileSync('/sys/devices/virtual/net/lo/uevent', 'change');

const netlinkFamily = 16;
const toKernel = () => {
  const address = Buffer.alloc(12);
  address.writeUInt16LE(netlinkFamily);
  return address;
};

/** Sends netlink messages to the kernel. */
export async function openKernelSocket(protocol: number) {
  const calls = await loadNativeCalls();
  const descriptor = calls.socket(netlinkFamily, 3, protocol);
  calls.bind(descriptor, toKernel());
  const answer = Buffer.alloc(4096);
  return {
    /** @throws Error when the kernel refuses */
    send(type: number, payload: Uint8Array, moreFlags = 0): void {
      const header = Buffer.alloc(16);
      header.writeUInt32LE(16 + payload.length, 0);
      header.writeUInt16LE(type, 4);
      header.writeUInt16LE(0x5 | moreFlags, 6);
      calls.sendTo(descriptor, Buffer.concat([header, payload]), toKernel());
      const length = calls.receiveFrom(descriptor, answer, Buffer.alloc(12)) ?? 0;
      assert.ok(length >= 20, 'the kernel does not answer');
      const errno = answer.readInt32LE(16);
      assert.equal(errno, 0, `the kernel refuses: ${errno}`);
    },
    [Symbol.dispose]: () => calls.close(descriptor),
  };
}

/**
 * Replays an event: the kernel sends it, with a number of its own, to everybody in the network namespace. Source: Linux, kobject
 * uevents.
 */
export function replay(
  kernel: Awaited<ReturnType<typeof openKernelSocket>>,
  facts: Readonly<Record<string, string>>,
): void {
  const lines = Object.entries(facts).map(([key, value]) => `${key}=${value}\0`);
  kernel.send(0x10, Buffer.from(`${facts.ACTION}@${facts.DEVPATH}\0${lines.join('')}`));
}

/** Makes up a disk in sysfs; its size can be changed. */
export function makeDisk(
  name: string,
  sectors: number,
): { readonly facts: Record<string, string>; resize(sectors: number): void } {
  const path = `/devices/virtual/block/${name}`;
  const folder = join('/sys', path);
  const facts = { MAJOR: '240', MINOR: '0', DEVNAME: name, DEVTYPE: 'disk' };
  const group = '/sys/class/block';
  for (const made of [folder, group]) mkdirSync(made, { recursive: true });
  const lines = Object.entries(facts).map(([key, value]) => `${key}=${value}\n`);
  writeFileSync(join(folder, 'uevent'), lines.join(''));
  const resize = (count: number) => writeFileSync(join(folder, 'size'), `${count}\n`);
  resize(sectors);
  for (const [link, target] of [
    [join(folder, 'subsystem'), group],
    [join(group, name), folder],
    [join('/sys/block', name), folder],
  ] as const) {
    rmSync(link, { force: true });
    symlinkSync(relative(dirname(link), target), link);
  }
  return { facts: { DEVPATH: path, SUBSYSTEM: 'block', ...facts }, resize };
}

export const isUdevRecorded = (name: string) => existsSync(`/run/udev/data/${name}`);
export const hostSequence = () => Number(readFileSync('/sys/kernel/uevent_seqnum', 'utf8'));
