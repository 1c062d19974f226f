// Debian's programs for links, in a machine: an extension with them and a server, and the client of that server.
import { copyFileSync, globSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { unpackPackages } from '@nodewright/build/debian';
import { stringify } from 'yaml';
import { writeExtension } from '../extension-source.ts';

const port = 8099;
const name = 'link-tools';
/** They are unpacked, not installed: wireguard-tools would set up links. */
const packages = ['iproute2', 'ethtool', 'wireguard-tools'];
const libraries = [
  ...['libbpf1', 'libelf1t64', 'libmnl0', 'libcap2', 'libselinux1', 'libpcre2-8-0', 'libzstd1', 'zlib1g'],
];
const programs = ['ip', 'bridge', 'ethtool', 'wg'];
const timeoutMs = 120_000;
/** A word in whose place a program gets the name of a file with its input: `wg` takes keys from files only. */
export const inputFile = '<input>';

/** Writes the extension, and returns its path. The server runs on the Node.js of the machine. */
export function linkToolsExtension(folder: string): string {
  const unpacked = join(folder, 'packages');
  unpackPackages('trixie', [...packages, ...libraries], unpacked);
  const service = {
    name,
    container: {
      ...{ entrypoint: '/usr/bin/node', args: ['/opt/tools/serve-tools.ts'] },
      mounts: [{ source: '/usr', destination: '/usr', type: 'bind', options: ['bind', 'ro'] }],
    },
    restart: 'always',
  };
  const root = `usr/local/lib/containers/${name}`;
  const path = writeExtension(folder, name, {
    [`usr/local/etc/containers/${name}.yaml`]: stringify(service),
    [`${root}/opt/tools/serve-tools.ts`]: readFileSync(join(import.meta.dirname, 'serve-tools.ts')),
  });
  const inRoot = join(path, 'rootfs', root);
  for (const each of ['usr', 'opt/tools/bin', 'opt/tools/lib'])
    mkdirSync(join(inRoot, each), { recursive: true });
  for (const each of ['bin', 'lib', 'lib64']) symlinkSync(`usr/${each}`, join(inRoot, each));
  for (const each of programs) {
    const [found = ''] = globSync(`usr/{bin,sbin}/${each}`, { cwd: unpacked });
    copyFileSync(join(unpacked, found), join(inRoot, 'opt/tools/bin', each));
  }
  for (const each of globSync('usr/lib/*-linux-gnu/*.so.*', { cwd: unpacked }))
    copyFileSync(join(unpacked, each), join(inRoot, 'opt/tools/lib', basename(each)));
  return path;
}

interface Answer {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The programs in the machine at an address. */
export class LinkTools {
  readonly #url: string;

  constructor(address: string) {
    this.#url = `http://${address}:${port}/`;
  }

  /** @throws Error with what the program says when it fails */
  async run(program: string, words: readonly string[], input = ''): Promise<string> {
    const answer = await fetch(this.#url, {
      ...{ method: 'POST', body: JSON.stringify({ program, words, input }) },
      signal: AbortSignal.timeout(timeoutMs),
    });
    const value = (await answer.json()) as Answer;
    if (!answer.ok || value.exitCode !== 0)
      throw new Error(`${program} ${words.join(' ')}: ${value.stderr ?? JSON.stringify(value)}`);
    return value.stdout;
  }

  /** Runs `ip` with words separated by spaces. */
  ip(words: string): Promise<string> {
    return this.run('ip', words.split(' '));
  }

  /** Runs several commands of `ip`; those that fail are left out. */
  async batch(commands: readonly string[]): Promise<void> {
    await this.run('ip', ['-force', '-batch', '-'], `${commands.join('\n')}\n`).catch(() => {});
  }

  /** What `ip -d -j` shows. */
  async shows<T>(words: string): Promise<T> {
    const text = await this.run('ip', ['-d', '-j', ...words.split(' ')]);
    return (text.trim() === '' ? [] : JSON.parse(text)) as T;
  }

  async answers(): Promise<boolean> {
    return this.ip('link show dev lo').then(
      () => true,
      () => false,
    );
  }
}
