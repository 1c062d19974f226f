// A node of processes never changes its host, even as root.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { methodTable } from '@nodewright/contract';
import { openUnixChannel } from '@nodewright/rpc';
import { hostState } from '@nodewright/testkit';
import { worlds } from '../../../services/machined/src/base/domain/world.ts';
import { startNode } from './harness/node-under-test.ts';
import { rawCall, shutdownPath } from './harness/raw-call.ts';

test('starting a node, calling everything on it as administrator and stopping it leaves the host unchanged', async () => {
  const before = hostState();
  const clock = () => Date.now() - performance.now();
  const clockBefore = clock();
  {
    await using node = await startNode();
    await node.serviceSays('apid', /Health check successful/);
    using channel = openUnixChannel(node.socket);
    const call = (path: string) => rawCall(channel, path, { 'talos-role': 'os:admin' });
    for (const path of Object.keys(methodTable)) if (path !== shutdownPath) await call(path);
    const during = hostState();
    assert.deepEqual(during, before);
    assert.equal((await call(shutdownPath)).code, 0);
    assert.deepEqual(await node.machined.exited, { code: 71, signal: null });
  }
  assert.deepEqual(hostState(), before);
  assert.ok(Math.abs(clock() - clockBefore) < 2000, `the clock was moved by ${clock() - clockBefore} ms`);
});

