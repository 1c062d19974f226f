import { existsSync } from 'node:fs';
import { nodePaths } from '@nodewright/contract';
import { DeviceServiceDefinition } from '@nodewright/contract/gen/suite/devices/v1/devices.ts';
import type { DaemonContext, DaemonDefinition, OptionValues } from '@nodewright/daemon';
import { Fault, faultFrom } from '@nodewright/fault';
import { loadNativeCalls, type NativeCalls, readLinkHardware, readSmbios } from '@nodewright/linux';
import { createRpcServer } from '@nodewright/rpc';
import { deviceLimits } from './domain/limits.ts';
import { decideMode } from './domain/mode.ts';
import { EventLog } from './host/event-log.ts';
import { openEventSocket } from './host/event-socket.ts';
import { type OwnDevices, ownDevices } from './host/own-devices.ts';
import { readDevices } from './host/read-devices.ts';
import { createDeviceService } from './rpc/device-service.ts';

const options = {
  socket: {
    env: 'UDEVD_BRIDGE_SOCKET',
    type: 'path',
    default: nodePaths.devicesSocket,
    description: 'unix socket on which the devices are served, with health checks and reflection',
  },
  sharesSocket: {
    env: 'UDEVD_BRIDGE_SHARES_SOCKET',
    type: 'boolean',
    default: false,
    description: 'the group of the daemon may use the socket; by default only its user may',
  },
  sysRoot: {
    env: 'UDEVD_BRIDGE_SYS_ROOT',
    type: 'path',
    default: '/sys',
    description: 'where sysfs is mounted',
  },
  udevData: {
    env: 'UDEVD_BRIDGE_UDEV_DATA',
    type: 'path',
    default: '/run/udev/data',
    description: 'where udevd records devices',
  },
  udevd: {
    env: 'UDEVD_BRIDGE_UDEVD',
    type: 'path',
    description:
      'the program udevd, for a machine whose devices belong to the node; without it devices are only read',
  },
  udevadm: {
    env: 'UDEVD_BRIDGE_UDEVADM',
    type: 'path',
    default: '/usr/bin/udevadm',
    description: 'the program udevadm',
  },
  udevdLog: {
    env: 'UDEVD_BRIDGE_UDEVD_LOG',
    type: 'path',
    description: 'file for the output of udevd; by default it is part of the log of this daemon',
  },
  settleTime: {
    env: 'UDEVD_BRIDGE_SETTLE_TIME',
    type: 'duration',
    default: 0,
    description: 'how long devices may still appear after udevd has processed all of them',
  },
} as const;

type Context = DaemonContext<OptionValues<typeof options>>;

/**
 * The daemon udevd-bridge: the devices of a node and their events for machined, and the owner of udevd on machines.
 */
export const udevdBridge: DaemonDefinition<typeof options> = {
  name: 'udevd-bridge',
  summary: 'shows the devices of a node and their events, and runs udevd on machines',
  options,
  drainTimeoutMs: 15_000,
  async start(context, scope) {
    const { options: settings, log, telemetry, signal } = context;
    const { sysRoot, udevData, udevd: udevdProgram } = settings;
    const mode = decideMode({
      udevdProgram,
      programExists: udevdProgram !== undefined && existsSync(udevdProgram),
      userId: process.getuid?.() ?? -1,
    });
    log.info({ mode: mode.kind, reason: mode.reason }, 'how devices are found');
    const events = new EventLog(deviceLimits);
    const calls = await loadNativeCalls().catch((error: unknown) => faultFrom(error));
    // The events begin before udevd announces all devices.
    let drivers: OwnDevices['drivers'] | undefined;
    const eventsProblem = receiveEvents({ events, calls, drivers: () => drivers }, context, scope);
    const linkHardware = (name: string) =>
      calls instanceof Fault ? undefined : readLinkHardware(calls, name, `${sysRoot}/bus/pci/devices`);
    // The server comes later than the first check of udevd.
    let setServing = (_isServing: boolean) => {};
    const control =
      mode.kind === 'udevd' && udevdProgram !== undefined
        ? ownDevices(
            {
              ...settings,
              udevd: udevdProgram,
              log,
              signal,
              onChecked: (isSettled) => setServing(isSettled),
            },
            scope,
          )
        : undefined;
    drivers = control?.drivers;
    const server = scope.use(
      createRpcServer({
        services: [
          {
            definition: DeviceServiceDefinition,
            implementation: createDeviceService({
              ...{ mode, events, eventsProblem, control, stopSignal: signal },
              readDevices: (subsystems) => readDevices({ sysRoot, udevData, linkHardware }, subsystems),
              readFirmware: () => readSmbios(sysRoot),
            }),
          },
        ],
        ...{ telemetry, log },
        maxMessageSizeBytes: deviceLimits.requestBytes,
      }),
    );
    setServing = (isServing) => server.setServing(isServing);
    // The first look at all devices is what the health of udevd depends on.
    setServing(control === undefined || control.status().isSettled);
    await server.listenUnix(
      settings.socket,
      settings.sharesSocket ? { directoryMode: 0o750, socketMode: 0o660 } : {},
    );
  },
};

interface EventReceivers {
  readonly events: EventLog;
  readonly calls: NativeCalls | Fault;
  /** Undefined until they are known, and where the daemon only reads. */
  readonly drivers: () => OwnDevices['drivers'] | undefined;
}

/** @returns why no events arrive; undefined while they do */
function receiveEvents(
  { events, calls, drivers }: EventReceivers,
  { log }: Context,
  scope: AsyncDisposableStack,
): () => string | undefined {
  let problem: string | undefined;
  const fail = (error: unknown) => {
    problem = faultFrom(error).message;
    // Whoever follows has to look at all devices from now on.
    events.addLoss();
    log.warn({ error: problem }, 'no events of devices');
  };
  try {
    if (calls instanceof Fault) throw calls;
    scope.use(
      openEventSocket(calls, {
        onEvent(event) {
          events.add(event);
          drivers()?.onEvent(event);
        },
        onLost() {
          events.addLoss();
          drivers()?.onLost();
          log.warn({ drops: events.drops }, 'the kernel has dropped events of devices');
        },
        onError: fail,
      }),
    );
  } catch (error) {
    fail(error);
  }
  return () => problem;
}
