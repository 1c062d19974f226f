// Measures the JavaScript of apid's data path alone: sockets are objects in memory, so no kernel, no TLS and no
// other process takes part. Shows changes of a tenth of a microsecond, which `engines.ts` cannot. `node
// tests/bench/data-path.ts [--batch N] [--trials N] [--level info|error] [--collect]`: processor time per request in the
// fastest trial and in the fastest quarter, which other load on the machine changes least. With `--collect` it collects
// garbage between the trials, as an idle daemon does.
import { writeSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { collectGently, openStandardOutput } from '@nodewright/daemon';
import { frameEngine } from '@nodewright/h2';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import type { GatewayIdentity } from '../../services/apid/src/domain/gateway-identity.ts';
import type { CallRecord } from '../../services/apid/src/gateway/call-record.ts';
import { Chain } from '../../services/apid/src/gateway/chain.ts';
import type { GatewayPeer } from '../../services/apid/src/gateway/gateway.ts';
import { clientLimits } from '../../services/apid/src/gateway/http2-limits.ts';
import { createGateway } from '../../services/apid/src/gateway/open-gateway.ts';
import { serveCall } from '../../services/apid/src/gateway/serve-call.ts';
import { createMemoryBackend, MemoryClient } from './engines/memory-peers.ts';

const requestsPerTrial = 10_000;

const { values } = parseArgs({
  options: {
    batch: { type: 'string', default: '64' },
    trials: { type: 'string', default: '60' },
    level: { type: 'string', default: 'info' },
    collect: { type: 'boolean', default: false },
  },
});
const batch = Number(values.batch);
const destination = openStandardOutput('apid');
const dial = () => Promise.resolve(createMemoryBackend());
const identity = {
  nodeRoutingDisabled: true,
  readonlyRoleMode: true,
  hostname: 'bench',
} as unknown as GatewayIdentity;
await using scope = new AsyncDisposableStack();
const gateway = createGateway(
  {
    engine: frameEngine,
    telemetry: noTelemetry,
    log: createLogger({ name: 'apid', telemetry: noTelemetry, level: values.level, destination }),
    dialMachined: dial,
    dialNode: dial,
  },
  () => identity,
  scope,
);
const peer: GatewayPeer = {
  ...{
    remoteAddress: '127.0.0.1',
    name: '127.0.0.1:40000',
    organizations: [],
    identity: 'address 127.0.0.1',
  },
  ...{ hasCertificate: false, isApid: false, connection: undefined },
};
const active = new Chain<CallRecord>();
const client = new MemoryClient();
frameEngine.accept(client.socket, clientLimits, {
  onCall: (call) => serveCall(gateway, call, peer, active),
  onError(reason) {
    throw new Error(reason);
  },
});
client.start();

// The pauses of a collection do not keep a process alive.
setInterval(() => {}, 60_000);
const times: number[] = [];
for (let trial = 0; trial < Number(values.trials); trial += 1) {
  if (values.collect) await collectGently();
  const before = process.cpuUsage();
  for (let sent = 0; sent < requestsPerTrial; sent += batch) await client.call(batch);
  const { user, system } = process.cpuUsage(before);
  times.push((user + system) / requestsPerTrial);
}
times.sort((left, right) => left - right);
const [fastest, quarter] = [times[0], times[Math.floor(times.length / 4)]] as [number, number];
// Standard output has the request log.
writeSync(
  2,
  `${batch} requests at once: ${fastest.toFixed(2)} µs, fastest quarter ${quarter.toFixed(2)} µs\n`,
);
process.exit();
