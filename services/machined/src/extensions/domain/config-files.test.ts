import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configFiles } from './config-files.ts';

const files = (...mountPaths: string[]) => ({
  files: mountPaths.map((mountPath) => ({ mountPath, content: mountPath })),
  environment: [],
});

test('the file of a configuration has the name of its path with dashes', () => {
  assert.deepEqual(configFiles('demo', files('/etc/demo/demo.conf', '/x')), [
    { name: 'etc-demo-demo.conf', mountPath: '/etc/demo/demo.conf', content: '/etc/demo/demo.conf' },
    { name: 'x', mountPath: '/x', content: '/x' },
  ]);
});

test('a name or a path that leads elsewhere is refused, and two files of one name', () => {
  for (const service of ['..', '../x', 'a/b', '', 'A'])
    assert.throws(() => configFiles(service, files('/x')), { kind: 'invalid-argument' });
  for (const path of ['', '/', 'x', '/..', '/.', '/a/../b', '/a/', '/a\0b'])
    assert.throws(() => configFiles('demo', files(path)), {
      kind: 'invalid-argument',
      message: /is not the absolute path of a file$/,
    });
  assert.throws(() => configFiles('demo', files('/a/b-c', '/a-b/c')), /need a file of the same name, a-b-c$/);
});
