// `make rehearsal VERSION=`: an artefact of another version with the programs of nodes of processes alone. It needs neither an image nor root,
// so an upgrade can be tried on any machine. With BROKEN=1 its system never becomes ready, so that one can also see what happens then.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nativeArchitecture } from '@nodewright/build';
import { buildEtcd, etcdVersion } from '@nodewright/build/etcd';
import { secureBootKey, trustedCertificates } from '@nodewright/build/keys';
import { type Edition, isVersion } from '@nodewright/installer';
import { rehearsalsFolder } from './installer/installer-folders.ts';
import { lowestVersion } from './installer/lowest-version.ts';
import { kubernetesProgram } from './installer/make-installer.ts';
import { bundleFiles, processBundles, programFiles } from './installer/process-files.ts';
import { buildInstaller, writeInstaller } from './installer/write-installer.ts';
import { commitTime, keysFolder, megabytes, runBuild } from './workshop.ts';

interface Rehearsal {
  readonly tag: string;
  readonly edition: Edition;
  /** Whether the node manager of the system ends at its start. */
  readonly isBroken: boolean;
}

const nodeManager = 'process/bundles/machined/machined.cjs';
const endsAtOnce = `console.error('this system was made to fail: BROKEN=1');\nprocess.exit(1);\n`;

async function main(checkout: string, { tag, edition, isBroken }: Rehearsal): Promise<void> {
  const note = (line: string) => void process.stdout.write(`rehearsal: ${line}\n`);
  if (!isVersion(tag)) throw new Error('VERSION= names a version, such as v1.14.1');
  const startMs = performance.now();
  const work = mkdtempSync(join(tmpdir(), 'rehearsal-'));
  try {
    const bundles = join(work, 'bundles');
    const words = ['--tag', tag, '--out', bundles, ...processBundles];
    execFileSync(process.execPath, [join(checkout, 'tools', 'build.ts'), ...words], {
      cwd: checkout,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const files = { ...bundleFiles(bundles) };
    if (isBroken)
      files[nodeManager] = Buffer.concat([Buffer.from(endsAtOnce), files[nodeManager] ?? Buffer.alloc(0)]);
    const programs = {
      ...programFiles('etcd', buildEtcd(checkout, note)),
      ...(edition === 'kubernetes' && programFiles('kubernetes', await kubernetesProgram(checkout, note))),
    };
    const built = buildInstaller({
      ...{ architecture: nativeArchitecture(), epochSeconds: commitTime(checkout), kinds: ['process'] },
      signer: secureBootKey(keysFolder(checkout)),
      description: {
        ...{ version: tag, edition, lowestVersion, etcdVersion, rootHash: digestOfFiles(files) },
        certificates: trustedCertificates(keysFolder(checkout)).map((certificate) => certificate.toString()),
      },
      layers: [
        { files, compression: 'zstd' },
        { files: programs, compression: 'zstd' },
      ],
    });
    const name = [tag, ...(edition === 'kubernetes' ? [edition] : []), ...(isBroken ? ['broken'] : [])].join(
      '-',
    );
    const folder = join(checkout, '_out', rehearsalsFolder, name);
    writeInstaller(folder, built);
    const bytes = built.layout.reduce((sum, [, { length }]) => sum + length, 0);
    const seconds = ((performance.now() - startMs) / 1000).toFixed(0);
    note(`${megabytes(bytes)}  ${folder}: layout, installer.tar, in ${seconds} s`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** A node tells systems apart by the root hash. There is no root in this artefact, so it is made of the programs. */
function digestOfFiles(files: Readonly<Record<string, Buffer>>): string {
  const hash = createHash('sha256');
  for (const [path, content] of Object.entries(files)) {
    hash.update(`${path}\0${content.length}\0`);
    hash.update(content);
  }
  return hash.digest('hex');
}

if (import.meta.main) {
  const edition = process.argv.includes('--kubernetes') ? 'kubernetes' : 'plain';
  await runBuild('rehearsal', () =>
    main(join(import.meta.dirname, '..'), {
      ...{ tag: process.env.VERSION ?? '', edition, isBroken: process.argv.includes('--broken') },
    }),
  );
}
