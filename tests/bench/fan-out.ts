// Measures the fan-out of one apid over backends that answer at once, on unix sockets in one process: latency
// at one open request and apid's processor time. `node tests/bench/fan-out.ts [--nodes 1,16,64] [--seconds N]`;
// needs h2load on PATH. With real nodes, `make bench` measures the same.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadGateway } from './engines/load-gateway.ts';
import { startProcess } from './engines/start-process.ts';
import { writeBenchFiles } from './engines/write-files.ts';
import { median } from './median.ts';

/** Until the runtime has compiled the code for good. */
const warmUpRequests = 3000;

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '1,16,64' },
    seconds: { type: 'string', default: '3' },
    repeats: { type: 'string', default: '3' },
    profile: { type: 'string' },
  },
});
const counts = values.nodes.split(',').map(Number);
const names = Array.from({ length: Math.max(...counts) }, (_, index) => `node${index + 1}`);
const folder = mkdtempSync(join(tmpdir(), 'fan-out-'));
using scope = new DisposableStack();
scope.defer(() => rmSync(folder, { recursive: true, force: true }));
const { certificate, key, body } = await writeBenchFiles(folder);
scope.use(await startProcess(['backends', 'constant', ...names.map((name) => join(folder, name))]));
const apid = scope.use(await startProcess(['fan-out', folder, '', certificate, key], values.profile));
const gateway = { name: 'apid', pid: apid.pid, port: apid.port, isPlain: false };
for (const count of counts) {
  const load = { connections: 1, streamsPerConnection: 1, body, nodes: names.slice(0, count) };
  await loadGateway(gateway, { ...load, length: { requests: warmUpRequests } });
  const runs = [];
  for (let repeat = 0; repeat < Number(values.repeats); repeat += 1) {
    runs.push(
      await loadGateway(gateway, {
        ...load,
        length: { seconds: Number(values.seconds) },
        log: join(folder, 'log'),
      }),
    );
  }
  const [p50, p99, cpuUs] = [
    runs.map((run) => run.p50Ms),
    runs.map((run) => run.p99Ms),
    runs.map((run) => run.cpuUs),
  ].map(median) as [number, number, number];
  process.stdout.write(
    `${String(count).padStart(3)} nodes: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, ${cpuUs.toFixed(0)} µs CPU of apid, ${(cpuUs / count).toFixed(1)} per node\n`,
  );
}
