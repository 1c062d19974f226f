// The stack of compose.yaml as it runs. Needs a Docker engine and the images (`make images`).
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { promisify } from 'node:util';
import { askEngine } from '../../packages/provision/src/docker/ask-engine.ts';
import { tryDocker } from '../../packages/provision/src/docker/run-docker.ts';
import { eventually, leftoversOf, openTestStack, type TestStack } from './test-stack.ts';

const checkout = join(import.meta.dirname, '..', '..');
const tag = process.env.NODEWRIGHT_TAG ?? 'dev';
const daemons = /^(node\d\d.*|time|jaeger)$/;
/** Jaeger's user is that of its public image. */
function userOf(service: string): string {
  if (service === 'jaeger') return '10001';
  if (service.endsWith('-apid')) return '50:50';
  return service.endsWith('-trustd') ? '51:51' : '52:52';
}

async function reasonToSkip(): Promise<string | false> {
  const engine = await askEngine();
  if (engine.state !== 'ready') return engine.advice;
  for (const image of [`nodewright/machined:${tag}`, 'jaegertracing/jaeger:2.13.0']) {
    const { code } = await tryDocker(['image', 'inspect', image]);
    if (code !== 0) return `the image ${image} is not there: make images`;
  }
  return false;
}

interface Span {
  readonly spanID: string;
  readonly processID: string;
  readonly operationName: string;
  readonly references: readonly { readonly refType: string; readonly spanID: string }[];
}
interface Trace {
  readonly spans: readonly Span[];
  readonly processes: Readonly<Record<string, { readonly serviceName: string }>>;
}

/** A trace as indented lines `service: name`, parents first, siblings by name. */
function treeOf({ spans, processes }: Trace): string[] {
  const parentOf = ({ references }: Span) => references.find(({ refType }) => refType === 'CHILD_OF')?.spanID;
  const known = new Set(spans.map(({ spanID }) => spanID));
  const below = (parent: string | undefined, indent: string): string[] =>
    spans
      .filter((span) => {
        const own = parentOf(span);
        return parent === undefined ? own === undefined || !known.has(own) : own === parent;
      })
      .map((span) => ({ span, line: `${processes[span.processID]?.serviceName}: ${span.operationName}` }))
      .sort((a, b) => (a.line < b.line ? -1 : 1))
      .flatMap(({ span, line }) => [indent + line, ...below(span.spanID, `${indent}  `)]);
  return below(undefined, '');
}

suite('compose stack', { skip: await reasonToSkip() }, () => {
  let stack: TestStack;
  before(async () => {
    stack = await openTestStack(tag);
  });
  after(async () => {
    await stack?.[Symbol.asyncDispose]();
  });

  test('no container runs as root, with a capability, or with a root file system that can be written', async () => {
    const containers = Object.entries(await stack.inspect()).filter(([service]) => daemons.test(service));
    assert.ok(containers.length >= 6, `${containers.length} containers`);
    for (const [service, { Config, HostConfig, Mounts }] of containers) {
      assert.deepEqual(
        {
          user: Config.User,
          readOnly: HostConfig.ReadonlyRootfs,
          added: HostConfig.CapAdd ?? [],
          dropped: HostConfig.CapDrop,
          security: HostConfig.SecurityOpt?.map((option) => option.replace(/:true$/, '')),
          privileged: HostConfig.Privileged,
          limited: HostConfig.Memory > 0,
          pidMode: HostConfig.PidMode,
          restart: HostConfig.RestartPolicy.Name,
          engineSockets: Mounts.filter(({ Source }) => Source.endsWith('docker.sock')).length,
        },
        {
          user: userOf(service),
          readOnly: true,
          added: [],
          dropped: ['ALL'],
          security: ['no-new-privileges'],
          privileged: false,
          limited: true,
          pidMode: '',
          restart: 'unless-stopped',
          engineSockets: 0,
        },
        service,
      );
    }
  });

  test('the kernel agrees: no capability in any set, and none can be gained', async () => {
    for (const [service, { State }] of Object.entries(await stack.inspect())) {
      if (!daemons.test(service)) continue;
      const status = await readFile(`/proc/${State.Pid}/status`, 'utf8');
      const fields = Object.fromEntries(
        status.split('\n').map((line) => line.split(/:\s+/) as [string, string]),
      );
      const { CapInh, CapPrm, CapEff, CapBnd, CapAmb, NoNewPrivs } = fields;
      assert.deepEqual([CapInh, CapPrm, CapEff, CapBnd, CapAmb], Array(5).fill('0000000000000000'), service);
      assert.equal(NoNewPrivs, '1', service);
      assert.notEqual(fields.Uid?.split('\t')[0], '0', service);
    }
  });

  test('every node answers for its memory through the first endpoint', async () => {
    using client = stack.openClient();
    for (const name of ['node01', 'node02', 'node03', 'node04']) {
      const { messages } = await client.node(name).machine.memory({});
      assert.ok((messages[0]?.meminfo?.memtotal ?? 0n) > 0n, name);
    }
  });

  test('memory of another node is one trace in Jaeger, through both gateways', async () => {
    const [first, second] = [stack.addressOf(1), stack.addressOf(2)];
    await promisify(execFile)(
      process.execPath,
      [
        join(checkout, '_out', 'dist', 'talosctl', 'talosctl.cjs'),
        ...['--talosconfig', stack.talosconfig, '--endpoints', first, '--nodes', second, 'memory'],
      ],
      { env: { PATH: process.env.PATH, OTEL_EXPORTER_OTLP_ENDPOINT: stack.otlp } },
    );
    const call = 'machine.MachineService/Memory';
    const expected = [
      'talosctl: talosctl memory',
      `  talosctl: ${call}`,
      `    apid: ${call}`,
      `      apid: ${call}`,
      `        apid: ${call}`,
      `          apid: ${call}`,
      `            machined: ${call}`,
      '              machined: read /proc/meminfo',
    ];
    // Daemons hand their spans over in batches.
    await eventually(30_000, async () => {
      const response = await fetch(`${stack.jaeger}/api/traces?service=talosctl&operation=talosctl%20memory`);
      const { data } = (await response.json()) as { data: Trace[] };
      assert.equal(data.length, 1);
      assert.deepEqual(treeOf(data[0] as Trace), expected);
    });
  });

  test('a node whose machined is killed comes back by itself', { timeout: 60_000 }, async () => {
    const { node02 } = await stack.inspect();
    assert.ok(node02 !== undefined);
    const answer = await tryDocker(['exec', node02.Id, '/usr/bin/node', '-e', 'process.kill(1, "SIGTERM")']);
    assert.equal(answer.code === 0 || answer.code === 137, true, answer.stderr);
    await eventually(30_000, async () => {
      const { node02: again } = await stack.inspect();
      assert.equal(again?.RestartCount, node02.RestartCount + 1);
      using client = stack.openClient();
      await client.node('node02').machine.version({}, { signal: AbortSignal.timeout(2000) });
    });
  });

  test('down leaves no container, network or volume', { timeout: 60_000 }, async () => {
    assert.notDeepEqual(await leftoversOf(stack.name), []);
    await stack.compose('down', '--volumes', '--timeout', '5');
    assert.deepEqual(await leftoversOf(stack.name), []);
  });
});
