// What `talosctl config` rejects: it prints one line, and the file stays unchanged.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { generateCertificateAuthority, type KeyAlgorithm } from '@nodewright/pki';
import { openSuite } from './suite.ts';

const suite = openSuite();

async function workplace() {
  const folder = await mkdtemp(join(suite.cluster.folder, 'refusals-'));
  const path = join(folder, 'config');
  writeFileSync(path, 'context: a\ncontexts: {a: {endpoints: [h]}}\n');
  const run = (...words: string[]) =>
    suite.talosctl.run(words, { environment: { TALOSCONFIG: path }, cwd: folder });
  const before = readFileSync(path, 'utf8');
  return {
    folder,
    run,
    /** Runs `config` and expects that line and nothing else. */
    async refuses(words: readonly string[], line: RegExp | string) {
      const { stdout, stderr, exitCode } = await run('config', ...words);
      if (typeof line === 'string') assert.equal(stderr, `error: ${line}\n`);
      else assert.match(stderr, line);
      assert.deepEqual([stdout, exitCode, stderr.trimEnd().split('\n').length], ['', 1, 1], stderr);
      assert.equal(readFileSync(path, 'utf8'), before);
    },
  };
}

test('config rejects names that are empty or invalid', async () => {
  const { refuses } = await workplace();
  await refuses(['endpoint', ''], 'endpoint "" has no valid host');
  await refuses(['endpoint', 'good', ' \t'], 'endpoint "" has no valid host');
  await refuses(['endpoint', 'a:99999'], 'endpoint "a:99999": "99999" is not a port (1 to 65535)');
  await refuses(['node', ''], 'node name "" is empty');
  await refuses(['node', 'good', '  '], 'node name "" is empty');
  await refuses(['node', 'a\nb'], 'node name "a\\nb" is not a host name or an address');
  await refuses(['add', ''], 'context name "" is empty');
  await refuses(['add', ' \n'], 'context name " \\n" is empty');
  await refuses(['add', 'a\nb'], 'context name "a\\nb" contains control characters');
});

test('config proxy-url rejects what the client would reject', async () => {
  const { refuses } = await workplace();
  await refuses(
    ['proxy-url', 'socks5://x'],
    /^error: proxy-url "socks5:\/\/x" is not supported: use "direct"/,
  );
  await refuses(['proxy-url', 'bogus'], /^error: proxy-url "bogus" is not valid: use "direct" or /);
});

async function pairOf(folder: string, algorithm: KeyAlgorithm) {
  const { certificate, key } = await generateCertificateAuthority({
    algorithm,
    organization: algorithm,
    notBefore: new Date(),
  });
  writeFileSync(join(folder, `${algorithm}.crt`), certificate);
  writeFileSync(join(folder, `${algorithm}.key`), key);
}

test('config add rejects files that are not certificates or keys, and a key that does not match the certificate', async () => {
  const { folder, run, refuses } = await workplace();
  const algorithms: KeyAlgorithm[] = ['ed25519', 'ecdsa-p256', 'rsa-4096'];
  await Promise.all(algorithms.map((algorithm) => pairOf(folder, algorithm)));
  const write = (name: string, text: string | Buffer) => writeFileSync(join(folder, name), text);
  const good = readFileSync(join(folder, 'ed25519.crt'), 'utf8');
  write('text', 'hello\n');
  write('cut', good.slice(0, -40));
  write('rubbish', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
  write('bundle', `${good}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`);
  const { privateKey } = generateKeyPairSync('x25519');
  write('x25519.key', privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const noBlock = 'failed to read the certificate: no PEM block CERTIFICATE';
  const pair = (crt: string, key: string) => ['add', 'x', '--crt', crt, '--key', key];

  await refuses(['add', 'x', '--ca', 'text'], `--ca "text": ${noBlock}`);
  await refuses(['add', 'x', '--ca', 'ed25519.key'], `--ca "ed25519.key": ${noBlock}`);
  await refuses(['add', 'x', '--ca', 'cut'], '--ca "cut": PEM block "CERTIFICATE" has no end');
  for (const name of ['rubbish', 'bundle']) {
    const reason = 'failed to read the certificate: not an X.509 certificate';
    await refuses(['add', 'x', '--ca', name], `--ca "${name}": ${reason}`);
  }
  await refuses(['add', 'x', '--ca', '.'], /^error: cannot read "\.": it is a folder\n$/);
  await refuses(pair('text', 'ed25519.key'), `--crt "text": ${noBlock}`);
  await refuses(pair('ed25519.crt', 'text'), '--key "text": failed to read the private key: not PEM');
  await refuses(
    pair('ed25519.crt', 'ed25519.crt'),
    /^error: --key "ed25519\.crt": failed to read .* "CERTIFICATE"/,
  );
  await refuses(
    pair('ed25519.crt', 'x25519.key'),
    '--key "x25519.key": keys of type x25519 are not supported',
  );
  for (const [crt, key] of [
    ['ed25519.crt', 'rsa-4096.key'],
    ['rsa-4096.crt', 'ecdsa-p256.key'],
    ['ecdsa-p256.crt', 'ed25519.key'],
  ] as const) {
    await refuses(pair(crt, key), `the key "${key}" does not belong to the certificate "${crt}"`);
  }
  for (const name of algorithms) {
    const words = ['config', ...pair(`${name}.crt`, `${name}.key`), '--ca', `${name}.crt`];
    assert.deepEqual(await run(...words), { stdout: '', stderr: '', exitCode: 0 });
  }
});
