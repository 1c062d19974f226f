import { anySignal, exponentialDelayMs, pause } from '@nodewright/async';
import {
  type Device,
  DeviceServiceDefinition,
  type EventsResponse,
  type Position,
} from '@nodewright/contract/gen/suite/devices/v1/devices.ts';
import { faultFrom } from '@nodewright/fault';
import type { LinkHardware, PciDevice, Smbios } from '@nodewright/linux';
import { createRpcClient, openUnixChannel } from '@nodewright/rpc';
import { type Logger, noTelemetry } from '@nodewright/telemetry';
import { LookRest } from '../domain/look-rest.ts';
import {
  blockDevice,
  blockDisk,
  deviceEvent,
  deviceLinks,
  gapText,
  linkHardware,
  modeNames,
  pciDevice,
  smbios,
} from './bridge-messages.ts';
import type { BlockInventory, DeviceSource, DeviceSourceState, OnDeviceEvent } from './device-source.ts';
import { MessageQueue } from './message-queue.ts';

export interface DeviceBridgeInit {
  /** The socket of udevd-bridge. */
  readonly socket: string;
  readonly log: Logger;
  /** Pauses between two attempts to connect. */
  readonly retry?: { readonly firstMs: number; readonly longestMs: number };
  /** The longest pause after a look at the devices. Default: that of `LookRest`. */
  readonly longestRestMs?: number;
}

/** Subsystems whose events are followed, and those of them that are read. */
const followed = ['block', 'cpu', 'net', 'pci'];
const read: readonly string[] = ['block', 'net', 'pci'];
const usualRetry = { firstMs: 100, longestMs: 2000 };
const answerTimeoutMs = 60_000;
/** How often devices are read when the kernel sends no events to udevd-bridge. */
const pollMs = 60_000;
/** Responses that wait for the inventory to be read. More are left to udevd-bridge, which keeps them in its history. */
const maxWaiting = 64;

/**
 * Opens the devices of udevd-bridge, which are followed until the result is disposed of. While udevd-bridge is away, the last
 * state stays, and the events that were missed are read from its history afterwards.
 */
export function openDeviceBridge(init: DeviceBridgeInit): DeviceSource & AsyncDisposable {
  const bridge = new DeviceBridge(init);
  const stop = new AbortController();
  const ended = bridge.run(stop.signal);
  return Object.assign(bridge, {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  });
}

