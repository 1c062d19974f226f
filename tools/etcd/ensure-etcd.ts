import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, lstatSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { unpackPackages } from '../engine/unpack-packages.ts';
import { nativeArchitecture } from '../images/architecture.ts';
import { etcdPrograms, etcdRelease, releaseUrl } from './etcd-release.ts';
import { fetchRelease } from './fetch-release.ts';

export interface EtcdPrograms {
  /** `3.5.16`. */
  readonly version: string;
  /** Whether this call fetched it. */
  readonly fetched: boolean;
  readonly etcd: string;
  readonly etcdutl: string;
  readonly etcdctl: string;
}

/** One way to get the programs: fills a folder that does not exist yet, or throws an Error with one line. */
export interface EtcdSource {
  readonly name: string;
  fill(folder: string): Promise<void> | void;
}

const debian = { suite: 'trixie', packages: ['etcd-server', 'etcd-client'] } as const;

/** The sources, in the order in which they are tried. */
export const etcdSources: readonly EtcdSource[] = [
  {
    name: 'release archive',
    fill: (folder) => {
      const architecture = nativeArchitecture();
      const sha256 = etcdRelease.sha256[architecture];
      return fetchRelease({ url: releaseUrl(architecture), architecture, sha256 }, folder);
    },
  },
  {
    name: "Debian's packages",
    fill: (folder) => {
      const unpacked = `${folder}.packages`;
      try {
        unpackPackages(debian.suite, debian.packages, unpacked);
        mkdirSync(folder, { recursive: true });
        for (const program of etcdPrograms)
          copyFileSync(join(unpacked, 'usr/bin', program), join(folder, program));
      } finally {
        rmSync(unpacked, { recursive: true, force: true });
      }
    },
  },
];

/** The folder of a checkout with its programs: a link to the folder of their version. */
export function etcdFolder(checkout: string): string {
  return join(checkout, '_out', 'tools', 'etcd');
}

/**
 * The real etcd of a checkout with its tools: already present, or fetched without root into
 * `_out/tools/etcd-<version>`. Concurrent calls are safe.
 *
 * @throws Error with one line that says why each source failed
 */
export async function ensureEtcd(
  checkout: string,
  sources: readonly EtcdSource[] = etcdSources,
): Promise<EtcdPrograms> {
  const folder = etcdFolder(checkout);
  if (existsSync(join(folder, 'etcd'))) return programsOf(folder, false);
  const parent = join(folder, '..');
  mkdirSync(parent, { recursive: true });
  const failures: string[] = [];
  for (const { name, fill } of sources) {
    const draft = join(parent, `etcd.${process.pid}.${Math.random().toString(36).slice(2)}`);
    try {
      await fill(draft);
      publish(draft, folder, parent);
      return programsOf(folder, true);
    } catch (error) {
      const line = (error instanceof Error ? error.message : String(error)).split('\n')[0];
      failures.push(`${name}: ${line}`);
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  }
  throw new Error(
    `etcd is not to be had (${failures.join('; ')}): put ${etcdPrograms.join(', ')} into ${folder}`,
  );
}

/**
 * Moves the folder to the name of its version, then points the link to it. Each step is one rename; a
 * concurrent call that comes second finds the result.
 */
function publish(draft: string, folder: string, parent: string): void {
  const name = `etcd-${versionOf(join(draft, 'etcd'))}`;
  if (!existsSync(join(parent, name, 'etcd'))) {
    rmSync(join(parent, name), { recursive: true, force: true });
    try {
      renameSync(draft, join(parent, name));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
    }
  }
  // A person may have made a folder without the programs here; a rename cannot replace it by a link.
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) rmSync(folder, { recursive: true });
  const link = `${draft}.link`;
  symlinkSync(name, link);
  renameSync(link, folder);
}

function programsOf(folder: string, fetched: boolean): EtcdPrograms {
  const etcd = join(folder, 'etcd');
  return {
    version: versionOf(etcd),
    fetched,
    etcd,
    etcdutl: join(folder, 'etcdutl'),
    etcdctl: join(folder, 'etcdctl'),
  };
}

/**
 * @throws Error when the program does not run here: a library is missing, or it is for another architecture
 */
function versionOf(etcd: string): string {
  let said: string;
  try {
    said = execFileSync(etcd, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string };
    throw new Error(`${etcd} does not run: ${stderr.split('\n')[0] || message.split('\n')[0]}`, {
      cause: error,
    });
  }
  const version = /^etcd Version: (\S+)/m.exec(said)?.[1];
  if (version === undefined) throw new Error(`${etcd} does not tell its version`);
  return version;
}