test('only the first process of a machine can change it: other modules call the kernel for sockets, attributes and logs, and three places start processes', () => {
  const checkout = join(import.meta.dirname, '..', '..', '..');
  const folder = join(checkout, 'services', 'machined', 'src');
  // The runners of services are code of machined in a package of their own.
  const runners = globSync('packages/services/src/**/*.ts', { cwd: checkout });
  assert.ok(runners.length > 20, String(runners.length));
  const sources = [...globSync('**/*.ts', { cwd: folder }), ...runners].filter(
    (path) => !path.endsWith('.test.ts') && !path.includes('/testing/'),
  );
  const textOf = (path: string) =>
    readFileSync(join(path.startsWith('packages/') ? checkout : folder, path), 'utf8');
  assert.ok(sources.length > 30, String(sources.length));
  const importers = (pattern: RegExp) => sources.filter((path) => pattern.test(textOf(path))).sort();
  assert.deepEqual(importers(/from '(koffi|node:ffi|node:cluster)'/), []);
  // Selectors are evaluated in a worker, and large configurations are read in one.
  assert.deepEqual(importers(/from 'node:worker_threads'/), [
    'base/host/selector-worker.ts',
    'base/host/worker-selectors.ts',
    'config/host/configuration-examiner.ts',
    'config/host/configuration-worker.ts',
  ]);
  assert.deepEqual(importers(/\bloadNativeCalls\b/), [
    // Ends the process without the threads of calls that hang.
    'base/host/slow-calls.ts',
    // Bounds the logs of containers on machines.
    'containers/host/open-container-runtime.ts',
    // Mounts the roots of extension services.
    'extensions/host/extension-service.ts',
    'files/host/file-attributes.ts',
    // Covers parameters of the kernel by files of a container's own.
    'kubelet/host/kernel-covers.ts',
    'life/host/prepare-container.ts',
    // Asks routers for their advertisements, on machines.
    'network/host/advertisement-port.ts',
    'network/host/capture-packets.ts',
    // Ask DHCP servers, on machines.
    'network/host/dhcp-wire.ts',
    'network/host/dhcp6-wire.ts',
    'network/host/kernel-network.ts',
    // Changes links, addresses and routes.
    'network/host/network-port.ts',
    // Reads advertisements, on machines.
    'network/open-network.ts',
    // Waits for the processes of its own containers.
    'packages/services/src/host/adopted-children.ts',
    'services/host/forgo-capabilities.ts',
    'stages/prepare-machine.ts',
  ]);
  // Only a machine that plans its network has clients of DHCP, and asks routers.
  for (const [load, file] of [
    ['loadDhcpWires', 'network/host/dhcp-wire.ts'],
    ['loadDhcp6Wires', 'network/host/dhcp6-wire.ts'],
    ['openAdvertisementPort', 'network/host/advertisement-port.ts'],
  ])
    assert.deepEqual(importers(new RegExp(`\\b${load}\\b`)), [file, 'network/open-network.ts']);
  assert.match(
    textOf('network/open-network.ts'),
    /if \(!node\.world\.ownsNetwork \|\| setParameter === undefined\) return undefined;\n(?:.*\n){3,8} {2}const operators = await openMachineOperators\(init, kernel, scope\);/,
  );
  assert.deepEqual(importers(/\bopenMachineOperators\b/), ['network/open-network.ts']);
  // The kernel starts the first process of a machine, and nobody else does what it does.
  const duties = /\b(endMachineAtExit|reapOrphans|watchKeys|mountFileSystems)\b/;
  assert.deepEqual(importers(duties), [
    'devices/host/power-key.ts',
    'life/host/first-process.ts',
    'life/host/prepare-container.ts',
    'stages/prepare-machine.ts',
  ]);
  // In a container it removes its own orphans, and mounts nothing but its own control groups.
  const inContainer = readFileSync(join(folder, 'life/host/prepare-container.ts'), 'utf8');
  assert.match(inContainer, /import \{ mountOwnCgroups, reapOrphans \} from '\.\/first-process\.ts';/);
  assert.deepEqual(importers(/\bmountOwnCgroups\b/), [
    'life/host/first-process.ts',
    'life/host/prepare-container.ts',
  ]);
  const changes =
    /\bcalls\.(mount|detachMount|unmount|setResourceLimit|endMachine|endMachineLater|syncFileSystems|forgetChild|statusOfChild|loadKernel)\(/;
  assert.deepEqual(importers(changes), [
    'base/host/mounted-partition.ts',
    'extensions/host/service-root.ts',
    'kubelet/host/kernel-covers.ts',
    'life/host/first-process.ts',
    'life/host/next-kernel.ts',
    'life/host/prepare-container.ts',
    'packages/services/src/host/adopted-children.ts',
    // The medium that a machine was started from, and the variables of its firmware.
    'upgrade/host/install-medium.ts',
    'upgrade/host/loader-variable-files.ts',
    'volumes/host/block-port.ts',
  ]);
  // The stages hand the calls that change a machine out in one value, which is undefined unless this is the first process. Some rows
  // give it to their topics, which make their ports from it. The abilities of a node are decided in one place (its unit tests have a row
  // for each kind of node).
  assert.match(
    textOf('stages/open-host.ts'),
    /return \{ isFirstProcess, machineCalls, watchdog, children, ownCgroups \};/,
  );
  assert.match(
    textOf('stages/open-host.ts'),
    /readonly machineCalls: NativeCalls \| undefined;[\s\S]*'isFirstProcess' \| 'machineCalls' \|/,
  );
  assert.deepEqual(
    sources.flatMap((path) =>
      [...textOf(path).matchAll(/\bmachineCalls\b[^;\n]*/g)].map(([use]) => `${path}: ${use}`),
    ),
    [
      'stages/open-host.ts: machineCalls: NativeCalls | undefined',
      "stages/open-host.ts: machineCalls' | 'watchdog' | 'children' | 'ownCgroups'>> {",
      'stages/open-host.ts: machineCalls, watchdog = noWatchdog } = machine ?? {}',
      'stages/open-host.ts: machineCalls, watchdog, children, ownCgroups }',
      'stages/topic-rows/machine-rows.ts: machineCalls: calls, layout, log, world } = host',
      'stages/topic-rows/machine-rows.ts: machineCalls: calls }, { volumes: { partitions } }) {',
      'stages/topic-rows/machine-rows.ts: machineCalls: calls, options, state, view } = host',
      'stages/topic-rows/machine-rows.ts: machineCalls: calls }, installation)',
      'stages/topic-rows/machine-rows.ts: machineCalls: NativeCalls },',
      'stages/topic-rows/machine-rows.ts: machineCalls: calls, options, view } = host',
      'stages/topic-rows/machine-rows.ts: machineCalls: calls } = host',
      'stages/topic-rows/machine-rows.ts: machineCalls },',
      'stages/topic-rows/service-rows.ts: machineCalls,',
    ],
  );
  // The power button is watched on a machine, and reported by one place.
  assert.deepEqual(importers(/\bwatchPowerKey\(/), ['devices/host/power-key.ts', 'devices/open-devices.ts']);
  assert.match(textOf('devices/open-devices.ts'), /if \(calls !== undefined\) scope\.use\(watchPowerKey\(/);
  // One place sets the clock, which only a machine has.
  assert.deepEqual(importers(/\bsetRealTimeClock\(/), ['time/host/machine-clock.ts']);
  assert.deepEqual(importers(/\bopenMachineClock\(/), ['time/host/machine-clock.ts', 'time/open-time.ts']);
  assert.match(
    textOf('time/open-time.ts'),
    /world\.ownsClock && calls\s+\? openMachineClock\([^?]*\)\s+: undefined;/,
  );
  assert.match(
    textOf('stages/topic-rows/machine-rows.ts'),
    /\bopenTime\(\{\s+\.\.\.\{ \.\.\.host, calls: host\.machineCalls \},/,
  );
  assert.deepEqual(importers(/\bnodeAbilities\(/), [
    'base/domain/node-abilities.ts',
    'stages/open-topics.ts',
  ]);
  assert.match(
    textOf('stages/open-topics.ts'),
    /nodeAbilities\(\{\s+\.\.\.\{ node, isFirstProcess, hasUsers: layout\.users !== undefined, kubelet: options\.kubelet \},/,
  );
  // Only a node that runs containers itself, in control groups of its own, mounts the roots of extension services.
  assert.deepEqual(importers(/\bopenServiceRoot\(/), [
    'extensions/host/extension-service.ts',
    'extensions/host/service-root.ts',
  ]);
  assert.match(
    readFileSync(join(folder, 'extensions/host/extension-service.ts'), 'utf8'),
    /if \(containers === undefined\) return \{ \.\.\.common, \.\.\.withoutContainers\(init\) \};/,
  );
  assert.match(
    textOf('stages/topic-rows/service-rows.ts'),
    /own && containers && cgroups\s+\? \{ children, own, cgroupFolder: containers\.cgroupFolder, cgroups \}\s+: undefined,/,
  );
  // So does the kubelet, in a container whose image has Kubernetes, before it starts.
  assert.deepEqual(importers(/\b(coverKernelParameters|coverKernelLog|shareMounts)\(/), [
    'kubelet/host/kernel-covers.ts',
    'kubelet/open-kubelet.ts',
  ]);
  assert.match(
    textOf('stages/topic-rows/container-rows.ts'),
    /isPresent: \(\{ runsKubelet \}\) => runsKubelet,[^;]+;\s+if \(runtime === undefined \|\| containers === undefined\) return undefined;[^;]+;\s+return openKubelet\(/,
  );
  // Only a machine loads a next kernel, and changes the partition that it boots from.
  assert.deepEqual(importers(/\bcreateNextKernel\(/), ['life/host/next-kernel.ts', 'life/open-life.ts']);
  assert.match(textOf('life/open-life.ts'), /machine &&\s+createNextKernel\(/);
  assert.match(
    textOf('stages/topic-rows/machine-rows.ts'),
    /\bopenLife\([\s\S]*machine: calls &&\s+upgrade && \{\s+\.\.\.\{ calls, isSecureBootOn/,
  );
  assert.deepEqual(importers(/\bcreateMountedPartition\(/), [
    'base/host/mounted-partition.ts',
    'stages/topic-rows/machine-rows.ts',
    'upgrade/open-installation.ts',
  ]);
  assert.match(
    textOf('stages/topic-rows/machine-rows.ts'),
    /if \(calls === undefined \|\| partitions === undefined\) return undefined;\s+return \{\s+boot: createMountedPartition\(/,
  );
  // A system is written into a slot, and the variables of the boot loader are changed, by the topic that only such a machine opens.
  assert.deepEqual(importers(/\b(createLoaderVariableFiles|openUpgrade)\(/), [
    'stages/topic-rows/machine-rows.ts',
    'upgrade/host/loader-variable-files.ts',
    'upgrade/open-installation.ts',
    'upgrade/open-upgrade.ts',
  ]);
  assert.match(
    textOf('stages/topic-rows/machine-rows.ts'),
    /if \(calls === undefined\) return openProcessUpgradeOf\([^;]*;(?:(?!open(?:Upgrade|Installation)).)*\bif \(partitions === undefined\) return openInstallationOf\([^;]*;\s+return openUpgrade\(/s,
  );
  // What a node of processes, or of one container, opens in its place gets no such call: it writes below the folder of the node.
  const forProcesses = textOf('upgrade/open-process-upgrade.ts');
  assert.doesNotMatch(forProcesses, /\bcalls\b|NativeCalls|machineCalls/);
  assert.match(
    textOf('stages/topic-rows/machine-rows.ts'),
    /slots: layout\.paths\.slots, trustedCertificates: layout\.paths\.trustedCertificates \},/,
  );
  // A machine that a medium has started writes a system on a disk. One that has lost its partitions does not.
  assert.deepEqual(importers(/\b(createInstallPort|openInstallation)\(/), [
    'stages/topic-rows/machine-rows.ts',
    'upgrade/host/install-port.ts',
    'upgrade/open-installation.ts',
  ]);
  assert.match(
    textOf('stages/topic-rows/machine-rows.ts'),
    /if \(partitions === undefined && options\.medium === undefined\) return undefined;(?:(?!open(?:Upgrade|Installation)).)*\bopenInstallationOf\(/s,
  );
  // Disks are opened for writing through one port, which only the volumes of a machine open, and its installation.
  assert.deepEqual(importers(/\bcreateBlockPort\(/), [
    'upgrade/host/install-port.ts',
    'volumes/host/block-port.ts',
    'volumes/host/machine-disks.ts',
    'volumes/host/machine-volumes.ts',
  ]);
  assert.deepEqual(importers(/\b(openMachineVolumes|openMachineDisks)\(/), [
    'volumes/host/machine-disks.ts',
    'volumes/host/machine-volumes.ts',
    'volumes/open-volumes.ts',
  ]);
  const volumes = textOf('volumes/open-volumes.ts');
  assert.match(volumes, /const machine = world\.ownsDisks \? init\.machine : undefined;/);
  assert.match(volumes, /\bmachine && \(await openMachineVolumes\(/);
  assert.match(volumes, /\bmachine && openMachineDisks\(/);
  assert.match(volumes, /\bmachine\?\.mountVarInMemory\(\)/);
  assert.match(
    textOf('stages/topic-rows/machine-rows.ts'),
    /\bopenVolumes\(\{[^}]*\},\s+machine: calls && \{\s+(?:\/\/[^\n]*\s+)?\.\.\.\{ calls, startedDisk/,
  );
  assert.deepEqual(importers(/\bmountVarInMemory\(/), [
    'life/host/first-process.ts',
    'stages/topic-rows/machine-rows.ts',
    'volumes/open-volumes.ts',
  ]);
  // A machine looks into its disks, and only reads them.
  const reader = readFileSync(join(folder, 'hardware/host/read-contents.ts'), 'utf8');
  assert.deepEqual(reader.match(/\bopen\w*\([^)]*\)/g), ["open(path, 'r')"]);
  // One port changes the network. It has the steps of the kind of the node, and only the first process of a node opens it.
  const networkChanges =
    /\b(setLinkUp|createLink|changeLink|removeLink|addAddress|replaceAddress|removeAddress|addRoute|removeRoute|addRule|removeRule|lendAddress|returnAddress|announceAddress)\(/;
  assert.deepEqual(importers(networkChanges), ['network/host/network-port.ts']);
  assert.deepEqual(importers(/\bopenNetworkPort\b/), [
    'network/host/network-port.ts',
    'network/open-network.ts',
  ]);
  assert.match(
    readFileSync(join(folder, 'network/host/network-port.ts'), 'utf8'),
    /new Map\(kinds\.map\([\s\S]*allowed\.get\(step\.kind\)[\s\S]*if \(execute === undefined\) throw /,
  );
  const openNetwork = readFileSync(join(folder, 'network/open-network.ts'), 'utf8');
  assert.match(
    openNetwork,
    /if \(networkSteps\.length === 0\) return [^\n]*\n {2}if \(cannotChangeNetwork !== undefined\) return cannotChangeNetwork;\n {2}return \{[^}]*openNetworkPort\(networkSteps\) \};/,
  );
  assert.equal(openNetwork.match(/openNetworkPort\(/g)?.length, 1);
  assert.match(
    textOf('stages/open-topics.ts'),
    /isCapable = \[capabilities\.netAdmin, capabilities\.netRaw\]\.every\(hasCapability\);[\s\S]*mayChangeNetwork: process\.pid === 1 && isCapable,/,
  );
  assert.match(
    textOf('stages/topic-rows/machine-rows.ts'),
    /cannotChangeNetwork: abilities\.cannotChangeNetwork,/,
  );
  const borrowing = ['lend-address', 'return-address', 'announce-address'];
  assert.deepEqual(
    Object.values(worlds).map(({ name, networkSteps }) => [name, networkSteps]),
    [
      ['process', []],
      ['stack', []],
      ['container', borrowing],
      [
        'machine',
        [
          ...['set-link-up', 'set-link-down', 'create-link', 'change-link', 'configure-wireguard'],
          ...['remove-link', 'change-features'],
          ...['add-address', 'replace-address', 'remove-address', 'add-route', 'remove-route'],
          ...['add-rule', 'remove-rule', ...borrowing],
        ],
      ],
    ],
  );
  // The planners and the parameters of links exist only on a machine whose kernel machined owns.
  assert.deepEqual(importers(/\b(plannedNetworkControllers|setLinkParameters)\(/), [
    'network/controllers/network-controllers.ts',
    'network/controllers/planned-network.ts',
    'network/host/link-parameters.ts',
    'network/open-network.ts',
  ]);
  assert.match(
    openNetwork,
    /if \(!node\.world\.ownsNetwork \|\| setParameter === undefined\) return undefined;[\s\S]*setLinkParameters\(/,
  );
  assert.deepEqual(importers(/\bwriteKernelParameter\b/), [
    'kernel/host/kernel-parameter-file.ts',
    'kernel/open-kernel.ts',
    'stages/topic-rows/machine-rows.ts',
  ]);
  assert.match(
    textOf('stages/topic-rows/machine-rows.ts'),
    /setParameter: abilities\.isFirstProcess \? writeKernelParameter : undefined/,
  );
  assert.match(
    readFileSync(join(folder, 'stages/open-host.ts'), 'utf8'),
    /isFirstProcess \? await prepareMachine\(/,
  );
  assert.match(
    readFileSync(join(folder, 'kernel/open-kernel.ts'), 'utf8'),
    /writeParameter: isFirstProcess \? writeKernelParameter : undefined/,
  );
  // The module of a watchdog is loaded by the topic that only a machine opens.
  assert.deepEqual(importers(/\bcreateModuleLoader\b/), ['kernel/open-kernel.ts', 'upgrade/open-upgrade.ts']);
  assert.match(
    readFileSync(join(folder, 'kernel/open-kernel.ts'), 'utf8'),
    /modules: isFirstProcess \? \{ folder, load: createModuleLoader\(folder\)/,
  );
  // The watchdog of a trial is fed before anything that may take longer than its time.
  assert.match(
    textOf('stages/prepare-machine.ts'),
    /\{\n {2}const calls = await loadNativeCalls\(\);\n {2}const watchdog = openWatchdog\(/,
  );
  assert.deepEqual(importers(/stages\/prepare-machine|\.\/prepare-machine/), ['stages/open-host.ts']);
  assert.deepEqual(importers(/\/prepare-container/), ['stages/open-host.ts']);
  assert.match(
    readFileSync(join(folder, 'stages/open-host.ts'), 'utf8'),
    /!runsContainers \|\| process\.pid !== 1\) return undefined;\n {2}return ownsKernel \? cgroupFolder : prepareContainer\(/,
  );
  assert.match(
    readFileSync(join(folder, 'stages/open-host.ts'), 'utf8'),
    /isFirstProcess = world\.ownsKernel && process\.pid === 1;\n.* isFirstProcess \? await prepareMachine\(/,
  );
  // packages/linux/src/netlink/asks-only.test.ts shows that only read requests go through these sockets.
  assert.deepEqual(importers(/\.(sendTo|control)\(/), [
    'upgrade/host/install-port.ts',
    'upgrade/host/loader-variable-files.ts',
    'upgrade/host/restart-watchdog.ts',
    'volumes/host/block-port.ts',
  ]);
  const linux = join(checkout, 'packages', 'linux', 'src');
  const native = ['native-calls.ts', 'timed-calls.ts']
    .map((name) => readFileSync(join(linux, name), 'utf8'))
    .join('');
  assert.deepEqual([...native.matchAll(/libc\.func\('\w+ (\w+)\(/g)].map(([, name]) => name).sort(), [
    '_exit',
    'bind',
    // Of machines.
    'clock_settime',
    'close',
    // Of `sync` and `reboot`, for threads.
    'dlsym',
    'fallocate',
    'getsockopt',
    'ioctl',
    'lgetxattr',
    'llistxattr',
    'mmap',
    'mount',
    'munmap',
    'prctl',
    'pthread_clockjoin_np',
    'pthread_create',
    'reboot',
    'recvfrom',
    'recvmsg',
    'sendto',
    'setrlimit',
    'setsockopt',
    'socket',
    'sync',
    // For a module, and for the next kernel.
    'syscall',
    'syscall',
    'timer_create',
    'timer_settime',
    'umount2',
    'waitid',
    'waitpid',
  ]);
  assert.deepEqual(importers(/\brunProgram\b/), [
    'etcd/host/process-etcd.ts',
    'upgrade/host/install-port.ts',
    'volumes/host/block-port.ts',
  ]);
  assert.deepEqual(importers(/from 'node:child_process'/), [
    // Starts runc, on nodes whose machined is the first process.
    'containers/host/runc-runner.ts',
    'packages/services/src/host/process-runner.ts',
  ]);
  assert.deepEqual(
    importers(/\b(sethostname|setPriority|settimeofday|process\.(setuid|setgid|dlopen|chdir))\b/),
    [],
  );
  // A source that names a kernel file or a device only reads it, or only passes its name on.
  const code = (path: string) => textOf(path).replace(/^\s*(\/\*)?\*.*$/gm, '');
  const namers = sources.filter((path) => /['"`]\/(sys|dev)\//.test(code(path))).sort();
  assert.deepEqual(namers, [
    'daemons/domain/daemon-command.ts',
    'daemons/domain/daemon-container.ts',
    'hardware/controllers/discovered-volume-spec.ts',
    'hardware/host/bridge-messages.ts',
    'kernel/domain/security-state.ts',
    'kubelet/host/kernel-covers.ts',
    'life/domain/boot-files.ts',
    'life/domain/machine-mounts.ts',
    'life/host/first-process.ts',
    'life/host/kernel-consoles.ts',
    'life/host/machine-cgroups.ts',
    'upgrade/host/install-port.ts',
    'upgrade/host/read-install-disks.ts',
    'upgrade/host/restart-watchdog.ts',
    'upgrade/open-installation.ts',
    'upgrade/open-upgrade.ts',
    'volumes/domain/plan-device-wipes.ts',
  ]);
  const writes =
    /\b(write\w*|append\w*|create\w+Stream|open|openSync|mkdir\w*|mknod|rm|rmSync|unlink\w*|rename\w*|symlink\w*|truncate\w*|chmod\w*|chown\w*)\(/;
  assert.deepEqual(
    namers.filter((path) => writes.test(code(path))),
    [
      'kubelet/host/kernel-covers.ts',
      'life/host/first-process.ts',
      'life/host/kernel-consoles.ts',
      'life/host/machine-cgroups.ts',
      // Of the topic that only a machine with slots opens, as said above.
      'upgrade/host/install-port.ts',
      'upgrade/host/restart-watchdog.ts',
      'upgrade/open-upgrade.ts',
    ],
  );
  assert.deepEqual(importers(/\bcreateKernelConsoles\b/), [
    'life/host/kernel-consoles.ts',
    'life/open-life.ts',
  ]);
  assert.match(textOf('stages/topic-rows/machine-rows.ts'), /\bownsConsoles: abilities\.isFirstProcess,/);
  assert.deepEqual(importers(/\benterInitCgroup\b/), [
    'life/host/machine-cgroups.ts',
    'life/host/prepare-container.ts',
    'stages/prepare-machine.ts',
  ]);
});
