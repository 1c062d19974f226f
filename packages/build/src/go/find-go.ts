import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { unpackPackages } from '../debian/unpack-packages.ts';

/** Debian's own, for machines without a recent Go. Its programs also run on older releases of Debian. */
const debianGo = { version: '1.26', suite: 'trixie-backports' } as const;

export interface FindGoInit {
  /** Minor version that the module to build needs: 26 for Go 1.26. */
  readonly leastMinor: number;
  /** Folder into which a Go is unpacked, and in which a later call finds it. */
  readonly folder: string;
  readonly environment?: NodeJS.ProcessEnv;
  readonly note: (line: string) => void;
}

/**
 * The path of a `go` of that version or later: the machine's own, or one unpacked from Debian's packages.
 *
 * @throws Error with one line that names the machine's version, when it is too old and no other can be
 * unpacked
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
    // Another program has unpacked it meanwhile.
    if (existsSync(unpacked)) return unpacked;
    const found = minor === 0 ? 'no Go is installed' : `the Go that is installed is 1.${minor}`;
    throw new Error(
      `Go 1.${leastMinor} or later is needed: ${found}, and Debian packages have none to unpack`,
    );
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Minor version of a `go`; 0 when it is not installed. */
function minorOf(go: string, env: NodeJS.ProcessEnv): number {
  try {
    // Run outside any module, because a go.mod could select another version.
    const said = execFileSync(go, ['env', 'GOVERSION'], { cwd: '/', env, encoding: 'utf8', stdio: 'pipe' });
    return Number(/^go1\.(\d+)/.exec(said)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
