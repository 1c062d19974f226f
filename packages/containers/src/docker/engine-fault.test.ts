import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { engineFault, streamFault } from './engine-fault.ts';

const socket = '/run/engine.sock';
const answer = (statusCode: number, message: string) =>
  Object.assign(new Error('x'), { statusCode, json: { message } });

test("engineFault() recognises failures by the engine's text and by its status", () => {
  const cases = [
    [404, 'No such container: abc', 'not-found'],
    [409, 'Conflict. The container name "/x" is already in use by container "y"', 'already-exists'],
    [409, 'You cannot remove a running container abc', 'failed-precondition'],
    [400, 'invalid mount config', 'invalid-argument'],
    [500, 'write /var/lib/x: no space left on device', 'resource-exhausted'],
    [500, 'manifest for app:v1 not found: manifest unknown', 'not-found'],
    [500, 'no matching manifest for linux/amd64 in the manifest list entries', 'failed-precondition'],
    [500, 'Head "http://r/v2/": unauthorized: authentication required', 'unauthenticated'],
    [500, 'Get "https://r/v2/": dial tcp: lookup r: no such host', 'unavailable'],
    [500, 'unexpected EOF', 'aborted'],
    [500, 'filesystem layer verification failed for digest sha256:0', 'data-loss'],
    [500, 'something that nobody has seen', 'unknown'],
  ] as const;
  for (const [status, said, kind] of cases) {
    const fault = engineFault('cannot do it', answer(status, said), socket);
    assert.deepEqual([fault.kind, fault.message], [kind, `cannot do it: ${said}`]);
  }
  assert.equal(streamFault('cannot pull "x"', 'unexpected EOF\n').message, 'cannot pull "x": unexpected EOF');
});

test('engineFault() distinguishes an engine that is down from one that this user may not use', () => {
  const failed = (code: string) => Object.assign(new Error(`connect ${code}`), { code });
  for (const code of ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE']) {
    const { kind, message } = engineFault('cannot ask', failed(code), socket);
    assert.deepEqual(
      [kind, message],
      ['unavailable', `cannot ask: no Docker engine answers at "${socket}" (${code})`],
    );
  }
  const { kind, message } = engineFault('cannot ask', failed('EACCES'), socket);
  assert.equal(kind, 'unavailable');
  assert.match(message, /^cannot ask: "\/run\/engine\.sock" is not for user \d+: add the user to its group$/);
});

test('engineFault() of an aborted call is cancelled', () => {
  const left = AbortSignal.abort();
  assert.equal(engineFault('cannot ask', left.reason, socket, left).kind, 'cancelled');
});

test('engineFault() names an engine that hangs', async () => {
  const limit = AbortSignal.timeout(1);
  await once(limit, 'abort');
  const { kind, message } = engineFault('cannot ask', limit.reason, socket);
  assert.deepEqual([kind, message], ['unavailable', `cannot ask: the engine at "${socket}" does not answer`]);
});
