import assert from 'node:assert/strict';
import { test } from 'node:test';
import { registryEndpoints } from './configured-endpoints.ts';
import { ownEndpoints } from './registry-endpoint.ts';

const endpoint = (url: string, overridePath = false) => ({ endpoint: url, overridePath });
const tls = (settings: { ca?: string; insecureSkipVerify?: boolean }) => ({
  ...{ ca: '', insecureSkipVerify: false, clientIdentity: undefined },
  ...settings,
});
const none = { mirrors: {}, auths: {}, tls: {} };

test('registryEndpoints() has the mirrors of a registry before the registry itself, unless it has no fallback', () => {
  const endpointsOf = registryEndpoints(
    {
      mirrors: {
        'docker.io': { endpoints: [endpoint('http://10.0.2.2:5000', true)], skipFallback: false },
        'ghcr.io': { endpoints: [endpoint('https://ghcr.io')], skipFallback: true },
        '*': { endpoints: [endpoint('https://all')], skipFallback: true },
      },
      auths: {
        all: { username: '', password: '', auth: Buffer.from('u:p:q').toString('base64'), identityToken: '' },
        'docker.io': { username: 'u', password: 'p', auth: '', identityToken: '' },
      },
      tls: { all: tls({ ca: 'authority' }) },
    },
    ownEndpoints,
  );
  assert.deepEqual(endpointsOf('docker.io'), [
    { url: 'http://10.0.2.2:5000', overridesPath: true, isMirror: true },
    { url: 'https://registry-1.docker.io', credentials: { username: 'u', password: 'p' } },
  ]);
  assert.deepEqual(endpointsOf('ghcr.io'), [
    { url: 'https://ghcr.io', overridesPath: false, isMirror: false },
  ]);
  const credentials = { username: 'u', password: 'p:q' };
  assert.deepEqual(endpointsOf('other'), [
    { url: 'https://all', overridesPath: false, isMirror: true, tls: { ca: 'authority' }, credentials },
  ]);
  assert.deepEqual(registryEndpoints(none, ownEndpoints)('other'), ownEndpoints('other'));
});

test('registryEndpoints() takes the certificate of the client, and prefers an identity token to `auth`', () => {
  const found = registryEndpoints(
    {
      mirrors: {},
      auths: { 'r.example': { username: '', password: '', auth: 'dTpw', identityToken: 'token' } },
      tls: {
        'r.example': { ...tls({ insecureSkipVerify: true }), clientIdentity: { crt: 'c', key: 'k' } },
      },
    },
    ownEndpoints,
  );
  assert.deepEqual(found('r.example'), [
    {
      url: 'https://r.example',
      tls: { clientIdentity: { certificate: 'c', key: 'k' }, skipsVerification: true },
      credentials: { identityToken: 'token' },
    },
  ]);
});
