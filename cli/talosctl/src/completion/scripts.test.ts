// What a shell runs after Tab and Enter when a node chose the name that is completed.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import { completionScript } from './scripts.ts';

/** Names that are code, or that a shell would change, when they are not quoted. `touch` would create a file beside the program. */
const names = [
  '/var/lib/plain-1.0_x',
  `/var/lib/x$(touch\${IFS}code)`,
  '/var/lib/x`touch code`',
  '/var/lib/x;touch code',
  '/var/lib/x|touch code',
  '/var/lib/x&touch code&',
  '/var/lib/x<code>code',
  '/var/lib/a b  c',
  '/var/lib/$HOME',
  `/var/lib/\${HOME}`,
  `/var/lib/it's "quoted"`,
  '/var/lib/back\\slash\\',
  '/var/lib/*',
  '/var/lib/{a,b}',
  '/var/lib/!!',
  '/var/lib/#hash',
  '/var/lib/(touch code)',
  '/var/lib/k=$(touch code):y',
  '/var/lib/müller',
];

/** Stands for talosctl: it offers the name in a file when that begins with the word at the cursor, and writes down its arguments. */
const program = `#!/bin/sh
cd "$(dirname "$0")"
case "$1" in
__complete*)
  for last; do :; done
  offered=$(cat offered)
  case "$offered" in "$last"*) printf '%s\\n' "$offered" ;; esac
  ;;
*) printf '%s\\0' "$@" > called.part && mv called.part called ;;
esac
`;

/** How each shell starts without the files of a user and of the machine, and reads a completion script. */
const shells = {
  bash: { start: 'bash --norc --noprofile -i', load: 'source ./completion' },
  zsh: { start: 'zsh -f -i', load: 'autoload -Uz compinit; compinit -D; source ./completion' },
  fish: { start: 'fish --no-config -i', load: 'source ./completion' },
} as const;

/** A shell at a terminal of its own. */
async function openShell(shell: keyof typeof shells, described: boolean, scope: AsyncDisposableStack) {
  const folder = await mkdtemp(join(tmpdir(), `completion-${shell}-`));
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'completion'), completionScript(shell, described) ?? '');
  await writeFile(join(folder, 'talosctl'), program);
  await chmod(join(folder, 'talosctl'), 0o755);
  const child: ChildProcess = spawn('script', ['-qec', shells[shell].start, '/dev/null'], {
    cwd: folder,
    env: { HOME: folder, PATH: `${folder}:/usr/bin:/bin`, TERM: 'xterm', LANG: 'C.UTF-8' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  scope.defer(async () => {
    // A shell that is killed may still write its history into the folder.
    type('\rexit\r');
    const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await ended;
    clearTimeout(timer);
  });
  child.stdout?.resume();
  const type = (text: string) => child.stdin?.write(text);
  type(`${shells[shell].load}\r`);
  return {
    /** Types a command line. Resolves with the arguments that the program got. */
    async run(keys: string, offered: string): Promise<string[]> {
      await writeFile(join(folder, 'offered'), `${offered}\n`);
      await rm(join(folder, 'called'), { force: true });
      type(`${keys}\r`);
      let called: string | undefined;
      const isCalled = async () => {
        called = await readFile(join(folder, 'called'), 'utf8').catch(() => undefined);
        return called !== undefined;
      };
      await eventually(isCalled, { what: `a call after ${JSON.stringify(keys)} for ${offered}`, pollMs: 5 });
      return (called ?? '').split('\0').slice(0, -1);
    },
    /** Whether a command in a name ran. */
    ranCode: async () => (await readdir(folder)).includes('code'),
  };
}

for (const shell of ['bash', 'zsh', 'fish'] as const)
  test(`${shell} takes a name of a node as it is, and runs nothing of it`, async () => {
    await using scope = new AsyncDisposableStack();
    const { run, ranCode } = await openShell(shell, shell !== 'bash', scope);
    for (const name of names) assert.deepEqual(await run('talosctl read /var\t', name), ['read', name]);
    // What is quoted already is completed, too.
    assert.deepEqual(await run('talosctl read /var/lib/a\\ b\t', '/var/lib/a b$(touch code)'), [
      'read',
      '/var/lib/a b$(touch code)',
    ]);
    assert.equal(await ranCode(), false);
  });

test('bash offers nothing between quotes, where other characters are special', async () => {
  await using scope = new AsyncDisposableStack();
  const { run, ranCode } = await openShell('bash', false, scope);
  assert.deepEqual(await run('talosctl read "/var\t"', '/var/lib/$(touch code)'), ['read', '/var']);
  assert.deepEqual(await run("talosctl read '/var\t'", "/var/lib/'$(touch code)'"), ['read', '/var']);
  assert.equal(await ranCode(), false);
});

test('the script for PowerShell puts every name with a special character between quotes', () => {
  for (const described of [true, false]) {
    const script = completionScript('powershell', described) ?? '';
    const [, plain = ''] = /if \(\$value -notmatch '\\A(.*)\\z'\)/.exec(script) ?? [];
    assert.equal(plain, '[A-Za-z0-9_./+=:,-]+');
    const isPlain = new RegExp(`^${plain}$`);
    assert.deepEqual(
      names.filter((name) => isPlain.test(name)),
      ['/var/lib/plain-1.0_x'],
    );
    assert.match(
      script,
      /\$text = "'" \+ \[System\.Management\.Automation\.Language\.CodeGeneration\]::EscapeSingleQuotedStringContent\(\$value\) \+ "'"\n/,
    );
    // What the shell inserts is the first argument.
    assert.deepEqual(script.match(/CompletionResult\]::new\([^,]*/g), ['CompletionResult]::new($text']);
  }
});
