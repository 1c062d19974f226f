// Logs and LogsContainers.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type LogsRequest, MachineServiceDefinition } from '@nodewright/contract/gen/machine/machine.ts';
import { eventually } from '@nodewright/testkit';
import { startNode } from './harness/node-under-test.ts';

const node = await startNode();
after(() => node[Symbol.asyncDispose]());
const machine = node.client(MachineServiceDefinition, 'os:reader');
const lineCount = 500;

await node.serviceSays('apid', /Health check successful/);
await node.order('apid', `print ${lineCount}`);
await eventually(async () => (await node.log('apid')).includes(`line ${lineCount - 1}\n`), {
  what: 'last line',
});

async function read(request: Partial<LogsRequest>): Promise<string[]> {
  const pieces: Uint8Array[] = [];
  for await (const { bytes } of machine.logs({
    namespace: 'system',
    id: 'apid',
    tailLines: -1,
    ...request,
  })) {
    assert.ok(bytes.length <= 1024, `a message of ${bytes.length} bytes`);
    pieces.push(bytes);
  }
  return Buffer.concat(pieces).toString().split('\n').slice(0, -1);
}

const lastLines = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${lineCount - count + index}`);

test('the tail of a log has exactly the requested number of lines', async () => {
  for (const tailLines of [0, 1, 7, lineCount])
    assert.deepEqual(await read({ tailLines }), lastLines(tailLines));
  const all = await read({ tailLines: -1 });
  assert.deepEqual(await read({ tailLines: 1_000_000 }), all);
  assert.ok(all.length > lineCount && all[0]?.startsWith('fake daemon'));
});

test('a reader that follows gets each new line once, until it cancels', async () => {
  const stop = new AbortController();
  const lines: string[] = [];
  const request = { namespace: 'system', id: 'apid', tailLines: 2, follow: true };
  const reading = (async () => {
    for await (const { bytes } of machine.logs(request, { signal: stop.signal })) {
      lines.push(
        ...Buffer.from(bytes)
          .toString()
          .split('\n')
          .filter((line) => line !== ''),
      );
    }
  })();
  await eventually(() => lines.length === 2, { what: 'history' });
  await node.order('apid', `print ${lineCount + 3}`);
  await eventually(() => lines.length >= 5, { what: 'new lines' });
  stop.abort();
  await assert.rejects(reading, { name: 'AbortError' });
  assert.deepEqual(lines, [...lastLines(2), ...[0, 1, 2].map((index) => `line ${lineCount + index}`)]);
  await node.order('apid', '');
});

test('invalid selections are refused in the words of the reference', async () => {
  const refusals: [Partial<LogsRequest>, number, string][] = [
    [{ id: 'etcd' }, 2, 'log "etcd" was not registered'],
    [{ namespace: '' }, 3, "namespace can't be empty"],
    [{ namespace: 'k8s.io', driver: 7 as never }, 3, 'unsupported driver "7"'],
    [{ namespace: 'other', driver: 1 }, 2, 'CRI inspector is supported only for K8s namespace'],
    [
      { namespace: 'k8s.io', driver: 1, id: 'kube-system/x:y' },
      2,
      'container "kube-system/x:y" not found: no CRI runs on this node',
    ],
    [{ namespace: 'k8s.io', id: 'x' }, 2, 'container "x" not found: no container runtime runs on this node'],
    [{ namespace: '', id: 'kubelet' }, 2, 'log "kubelet" was not registered'],
  ];
  for (const [request, code, details] of refusals) await assert.rejects(read(request), { code, details });
});

test('LogsContainers lists the existing logs', async () => {
  const { messages } = await machine.logsContainers({});
  const known = ['apid', 'controller-runtime', 'dns-resolve-cache', 'machined', 'trustd', 'udevd-bridge'];
  assert.deepEqual(messages[0]?.ids.toSorted(), known);
});

test('the log controller-runtime has the lines of machined that controllers wrote, and those only', async () => {
  const records = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  await machine.hostname({});
  const own = records((await read({ id: 'controller-runtime' })).join('\n'));
  assert.match(String(own[0]?.msg), /^controllers started$/);
  assert.ok(Number(own[0]?.controllers) > 50);
  assert.deepEqual(
    own.filter(({ controller, controllers }) => controller === undefined && controllers === undefined),
    [],
  );
  const all = records(await node.log('machined')).map((record) => JSON.stringify(record));
  assert.deepEqual(
    own.map((record) => JSON.stringify(record)).filter((line) => !all.includes(line)),
    [],
  );
});

test('the log dns-resolve-cache says that there is no host DNS', async () => {
  const [line = '', ...more] = await read({ id: 'dns-resolve-cache' });
  assert.deepEqual(more, []);
  const { level, name, msg } = JSON.parse(line);
  assert.deepEqual(
    { level, name, msg },
    {
      level: 'warn',
      name: 'dns-resolve-cache',
      msg: 'host DNS is not implemented: programs of this node ask its name servers directly',
    },
  );
});

test('machined logs a call in one JSON line with the roles, and without the request', async () => {
  // A successful read of a reader has its line at debug, which is not written.
  await machine.hostname({});
  await assert.rejects(machine.reboot({}), { code: 7 });
  const finished = (await node.log('machined'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg, method }) => msg === 'request finished' && String(method).startsWith('/machine.'));
  assert.deepEqual(
    finished.slice(-1).map(({ level, method, code, roles }) => [level, method, code, roles]),
    [['info', '/machine.MachineService/Reboot', 'PermissionDenied', ['os:reader']]],
  );
  assert.equal(
    finished.some(({ code }) => code === 'OK'),
    false,
  );
});

test("logs are on disk after the node has stopped, and followers' streams end in time", async () => {
  await using second = await startNode();
  await second.serviceSays('apid', /Health check successful/);
  let text = '';
  const reading = (async () => {
    const request = { namespace: 'system', id: 'machined', tailLines: -1, follow: true };
    const client = second.client(MachineServiceDefinition, 'os:reader');
    for await (const { bytes } of client.logs(request)) text += Buffer.from(bytes).toString();
    return text;
  })();
  await eventually(() => text !== '', { what: 'log' });
  second.machined.signal('SIGTERM');
  const followed = await reading;
  assert.deepEqual(await second.machined.exited, { code: 0, signal: null });
  const files = await Promise.all(
    ['machined', 'apid'].map((id) => readFile(join(second.root, 'var', 'log', `${id}.log`), 'utf8')),
  );
  assert.ok(files[0]?.startsWith(followed.slice(0, 1000)) && files[0].includes('service changed'));
  assert.match(files[1] ?? '', /fake daemon stops\n$/);
  // Their lines are in the log of machined, or say the same at each start.
  const names = await readdir(join(second.root, 'var', 'log'));
  assert.deepEqual(names.toSorted(), ['apid.log', 'machined.log', 'trustd.log', 'udevd-bridge.log']);
});
