// The network topic of a machine in the network namespace of this process: the code of machined with the real kernel. Its end leaves
// the addresses, like the end of a machined that was killed.
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { systemTimers } from '@nodewright/async';
import { ControllerRuntime } from '@nodewright/controllers';
import { Fault } from '@nodewright/fault';
import { type KindRef, MemoryState, pointerTo, putResource } from '@nodewright/state';
import {
  diagnostics,
  etcFileSpecs,
  hostnameSpecs,
  machineConfigs,
  resolverStatuses,
  timeServerStatuses,
} from '@nodewright/state/kinds';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { activeConfigId } from '../../services/machined/src/base/controllers/configuration-of.ts';
import { decodeConfiguration } from '../../services/machined/src/base/domain/machine-configuration.ts';
import { worlds } from '../../services/machined/src/base/domain/world.ts';
import { createWorkerSelectors } from '../../services/machined/src/base/host/worker-selectors.ts';
import { EventStore } from '../../services/machined/src/life/host/event-store.ts';
import { noLinkHardware } from '../../services/machined/src/network/controllers/testing/fake-network.ts';
import { openNetwork } from '../../services/machined/src/network/open-network.ts';
import { type MachineInit, type MachineOrder, type MachineReport, servedPort } from './machine-order.ts';

const { commandLine, root, configuration } = JSON.parse(process.env.MACHINE ?? '{}') as MachineInit;
const log = createLogger({ name: 'machine', telemetry: noTelemetry, destination: process.stdout });
const scope = new AsyncDisposableStack();
const topic = await openNetwork(
  {
    node: { world: worlds.machine, hostname: '', addresses: [] },
    ...{ events: new EventStore(Date.now), linkHardware: noLinkHardware, commandLine, hasKubelet: false },
    ...{
      cannotChangeNetwork: undefined,
      setParameter: writeFileSync,
      root,
      selectors: createWorkerSelectors(),
    },
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
createServer((socket) => {
  socket.on('error', () => {});
  socket.end('.');
}).listen(servedPort);
process.on('message', async ({ configuration }: MachineOrder) => {
  const refusal = configuration === undefined ? '' : await configure(configuration);
  process.send?.(await report(refusal));
});

/** @returns why it is refused; empty when it is not */
async function configure(text: string): Promise<string> {
  try {
    decodeConfiguration(text);
  } catch (error) {
    return (error as Error).message;
  }
  await putResource(state, { ...pointerTo(machineConfigs, activeConfigId), spec: text });
  return '';
}

async function report(refusal: string): Promise<MachineReport> {
  const specsOf = async <S>(kind: KindRef<S>) => (await state.list(kind)).map(({ spec }) => spec);
  const [name] = await specsOf(hostnameSpecs);
  const [resolvers] = await specsOf(resolverStatuses);
  const [servers] = await specsOf(timeServerStatuses);
  const files = (await state.list(etcFileSpecs)).map(({ metadata, spec }) => [metadata.id, spec.contents]);
  return {
    ...{ refusal, hostname: name === undefined ? '' : [name.hostname, name.domainname].join('.') },
    ...{ resolvers: resolvers?.dnsServers ?? [], searchDomains: resolvers?.searchDomains ?? [] },
    ...{ timeServers: servers?.timeServers ?? [], files: Object.fromEntries(files) },
    diagnostics: (await specsOf(diagnostics)).flatMap(({ message, details }) => [message, ...details]),
  };
}

// The timers of machined do not keep a process alive.
setInterval(() => {}, 60_000);
