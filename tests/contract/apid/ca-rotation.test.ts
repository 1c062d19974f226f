// Rotates the CA of the Machine API step by step, as talosctl does it, through the controllers of machined
// and a real apid.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type CertificateAndKey, issueCertificate, tlsPrivateKey } from '@nodewright/pki';
import { eventually, serveState, spawnDaemon } from '@nodewright/testkit';
import {
  newAuthority,
  openSecretsRig,
} from '../../../services/machined/src/secrets/controllers/testing/secrets-rig.ts';
import { Backend } from './harness/backend.ts';
import { Client } from './harness/client.ts';
import { freeLoopbackAddress } from './harness/loopback.ts';

const memory = '/machine.MachineService/Memory';
const [older, newer] = await Promise.all([newAuthority(), newAuthority()]);

/** A user with a certificate of one CA, who trusts another CA for the server. */
async function credentials(of: CertificateAndKey, trusting: CertificateAndKey) {
  const { certificate, key } = await issueCertificate({
    issuer: of,
    subject: { organizations: ['os:admin'] },
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: ['clientAuth'],
    notBefore: new Date(Date.now() - 60_000),
    lifetimeHours: 1,
  });
  return { cert: certificate, key: tlsPrivateKey(key), ca: trusting.certificate };
}

const [oldUser, newUser, oldUserOfNew, newUserOfNew] = await Promise.all([
  credentials(older, older),
  credentials(newer, older),
  credentials(older, newer),
  credentials(newer, newer),
]);

test('old and new client certificates are accepted during the steps of a rotation, by one listener of one process', async () => {
  await using scope = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'rotation-'));
  scope.defer(() => rmSync(folder, { recursive: true, force: true }));
  const host = await freeLoopbackAddress();
  const node = scope.use(await openSecretsRig({ address: host }));
  await node.configure({ ca: older });
  const machinedSocket = join(folder, 'machined.sock');
  scope.use(await Backend.unix(machinedSocket));
  const state = scope.use(await serveState(join(folder, 'runtime.sock'), node.state));
  const apid = scope.use(
    await spawnDaemon({
      name: 'apid',
      args: ['--runtime-socket', state.path, '--machined-socket', machinedSocket],
    }),
  );
  await apid.waitForLine('gateway listens');

  /** Whether a new connection with these credentials gets an answer. */
  const isLetIn = async (user: object) => {
    const client = await Client.connect({ host, port: 50_000, ...user }).catch(() => undefined);
    const code = await client?.call(memory).then((answer) => answer.code);
    await client?.[Symbol.asyncDispose]();
    return code === 0;
  };
  const admitted = async () => [
    await isLetIn(oldUser),
    await isLetIn(newUser),
    await isLetIn(oldUserOfNew),
    await isLetIn(newUserOfNew),
  ];
  const staying = scope.use(await Client.connect({ host, port: 50_000, ...oldUser }));

  const steps: [string, Parameters<typeof node.configure>[0], boolean[]][] = [
    ['before', { ca: older }, [true, false, false, false]],
    ['add', { ca: older, acceptedCAs: [newer.certificate] }, [true, true, false, false]],
    ['swap', { ca: newer, acceptedCAs: [older.certificate] }, [false, false, true, true]],
    ['drop', { ca: newer }, [false, false, false, true]],
  ];
  for (const [name, config, expected] of steps) {
    await node.configure(config);
    let seen: boolean[] = [];
    await eventually(
      async () => {
        seen = await admitted();
        return JSON.stringify(seen) === JSON.stringify(expected);
      },
      { what: `step "${name}"`, explain: () => `${seen} ${apid.stdout()}` },
    );
    assert.equal((await staying.call(memory)).code, 0, name);
  }
  assert.equal(apid.lines().filter(({ msg }) => msg === 'gateway listens').length, 1);
});
