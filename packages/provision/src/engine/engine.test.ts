import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import { engineVariables, openEngine, requireEngine, requireImages } from './engine.ts';
import type { DockerResult, TryDocker } from './run-docker.ts';

const said = (stdout: string): DockerResult => ({ code: 0, stdout, stderr: '' });
const failed = (stderr: string): DockerResult => ({ code: 1, stdout: '', stderr });
const engineThatSays = (result: DockerResult) =>
  openEngine({ environment: {}, variables: {}, docker: async () => result });

test('openEngine() uses the variables that the cluster was created with, not those of the environment', async () => {
  let seen: NodeJS.ProcessEnv = {};
  const docker: TryDocker = async (_args, options) => {
    seen = options?.environment ?? {};
    return said('');
  };
  const environment = { PATH: '/bin', DOCKER_HOST: 'tcp://elsewhere', DOCKER_CONTEXT: 'other' };
  const variables = engineVariables({ DOCKER_HOST: 'unix:///own.sock', DOCKER_CONTEXT: '', HOME: '/root' });
  assert.deepEqual(variables, { DOCKER_HOST: 'unix:///own.sock' });
  await openEngine({ environment, variables, folder: '/c/x', docker }).run(['ps']);
  assert.deepEqual(Object.fromEntries(Object.entries(seen).filter(([, value]) => value !== undefined)), {
    PATH: '/bin',
    DOCKER_HOST: 'unix:///own.sock',
    NODEWRIGHT_CLUSTER: '/c/x',
  });
});

test('requireEngine() fails with one line that tells the user what to do', async () => {
  const engine = engineThatSays(
    failed('permission denied while trying to connect to unix:///var/run/docker.sock'),
  );
  await assert.rejects(
    requireEngine(engine),
    (error) =>
      error instanceof Fault && /refuses this user: add the user to the group docker/.test(error.message),
  );
});

test('requireImages() names the missing images and the command that builds them', async () => {
  const engine = engineThatSays({
    ...failed('No such image'),
    stdout: 'nodewright/apid:dev other:latest \n',
  });
  await requireImages(engine, ['nodewright/apid:dev'], 'make images');
  await assert.rejects(
    requireImages(engine, ['nodewright/apid:dev', 'nodewright/trustd:dev'], 'make images'),
    {
      message: 'images are missing: nodewright/trustd:dev (build them with: make images)',
    },
  );
});

test('run() throws the last line of output of a failed command', async () => {
  const engine = engineThatSays(failed('first\nPool overlaps with other one on this address space\n'));
  await assert.rejects(engine.run(['compose', '--ansi', 'never', '--file', '/c/x/compose.yaml', 'create']), {
    message: 'docker compose create failed: Pool overlaps with other one on this address space',
  });
});
