import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AbilityFacts, nodeAbilities } from './node-abilities.ts';
import { type WorldName, worlds } from './world.ts';

const allControllers = 'cpuset cpu io memory pids';
const ownCgroups = { folder: '/sys/fs/cgroup', controllers: allControllers };
const cannotChangeNetwork =
  'machined is not the first process of this node, or lacks CAP_NET_ADMIN or CAP_NET_RAW';

/** A node as it starts in this world: as process 1 with all capabilities, except on a host. */
function abilitiesOf(name: WorldName, given: Partial<AbilityFacts> = {}) {
  const world = worlds[name];
  return nodeAbilities({
    node: { world, hostname: 'node01', addresses: ['127.20.0.2'] },
    isFirstProcess: name === 'machine',
    ownCgroups: world.runsContainers ? ownCgroups : undefined,
    hasUsers: true,
    ...{ kubelet: 'on', systemSlot: '' },
    mayChangeNetwork: name !== 'process',
    commandLine: () => 'talos.platform=metal',
    ...given,
  });
}

test('a node of processes has none of the abilities that change a host', () => {
  assert.deepEqual(abilitiesOf('process'), {
    isFirstProcess: false,
    runsKubelet: false,
    runsUdevd: false,
    ownAddresses: ['127.20.0.2'],
    cannotChangeNetwork,
    commandLine: '',
  });
});

test('a stack runs no containers of its own', () => {
  assert.deepEqual(abilitiesOf('stack'), {
    isFirstProcess: false,
    runsKubelet: false,
    runsUdevd: false,
    commandLine: '',
  });
});

test('a single container runs containers and a kubelet, and the kernel of its host is not its own', () => {
  assert.deepEqual(abilitiesOf('container'), {
    isFirstProcess: false,
    containers: { cgroupFolder: '/sys/fs/cgroup', limitsPods: true, holdsDaemons: true },
    runsKubelet: true,
    runsUdevd: false,
    commandLine: '',
  });
});

test('a machine can do everything', () => {
  assert.deepEqual(abilitiesOf('machine'), {
    isFirstProcess: true,
    containers: { cgroupFolder: '/sys/fs/cgroup', limitsPods: true, holdsDaemons: true },
    runsKubelet: true,
    runsUdevd: true,
    systems: 'disk',
    commandLine: 'talos.platform=metal',
  });
});

test('a machined that is not the first process of its machine neither ends it nor runs containers or udevd', () => {
  const { cannotEnd, ...rest } = abilitiesOf('machine', {
    ...{ isFirstProcess: false, ownCgroups: undefined, mayChangeNetwork: false },
  });
  assert.match(cannotEnd ?? '', /cannot reboot, shut down or reset/);
  assert.deepEqual(rest, {
    ...{ isFirstProcess: false, runsKubelet: false, runsUdevd: false, cannotChangeNetwork },
    commandLine: 'talos.platform=metal',
  });
});

test('an image without a kubelet or without users, and control groups without controllers, are abilities less', () => {
  const without = { hasUsers: false, kubelet: 'off', ownCgroups: { ...ownCgroups, controllers: 'cpu pids' } };
  const { containers, runsKubelet } = abilitiesOf('container', without);
  assert.deepEqual(containers, {
    ...{ cgroupFolder: '/sys/fs/cgroup', limitsPods: false, holdsDaemons: false },
  });
  assert.equal(runsKubelet, false);
});

test('a node of processes has slots when its supervisor starts what they choose, and no other guest has', () => {
  for (const systemSlot of ['none', 'A', 'B']) {
    assert.equal(abilitiesOf('process', { systemSlot }).systems, 'folder');
    assert.equal(abilitiesOf('container', { systemSlot }).systems, undefined);
    assert.equal(abilitiesOf('stack', { systemSlot }).systems, undefined);
  }
});
