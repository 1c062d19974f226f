import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { unpackPackages } from '../engine/unpack-packages.ts';

/** Debian's own, for machines without a recent Go: its programs run on older releases as well. */
const debianGo = { version: '1.26', suite: 'trixie-backports' } as const;

export interface FindGoInit {
  /** 26 for Go 1.26: what the module to build asks for. */
  readonly leastMinor: number;
  /** Where a Go is unpacked, and found again. */
  readonly folder: string;
  readonly environment?: NodeJS.ProcessEnv;
  readonly note: (line: string) => void;
}

/**
 * The path of a `go` of that version or later: the machine's, or one unpacked from Debian's packages.
 *
 * @throws Error with one line that says which version the machine has, where none fits and none can be unpacked.
 */
export function findGo({ leastMinor, folder, environment = process.env, note }: FindGoInit): string {
  const minor = minorOf('go', environment);
  if (minor >= leastMinor) return 'go';
  const name = `go-${debianGo.version}`;
  const root = join(folder, name);
  const unpacked = join(root, 'usr/lib', name, 'bin/go');
  if (existsSync(unpacked)) return unpacked;
  note(`unpacking Go ${debianGo.version} from Debian packages`);
  const draft = `${root}.${process.pid}`;
  try {
    mkdirSync(folder, { recursive: true });
    unpackPackages(
      debianGo.suite,
      ['go', 'src'].map((part) => `golang-${debianGo.version}-${part}`),
      draft,
    );
    renameSync(draft, root);
    return unpacked;
  } catch {
    const found = minor === 0 ? 'no Go is installed' : `the Go that is installed is 1.${minor}`;
    throw new Error(
      `Go 1.${leastMinor} or later is needed: ${found}, and Debian packages have none to unpack`,
    );
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** 0 where it is not installed. */
function minorOf(go: string, env: NodeJS.ProcessEnv): number {
  try {
    // Outside any module: a go.mod could ask for another version.
    const said = execFileSync(go, ['env', 'GOVERSION'], { cwd: '/', env, encoding: 'utf8', stdio: 'pipe' });
    return Number(/^go1\.(\d+)/.exec(said)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
