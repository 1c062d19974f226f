// `make verify-installer INSTALLER=`: reads an artefact as a node does, whole. It needs only the certificate.
import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nativeArchitecture } from '@nodewright/build';
import { openArtefact, readArtefact, verifyArtefact } from '@nodewright/installer';
import { openDistributionClient } from '@nodewright/oci';
import { noTelemetry } from '@nodewright/telemetry';
import { installerFolders } from './installer/installer-folders.ts';
import { megabytes, runBuild } from './workshop.ts';

await runBuild('verify-installer', async () => {
  const out = join(import.meta.dirname, '..', '_out');
  const name = process.env.INSTALLER || join(out, installerFolders.plain, 'installer.tar');
  const certificate = join(out, 'image', 'secure-boot.crt');
  if (!existsSync(certificate)) throw new Error('there is no image: run make image');
  const platform = { os: 'linux', architecture: nativeArchitecture() };
  using registry = openDistributionClient({ telemetry: noTelemetry });
  await using content = await openArtefact(name, { registry, platform, nowMs: () => performance.now() });
  const artefact = await verifyArtefact(content, {
    certificates: [new X509Certificate(readFileSync(certificate))],
    platform,
  });
  const bytes = new Map<string, number>();
  await readArtefact(content, artefact, {
    sink: {
      async write({ path, sizeBytes }, pieces) {
        for await (const _piece of pieces);
        const part = path.split('/').slice(0, 2).join('/');
        bytes.set(part, (bytes.get(part) ?? 0) + sizeBytes);
      },
    },
  });
  for (const [part, sum] of bytes) process.stdout.write(`${megabytes(sum)}  ${part}\n`);
  const { version, edition, lowestVersion, etcdVersion, rootHash } = artefact.description;
  process.stdout.write(
    `version ${version}, edition ${edition}, for systems from ${lowestVersion} on, etcd ${etcdVersion}, root ${rootHash}\n`,
  );
  process.stdout.write(
    `verify-installer: ${artefact.manifestDigest} is as it was signed with ${certificate}\n`,
  );
});