class DeviceBridge implements DeviceSource {
  readonly #init: DeviceBridgeInit;
  readonly #listeners = new Set<{ readonly subsystem: string; readonly onEvent: OnDeviceEvent }>();
  readonly #stateListeners = new Set<() => void>();
  #position: Position | undefined;
  #block: BlockInventory | undefined;
  #pci: readonly PciDevice[] | undefined;
  #linkHardware: ReadonlyMap<string, LinkHardware> | undefined;
  #firmware: Smbios | undefined;
  #receivesEvents = true;
  #state: DeviceSourceState = {
    ...{ isConnected: false, mode: '', reason: '', gaps: 0 },
    problem: 'udevd-bridge has not been reached yet',
  };

  constructor(init: DeviceBridgeInit) {
    this.#init = init;
  }

  block = (): BlockInventory | undefined => this.#block;
  pci = (): readonly PciDevice[] | undefined => this.#pci;
  linkHardware = (): ReadonlyMap<string, LinkHardware> | undefined => this.#linkHardware;
  firmware = (): Smbios | undefined => this.#firmware;
  state = (): DeviceSourceState => this.#state;

  listen(subsystem: string, onEvent: OnDeviceEvent): Disposable {
    const entry = { subsystem, onEvent };
    this.#listeners.add(entry);
    return { [Symbol.dispose]: () => void this.#listeners.delete(entry) };
  }

  watchState(onChange: () => void): Disposable {
    this.#stateListeners.add(onChange);
    return { [Symbol.dispose]: () => void this.#stateListeners.delete(onChange) };
  }

  async run(signal: AbortSignal): Promise<void> {
    const { log, socket, retry = usualRetry } = this.#init;
    for (let failures = 0; !signal.aborted; ) {
      try {
        // It opens the folder of a socket with a long path, which may be missing until udevd-bridge is started.
        using channel = openUnixChannel(socket, { maxReconnectPauseMs: retry.longestMs });
        // A trace for each event of a device would tell nobody anything.
        const client = createRpcClient(DeviceServiceDefinition, channel, { telemetry: noTelemetry });
        await this.#follow(client, signal, () => {
          failures = 0;
        });
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        const { message } = faultFrom(error);
        const wasConnected = this.#state.isConnected;
        this.#become({ isConnected: false, problem: `udevd-bridge does not answer: ${message}` });
        if (wasConnected) log.warn({ error: message }, 'devices are not followed: the last state is kept');
        await pause(exponentialDelayMs({ ...retry, factor: 2 }, failures), signal);
      }
    }
  }

  async #follow(client: BridgeClient, outer: AbortSignal, onConnected: () => void): Promise<void> {
    const rest = new LookRest(this.#init.longestRestMs);
    using scope = new DisposableStack();
    const stop = scope.adopt(new AbortController(), (controller) => controller.abort());
    const signal = anySignal(outer, stop.signal);
    const queue = new MessageQueue<EventsResponse>(maxWaiting);
    // Lets the reader go, which may wait for room.
    scope.defer(() => queue.end());
    const reading = copyTo(
      queue,
      client.events({ after: this.#position, subsystems: followed, sources: [] }, { signal }),
    );
    reading.catch(() => {});
    for (;;) {
      const waitsMs = performance.now();
      const responses = await queue.take(this.#receivesEvents ? undefined : pollMs, signal);
      // The stream has ended: this throws why.
      if (responses === undefined) return await reading;
      const beganMs = performance.now();
      await this.#apply(client, responses, signal);
      onConnected();
      const look = { waitedMs: beganMs - waitsMs, tookMs: performance.now() - beganMs };
      await pause(rest.after(look), signal);
    }
  }

  /** Reads what the events are about, and calls the listeners then. The position is kept last: a failure before repeats it. */
  async #apply(
    client: BridgeClient,
    responses: readonly EventsResponse[],
    signal: AbortSignal,
  ): Promise<void> {
    const gap = responses.find((response) => response.gap !== undefined)?.gap;
    const events = responses.flatMap((response) => response.events).map(deviceEvent);
    // Without a response it is time to poll.
    const readsAll = this.#block === undefined || gap !== undefined || responses.length === 0;
    if (readsAll || !this.#state.isConnected) await this.#readStatus(client, signal);
    const changed = readsAll
      ? read
      : read.filter((name) => events.some(({ subsystem }) => subsystem === name));
    if (changed.length > 0) await this.#readDevices(client, changed, signal);
    this.#position = responses.at(-1)?.position ?? this.#position;
    if (gap !== undefined) {
      this.#become({ gaps: this.#state.gaps + 1 });
      this.#init.log.info({ reason: gapText(gap.reason) }, 'all devices were read again');
    }
    for (const { subsystem, onEvent } of [...this.#listeners]) {
      if (readsAll) onEvent(undefined);
      else for (const event of events) if (event.subsystem === subsystem) onEvent(event);
    }
  }

  async #readStatus(client: BridgeClient, signal: AbortSignal): Promise<void> {
    const status = await client.status(
      {},
      { signal: anySignal(signal, AbortSignal.timeout(answerTimeoutMs)) },
    );
    this.#receivesEvents = status.receivesEvents;
    this.#firmware ??= smbios(
      await client.firmware({}, { signal: anySignal(signal, AbortSignal.timeout(answerTimeoutMs)) }),
    );
    if (!this.#state.isConnected) this.#init.log.info({ reason: status.reason }, 'devices are followed');
    this.#become({
      ...{ isConnected: true, mode: modeNames.get(status.mode) ?? '', reason: status.reason },
      problem: status.receivesEvents ? '' : `devices are read once a minute: ${status.eventsProblem}`,
    });
  }

  async #readDevices(client: BridgeClient, subsystems: readonly string[], outer: AbortSignal): Promise<void> {
    const signal = anySignal(outer, AbortSignal.timeout(answerTimeoutMs));
    const devices: Device[] = [];
    for await (const page of client.inventory({ subsystems: [...subsystems] }, { signal }))
      devices.push(...page.devices);
    if (subsystems.includes('block')) this.#block = blockInventory(devices);
    if (subsystems.includes('net')) this.#linkHardware = new Map(devices.flatMap(linkHardware));
    if (subsystems.includes('pci')) this.#pci = devices.flatMap((device) => pciDevice(device) ?? []);
  }

  #become(changes: Partial<DeviceSourceState>): void {
    const next = { ...this.#state, ...changes };
    if (JSON.stringify(next) === JSON.stringify(this.#state)) return;
    this.#state = next;
    for (const onChange of [...this.#stateListeners]) onChange();
  }
}

type BridgeClient = ReturnType<typeof createRpcClient<typeof DeviceServiceDefinition>>;

/** Disks in the order of their names, each before its partitions. */
function blockInventory(devices: readonly Device[]): BlockInventory {
  const ordered = devices
    .filter(({ details }) => details?.$case === 'block')
    .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  return {
    devices: ordered.flatMap((device) => blockDevice(device) ?? []),
    disks: ordered.flatMap((device) => blockDisk(device) ?? []),
    records: new Map(
      ordered.map(({ name, udev }) => [name, new Map(Object.entries(udev?.properties ?? {}))]),
    ),
    links: deviceLinks(ordered),
  };
}

function orderOf({ name, details }: Device): string {
  const parent = details?.$case === 'block' ? details.value.parent : '';
  return parent === '' ? name : `${parent}\0${name}`;
}

async function copyTo(
  queue: MessageQueue<EventsResponse>,
  stream: AsyncIterable<EventsResponse>,
): Promise<void> {
  try {
    for await (const response of stream) await queue.put(response);
  } finally {
    queue.end();
  }
}
