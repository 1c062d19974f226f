// SIGUSR1 opens the debugger of Node.js, with which everybody on the machine can run code in the process. A flag turns that off, and a
// start command without it would fail no other test.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { machinedCommand } from '../../packages/provision/src/supervisor/machined-command.ts';
import { nodeImageConfig } from '../../rootfs/node-image/node-image.ts';
import { daemonCommand } from '../../services/machined/src/daemons/domain/daemon-command.ts';

const checkout = join(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(checkout, path), 'utf8');
const programs = { servicesFolder: '/dist', nodeBinary: '/usr/bin/node' };
const child = { root: '', listenAddress: '', ...programs };

/** Commands in JSON or C: a list of strings. */
const wordsOf = (list: string) => [...list.matchAll(/"([^"]*)"/g)].map(([, word = '']) => word);

function composeCommands(): [string, string[]][] {
  const { services } = parse(read('compose.yaml'), { merge: true }) as {
    services: Record<string, { entrypoint?: string[] }>;
  };
  return Object.entries(services).flatMap(([name, { entrypoint = [] }]) =>
    entrypoint[0] === '/usr/bin/node' ? [[`compose.yaml: ${name}`, entrypoint] as [string, string[]]] : [],
  );
}

const commands: [string, string[]][] = [
  ['the init', wordsOf(/\barguments\[\] = \{([^}]*)\}/.exec(read('rootfs/init/init.c'))?.[1] ?? '')],
  [
    'a whole node in one container',
    nodeImageConfig({ tag: '', sha: '', etcdImage: '', hasKubelet: false }).Entrypoint,
  ],
  [
    'a node of processes',
    machinedCommand({ name: 'node01', type: 'worker', address: '127.0.0.1' }, '/nodes/node01', programs),
  ],
  ...(['apid', 'trustd', 'registryd', 'udevd-bridge'] as const).map((daemon): [string, string[]] => [
    daemon,
    daemonCommand({ ...child, daemon }),
  ]),
  ...globSync('services/*/Dockerfile', { cwd: checkout }).map((path): [string, string[]] => [
    path,
    wordsOf(/^ENTRYPOINT \[(.*?)\]/ms.exec(read(path))?.[1] ?? ''),
  ]),
  ...composeCommands(),
];

test('every daemon is started with a flag that keeps SIGUSR1 from opening a debugger', () => {
  assert.ok(commands.length >= 13, `${commands.length} commands`);
  for (const [name, [program, ...words]] of commands) {
    assert.equal(program, '/usr/bin/node', name);
    const script = words.findIndex((word) => word.endsWith('.cjs') && !word.startsWith('--'));
    assert.ok(words.slice(0, script).includes('--disable-sigusr1'), name);
  }
});

test('the processes that keep a cluster are started with that flag, too', () => {
  assert.match(
    read('packages/provision/src/cluster/start-detached.ts'),
    /spawn\(start\.nodeBinary, \['--disable-sigusr1', start\.program/,
  );
});
