// What `talosctl version --client` may load at its start. tests/bench measures the time itself.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openSuite } from './suite.ts';

const suite = openSuite();

/** Built-in modules that a command line loads. */
function builtins(words: readonly string[]): string[] {
  const hook = join(suite.cluster.folder, 'hook.cjs');
  const report = join(suite.cluster.folder, 'report.json');
  writeFileSync(
    hook,
    `process.on('exit', () => require('node:fs').writeFileSync('${report}', JSON.stringify(process.moduleLoadList)));\n`,
  );
  spawnSync(process.execPath, ['--require', hook, suite.talosctl.bundle, ...words], {
    env: { TALOSCONFIG: suite.talosconfig },
  });
  return JSON.parse(readFileSync(report, 'utf8'));
}

test('version --client loads no HTTP/2, no TLS, no cryptography and no threads', () => {
  const loaded = builtins(['version', '--client']);
  for (const name of ['http2', 'http', 'tls', 'crypto', 'worker_threads']) {
    assert.equal(loaded.includes(`NativeModule ${name}`), false, name);
  }
});

test('a command that calls nodes loads TLS, and not the HTTP/2 of Node.js', () => {
  const loaded = builtins(['-n', 'node01', 'memory', '-e', '127.0.0.1:1']);
  assert.equal(loaded.includes('NativeModule tls'), true);
  assert.equal(loaded.includes('NativeModule http2'), false);
});
