// The running stack of compose.yaml. Needs a Docker engine and the images (`make images`).
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { promisify } from 'node:util';
import { runDocker } from '@nodewright/provision/engine';
import { reasonToSkip, testTag } from './reason-to-skip.ts';
import { type ContainerFacts, eventually, leftoversOf, openTestStack, type TestStack } from './test-stack.ts';
import { type Trace, treeOf } from './trace-tree.ts';

/** What our programs use besides JavaScript; the only foreign function is looked up at the very start. */
const callsOutside: Readonly<Record<string, readonly string[]>> = {
  machined: ['--allow-addons', '--allow-ffi'],
  apid: ['--allow-ffi'],
  trustd: ['--allow-ffi'],
  registryd: ['--allow-ffi'],
  'udevd-bridge': ['--allow-ffi', '--allow-addons'],
};

const checkout = join(import.meta.dirname, '..', '..');
const nodes = ['node01', 'node02', 'node03', 'node04'] as const;
const controlPlanes = nodes.slice(0, 3);
const gateways = nodes.map((node) => `${node}-apid`);
const signers = controlPlanes.map((node) => `${node}-trustd`);
const registries = nodes.map((node) => `${node}-registryd`);
const bridges = nodes.map((node) => `${node}-udevd-bridge`);
const daemons = [...nodes, ...gateways, ...signers, ...registries, ...bridges, 'time', 'jaeger'].sort();
/** Jaeger runs as the user of its public image. */
function userOf(service: string): string {
  if (service === 'jaeger') return '10001';
  if (service.endsWith('-apid')) return '50:50';
  if (service.endsWith('-registryd')) return '53:53';
  if (service.endsWith('-udevd-bridge')) return '54:54';
  return service.endsWith('-trustd') ? '51:51' : '52:52';
}

type NeighbourDaemon = 'apid' | 'trustd' | 'registryd' | 'udevd-bridge';

/** The name of our daemon that a service runs, if it does. */
function daemonOf(service: string): 'machined' | NeighbourDaemon | undefined {
  const name = /^node\d\d(?:-(apid|trustd|registryd|udevd-bridge))?$/.exec(service);
  return name === null ? undefined : ((name[1] as NeighbourDaemon | undefined) ?? 'machined');
}

/** Calls each node for its memory and its services. */
async function allNodesAnswer(stack: TestStack): Promise<void> {
  using client = stack.openClient();
  for (const name of nodes) {
    const { machine } = client.node(name);
    const signal = AbortSignal.timeout(30_000);
    const { messages } = await machine.memory({}, { signal });
    assert.ok((messages[0]?.meminfo?.memtotal ?? 0n) > 0n, name);
    const [list] = (await machine.serviceList({}, { signal })).messages;
    const ids = controlPlanes.some((node) => node === name)
      ? ['apid', 'etcd', 'machined', 'trustd', 'udevd-bridge']
      : ['apid', 'machined', 'udevd-bridge'];
    assert.deepEqual(
      list?.services
        // It is listed once it has run.
        .filter(({ id }) => id !== 'registryd')
        .map(({ id, state, health }) => `${id} ${state} ${health?.healthy}`),
      ids.map((id) => `${id} Running true`),
      name,
    );
  }
}

/** Fails unless the log of this daemon of node02 has at least this number of starts. */
async function hasLog(stack: TestStack, id: string, starts: number): Promise<void> {
  using client = stack.openClient();
  const signal = AbortSignal.timeout(30_000);
  const request = { namespace: 'system', id, tailLines: -1 };
  let text = '';
  for await (const { bytes } of client.node('node02').machine.logs(request, { signal }))
    text += Buffer.from(bytes).toString();
  assert.ok(text.split('"msg":"daemon serves"').length > starts, text);
}

/** Fails unless a server listens there. */
async function reach(host: string, port: number): Promise<void> {
  const socket = connect({ host, port, timeout: 2000 });
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
}

