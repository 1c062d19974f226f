import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import { browserProgram, openBrowser } from './open-browser.ts';

test('browserProgram() knows where a browser can be shown', () => {
  const program = (environment: NodeJS.ProcessEnv, platform: NodeJS.Platform = 'linux') =>
    browserProgram({ environment, platform });
  assert.equal(program({}), undefined);
  assert.equal(program({ DISPLAY: ':0' }), 'xdg-open');
  assert.equal(program({ WAYLAND_DISPLAY: 'wayland-0' }), 'xdg-open');
  assert.equal(program({ BROWSER: '/opt/firefox' }), '/opt/firefox');
  assert.equal(program({}, 'darwin'), 'open');
});

test('openBrowser() passes the address in a file that only the user can read, and removes it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'browser-'));
  try {
    const [program, report] = [join(folder, 'browser'), join(folder, 'report')];
    const script = `#!/bin/sh\nfile=\${1#file://}\n{ echo "$@"; stat -c %a "$file"; cat "$file"; } >'${report}.new'\nmv '${report}.new' '${report}'\n`;
    await writeFile(program, script, { mode: 0o700 });
    const address = 'http://127.0.0.1:1/#token=secret-token';
    const opened = await openBrowser({ address, environment: { BROWSER: program }, platform: 'linux' });
    assert.ok(opened !== undefined);
    await eventually(() => existsSync(report), { what: 'report of the browser' });
    const text = await readFile(report, 'utf8');
    const [argument = '', mode, ...html] = text.split('\n');
    assert.doesNotMatch(argument, /secret-token/);
    assert.equal(mode, '600');
    assert.match(html.join('\n'), /url=http:\/\/127\.0\.0\.1:1\/#token=secret-token"/);
    await opened[Symbol.asyncDispose]();
    await assert.rejects(access(argument.replace('file://', '')), /ENOENT/);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('openBrowser() leaves nothing when the program does not start', async () => {
  const environment = { BROWSER: '/nonexistent/browser' };
  assert.equal(await openBrowser({ address: 'http://x/', environment, platform: 'linux' }), undefined);
});
