import {
  type DeviceServiceImplementation,
  type EventsRequest,
  type LoadModuleRequest,
  Mode,
  type StatusResponse,
} from '@nodewright/contract/gen/suite/devices/v1/devices.ts';
import { Fault } from '@nodewright/fault';
import type { Smbios } from '@nodewright/linux';
import { keepOutOfLog } from '@nodewright/rpc';
import { checkModule, checkSettleTimeout, checkSubsystems, checkTrigger } from '../domain/check-request.ts';
import type { DeviceEvent } from '../domain/device-event.ts';
import { deviceLimits } from '../domain/limits.ts';
import type { BridgeMode } from '../domain/mode.ts';
import type { WantedModule } from '../domain/module-policy.ts';
import { Places } from '../domain/places.ts';
import type { EventLog } from '../host/event-log.ts';
import type { OwnDevices } from '../host/own-devices.ts';
import type { SysfsDevice } from '../host/read-devices.ts';
import {
  deviceMessage,
  eventMessage,
  gapReason,
  memoryModuleMessage,
  positionFrom,
  positionMessage,
  sourceFrom,
} from './device-messages.ts';

export interface DeviceServiceInit {
  readonly mode: BridgeMode;
  readonly events: EventLog;
  /** Why no events arrive; undefined when they do. */
  readonly eventsProblem: () => string | undefined;
  readonly readDevices: (subsystems: ReadonlySet<string> | undefined) => AsyncIterable<SysfsDevice>;
  /** Undefined without facts from the firmware. */
  readonly readFirmware: () => Smbios | undefined;
  /** Undefined where the daemon only reads. */
  readonly control: OwnDevices | undefined;
  /** Aborts when the daemon stops, and ends the open streams. */
  readonly stopSignal: AbortSignal;
}

const modes = { udevd: Mode.MODE_UDEVD, 'read-only': Mode.MODE_READ_ONLY } as const;

export function createDeviceService(init: DeviceServiceInit): DeviceServiceImplementation {
  const { mode, events, readDevices, stopSignal } = init;
  const subscribers = new Places(deviceLimits.subscribers, 'Events');
  const inventories = new Places(deviceLimits.inventories, 'Inventory');
  const waiting = new Places(deviceLimits.waitingCalls, 'Trigger, Settle and LoadModule');

  const control = (): OwnDevices => {
    if (init.control !== undefined) return init.control;
    throw new Fault('failed-precondition', `devices are only read here: ${mode.reason}`);
  };

  return {
    async status(_request, context) {
      keepOutOfLog(context);
      const problem = init.eventsProblem();
      const response: StatusResponse = {
        ...{ mode: modes[mode.kind], reason: mode.reason },
        ...{ receivesEvents: problem === undefined, eventsProblem: problem ?? '' },
        udevd: init.control?.status(),
        position: positionMessage(events.position),
        kernelDrops: BigInt(events.drops),
        subscribers: subscribers.taken,
      };
      return response;
    },

    async *inventory({ subsystems }, context) {
      keepOutOfLog(context);
      const wanted = checkSubsystems(subsystems);
      using _place = inventories.take();
      const position = positionMessage(events.position);
      let page: SysfsDevice[] = [];
      let count = 0;
      for await (const device of readDevices(wanted)) {
        context.signal.throwIfAborted();
        count += 1;
        if (count > deviceLimits.inventoryDevices)
          throw new Fault(
            'resource-exhausted',
            `more than ${deviceLimits.inventoryDevices} devices: name subsystems`,
          );
        page.push(device);
        if (page.length < deviceLimits.pageDevices) continue;
        yield { position, devices: page.map(deviceMessage) };
        page = [];
      }
      // The last page, or the only one, may be empty.
      yield { position, devices: page.map(deviceMessage) };
    },

    async firmware() {
      const { system, processors = [], memoryModules = [] } = init.readFirmware() ?? {};
      return { system, processors: [...processors], memoryModules: memoryModules.map(memoryModuleMessage) };
    },

    async *events(request, context) {
      const wants = wantedEvents(request);
      using _place = subscribers.take();
      const { history } = events.position;
      const from = request.after && positionFrom(request.after);
      const signal = AbortSignal.any([context.signal, stopSignal]);
      for await (const batch of events.follow(from, wants, signal)) {
        yield {
          position: positionMessage({ history, sequence: batch.through }),
          gap: batch.gap && { reason: gapReason(batch.gap) },
          events: batch.events.map(({ sequence, event }) => eventMessage(sequence, event)),
        };
      }
      if (stopSignal.aborted) throw new Fault('unavailable', 'the daemon is stopping: connect again');
    },

    async trigger({ action, paths, reloadsRules }, { signal }) {
      checkTrigger(action, paths);
      const { udev } = control();
      using _place = waiting.take();
      await udev.trigger({ action, paths, reloadsRules }, signal);
      return {};
    },

    async settle({ timeoutMs }, { signal }) {
      checkSettleTimeout(timeoutMs);
      const { udev } = control();
      using _place = waiting.take();
      return { isSettled: await udev.settle(timeoutMs, signal) };
    },

    async loadModule(request) {
      const wanted = checkModule(wantedModule(request));
      const { loadModules } = control();
      using _place = waiting.take();
      return { names: [...(await loadModules(wanted))] };
    },
  };
}

/** @throws Fault `invalid-argument` */
function wantedEvents(request: EventsRequest): (event: DeviceEvent) => boolean {
  const subsystems = checkSubsystems(request.subsystems);
  if (request.sources.length > deviceLimits.sources)
    throw new Fault(
      'invalid-argument',
      `${request.sources.length} sources, more than ${deviceLimits.sources}`,
    );
  const sources = request.sources.map((value) => {
    const source = sourceFrom(value);
    if (source === undefined) throw new Fault('invalid-argument', `source ${value} is no source of events`);
    return source;
  });
  return ({ subsystem, source }) =>
    (subsystems === undefined || subsystems.has(subsystem)) &&
    (sources.length === 0 || sources.includes(source));
}

function wantedModule({ module }: LoadModuleRequest): WantedModule | undefined {
  if (module === undefined) return undefined;
  return module.$case === 'name' ? { name: module.value } : { modalias: module.value };
}
