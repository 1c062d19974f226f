// The artefact of the installer as `make installer` packs it, with small parts in place of those of an image.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { genericMenu } from '@nodewright/boot';
import { secureBootKey, trustedCertificates, trustedFolder } from '@nodewright/build/keys';
import { filesFor, neededFiles, openArtefact, readArtefact, verifyArtefact } from '@nodewright/installer';
import { openDistributionClient } from '@nodewright/oci';
import { noTelemetry } from '@nodewright/telemetry';
import { machineFiles } from '../../rootfs/installer/machine-files.ts';
import { bundleFiles } from '../../rootfs/installer/process-files.ts';
import {
  buildInstaller,
  type InstallerInit,
  type InstallerLayer,
  writeInstaller,
} from '../../rootfs/installer/write-installer.ts';
import { programProblem } from '../../rootfs/secure-boot/authenticode.ts';

const work = mkdtempSync(join(tmpdir(), 'installer-test-'));
after(() => rmSync(work, { recursive: true, force: true }));
const folder = () => mkdtempSync(join(work, 'folder-'));
const keys = folder();
const signer = secureBootKey(keys);

const filesOf = (paths: readonly string[]) =>
  Object.fromEntries(paths.map((path) => [path, Buffer.from(`content of ${path}\n`)]));
const layers: readonly InstallerLayer[] = [
  { files: filesOf(neededFiles.machine) },
  { files: filesOf(['machine/images/blob/sha256-1', 'machine/images/manifests/a/b/reference/v1']) },
  { files: filesOf(neededFiles.process), compression: 'zstd' },
  { files: filesOf(neededFiles.container) },
];
const description: InstallerInit['description'] = {
  ...{ version: 'v1.14.1', edition: 'plain', lowestVersion: 'v1.14.0', rootHash: 'a'.repeat(64) },
  ...{ etcdVersion: '3.7.3', certificates: [signer.certificate.toString()] },
};
const init: InstallerInit = {
  description,
  architecture: 'amd64',
  epochSeconds: 1_700_000_000,
  layers,
  signer,
};
const platform = { os: 'linux', architecture: 'amd64' };

test('what is packed is what a node reads, from the folder and from the archive, and the same parts give the same bytes', async () => {
  const [first, second] = [folder(), folder()];
  writeInstaller(first, buildInstaller(init));
  writeInstaller(second, buildInstaller(init));
  const archives = [first, second].map((one) => readFileSync(join(one, 'installer.tar')));
  assert.ok(archives[0]?.equals(archives[1] ?? Buffer.alloc(0)));
  using registry = openDistributionClient({ telemetry: noTelemetry });
  for (const name of ['layout', 'installer.tar']) {
    await using content = await openArtefact(join(first, name), { registry, platform, nowMs: () => 0 });
    const artefact = await verifyArtefact(content, { certificates: [signer.certificate], platform });
    const found: Record<string, Buffer> = {};
    await readArtefact(content, artefact, {
      sink: {
        async write({ path }, bytes) {
          found[path] = Buffer.concat(await Array.fromAsync(bytes));
        },
      },
    });
    assert.deepEqual(found, Object.assign({}, ...layers.map(({ files }) => files)));
    assert.equal(filesFor('container', artefact.description).length, 1);
  }
});

test('an artefact without which a kind of node could not be upgraded is not built', () => {
  for (const at of [0, 2, 3])
    assert.throws(
      () => buildInstaller({ ...init, layers: layers.toSpliced(at, 1) }),
      /has no files for a node/,
    );
});

/** A program for UEFI with one section, and room for the headers of more. */
function makeStub(): Buffer {
  const [headersBytes, coff] = [1024, 0x44];
  const optional = coff + 20;
  const stub = Buffer.alloc(2 * headersBytes);
  stub.write('MZ');
  stub.writeUInt32LE(0x40, 0x3c);
  stub.write('PE\0\0', 0x40, 'latin1');
  stub.writeUInt16LE(1, coff + 2);
  stub.writeUInt16LE(240, coff + 16);
  stub.writeUInt16LE(0x20b, optional);
  for (const [at, value] of [
    [32, 4096],
    [36, 512],
    [56, 8192],
    [60, headersBytes],
  ] as const)
    stub.writeUInt32LE(value, optional + at);
  stub.writeUInt32LE(headersBytes, optional + 240 + 16);
  stub.writeUInt32LE(headersBytes, optional + 240 + 20);
  return stub;
}

test('a machine gets a signed unified kernel for each slot, whose command line names the slot and the root', () => {
  const rest = `nodewright.extensions= nodewright.roothash=${'a'.repeat(64)}`;
  const given = {
    ...{ kernel: Buffer.from('kernel'), initramfs: Buffer.from('initramfs'), kernelRelease: '6.12' },
    ...{ squashfs: Buffer.from('root'), hashTree: Buffer.from('tree'), stub: makeStub(), signer },
    ...{ loader: makeStub(), grub: undefined },
  };
  const files = machineFiles({
    ...given,
    commandLine: `panic=10 nodewright.slot=A ${rest}\n`,
    tag: 'v9.8.7',
  });
  for (const slot of ['A', 'B']) {
    const line = `panic=10 nodewright.slot=${slot} ${rest}`;
    assert.equal(`${files[`machine/${slot}/cmdline`]}`, `${line}\n`);
    const unified = files[`machine/${slot}/nodewright.efi`] ?? Buffer.alloc(0);
    assert.equal(programProblem(unified, signer.certificate), undefined);
    assert.ok(unified.includes(line) && unified.includes('VERSION_ID=v9.8.7'));
    const entry = `${files[`machine/${slot}/entry.cfg`]}`;
    assert.ok(entry.includes(`    linux /${slot}/vmlinuz ${line}\n`) && entry.includes('nodewright v9.8.7'));
  }
  const loader = files['machine/loader/systemd-boot.efi'] ?? Buffer.alloc(0);
  assert.equal(programProblem(loader, signer.certificate), undefined);
  assert.deepEqual(Object.keys(files).toSorted(), neededFiles.machine.toSorted());
  const grub = { bootCode: Buffer.from('boot code'), core: Buffer.from('core image') };
  const line = `nodewright.slot=A ${rest}`;
  const withGrub = machineFiles({ ...given, grub, commandLine: line });
  assert.deepEqual(
    ['boot-code', 'core', 'grub.cfg'].map((name) => `${withGrub[`machine/loader/grub/${name}`]}`),
    ['boot code', 'core image', genericMenu()],
  );
  for (const commandLine of [
    rest,
    `nodewright.slot=B ${rest}`,
    `nodewright.slot=A nodewright.slot=A ${rest}`,
  ])
    assert.throws(() => machineFiles({ ...given, commandLine }), /not one of slot A/);
});

test('a bundle that was not built is named', () => {
  assert.throws(() => bundleFiles(folder()), /^Error: machined is not built: run make build$/);
});

test('an image trusts the certificates in the folder of its keys, its own first and once', () => {
  const other = secureBootKey(folder()).certificate;
  mkdirSync(join(keys, trustedFolder));
  writeFileSync(join(keys, trustedFolder, 'a-new.crt'), other.raw);
  writeFileSync(join(keys, trustedFolder, 'b-own.pem'), signer.certificate.toString());
  assert.deepEqual(
    trustedCertificates(keys).map(({ fingerprint256 }) => fingerprint256),
    [signer.certificate.fingerprint256, other.fingerprint256],
  );
  writeFileSync(join(keys, trustedFolder, 'c-text'), 'text');
  assert.throws(() => trustedCertificates(keys), /c-text is not the certificate of an RSA key$/);
});