suite('compose stack', { skip: await reasonToSkip() }, () => {
  let stack: TestStack;
  before(async () => {
    stack = await openTestStack(testTag);
    using client = stack.openClient();
    // Bootstrap fails until the node has checked its clock.
    await eventually(120_000, () => client.node('node01').machine.bootstrap({}));
  });
  after(async () => {
    await stack?.[Symbol.asyncDispose]();
  });

  /** Runs a script inside a container and returns its output. */
  const run = async (service: string, script: string) => {
    const node = ['exec', '--no-TTY', service, '/usr/bin/node', '--eval', script];
    return (await stack.compose(...node)).trim();
  };
  const networkOf = (service: string) => run(service, `console.log(fs.readlinkSync('/proc/self/ns/net'))`);

  /** machined exits with success when its node is shut down, and the engine must not restart it then. */
  const restartOf = (service: string) => {
    if (service === 'init') return 'no';
    return /^node\d+$/.test(service) ? 'on-failure' : 'unless-stopped';
  };

  test('no container runs as root, with a capability, or with a writable root file system', async () => {
    const containers = await stack.inspect('--all');
    assert.deepEqual(Object.keys(containers).sort(), [...daemons, 'init'].sort());
    for (const [service, { Config, HostConfig, Mounts }] of Object.entries(containers)) {
      assert.deepEqual(
        {
          user: Config.User,
          readOnly: HostConfig.ReadonlyRootfs,
          added: HostConfig.CapAdd ?? [],
          dropped: HostConfig.CapDrop,
          security: HostConfig.SecurityOpt?.map((option) => option.replace(/:true$/, '')),
          privileged: HostConfig.Privileged,
          limited:
            HostConfig.Memory > 0 && (daemonOf(service) === undefined || (HostConfig.PidsLimit ?? 0) > 0),
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
          restart: restartOf(service),
          // machined of each node starts containers through the engine's socket; no other program may.
          engineSockets: /^node\d+$/.test(service) ? 1 : 0,
        },
        service,
      );
    }
  });

  test('the kernel confirms it: no capability in any set, and none can be gained', async () => {
    for (const [service, { State }] of Object.entries(await stack.inspect())) {
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

  test('all our programs run under the permission model and may start nothing, and only machined and udevd-bridge load an add-on', async () => {
    for (const [service, { State }] of Object.entries(await stack.inspect())) {
      if (service === 'jaeger') continue;
      const words = (await readFile(`/proc/${State.Pid}/cmdline`, 'utf8')).split('\0').slice(0, -1);
      const program = words.findIndex((word) => !word.startsWith('-') && word.endsWith('.cjs'));
      const name = daemonOf(service) ?? 'time-server';
      const folder = `/usr/lib/nodewright/${name}`;
      assert.equal(words[0], '/usr/bin/node', service);
      assert.ok(words[program]?.startsWith(`${folder}/`), `${service}: ${words}`);
      const flags = words.slice(1, program);
      assert.ok(flags.includes('--permission'), service);
      const allowed = flags.filter((flag) => /^--allow-/.test(flag) && !/^--allow-(net$|fs-)/.test(flag));
      assert.deepEqual(allowed, callsOutside[name] ?? [], service);
      const writes = flags.filter((flag) => flag.startsWith('--allow-fs-write='));
      const expected = {
        machined: ['*'],
        apid: ['/run/apid', '/var/log/apid'],
        trustd: ['/run/trustd', '/var/log/trustd'],
        registryd: ['/run/registryd', '/var/lib/registryd', '/var/log/registryd'],
        'udevd-bridge': ['/run/udevd-bridge', '/var/log/udevd-bridge'],
        'time-server': [],
      }[name];
      assert.deepEqual(
        writes,
        expected.map((path) => `--allow-fs-write=${path}`),
        service,
      );
    }
  });

  test('machined shares with the other daemons what they need through their groups, and no one can modify it', async () => {
    const paths = ['/run/machined', '/run/machined/machined.sock'].concat(
      ['apid', 'trustd'].flatMap((name) => [`/system/run/${name}`, `/system/run/${name}/runtime.sock`]),
      ['/run/udevd-bridge', '/run/udevd-bridge/devices.sock'],
    );
    const shown = await run(
      'node01',
      `for (const path of ${JSON.stringify(paths)}) {
        const { mode, uid, gid } = fs.statSync(path);
        console.log(path, (mode & 0o777).toString(8), uid + ':' + gid);
      }`,
    );
    assert.deepEqual(shown.split('\n'), [
      '/run/machined 750 52:50',
      '/run/machined/machined.sock 660 52:50',
      '/system/run/apid 750 52:50',
      '/system/run/apid/runtime.sock 660 52:50',
      '/system/run/trustd 750 52:51',
      '/system/run/trustd/runtime.sock 660 52:51',
      '/run/udevd-bridge 750 54:54',
      '/run/udevd-bridge/devices.sock 660 54:54',
    ]);
    const attempt = (path: string, call: string) =>
      `try { fs.${call}(${JSON.stringify(path)}, ''); console.log('done') } catch ({ code }) { console.log(code) }`;
    const answers = await Promise.all([
      run('node01-apid', attempt('/system/run/apid/runtime.sock', 'unlinkSync')),
      run('node01-apid', attempt('/system/run/apid/x', 'writeFileSync')),
      run('node01-apid', attempt('/run/machined/x', 'writeFileSync')),
      run('node01-apid', attempt('/system/run/trustd/runtime.sock', 'readFileSync')),
      run('node01-trustd', attempt('/system/run/apid/runtime.sock', 'readFileSync')),
      run('node01-trustd', attempt('/run/machined/machined.sock', 'statSync')),
    ]);
    assert.deepEqual(answers, ['EROFS', 'EROFS', 'EACCES', 'ENOENT', 'ENOENT', 'ENOENT']);
  });

  test('every node answers through the first endpoint, and its services run and are healthy', async () => {
    await eventually(120_000, () => allNodesAnswer(stack));
  });

  test('a node shows the logs of the other daemons', async () => {
    for (const id of ['apid', 'trustd', 'udevd-bridge'])
      await eventually(120_000, () => hasLog(stack, id, 1));
  });

  test('registryd of a node serves while its configuration enables the image cache, and its calls are traced', async () => {
    using client = stack.openClient();
    const node = client.node('node02');
    const signal = () => AbortSignal.timeout(30_000);
    await assert.rejects(node.registry.status({}, { signal: signal() }), /this node has no image cache/);
    const enable = (enabled: boolean) => {
      const patch = { apiVersion: 'v1alpha1', kind: 'ImageCacheConfig', local: { enabled } };
      return promisify(execFile)(process.execPath, [
        join(checkout, '_out', 'dist', 'talosctl', 'talosctl.cjs'),
        ...[
          '--talosconfig',
          stack.talosconfig,
          '--endpoints',
          stack.addressOf(1),
          '--nodes',
          stack.addressOf(2),
        ],
        ...['patch', 'mc', '--mode', 'no-reboot', '--patch', JSON.stringify(patch)],
      ]);
    };
    await enable(true);
    await eventually(120_000, async () => {
      const { listenAddress, cacheFolder } = await node.registry.status({}, { signal: signal() });
      assert.deepEqual([listenAddress, cacheFolder], ['127.0.0.1:3172', '/var/lib/registryd']);
      const [list] = (await node.machine.serviceList({}, { signal: signal() })).messages;
      assert.ok(list?.services.some(({ id, health }) => id === 'registryd' && health?.healthy));
    });
    const { removedFiles } = await node.registry.collect({}, { signal: signal() });
    assert.equal(removedFiles, 0);
    await eventually(120_000, () => hasLog(stack, 'registryd', 1));
    await enable(false);
    await eventually(120_000, () => allNodesAnswer(stack));
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
      `    apid of node01: ${call}`,
      `      apid of node01: ${call}`,
      `        apid of node02: ${call}`,
      `          apid of node02: ${call}`,
      `            machined of node02: ${call}`,
      '              machined of node02: read /proc/meminfo',
    ];
    // Daemons export their spans in batches.
    await eventually(120_000, async () => {
      const response = await fetch(`${stack.jaeger}/api/traces?service=talosctl&operation=talosctl%20memory`);
      const { data } = (await response.json()) as { data: Trace[] };
      assert.equal(data.length, 1);
      assert.deepEqual(treeOf(data[0] as Trace), expected);
    });
  });

  for (const services of [
    gateways,
    [...signers, ...registries],
    ['time', 'jaeger'],
    ['node02'],
    bridges,
    nodes,
  ]) {
    test(`the stack recovers from a crash of ${services.join(', ')}`, { timeout: 240_000 }, async () => {
      const before = await stack.inspect();
      await stack.crash(...services.map((service) => before[service] as ContainerFacts));
      await eventually(180_000, async () => {
        const now = await stack.inspect();
        for (const service of services) {
          const restarts = (now[service]?.RestartCount ?? 0) - (before[service]?.RestartCount ?? 0);
          assert.ok(restarts >= 1, `${service} was not started again`);
        }
        for (const [service, { State }] of Object.entries(now)) {
          const { Running, Health } = State;
          assert.deepEqual([Running, Health?.Status ?? 'healthy'], [true, 'healthy'], service);
        }
        assert.deepEqual(Object.keys(now).sort(), daemons);
        await allNodesAnswer(stack);
      });
    });
  }

  const group = ['', '-apid', '-trustd', '-registryd', '-udevd-bridge'].map((kind) => `node03${kind}`);

  const endings = {
    crashes: (machined: ContainerFacts) => stack.crash(machined),
    'is told to restart': (machined: ContainerFacts) => runDocker(['restart', '--time', '5', machined.Id]),
  };
  for (const [words, end] of Object.entries(endings)) {
    test(`every daemon follows a node whose machined ${words} into its new network`, async () => {
      const networkBefore = await networkOf('node03');
      await end((await stack.inspect()).node03 as ContainerFacts);
      await eventually(180_000, async () => {
        const networks = await Promise.all(group.map(networkOf));
        assert.equal(new Set(networks).size, 1, `one network for ${group}: ${networks}`);
        assert.notEqual(networks[0], networkBefore);
        for (const port of [50000, 50001]) await reach(stack.addressOf(3), port);
        await allNodesAnswer(stack);
      });
    });
  }

  for (const service of [...group, 'time', 'jaeger']) {
    test(`the node is well after ${service} alone was restarted`, { timeout: 240_000 }, async () => {
      const before = (await stack.inspect())[service] as ContainerFacts;
      await runDocker(['restart', '--time', '5', before.Id]);
      await eventually(180_000, async () => {
        const now = await stack.inspect();
        assert.notEqual(now[service]?.State.Pid, before.State.Pid);
        const networks = await Promise.all(group.map(networkOf));
        assert.equal(new Set(networks).size, 1, `one network for ${group}: ${networks}`);
        await allNodesAnswer(stack);
      });
    });
  }

  test('after a crash of a node and of its daemons, their logs are still there', async () => {
    for (const id of ['apid', 'trustd']) await eventually(120_000, () => hasLog(stack, id, 2));
  });

  test('down leaves no container, network or volume', { timeout: 120_000 }, async () => {
    assert.notDeepEqual(await leftoversOf(stack.name), []);
    // Within the stack's own stop timeout: the etcd leader transfers its leadership before it exits, for up
    // to five seconds.
    await stack.compose('down', '--volumes');
    assert.deepEqual(await leftoversOf(stack.name), []);
  });
});
