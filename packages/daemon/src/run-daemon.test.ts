import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

/** Runs a small daemon in its own process; `body` is the source of its start function. */
function runScript(body: string, args: string[] = [], env: Record<string, string> = {}) {
  const source = `
    import { runDaemon } from ${JSON.stringify(new URL('./run-daemon.ts', import.meta.url).href)};
    void runDaemon({
      name: 'sample', summary: 'a daemon for tests', drainTimeoutMs: ({ port }) => port * 300,
      signalledExitCode: (options, signal, hasClosed) => (signal === 'SIGINT' ? 70 : hasClosed ? 0 : undefined),
      hiddenMessages: ({ port }) => (port === 7 ? ['a request'] : []),
      options: { port: { env: 'SAMPLE_PORT', type: 'integer', default: 1, description: 'a port' } },
      async start(context, scope) { ${body} },
    });`;
  const child = spawn(
    process.execPath,
    ['--input-type=module-typescript', '-e', source, '--', 'sample', ...args],
    {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const lines: Record<string, unknown>[] = [];
  let stdout = '';
  let stderr = '';
  const serves = Promise.withResolvers<void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    if (stdout.includes('daemon serves')) serves.resolve();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = once(child, 'close').then(([code]) => {
    for (const line of stdout.split('\n').filter((text) => text.startsWith('{')))
      lines.push(JSON.parse(line));
    return { code: code as number | null, lines, stdout, stderr };
  });
  return { child, serves: serves.promise, ended };
}

const keepAlive = 'setInterval(() => {}, 1000);';

test('end() stops a daemon with the given exit code, after its scope has closed', async () => {
  const { ended } = runScript(`${keepAlive}
    scope.defer(() => context.log.info('closed'));
    context.signal.addEventListener('abort', () => context.log.info('stop requested'));
    setTimeout(() => { context.end('the machine is off', 71); context.end('late', 3); }, 50);`);
  const { code, lines } = await ended;
  assert.deepEqual(
    [code, lines.map(({ msg, reason }) => reason ?? msg)],
    [71, ['daemon serves', 'stop requested', 'the machine is off', 'closed']],
  );
});

test('end() exits with the given code even when the scope does not close in time', async () => {
  const { ended } = runScript(`${keepAlive}
    scope.defer(() => new Promise(() => {}));
    setTimeout(() => context.end('the machine reboots', 70), 50);`);
  const { code, lines } = await ended;
  assert.deepEqual([code, lines.at(-1)?.msg], [70, 'daemon did not close in time']);
});

test('end() after a signal decides the exit code, whether the scope closes in time or not', async () => {
  for (const closing of ['', 'await new Promise(() => {});']) {
    const { child, serves, ended } = runScript(`${keepAlive}
      scope.defer(async () => {
        context.end('the machine is off', 71);
        context.end('late', 3);
        ${closing}
      });`);
    await serves;
    child.kill('SIGTERM');
    const { code, lines } = await ended;
    assert.deepEqual([code, lines[1]?.reason], [71, 'SIGTERM']);
  }
});

test('a daemon may keep the exit code of a signal when its scope does not close in time', async () => {
  const { child, serves, ended } = runScript(`${keepAlive} scope.defer(() => new Promise(() => {}));`);
  await serves;
  child.kill('SIGINT');
  const { code, lines } = await ended;
  assert.deepEqual([code, lines.at(-1)?.msg], [70, 'daemon did not close in time']);
});

test('runDaemon() closes its scope in reverse on SIGTERM and exits 0', async () => {
  const { child, serves, ended } = runScript(`${keepAlive}
    scope.defer(() => context.log.info('closed first opened'));
    scope.defer(() => context.log.info('closed last opened'));`);
  await serves;
  child.kill('SIGTERM');
  const { code, lines } = await ended;
  assert.deepEqual(
    [code, lines.map(({ msg }) => msg)],
    [0, ['daemon serves', 'daemon stops', 'closed last opened', 'closed first opened']],
  );
});

test('runDaemon() exits with the code that its definition has for the signal', async () => {
  for (const [signal, expected] of [
    ['SIGINT', 70],
    ['SIGTERM', 0],
  ] as const) {
    const { child, serves, ended } = runScript(keepAlive);
    await serves;
    child.kill(signal);
    const { code, lines } = await ended;
    assert.deepEqual([code, lines.at(-1)?.reason], [expected, signal]);
  }
});

test('runDaemon() writes its log lines to the file in LOG_FILE too', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'daemon-'));
  try {
    const path = join(folder, 'sample.log');
    const { child, serves, ended } = runScript(keepAlive, [], { LOG_FILE: path });
    await serves;
    child.kill('SIGTERM');
    const { code, stdout } = await ended;
    assert.deepEqual([code, readFileSync(path, 'utf8')], [0, stdout]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('runDaemon() serves and reports an error when LOG_FILE cannot be written', async () => {
  const { child, serves, ended } = runScript(keepAlive, [], { LOG_FILE: '/dev/null/x' });
  await serves;
  child.kill('SIGTERM');
  const { code, stderr } = await ended;
  assert.equal(code, 0);
  assert.match(stderr, /^sample: LOG_FILE cannot be written: .*\/dev\/null\/x/);
});

test('runDaemon() stops a daemon that is still waiting to start', async () => {
  const { child, ended } = runScript(
    `${keepAlive} context.log.info('daemon serves soon'); await new Promise(() => {});`,
  );
  child.stdout.once('data', () => child.kill('SIGTERM'));
  assert.equal((await ended).code, 0);
});

test('runDaemon() exits with an error when its scope does not close in time', async () => {
  const { child, serves, ended } = runScript(`${keepAlive} scope.defer(() => new Promise(() => {}));`);
  await serves;
  child.kill('SIGTERM');
  const { code, lines } = await ended;
  assert.deepEqual([code, lines.at(-1)?.msg], [1, 'daemon did not close in time']);
});

test('runDaemon() stops cleanly when the collector of its spans hangs', async () => {
  const asked = Promise.withResolvers<void>();
  // It reads the spans and never answers.
  const collector = createServer(() => asked.resolve()).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const { port } = collector.address() as AddressInfo;
  const { child, serves, ended } = runScript(keepAlive, [], {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
  });
  await serves;
  child.kill('SIGTERM');
  await asked.promise;
  const { code, lines } = await ended;
  collector.closeAllConnections();
  collector.close();
  assert.deepEqual([code, lines.at(-1)?.msg], [0, 'daemon stops']);
});

test('runDaemon() exits with a non-zero code and one log line after a crash', async () => {
  const { ended } = runScript(
    `setTimeout(() => { throw new Error('the disk is on fire'); }, 10); ${keepAlive}`,
  );
  const { code, lines } = await ended;
  const crash = lines.at(-1);
  assert.deepEqual([code, crash?.msg, crash?.error], [1, 'daemon crashed', 'the disk is on fire']);
});

test('runDaemon() closes what was opened when start fails', async () => {
  const { ended } = runScript(`scope.defer(() => context.log.info('closed')); throw new Error('no port');`);
  const { code, lines } = await ended;
  assert.deepEqual([code, lines.map(({ msg }) => msg)], [1, ['closed', 'daemon crashed']]);
});

test('runDaemon() writes the trace of the start into no later log line', async () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const { ended } = runScript(
    `context.log.info('starts');
    setTimeout(() => { context.log.info('works'); context.end('done', 0); }, 200);`,
    [],
    { TRACEPARENT: `00-${traceId}-b7ad6b7169203331-01` },
  );
  const { lines } = await ended;
  assert.deepEqual(
    lines.map(({ msg, trace_id }) => [msg, trace_id]),
    [
      ['starts', traceId],
      ['daemon serves', undefined],
      ['works', undefined],
      ['daemon stops', undefined],
    ],
  );
});

test('runDaemon() rejects an invalid option with one line and exit code 2', async () => {
  const { code, stderr, stdout } = await runScript(keepAlive, [], { SAMPLE_PORT: 'eighty' }).ended;
  assert.deepEqual(
    { code, stderr, stdout },
    {
      code: 2,
      stderr: 'sample: SAMPLE_PORT must be an integer, not "eighty" (see sample --help)\n',
      stdout: '',
    },
  );
});

test('runDaemon() rejects an unknown LOG_LEVEL with one line and exit code 2', async () => {
  const { code, stderr, stdout } = await runScript(keepAlive, [], { LOG_LEVEL: 'verbose' }).ended;
  assert.deepEqual(
    { code, stderr, stdout },
    {
      code: 2,
      stderr:
        'sample: LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent, not "verbose" (see sample --help)\n',
      stdout: '',
    },
  );
});

test('runDaemon() takes an empty LOG_LEVEL as none', async () => {
  for (const [level, expected] of [
    ['', ['told', 'daemon serves']],
    ['error', []],
  ] as const) {
    const { code, lines } = await runScript(
      `context.log.debug('kept'); context.log.info('told'); setTimeout(() => context.end('done', 0), 50);`,
      [],
      { LOG_LEVEL: level },
    ).ended;
    const messages = lines.map(({ msg }) => msg).filter((msg) => msg !== 'daemon stops');
    assert.deepEqual([code, messages], [0, expected]);
  }
});

test('runDaemon() prints its flags and its version', async () => {
  const help = await runScript(keepAlive, ['--help']).ended;
  const version = await runScript(keepAlive, ['--version']).ended;
  assert.match(help.stdout, /--port integer +a port \(default 1\); SAMPLE_PORT/);
  assert.match(help.stdout, /LOG_LEVEL \(trace\|/);
  assert.match(version.stdout, /^sample v\d+\.\d+\.\d+/);
});

test('lines with a hidden message go to the log file, and not to standard output', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hidden-'));
  const file = join(folder, 'log');
  try {
    const body = `context.log.info({ msg2: 'a request' }, 'a request');
      context.log.info('a request of another kind'); process.kill(process.pid, 'SIGTERM');`;
    const shown = async (port: string) => {
      const { lines } = await runScript(body, [`--port=${port}`], { LOG_FILE: file }).ended;
      return lines.map(({ msg }) => msg).filter((msg) => String(msg).startsWith('a '));
    };
    assert.deepEqual(await shown('7'), ['a request of another kind']);
    assert.match(readFileSync(file, 'utf8'), /"msg":"a request"}/);
    assert.deepEqual(await shown('1'), ['a request', 'a request of another kind']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
