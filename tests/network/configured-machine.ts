// The configuration and the network of a machine in the network namespace of this process: the code of machined with the real kernel, and
// its API on a port. Its end leaves the addresses, like the end of a machined that was killed.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemTimers } from '@nodewright/async';
import { ControllerRuntime } from '@nodewright/controllers';
import { Fault } from '@nodewright/fault';
import { createRpcServer } from '@nodewright/rpc';
import { MemoryState } from '@nodewright/state';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { worlds } from '../../services/machined/src/base/domain/world.ts';
import { createWorkerSelectors } from '../../services/machined/src/base/host/worker-selectors.ts';
import { nodeLayout } from '../../services/machined/src/base/node-layout.ts';
import { completeServices } from '../../services/machined/src/base/rpc/complete-services.ts';
import { mergeApis } from '../../services/machined/src/base/topic.ts';
import { openConfig } from '../../services/machined/src/config/open-config.ts';
import { EventStore } from '../../services/machined/src/life/host/event-store.ts';
import { noLinkHardware } from '../../services/machined/src/network/controllers/testing/fake-network.ts';
import { openNetwork } from '../../services/machined/src/network/open-network.ts';
import { relay } from './relay.ts';

const root = process.env.MACHINE_ROOT ?? '';
const port = Number(process.env.MACHINE_PORT);
const log = createLogger({ name: 'machine', telemetry: noTelemetry, destination: process.stdout });
const scope = new AsyncDisposableStack();
const state = new MemoryState({
  ...{ now: Date.now, cookie: new Uint8Array(8), traceparent: () => undefined },
});
const layout = nodeLayout(
  root,
  { isGuest: true, runsDaemons: false, runsUdevd: false },
  { uid: 0, groups: [] },
);
const events = new EventStore(Date.now);
const config = await openConfig(
  { world: worlds.machine, layout, state, environment: {}, events, log },
  scope,
);
const network = await openNetwork(
  {
    node: { world: worlds.machine, hostname: '', addresses: [] },
    ...{ events, linkHardware: noLinkHardware, commandLine: 'quiet', hasKubelet: false, root, log },
    ...{ cannotChangeNetwork: undefined, setParameter: writeFileSync, hostname: () => 'machine' },
    selectors: createWorkerSelectors(),
    openEtcd: () => Promise.reject(new Fault('unavailable', 'no etcd')),
    ...{ yieldLeadership: async () => undefined, telemetry: noTelemetry },
    stopSignal: new AbortController().signal,
  },
  scope,
);
config.setLostAddresses(async (next) => (await network.lostAddresses?.(state, next)) ?? []);
const runtime = new ControllerRuntime({
  ...{ state, log, telemetry: noTelemetry, timers: systemTimers, random: Math.random },
  eventLoop: { now: () => 0, nextTurn: () => {} },
});
const server = createRpcServer({
  services: completeServices(mergeApis([config.api ?? {}, network.api ?? {}])),
  ...{ telemetry: noTelemetry, log },
});
const { machinedSocket } = layout.paths;
mkdirSync(dirname(machinedSocket), { recursive: true });
await server.listenUnix(machinedSocket);
await relay({ listen: { port, host: '0.0.0.0' }, connect: { path: machinedSocket } });
// The kernel's host name is not in the namespace of the network.
for (const controller of [...config.controllers, ...network.controllers])
  if (controller.name !== 'network.HostnameSpecController') runtime.register(controller);
runtime.start();
await config.acquire(new AbortController().signal);
log.info({}, 'the machine has its configuration');
// The timers of machined do not keep a process alive.
setInterval(() => {}, 60_000);
