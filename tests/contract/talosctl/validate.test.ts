// talosctl validate checks a file without calling a node.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openSuite } from './suite.ts';

const suite = openSuite();

/** A configuration that is valid everywhere, generated because it needs certificates. */
async function generate(): Promise<string> {
  const { folder } = suite.cluster;
  const words = ['gen', 'config', 'demo', 'https://10.0.0.1:6443', '-o', folder, '-f'];
  await suite.talosctl.run([...words, '--with-docs=false', '--with-examples=false', '-t', 'worker']);
  const path = join(folder, 'worker.yaml');
  const { stdout } = await suite.talosctl.run(['mc', 'patch', path, '-p', '{"debug": false}']);
  return stdout;
}

let worker = '';
const file = (name: string, text: string) => {
  const path = join(suite.cluster.folder, name);
  writeFileSync(path, text);
  return path;
};
const validate = (...words: string[]) => suite.talosctl.run(['validate', ...words]);

test('validate', async (t) => {
  worker = await generate();

  await t.test('says that a configuration is valid for a mode', async () => {
    const path = file('good.yaml', worker);
    for (const mode of ['metal', 'cloud', 'container', 'metal-agent']) {
      const { stdout, exitCode } = await validate('-c', path, '-m', mode);
      assert.deepEqual([stdout, exitCode], [`${path} is valid for ${mode} mode\n`, 0]);
    }
  });

  await t.test(
    'prints what nodes do not act on after the verdict, which stays, also with --strict',
    async () => {
      const firewall = 'apiVersion: v1alpha1\nkind: NetworkDefaultActionConfig\ningress: block\n';
      const path = file('firewall.yaml', `${worker}---\n${firewall}`);
      const linesFor = async (mode: string) => {
        const { stdout, stderr, exitCode } = await validate('-c', path, '-m', mode, '--strict');
        assert.deepEqual([stdout, exitCode], [`${path} is valid for ${mode} mode\n`, 0]);
        return stderr.trimEnd().split('\n');
      };
      const linesOf = (subject: string) => [
        `NOTE: NetworkDefaultActionConfig: ${subject} do not act on this document`,
        `NOTE: SecurityProfileConfig: ${subject} do not act on this document`,
      ];
      const [machine, container] = [await linesFor('metal'), await linesFor('container')];
      assert.deepEqual(machine.slice(0, 2).sort(), linesOf('machines'));
      assert.match(
        machine[2] ?? '',
        /^NOTE: of the documents and fields that gen config writes, machines do not act on /,
      );
      const refused = 'the protection of NetworkDefaultActionConfig ingress';
      assert.deepEqual(machine.slice(3), [
        `NOTE: machines refuse this configuration, because nothing provides ${refused}`,
      ]);
      assert.deepEqual(container.slice(0, 2).sort(), linesOf('nodes in a container'));
      assert.equal(container.length, 3);
      const json = await validate('-c', path, '-m', 'metal', '-o', 'json');
      const { valid, warnings, notes } = JSON.parse(json.stdout);
      assert.deepEqual([valid, warnings, notes.length], [true, [], 4]);
    },
  );

  await t.test('lists what is wrong with line and column', async () => {
    const path = file('wrong.yaml', worker.replace('type: worker', 'type: wrker'));
    const { stdout, stderr, exitCode } = await validate('-c', path, '-m', 'metal');
    assert.deepEqual([stdout, exitCode], ['', 1]);
    assert.match(
      stderr,
      /^error: ".*wrong\.yaml" is not valid for metal mode: 1 error occurred:\n {4}\t\* v1alpha1\.Config: 1 error occurred:\n {4}\t\* machine\.type .* \(line \d+, column \d+\)\n$/,
    );
    const json = await validate('-c', path, '-m', 'metal', '-o', 'json');
    const { valid, errors } = JSON.parse(json.stdout);
    assert.deepEqual([valid, errors.length, json.stderr, json.exitCode], [false, 1, '', 1]);
  });

  await t.test('says where a file does not decode', async () => {
    const unknown = await validate('-c', file('unknown.yaml', 'machine:\n  colour: red\n'), '-m', 'cloud');
    assert.match(
      unknown.stderr,
      /^error: ".*unknown\.yaml" is not valid for cloud mode: [\s\S]*line 2, column 3[\s\S]*colour/,
    );
    const broken = await validate('-c', file('broken.yaml', 'machine: [\n'), '-m', 'cloud');
    assert.match(broken.stderr, /not valid for cloud mode: decode error: document 1, line \d+, column \d+: /);
  });

  await t.test('prints warnings, and takes them for errors with --strict', async () => {
    const text = worker.replace('type: worker', 'type: join');
    const path = file('old.yaml', text);
    const lax = await validate('-c', path, '-m', 'metal');
    assert.deepEqual([lax.stdout, lax.exitCode], [`${path} is valid for metal mode\n`, 0]);
    assert.match(lax.stderr, /^WARNING: .*\n(?:NOTE: .*\n)+$/);
    const strict = await validate('-c', path, '-m', 'metal', '--strict');
    assert.equal(strict.exitCode, 1);
    assert.match(strict.stderr, /\* warning: /);
  });

  await t.test('reads standard input and explains its flags', async () => {
    const piped = await suite.talosctl.run(['validate', '-c', '-', '-m', 'metal'], { stdin: worker });
    assert.equal(piped.stdout, '- is valid for metal mode\n');
    const rows: [string[], RegExp][] = [
      [['-c', 'x'], /option --mode is missing/],
      [['-m', 'metal'], /option --config is missing/],
      [['-c', 'x', '-m', 'moon'], /option --mode must be one of metal, cloud, container, not "moon"/],
      [['-c', 'x', '-m', 'metal'], /^error: cannot read "x": no such file or directory\n$/],
      [['-c', suite.talosconfig, '-m', 'metal'], /is a talosconfig, not a machine configuration\n$/],
    ];
    for (const [words, expected] of rows) {
      const { stderr, exitCode } = await validate(...words);
      assert.match(stderr, expected);
      assert.equal(exitCode, 1);
    }
  });
});
