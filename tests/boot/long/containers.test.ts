// containerd on an emulated machine: as a service, with images from a mirror, and its end with the machine.
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { makeTestImage, openTestRegistry, type TestRegistry } from '@nodewright/containers/testing';
import { guestNetwork, hostAddress } from '@nodewright/provision/machine';
import { eventually } from '@nodewright/testkit';
import { ensureBusybox } from '../../../tools/engine/ensure-busybox.ts';
import { checkDaemonContainers, systemContainers } from '../daemon-containers.ts';
import { noMachine as skip, startMachine } from '../machine.ts';
import { openWorkplace } from '../use-machine.ts';

const checkout = join(import.meta.dirname, '..', '..', '..');
const { folder, shows, succeeds, ...workplace } = openWorkplace();
after(() => workplace[Symbol.dispose]());

/** Without a time server, because the emulated network has none, and with a mirror for the images of the test. */
async function configure(registry: TestRegistry): Promise<void> {
  const kernel = { modules: [{ name: 'dummy', parameters: ['numdummies=2'] }] };
  const patch = { machine: { time: { disabled: true }, kernel } };
  await workplace.generate('demo', '--config-patch-control-plane', JSON.stringify(patch));
  const mirror = [
    ...['---', 'apiVersion: v1alpha1', 'kind: RegistryMirrorConfig', 'name: registry.example'],
    ...[
      'skipFallback: true',
      'endpoints:',
      `  - url: http://${hostAddress}:${registry.host.split(':').at(-1)}`,
    ],
  ];
  appendFileSync(join(folder, 'controlplane.yaml'), `${mirror.join('\n')}\n`);
}

test('a control plane runs etcd from the images on its disk, and has its data after a restart', {
  skip,
}, async () => {
  await using registry = await openTestRegistry();
  const shell = await makeTestImage({ busybox: ensureBusybox(checkout) });
  registry.put('test/shell', 'v1', shell.manifest, [shell]);
  await configure(registry);
  const disk = workplace.machineDisk('disk.raw');
  const start = () =>
    startMachine({ ...{ disk, keepsDisk: true }, boot: { kind: 'kernel', words: [guestNetwork] } });
  {
    await using machine = await start();
    const own = workplace.trusted(machine);
    await workplace.configures(machine, 'controlplane.yaml');
    await shows([...own, 'services'], /cri +Running +OK/, 180_000);
    assert.match(await succeeds([...own, 'logs', 'cri']), /containerd successfully booted/);
    assert.match(await shows([...own, 'get', 'mountstatus'], /CRI/), /CRI .*\/var\/lib\/containerd/);
    const processesOf = async (cgroup: string) =>
      (await succeeds([...own, 'read', `/sys/fs/cgroup/${cgroup}/cgroup.procs`])).split('\n');
    assert.match((await processesOf('podruntime/runtime')).join(), /^\d+/);
    assert.equal((await processesOf('init'))[0], '1');

    await shows([...own, 'services'], /trustd +Running +OK/, 120_000);
    const ofDaemons = (words: readonly string[]) => succeeds([...own, ...words]);
    const [, trustd] = await checkDaemonContainers(ofDaemons, ['apid', 'trustd']);
    await succeeds([...own, 'restart', 'trustd']);
    const runsAgain = async () =>
      (await systemContainers(ofDaemons)).some(({ id, pid }) => id === 'trustd' && pid !== trustd);
    await eventually(runsAgain, { what: 'a new process of trustd', timeoutMs: 60_000 });

    await succeeds([...own, 'image', 'pull', 'registry.example/test/shell:v1'], 120_000);
    assert.match(
      await succeeds([...own, 'image', 'list', '--namespace', 'cri']),
      /registry\.example\/test\/shell:v1/,
    );

    await shows([...own, 'get', 'modules'], /xt_MASQUERADE +\d+ +dynamic +live/, 120_000);
    await shows([...own, 'ls', '/sys/class/net'], /dummy1/);

    await succeeds([...own, 'bootstrap'], 180_000);
    await shows([...own, 'etcd', 'members'], /10\.0\.2\.15:2379/, 240_000);
    await shows([...own, 'services'], /etcd +Running +OK/, 60_000);
    assert.match(await succeeds([...own, 'containers']), /etcd/);
    await succeeds([...own, 'stats']);
    assert.match((await processesOf('podruntime/etcd')).join(), /^\d+/);

    // MiB kept, MiB at which a process is ended, and the score by which the kernel chooses one.
    const expected = {
      init: '96 max 0',
      'system/apid': '16 384 -998',
      'system/trustd': '8 256 -998',
      podruntime: '340 max -',
      'podruntime/runtime': '196 max -500',
      // containerd gives a shim one more than its own.
      'podruntime/shim': '48 max -499',
      'podruntime/etcd': '0 max -998',
    };
    const read = async (path: string) => (await succeeds([...own, 'read', path])).trim();
    const mebibytes = (text: string) => (text === 'max' ? text : Number(text) / 1_048_576);
    const found = Object.keys(expected).map(async (name) => {
      const file = (what: string) => read(`/sys/fs/cgroup/${name}/${what}`);
      const [pid = ''] = (await file('cgroup.procs')).split('\n');
      const score = pid === '' ? '-' : await read(`/proc/${pid}/oom_score_adj`);
      const [min, max] = [await file('memory.min'), await file('memory.max')].map(mebibytes);
      return [name, `${min} ${max} ${score}`];
    });
    assert.deepEqual(Object.fromEntries(await Promise.all(found)), expected);
    assert.doesNotMatch(machine.console(), /a control group has no limit/);
    await machine.pressPower();
    await machine.shows(/reboot: Power down/, 120_000);
    await machine.isOff();
    const console = machine.console();
    assert.match(console, /XFS \(vda7\): Unmounting/);
    const finished = (service: string) => console.indexOf(`"service":"${service}","state":"Finished"`);
    assert.ok(finished('etcd') > 0 && finished('etcd') < finished('cri'), 'etcd ends before containerd');
  }
  await using machine = await start();
  await shows([...workplace.trusted(machine), 'etcd', 'members'], /10\.0\.2\.15:2379/, 240_000);
});
