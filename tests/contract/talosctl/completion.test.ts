// The candidates that the Tab key offers.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { ListRequest, ListResponse } from '@nodewright/contract/gen/cosi/resource/state.ts';
import { healthyCluster } from './replies.ts';
import { openSuite } from './suite.ts';

const suite = openSuite({
  ...healthyCluster,
  '/cosi.resource.State/List': (call) => {
    const { namespace, type } = ListRequest.decode(call.request);
    if (`${namespace}/${type}` !== 'cluster/Members.cluster.talos.dev') return call.fail(5, 'no such type');
    for (const id of ['node10', 'node01']) {
      call.send(ListResponse.encode(ListResponse.fromPartial({ resource: { metadata: { id } } })).finish());
    }
    return call.end();
  },
});

/** Candidates for the last word. */
const offered = (...words: string[]) => candidates('__complete', words);
/** The same with their descriptions. */
const described = (...words: string[]) => candidates('__complete_described', words);

async function candidates(verb: string, words: readonly string[]): Promise<string[]> {
  const { stdout, stderr, exitCode } = await suite.run(verb, ...words);
  assert.deepEqual({ stderr, exitCode }, { stderr: '', exitCode: 0 });
  return stdout.split('\n').filter((line) => line !== '');
}

test('completion offers commands, subcommands and options', async () => {
  assert.deepEqual(await offered('m'), ['machineconfig', 'memory', 'meta', 'mounts']);
  assert.deepEqual(await offered('-n', 'node01', 'lo'), ['logs']);
  assert.deepEqual(await offered('config', 'en'), ['endpoint']);
  assert.deepEqual(await offered('help', 'config', 'me'), ['merge']);
  assert.deepEqual(await offered('memory', '--ver'), ['--verbose']);
  assert.deepEqual(await offered('--end'), ['--endpoints']);
  assert.deepEqual(await offered('config', 'info', '--con'), ['--context']);
  assert.equal((await offered('')).includes('help'), true);
});

test('completion offers values: contexts, nodes, formats, shells, and files where a path belongs', async () => {
  assert.deepEqual(await offered('memory', '--context', ''), ['test']);
  assert.deepEqual(await offered('--context=t'), ['--context=test']);
  assert.deepEqual(await offered('config', 'context', ''), ['test']);
  assert.deepEqual(await offered('memory', '-n', 'node'), ['node01', 'node02', 'node10']);
  assert.deepEqual(await offered('memory', '-n', 'node01,node'), ['node01,node02', 'node01,node10']);
  assert.deepEqual(await offered('-n', 'node02,'), ['node02,node01', 'node02,node10', 'node02,127.0.0.1']);
  assert.deepEqual(await offered('memory', '--nodes=node01,node1'), ['--nodes=node01,node10']);
  assert.deepEqual(await offered('-e', ''), [suite.gateway.address, 'node01', 'node02']);
  assert.deepEqual(await offered('memory', '-e', 'node01,127'), [`node01,${suite.gateway.address}`]);
  assert.deepEqual(await offered('config', 'endpoint', '127'), [suite.gateway.address]);
  assert.deepEqual(await offered('config', 'node', 'node01', 'node1'), ['node10']);
  assert.deepEqual(await offered('memory', '-o', ''), ['table', 'wide', 'json', 'yaml', 'jsonpath=']);
  assert.deepEqual(await offered('completion', 'z'), ['zsh']);
  assert.deepEqual(await offered('memory', '--talosconfig', ''), [':files']);
  assert.deepEqual(await offered('config', 'merge', ''), [':files']);
  assert.deepEqual(await offered('memory', ''), []);
});

test('completion offers closed lists, with descriptions for the shells that show them', async () => {
  assert.deepEqual(await offered('reboot', '-m', ''), ['default', 'powercycle', 'force']);
  assert.deepEqual(await offered('reset', '--wipe-mode', 's'), ['system-disk']);
  assert.deepEqual(await offered('reset', '--system-labels-to-wipe', 'STATE,'), ['STATE,EPHEMERAL']);
  assert.deepEqual(await offered('config', 'new', '--roles', 'os:reader,os:o'), ['os:reader,os:operator']);
  assert.deepEqual(await offered('gen', 'csr', '--roles', 'os:a'), ['os:admin']);
  assert.deepEqual(await offered('image', 'list', '--namespace', ''), ['cri', 'system', 'inmem']);
  assert.deepEqual(await offered('cgroups', '--preset', 'p'), ['process', 'psi']);
  assert.deepEqual(await offered('inspect', 'dependencies', '-o', ''), ['dot', 'svg', 'json', 'yaml']);
  assert.deepEqual(await offered('cluster', 'create', 'd'), ['docker']);
  assert.deepEqual(await offered('ls', '--type=f,'), ['--type=f,d', '--type=f,l']);
  assert.deepEqual(await described('reboot', '-m', 'f'), ['force\treboot without stopping services first']);
  assert.deepEqual(await described('mem'), ['memory\tShow memory usage']);
  assert.deepEqual(await described('config', 'merg'), ['merge\tAdd the contexts of another talosconfig']);
  assert.deepEqual(await described('memory', '--verb'), [
    '--verbose\tshow every field of the memory information',
  ]);
  assert.deepEqual(await described('memory', '--context', ''), ['test']);
  assert.deepEqual(await described('config', 'merge', ''), [':files']);
});

