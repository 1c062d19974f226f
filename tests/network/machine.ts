// The network topic of a machine in the network namespace of this process: the code of machined with the real kernel. Its end leaves
// the addresses, like the end of a machined that was killed.
import { writeFileSync } from 'node:fs';
import { systemTimers } from '@nodewright/async';
import { ControllerRuntime } from '@nodewright/controllers';
import { Fault } from '@nodewright/fault';
import { MemoryState, pointerTo, putResource } from '@nodewright/state';
import { machineConfigs, resolverStatuses } from '@nodewright/state/kinds';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { worlds } from '../../services/machined/src/base/domain/world.ts';
import { EventStore } from '../../services/machined/src/life/host/event-store.ts';
import { noLinkHardware } from '../../services/machined/src/network/controllers/testing/fake-network.ts';
import { openNetwork } from '../../services/machined/src/network/open-network.ts';

export interface MachineInit {
  /** Of the kernel. */
  readonly commandLine: string;
  /** The folder that stands for `/`. */
  readonly root: string;
  /** Documents of the machine's configuration; empty: none. */
  readonly configuration: string;
}

const { commandLine, root, configuration } = JSON.parse(process.env.MACHINE ?? '{}') as MachineInit;
const log = createLogger({ name: 'machine', telemetry: noTelemetry, destination: process.stdout });
const scope = new AsyncDisposableStack();
const topic = await openNetwork(
  {
    node: { world: worlds.machine, hostname: '', addresses: [] },
    ...{ events: new EventStore(Date.now), linkHardware: noLinkHardware, commandLine, hasKubelet: false },
    ...{ cannotChangeNetwork: undefined, setParameter: writeFileSync, root },
    openEtcd: () => Promise.reject(new Fault('unavailable', 'no etcd')),
    ...{ yieldLeadership: async () => undefined, hostname: () => 'machine' },
    ...{ stopSignal: new AbortController().signal, telemetry: noTelemetry, log },
  },
  scope,
);
const state = new MemoryState({
  ...{ now: Date.now, cookie: new Uint8Array(8), traceparent: () => undefined },
});
const runtime = new ControllerRuntime({
  ...{ state, log, telemetry: noTelemetry, timers: systemTimers, random: Math.random },
  eventLoop: { now: () => 0, nextTurn: () => {} },
});
// The kernel's host name is not in the namespace of the network.
for (const controller of topic.controllers ?? [])
  if (controller.name !== 'network.HostnameSpecController') runtime.register(controller);
runtime.start();
if (configuration !== '')
  await putResource(state, { ...pointerTo(machineConfigs, 'v1alpha1'), spec: configuration });
/** For the test, in a line for each change. */
let resolvers = '';
setInterval(async () => {
  const [status] = await state.list(resolverStatuses);
  const text = `${status?.spec.dnsServers.join()} ${status?.spec.searchDomains.join()}`;
  if (text !== resolvers) process.stdout.write(`resolvers: ${text}\n`);
  resolvers = text;
}, 100);
// The timers of machined do not keep a process alive.
setInterval(() => {}, 60_000);
