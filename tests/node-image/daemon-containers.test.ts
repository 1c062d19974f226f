// apid and trustd as containers of a node that is one container itself.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import { checkDaemonContainers, systemContainers } from '../boot/daemon-containers.ts';
import { reasonToSkip } from './reason-to-skip.ts';
import { startWholeNode } from './whole-node.ts';

const skip = await reasonToSkip();

test('apid and trustd run in containers without rights, and start again after a restart', {
  skip,
}, async () => {
  await using node = await startWholeNode({ isConfigured: true });
  await node.runs('apid', 'trustd', 'cri');
  const talosctl = async (words: readonly string[]) => {
    const { exitCode, stdout, stderr } = await node.talosctl(...words);
    assert.equal(exitCode, 0, stderr);
    return stdout;
  };
  const [apid, trustd] = await checkDaemonContainers(talosctl, ['apid', 'trustd']);
  await talosctl(['restart', 'trustd']);
  const isNew = async () => {
    const found = await systemContainers(talosctl);
    return found.some(({ id, pid }) => id === 'trustd' && pid !== trustd);
  };
  await eventually(isNew, { what: 'a new process of trustd', timeoutMs: 180_000 });
  // The answer of this call may end with the connection.
  await node.talosctl('restart', 'apid');
  await node.runs('apid', 'trustd');
  const after = await checkDaemonContainers(talosctl, ['apid', 'trustd']);
  assert.ok(!after.includes(apid ?? '') && !after.includes(trustd ?? ''));
});

test('registryd runs in a container while the configuration enables the image cache, and follows the name servers', {
  skip,
}, async () => {
  await using node = await startWholeNode({ isConfigured: true });
  await node.runs('apid', 'trustd', 'cri');
  const talosctl = async (words: readonly string[]) => {
    const { exitCode, stdout, stderr } = await node.talosctl(...words);
    assert.equal(exitCode, 0, stderr);
    return stdout;
  };
  const apply = (document: object) =>
    talosctl([
      ...['patch', 'mc', '--mode', 'no-reboot', '--patch'],
      JSON.stringify({ apiVersion: 'v1alpha1', ...document }),
    ]);
  await apply({ kind: 'ImageCacheConfig', local: { enabled: true } });
  await node.runs('registryd');
  const pids = await checkDaemonContainers(talosctl, ['apid', 'registryd', 'trustd']);
  const [status] = JSON.parse(await talosctl(['registry', 'status', '-o', 'json']));
  assert.equal(status.listenAddress, '127.0.0.1:3172');

  // What a program of the container reads as /etc/resolv.conf, now that machined has replaced the file.
  await apply({ kind: 'ResolverConfig', nameservers: [{ address: '192.0.2.53' }] });
  const resolver = `/proc/${pids[1]}/root/system/resolved/node/resolv.conf`;
  const follows = async () => (await talosctl(['read', resolver])).includes('192.0.2.53');
  await eventually(follows, { what: 'the new name server in the container', timeoutMs: 180_000 });
});
