import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { ports } from '@nodewright/contract';
import { digestOf } from '@nodewright/oci';
import type { RegistryTarget } from '../target/attack-target.ts';
import type { AttackCheck } from './check.ts';

/** Paths that lead out of the folder of the images if they are taken for paths of files. */
const escapes = (repository: string) => [
  '/v2/../../../../../../etc/passwd/manifests/v1',
  '/v2/..%2f..%2f..%2f..%2fetc/manifests/passwd',
  `/v2/${repository}/manifests/..%2f..%2f..%2f..%2fetc%2fpasswd`,
  `/v2/${repository}/manifests/../../../../../../etc/passwd`,
  `/v2/${repository}/blobs/../../../../../../etc/passwd`,
  `/v2/${repository}/blobs/sha256:../../../../../../etc/passwd`,
  `/v2/${repository}/blobs/sha256-${'0'.repeat(64)}`,
  `/v2/${repository}/manifests/v1?ns=..%2f..%2f..%2fetc`,
  `/v2/${repository}/manifests/v1?ns=registry.example%00`,
  `/v2/${repository}\0/manifests/v1`,
  '//etc/passwd',
  'http://127.0.0.1:1/v2/a/manifests/v1',
];

/** registryd answers requests that are made to deceive it with an error, and never stores what its digest does not name. */
export const registryRequests: AttackCheck = {
  name: 'registry-requests',
  what: 'requests to registryd for files of others, with a body, and for content that its registry replaces',
  async run({ target: { registry } }) {
    const problems: string[] = [];
    let refused = 0;
    for (const path of escapes(registry.repository)) {
      const answer = await send(registry, `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
      if (/^HTTP\/1\.1 4\d\d /.test(answer) && !answer.includes('root:')) refused += 1;
      else problems.push(`GET ${JSON.stringify(path)} was answered with ${answer.split('\r\n')[0]}`);
    }
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'CONNECT', 'TRACE']) {
      const head = `${method} /v2/${registry.repository}/blobs/${registry.blob} HTTP/1.1\r\nhost: x\r\n`;
      const answer = await send(registry, `${head}content-length: 4\r\nconnection: close\r\n\r\nbody`);
      if (/^HTTP\/1\.1 2\d\d /.test(answer)) problems.push(`${method} was carried out`);
      else refused += 1;
    }
    const url = `http://${registry.address}:${ports.registryd}/v2/${registry.repository}/blobs/${registry.wrongBlob}`;
    const wrong = await fetch(`${url}?ns=${registry.registry}`)
      .then(async (answer) => (answer.ok ? Buffer.from(await answer.arrayBuffer()) : undefined))
      .catch(() => undefined);
    if (wrong !== undefined)
      problems.push(`${wrong.length} bytes with another digest were sent to their end`);
    for (const name of readdirSync(join(registry.cache, 'blob'))) {
      const digest = digestOf(readFileSync(join(registry.cache, 'blob', name)));
      if (digest.replace(':', '-') !== name) problems.push(`the cache has ${name} with the digest ${digest}`);
    }
    return { summary: `${refused} requests refused`, problems };
  },
};

/** Resolves with the answer, or with nothing when the connection breaks. */
function send({ address }: RegistryTarget, text: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect({ host: address, port: ports.registryd });
  let received = '';
  socket.setEncoding('latin1').on('data', (data) => {
    received += data;
  });
  socket.setTimeout(10_000, () => socket.destroy());
  socket.on('error', () => {});
  socket.on('close', () => resolve(received));
  socket.write(text);
  return promise;
}
