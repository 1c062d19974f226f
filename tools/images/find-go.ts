import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { unpackPackages } from '../engine/unpack-packages.ts';

/** What Jaeger's go.mod asks for. */
const leastMinor = 25;
/** Of Debian, for machines without Go: its programs run on older releases as well. */
const debianGo = { version: '1.26', suite: 'trixie-backports' } as const;

/**
 * The path of a `go` that can build Jaeger: the machine's, or one that is unpacked from Debian's packages into `folder`.
 *
 * @throws Error with one line where there is none and no apt to get it with.
 */
export function findGo(folder: string, note: (line: string) => void): string {
  if (isRecent('go')) return 'go';
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
    throw new Error(`Go 1.${leastMinor} or later is not installed, and not to be had from Debian packages`);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function isRecent(go: string): boolean {
  try {
    // As the machine has it: without a go.mod, which could ask for another.
    const said = execFileSync(go, ['env', 'GOVERSION'], { cwd: '/', encoding: 'utf8', stdio: 'pipe' });
    const minor = /^go1\.(\d+)/.exec(said)?.[1];
    return Number(minor ?? 0) >= leastMinor;
  } catch {
    return false;
  }
}
