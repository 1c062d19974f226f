// Checks that invalid names, versions and tokens are rejected, and that unusual valid ones are accepted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GenLab } from '../../testing/gen-lab.ts';

const endpoint = 'https://10.0.0.1:6443';

test('gen rejects invalid names, versions and tokens, and writes nothing', async () => {
  await using lab = await GenLab.open();
  const config = (...words: string[]) => ['config', 'demo', endpoint, ...words];
  const rows: [string[], RegExp][] = [
    [['config', '', endpoint], /^error: invalid cluster name "": it is empty\n$/],
    [['config', ' ', endpoint], /^error: invalid cluster name " ": it is empty\n$/],
    [['config', 'a\nb', endpoint], /^error: invalid cluster name "a\\nb": it contains control characters\n$/],
    [
      config('--kubernetes-version', 'bogus'),
      /option --kubernetes-version must be a version such as 1\.37\.0 or /,
    ],
    [config('--kubernetes-version', '1.37'), /must be a version/],
    [config('--kubernetes-version', ''), /must be a version/],
    [config('--kubernetes-version', '1.37.0+build'), /must be a version/],
    [config('--talos-version', 'bogus'), /^error: .*"bogus"/],
    [config('--dns-domain', 'no domain'), /must be a domain such as cluster\.local, not/],
    [config('--dns-domain', ''), /must be a domain/],
    [
      config('--install-disk', 'sda'),
      /must be the path of a device, such as \/dev\/sda, or empty, not "sda"/,
    ],
    [config('--additional-sans', 'good,no good'), /"no good" is neither a host name nor an address; see/],
    [['secrets', '--talos-version', 'bogus'], /^error: .*"bogus"/],
    [
      ['ca', '--organization', 'my/org'],
      /option --organization cannot be "my\/org": it names the files as well: /,
    ],
    [['ca', '--organization', ''], /it names the files as well: it must not be empty/],
    [['ca', '--organization', 'o'.repeat(65)], /must have 64 characters at most: /],
    [['keypair', '--organization', '../org'], /it names the files as well: /],
    [['key', '--name', ''], /must be the name of a file, not/],
    [['key', '--name', 'folder/'], /must be the name of a file, not/],
    [['crt', '--ca', 'a', '--csr', 'b', '--name', ' '], /must be the name of a file, not/],
  ];
  for (const [words, expected] of rows) {
    const { exitCode, stdout, stderr } = await lab.run(words);
    assert.deepEqual([exitCode, stdout], [1, ''], words.join(' '));
    assert.match(stderr, expected);
  }
  assert.deepEqual(await lab.files(), {});
});

test('gen secrets rejects a malformed token without printing it', async () => {
  await using lab = await GenLab.open();
  for (const token of [
    'abc',
    'ABCDEF.0123456789abcdef',
    'abcdef.0123456789abcde',
    'abcdef0123456789abcdef0',
  ]) {
    const { exitCode, stderr } = await lab.run(['secrets', '-t', token]);
    assert.equal(exitCode, 1);
    assert.match(
      stderr,
      /^error: flag --kubernetes-bootstrap-token: a token has 6 characters, a dot and 16 /,
    );
    assert.equal(stderr.includes(token), false);
  }
  assert.deepEqual(await lab.files(), {});
});

test('gen config accepts every valid form of versions, domains, disks and names', async () => {
  await using lab = await GenLab.open();
  const words = [
    '--with-docs=false',
    '--talos-version',
    'v1.6',
    '-t',
    'worker',
    '-o',
    '-',
    '--dns-domain',
    'k8s.internal',
  ];
  const names = ['--additional-sans', 'api.example,10.0.0.9,fd00::1,*.example', '--install-disk', ''];
  for (const version of ['1.31.2', 'v1.37.0-rc.1']) {
    const run = await lab.run([
      'config',
      'demo',
      endpoint,
      ...words,
      ...names,
      '--kubernetes-version',
      version,
    ]);
    assert.equal(run.exitCode, 0, run.stderr);
    assert.match(run.stdout, new RegExp(`kubelet:v${version.replace(/^v/, '').replaceAll('.', '\\.')}\\n`));
  }
});
