import assert from 'node:assert/strict';
import { test } from 'node:test';
import { registryFiles } from './registry-hosts.ts';

const endpoint = (url: string, overridePath = false) => ({ endpoint: url, overridePath });
const tls = (settings: { ca?: string; insecureSkipVerify?: boolean }) => ({
  ...{ ca: '', insecureSkipVerify: false, clientIdentity: undefined },
  ...settings,
});
const none = { mirrors: {}, auths: {}, tls: {} };
const filesOf = (settings: Partial<typeof none> & object) =>
  Object.fromEntries(
    registryFiles({ ...none, ...settings }, '/hosts').map(({ path, contents }) => [path, contents]),
  );

test('registryFiles() lists the mirrors of each registry in order', () => {
  const mirrors = {
    'docker.io': {
      endpoints: [endpoint('http://10.0.2.2:5000'), endpoint('https://m/p', true)],
      skipFallback: false,
    },
    '*': { endpoints: [endpoint('https://first'), endpoint('https://last', true)], skipFallback: true },
    'registry.example:5000': { endpoints: [], skipFallback: true },
  };
  const pull = 'capabilities = ["pull", "resolve"]\n';
  assert.deepEqual(filesOf({ mirrors }), {
    'docker.io/hosts.toml': `[host."http://10.0.2.2:5000"]\n${pull}\n[host."https://m/p"]\n${pull}override_path = true\n`,
    '_default/hosts.toml': `server = "https://last"\n${pull}override_path = true\n\n[host."https://first"]\n${pull}`,
    'registry.example_5000_/hosts.toml': '',
  });
});

test('registryFiles() puts certificates beside the file that names them', () => {
  const mirrors = { 'ghcr.io': { endpoints: [endpoint('https://mirror:5000')], skipFallback: false } };
  const clientIdentity = { crt: 'certificate', key: 'key' };
  const settings = {
    mirrors,
    tls: {
      'mirror:5000': { ...tls({ ca: 'authority', insecureSkipVerify: true }), clientIdentity },
      'docker.io': tls({ ca: 'hub' }),
    },
  };
  const files = filesOf(settings);
  assert.deepEqual(
    Object.keys(files).sort(),
    [
      ...['docker.io/docker.io-ca.crt', 'docker.io/hosts.toml'],
      ...['crt', 'key'].map((end) => `ghcr.io/mirror_5000_-${end === 'crt' ? 'ca.crt' : 'client.crt'}`),
      ...['ghcr.io/mirror_5000_-client.key', 'ghcr.io/hosts.toml'],
      ...['mirror_5000_/hosts.toml'],
      ...['ca.crt', 'client.crt', 'client.key'].map((end) => `mirror_5000_/mirror_5000_-${end}`),
    ].sort(),
  );
  assert.equal(
    files['ghcr.io/hosts.toml'],
    [
      '[host."https://mirror:5000"]',
      'capabilities = ["pull", "resolve"]',
      'ca = "/hosts/ghcr.io/mirror_5000_-ca.crt"',
      'client = [["/hosts/ghcr.io/mirror_5000_-client.crt", "/hosts/ghcr.io/mirror_5000_-client.key"]]',
      'skip_verify = true\n',
    ].join('\n'),
  );
  assert.equal(
    files['docker.io/hosts.toml'],
    'server = "https://registry-1.docker.io"\nca = "/hosts/docker.io/docker.io-ca.crt"\n',
  );
});