test('completion offers the local clusters', async () => {
  // Clusters are listed by name, even when their state cannot be read.
  const state = join(suite.cluster.folder, 'clusters');
  for (const name of ['blue', 'green']) {
    mkdirSync(join(state, name), { recursive: true });
    writeFileSync(join(state, name, 'state.yaml'), '{}');
  }
  assert.deepEqual(await offered('cluster', '--state', state, '--name', ''), ['blue', 'green']);
  assert.deepEqual(await offered('cluster', 'show', '--state', state, '--name', 'g'), ['green']);
  assert.deepEqual(await offered('cluster', '--state', '/nowhere', '--name', ''), []);
});

test('completion reads the services from the nodes', async () => {
  assert.deepEqual(await offered('-n', 'node01', 'service', ''), ['apid', 'etcd', 'quiet']);
  assert.deepEqual(await offered('logs', '-n', 'node02', 'a'), ['apid']);
  assert.deepEqual(await offered('service', 'apid', 're'), ['restart']);
});

test('completion prints no errors', async () => {
  const dead = ['--talosconfig', '/nowhere/config', 'logs', ''];
  assert.deepEqual(await offered(...dead), []);
  assert.deepEqual(await offered('-e', '127.0.0.1:1', 'logs', ''), []);
  assert.deepEqual(await offered('nonsense', ''), []);
});

test('completion rejects an unknown shell', async () => {
  const { stderr, exitCode } = await suite.run('completion', 'tcsh');
  assert.match(
    stderr,
    /^error: unknown shell "tcsh": it must be one of bash, fish, powershell, zsh; see "talosctl completion --help"\n$/,
  );
  assert.equal(exitCode, 1);
});

test('completion offers the arguments of commands that change configurations', async () => {
  assert.deepEqual(await offered('patch', 'm'), ['machineconfig', 'mc']);
  assert.deepEqual(await offered('edit', 'mc', ''), []);
  assert.deepEqual(await offered('apply', 'c'), ['config']);
  assert.deepEqual(await offered('apply-config', '-m', 's'), ['staged']);
  assert.deepEqual(await offered('apply-config', '-f', ''), [':files']);
  assert.deepEqual(await offered('apply-config', '--timeout', ''), []);
  assert.deepEqual(await offered('validate', '-m', 'c'), ['cloud', 'container']);
  assert.deepEqual(await offered('validate', '-c', ''), [':files']);
  assert.deepEqual(await offered('mc', ''), ['gen', 'patch', 'convert', 'diff']);
  assert.deepEqual(await offered('machineconfig', 'patch', ''), [':files']);
  assert.deepEqual(await offered('meta', 'w'), ['write']);
  assert.deepEqual(await offered('meta', 'write', ''), []);
  assert.deepEqual(await offered('get', '-o', 'j'), ['json', 'jsonpath=']);
});

test('the bash script completes a line', async () => {
  const { stdout: script } = await suite.run('completion', 'bash');
  const folder = suite.cluster.folder;
  const program = join(folder, 'talosctl');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${suite.talosctl.bundle}' "$@"\n`, {
    mode: 0o755,
  });
  writeFileSync(
    join(folder, 'try.sh'),
    `${script}
try() { COMP_LINE="$1"; COMP_POINT=\${#1}; COMPREPLY=(); _talosctl; echo "\${COMPREPLY[*]}"; }
try "talosctl mem"
try "talosctl -n node01 service ap"
try "talosctl memory --context=te"
try "talosctl memory --talosconfig ${folder}/try"
`,
  );
  const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', join(folder, 'try.sh')], {
    env: { PATH: `${folder}:${process.env.PATH}`, HOME: suite.talosctl.home, TALOSCONFIG: suite.talosconfig },
  });
  assert.deepEqual(
    { lines: stdout.split('\n'), stderr },
    { lines: ['memory', 'apid', 'test', `${folder}/try.sh`, ''], stderr: '' },
  );
});

test('the script of every shell calls the program, and asks for descriptions where the shell shows them', async () => {
  for (const shell of ['bash', 'zsh', 'fish', 'powershell']) {
    const { stdout, exitCode } = await suite.run('completion', shell);
    assert.equal(exitCode, 0);
    assert.match(stdout, shell === 'bash' ? / __complete / : / __complete_described /);
    const plain = await suite.run('completion', shell, '--no-descriptions');
    assert.match(plain.stdout, / __complete /);
    assert.doesNotMatch(plain.stdout, /__complete_described/);
  }
});
