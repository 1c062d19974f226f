// For tests: a package of a few small files.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { manifestName } from './package-manifest.ts';
import { runtimeFolder } from './run-talosctl.ts';

export function temporaryFolder(t: Pick<TestContext, 'after'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'package-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** @param contents by path; paths below `bin/` and `runtime/` are programs */
export function writePackage(folder: string, contents: Readonly<Record<string, string>>): void {
  const files = Object.entries(contents).map(([path, text]) => {
    const isProgram = /^(bin|runtime)\//.test(path);
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { mode: isProgram ? 0o755 : 0o644 });
    const sha256 = createHash('sha256').update(text).digest('hex');
    return { path, sizeBytes: Buffer.byteLength(text), sha256, isProgram };
  });
  writeFileSync(join(folder, manifestName), JSON.stringify({ version: '0.1.0', commit: 'abc', files }));
}

/**
 * Stands in for Node.js of a package, and so for talosctl: creates and destroys the folders of clusters, with contexts of their own.
 * While a file `wait` is in TALOS_HOME, it waits.
 */
const fakeTalosctl = `#!/bin/sh
verb=$3
while [ "$1" != --name ]; do shift; done
folder=$TALOS_HOME/clusters/$2
mkdir -p "$TALOS_HOME"
touch "$TALOS_HOME/started"
while [ -e "$TALOS_HOME/wait" ]; do sleep 0.05; done
if [ "$verb" = destroy ]; then
  rm -rf "$folder"
else
  mkdir -p "$folder"
  echo damaged >"$folder/state.yaml"
fi
`;

/** A package whose talosctl only makes and removes folders, and calls of its `up` and `down`. */
export function openPackage(t: Pick<TestContext, 'after'>) {
  const folder = temporaryFolder(t);
  const source = join(folder, 'source');
  writePackage(source, { LICENSE: 'free', [`${runtimeFolder()}/node`]: fakeTalosctl });
  const data = join(folder, 'share', 'nodewright');
  const notes: string[] = [];
  /** @param home Default: that of `bin/nodewright`. */
  const init = (name: string, home = join(data, 'talos')) => ({
    ...{ source, data, name, environment: { ...process.env, TALOS_HOME: home, TALOSCONFIG: '' } },
    note: (line: string) => void notes.push(line),
    ...{ signal: new AbortController().signal, now: () => new Date(), controlPlanes: 1, workers: 0 },
  });
  return { folder, source, data, copy: join(data, '0.1.0-abc'), notes, init };
}
