// Nodes that somebody starts with `docker run`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runDocker } from '@nodewright/provision/engine';
import { eventually } from '@nodewright/testkit';
import { reasonToSkip } from './reason-to-skip.ts';
import { capabilityFlags, startWholeNode } from './whole-node.ts';

const skip = await reasonToSkip();

test('a control plane runs etcd from its own image cache, and keeps its data over a restart', {
  skip,
}, async () => {
  await using node = await startWholeNode({ isConfigured: true });
  await node.runs('apid', 'cri', 'machined', 'trustd', 'udevd-bridge');
  assert.equal((await node.talosctl('bootstrap')).exitCode, 0);
  await node.runs('etcd');
  const members = async () => (await node.talosctl('etcd', 'members')).stdout;
  const before = await members();
  assert.match(before, new RegExp(`https://${node.address}:2380`));
  const containers = await node.talosctl('containers');
  assert.match(containers.stdout, /system +etcd +registry\.k8s\.io\/etcd:v\S+ +\d+ +RUNNING/);
  const images = await node.talosctl('image', 'list', '--namespace', 'system');
  assert.match(images.stdout, /registry\.k8s\.io\/etcd:v/);
  await runDocker(['restart', node.container]);
  await node.runs('apid', 'cri', 'etcd', 'machined', 'trustd', 'udevd-bridge');
  assert.equal(await members(), before);
  assert.doesNotMatch(await node.log(), /the engine did not grant|runs no containers/);
});

test('a node without a configuration takes one over the network', { skip }, async () => {
  await using node = await startWholeNode({ isConfigured: false });
  let latest = '';
  const isApplied = async () => {
    const words = ['apply-config', '--insecure', '--file', node.configuration, '--mode', 'no-reboot'];
    const { exitCode, stderr } = await node.talosctl(...words);
    latest = stderr;
    return exitCode === 0;
  };
  await eventually(isApplied, {
    what: 'the configuration to be taken',
    timeoutMs: 180_000,
    explain: () => latest,
  });
  await node.runs('apid', 'cri', 'machined', 'trustd', 'udevd-bridge');
});

test('what only a machine does is refused, and a node that was reset starts as a new one', {
  skip,
}, async () => {
  await using node = await startWholeNode({ isConfigured: true });
  await node.runs('apid', 'machined');
  for (const verb of ['reboot', 'shutdown']) {
    const { exitCode, stderr } = await node.talosctl(verb, '--yes', '--wait=false');
    assert.notEqual(exitCode, 0);
    assert.match(stderr, /not supported in container mode/, verb);
  }
  const reset = await node.talosctl('reset', '--yes', '--graceful=false', '--reboot', '--wait=false');
  assert.equal(reset.exitCode, 0, reset.stderr);
  const restarts = async () =>
    Number(await runDocker(['container', 'inspect', '--format', '{{.RestartCount}}', node.container]));
  await eventually(async () => (await restarts()) === 1, { what: 'the restart', timeoutMs: 180_000 });
  // The environment of the container still has the configuration, which is that of a new node.
  await node.runs('apid', 'machined', 'cri');
});

test('a node with fewer rights says what it lacks, and serves its API', { skip }, async () => {
  const withoutAdmin = capabilityFlags.flatMap((word, index) =>
    word === 'SYS_ADMIN' || capabilityFlags[index + 1] === 'SYS_ADMIN' ? [] : [word],
  );
  await using bare = await startWholeNode({
    isConfigured: true,
    rights: [...withoutAdmin, '--cgroupns', 'private'],
  });
  await bare.runs('apid', 'machined', 'trustd', 'udevd-bridge');
  assert.match(await bare.log(), /the engine did not grant SYS_ADMIN/);
  assert.match(await bare.log(), /the node runs no containers/);
  assert.doesNotMatch((await bare.talosctl('services')).stdout, /\bcri\b/);
});

test('a node in the cgroup namespace of its host leaves that one alone', { skip }, async () => {
  await using node = await startWholeNode({
    isConfigured: true,
    rights: [...capabilityFlags, '--cgroupns', 'host'],
  });
  await node.runs('apid', 'machined', 'trustd', 'udevd-bridge');
  assert.match(await node.log(), /shares the cgroup namespace of its host: start it with --cgroupns private/);
});
