// Starts one udevd-bridge over a fake sysfs, as machined of a node without a udevd starts it.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { DeviceServiceDefinition } from '@nodewright/contract/gen/suite/devices/v1/devices.ts';
import { createRpcClient, openUnixChannel } from '@nodewright/rpc';
import { noTelemetry } from '@nodewright/telemetry';
import { type DaemonProcess, eventually, isServing, spawnDaemon } from '@nodewright/testkit';

export type DeviceClient = ReturnType<typeof createRpcClient<typeof DeviceServiceDefinition>>;

export interface Bridge extends AsyncDisposable {
  readonly process: DaemonProcess;
  readonly socket: string;
  readonly sysRoot: string;
  readonly client: DeviceClient;
  /** A client on a connection of its own. */
  connect(): { readonly client: DeviceClient } & Disposable;
  /** Adds a device below `/sys/devices/virtual/<subsystem>`. */
  addDevice(subsystem: string, name: string, facts?: Readonly<Record<string, string>>): void;
}

export async function startBridge(init: { readonly args?: readonly string[] } = {}): Promise<Bridge> {
  const root = mkdtempSync(join(tmpdir(), 'devices-'));
  const scope = new AsyncDisposableStack();
  scope.defer(() => rmSync(root, { recursive: true, force: true }));
  const [sysRoot, socket] = [join(root, 'sys'), join(root, 'run', 'devices.sock')];
  mkdirSync(join(sysRoot, 'devices'), { recursive: true });
  const process = scope.use(
    await spawnDaemon({
      name: 'udevd-bridge',
      args: [
        '--socket',
        socket,
        '--sys-root',
        sysRoot,
        '--udev-data',
        join(root, 'data'),
        ...(init.args ?? []),
      ],
    }),
  );
  const connect = () => {
    const channel = openUnixChannel(socket, { maxReconnectPauseMs: 100 });
    const client = createRpcClient(DeviceServiceDefinition, channel, { telemetry: noTelemetry });
    return { client, [Symbol.dispose]: () => channel[Symbol.dispose]() };
  };
  await eventually(() => isServing(socket), {
    what: 'udevd-bridge',
    explain: () => process.stdout() + process.stderr(),
  });
  const { client } = scope.use(connect());
  return {
    ...{ process, socket, sysRoot, client, connect },
    addDevice(subsystem, name, facts = {}) {
      const folder = join(sysRoot, 'devices', 'virtual', subsystem, name);
      const group = join(sysRoot, 'class', subsystem);
      for (const path of [folder, group]) mkdirSync(path, { recursive: true });
      const lines = Object.entries(facts).map(([key, value]) => `${key}=${value}\n`);
      writeFileSync(join(folder, 'uevent'), lines.join(''));
      symlinkSync(relative(folder, group), join(folder, 'subsystem'));
      symlinkSync(relative(dirname(join(group, name)), folder), join(group, name));
    },
    [Symbol.asyncDispose]: () => scope.disposeAsync(),
  };
}
