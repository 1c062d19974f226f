import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeEngine } from './ask-engine.ts';
import type { DockerResult } from './run-docker.ts';

const said = (stdout: string): DockerResult => ({ code: 0, stdout, stderr: '' });
const failed = (stderr: string, code = 1): DockerResult => ({ code, stdout: '', stderr });
const compose = said('2.26.1-4\n');

test('judgeEngine() accepts an engine and a compose plugin that are recent enough', () => {
  assert.deepEqual(judgeEngine(said('20.10.24+dfsg1 1.41\n'), compose), {
    state: 'ready',
    engine: '20.10.24+dfsg1',
    compose: '2.26.1-4',
  });
  assert.equal(judgeEngine(said('28.2.2 1.50\n'), said('v2.36.0\n')).state, 'ready');
});

const cases: readonly [string, DockerResult, DockerResult, string, RegExp][] = [
  ['no client', failed('', 127), compose, 'no-client', /^docker is not installed: install/],
  [
    'no engine',
    failed(
      'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?',
    ),
    compose,
    'absent',
    /answers at unix:\/\/\/var\/run\/docker\.sock: start it/,
  ],
  [
    'an engine that refuses the user',
    failed(
      'permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock: Get',
    ),
    compose,
    'refused',
    /at unix:\/\/\/var\/run\/docker\.sock refuses this user: add the user to the group docker/,
  ],
  ['an old engine', said('19.3.5 1.40'), compose, 'too-old', /engine 19\.3\.5 is too old: 20\.10/],
  [
    'no compose plugin',
    said('20.10.24 1.41'),
    failed('unknown command'),
    'no-compose',
    /no compose plugin: install/,
  ],
  ['an old compose plugin', said('20.10.24 1.41'), said('2.9.0'), 'too-old', /Compose 2\.9\.0 is too old/],
];
for (const [what, version, plugin, state, advice] of cases) {
  test(`judgeEngine() advises in one line what to do about ${what}`, () => {
    const answer = judgeEngine(version, plugin);
    assert.equal(answer.state, state);
    assert.ok(answer.state !== 'ready');
    assert.match(answer.advice, advice);
    assert.equal(answer.advice.includes('\n'), false);
  });
}
