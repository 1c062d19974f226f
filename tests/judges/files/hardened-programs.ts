// How the programs of the image were linked.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { type Finding, judgeOf } from '../judge.ts';
import { runProgram } from '../run-program.ts';
import { debianTool } from '../tool.ts';

/** What `checksec --format=json` says of a file. */
type Properties = Readonly<Record<string, string>>;

/** The properties that are judged, with their good values. */
const good: Readonly<Record<string, readonly string[]>> = {
  relro: ['full'],
  nx: ['yes'],
  pie: ['yes', 'dso'],
  canary: ['yes'],
  rpath: ['no'],
};

const elfMagic = Buffer.from('\x7fELF', 'latin1');

/** The executable files of the root file system, unpacked by Debian's unsquashfs. */
async function unpackedRoot({ image, newPath }: Bench): Promise<string> {
  const root = newPath('root');
  const words = ['-quiet', '-no-progress', '-no-xattrs', '-dest', root, join(image, 'rootfs.squashfs')];
  const { exitCode, stderr } = await runProgram('unsquashfs', words);
  if (exitCode !== 0) throw new Error(`unsquashfs, of the package squashfs-tools: ${stderr.trim()}`);
  return root;
}

/** A program that is linked without any protection, by the C compiler that links the init. */
function unprotectedProgram({ newPath }: Bench): string {
  const root = newPath('unprotected');
  const path = join(root, 'bin', 'unprotected');
  const flags = ['-no-pie', '-fno-stack-protector', '-Wl,-z,norelro', '-Wl,-z,execstack'];
  const { status, stderr } = spawnSync(
    'sh',
    ['-c', 'mkdir -p "$1/bin" && shift && exec cc "$@" -x c -', 'sh', root, ...flags, '-o', path],
    { input: 'int main(void) { return 0; }\n', encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`no program could be linked: ${stderr}`);
  return root;
}

export const hardenedPrograms = judgeOf({
  name: 'checksec',
  subject: 'programs and the C library of the image',
  tool: debianTool('checksec', 'checksec squashfs-tools', /v?(\d+\.\d+(?:\.\d+)?)/),
  isQuick: true,
  ours: unpackedRoot,
  broken: unprotectedProgram,
  async ask(root, { path }) {
    const findings: Finding[] = [];
    for (const file of programsOf(root)) {
      const { stdout, stderr } = await runProgram(path, ['--format=json', `--file=${join(root, file)}`]);
      findings.push(...findingsOf(file, readProperties(stdout, stderr)));
    }
    return findings;
  },
});

function programsOf(root: string): string[] {
  const isProgram = (file: string) => {
    const { mode } = statSync(join(root, file));
    return (mode & 0o100) !== 0 && readFileSync(join(root, file)).subarray(0, 4).equals(elfMagic);
  };
  const files = globSync('**/*', { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
  const programs = files.filter(isProgram).toSorted();
  if (programs.length === 0) throw new Error(`${root} has no programs`);
  return programs;
}

/** @throws Error when checksec printed something else */
export function readProperties(stdout: string, stderr: string): Properties {
  try {
    const [properties] = Object.values(JSON.parse(stdout) as Readonly<Record<string, Properties>>);
    if (properties !== undefined) return properties;
  } catch {
    // Told below with what it printed.
  }
  throw new Error(`checksec has no verdict: ${`${stdout}${stderr}`.trim()}`);
}

/** What is not as it should be, `bin/node: pie no`. A property that is missing is a finding, too. */
export function findingsOf(file: string, properties: Properties): Finding[] {
  return Object.entries(good)
    .filter(([name, values]) => !values.includes(properties[name] ?? ''))
    .map(([name]) => ({ id: `${file}: ${name} ${properties[name] ?? 'missing'}` }));
}
