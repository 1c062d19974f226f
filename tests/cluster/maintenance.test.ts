// A node without a configuration: who can connect, which calls it serves, and how it joins a cluster.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { openTalosClient, type TalosClient } from '@nodewright/client';
import { Secret } from '@nodewright/fault';
import { parseCertificate } from '@nodewright/pki';
import { eventually, type LoneNode, startLoneNode } from '@nodewright/testkit';
import { checkout, runTalosctl } from './run-talosctl.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const machinedBundle = join(checkout, '_out', 'dist', 'machined', 'machined.cjs');

/** A client with an administrator's certificate of the future cluster. */
async function openAdmin(node: LoneNode): Promise<TalosClient> {
  const { certificate, key } = await node.issueClient('os:admin');
  return openTalosClient({
    context: {
      endpoints: [node.address],
      nodes: [node.address],
      ca: base64(node.ca.certificate),
      crt: base64(certificate),
      key: new Secret(base64(key)),
    },
  });
}

/** The certificate that an unknown client gets from the server; `undefined` when no server listens. */
function shownCertificate(host: string) {
  return new Promise<ReturnType<typeof parseCertificate> | undefined>((resolve) => {
    const options = { host, port: 50_000, rejectUnauthorized: false, ALPNProtocols: ['h2'] };
    const socket = connectTls(options, () => {
      resolve(parseCertificate(socket.getPeerX509Certificate()?.raw ?? Buffer.alloc(0)));
      socket.destroy();
    });
    socket.on('error', () => resolve(undefined));
  });
}

test('a node without a configuration serves reads to unknown clients, accepts a configuration, and then only admits its administrators', async () => {
  await using scope = new AsyncDisposableStack();
  const home = mkdtempSync(join(tmpdir(), 'maintenance-'));
  scope.defer(() => rmSync(home, { recursive: true, force: true }));
  const node = scope.use(await startLoneNode({ program: machinedBundle, isConfigured: false }));
  const talosctl = (...words: string[]) => runTalosctl([...words, '-n', node.address], { home });

  const shown = await shownCertificate(node.address);
  assert.equal(shown?.subject.commonName, 'maintenance-service.talos.dev');
  assert.ok(shown?.ipAddresses.includes(node.address));

  const version = await talosctl('version', '--insecure');
  assert.deepEqual([version.exitCode, /NODE:.*Tag: +v/s.test(version.stdout)], [0, true], version.stderr);
  const state = await talosctl('get', 'apiserviceconfig', '--insecure', '-o', 'yaml');
  assert.match(state.stdout, /readonlyRoleMode: true/);
  const secret = await talosctl('get', 'maintenancerootsecret', '--insecure');
  assert.match(secret.stderr, /PermissionDenied/);
  const log = await talosctl('logs', 'machined', '--insecure');
  assert.match(log.stdout, /maintenance: waiting for a machine configuration/);

  writeFileSync(join(home, 'config.yaml'), node.configuration);
  const applied = await talosctl('apply-config', '--insecure', '-f', join(home, 'config.yaml'));
  assert.equal(applied.exitCode, 0, applied.stderr);

  const admin = scope.use(await openAdmin(node));
  await eventually(
    () =>
      admin
        .node(node.address)
        .machine.version({})
        .then(() => true),
    { what: 'an answer for an administrator', timeoutMs: 20_000, explain: () => node.machined.stdout() },
  );
  assert.equal((await shownCertificate(node.address))?.subject.commonName, 'node01');
  const refused = await talosctl('version', '--insecure');
  assert.notEqual(refused.exitCode, 0);
  assert.doesNotMatch(refused.stdout, /NODE:/);
});
