import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfiguration } from '../decode/load-configuration.ts';
import { effectiveConfig } from './effective-config.ts';

const registriesOf = (text: string) => effectiveConfig(loadConfiguration(text)).registries;
const pem = '-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n';

test('effectiveConfig() returns the registries of the legacy section', () => {
  const base64 = Buffer.from(pem).toString('base64');
  const found = registriesOf(`
version: v1alpha1
machine:
  registries:
    mirrors:
      docker.io: { endpoints: [http://10.0.2.2:5000, https://other/path], overridePath: true, skipFallback: true }
    config:
      registry.example:5000:
        tls: { ca: ${base64}, insecureSkipVerify: true }
        auth: { username: u, password: p }
`);
  const endpoints = ['http://10.0.2.2:5000', 'https://other/path'].map((url) => ({
    url,
    overridePath: true,
  }));
  assert.deepEqual(found, {
    mirrors: { 'docker.io': { endpoints, skipFallback: true } },
    auths: { 'registry.example:5000': { username: 'u', password: 'p', auth: '', identityToken: '' } },
    tls: { 'registry.example:5000': { ca: pem, clientIdentity: undefined, insecureSkipVerify: true } },
  });
});

test('effectiveConfig() has an image cache when the legacy section or a document enables it', () => {
  const enabled = (text: string) =>
    effectiveConfig(loadConfiguration(`version: v1alpha1\n${text}`)).imageCacheEnabled;
  const document = (value: boolean) =>
    `machine: {}\n---\napiVersion: v1alpha1\nkind: ImageCacheConfig\nlocal: { enabled: ${value} }\n`;
  assert.deepEqual(
    [
      enabled('machine: {}'),
      enabled('machine: { features: { imageCache: { localEnabled: true } } }'),
      enabled(document(true)),
      enabled(document(false)),
    ],
    [false, true, true, false],
  );
});

test('effectiveConfig() prefers the documents about registries, and has none by default', () => {
  const found = registriesOf(`
version: v1alpha1
machine: { registries: { mirrors: { a: { endpoints: [https://old] }, b: { endpoints: [https://b] } } } }
---
apiVersion: v1alpha1
kind: RegistryMirrorConfig
name: a
endpoints: [{ url: https://new, overridePath: true }, { url: http://second }]
---
apiVersion: v1alpha1
kind: RegistryTLSConfig
name: new
clientIdentity: { cert: certificate, key: key }
---
apiVersion: v1alpha1
kind: RegistryAuthConfig
name: new
auth: dTpw
`);
  assert.deepEqual(found, {
    mirrors: {
      a: {
        endpoints: [
          { url: 'https://new', overridePath: true },
          { url: 'http://second', overridePath: false },
        ],
        skipFallback: false,
      },
      b: { endpoints: [{ url: 'https://b', overridePath: false }], skipFallback: false },
    },
    auths: { new: { username: '', password: '', auth: 'dTpw', identityToken: '' } },
    tls: { new: { ca: '', clientIdentity: { crt: 'certificate', key: 'key' }, insecureSkipVerify: false } },
  });
  assert.deepEqual(registriesOf('version: v1alpha1\nmachine: {}\n'), { mirrors: {}, auths: {}, tls: {} });
});
