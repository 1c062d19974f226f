// Attacks on the server of the page: other web sites, other programs of this machine, and pages that misbehave.
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@nodewright/testkit';
import { PageRig } from './testing/page-rig.ts';

const closedOf = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()));

test('a token opens one page, once, within a minute, and a new one replaces it', async () => {
  await using rig = await PageRig.open();
  const first = rig.server.issueToken();
  assert.equal(first.expiresMs, rig.nowMs + 60_000);
  assert.equal((await rig.post('/api/session', { token: 'guess' })).status, 403);
  assert.equal((await rig.post('/api/session', { token: first.text })).status, 200);
  assert.equal((await rig.post('/api/session', { token: first.text })).status, 403);

  const second = rig.server.issueToken();
  rig.nowMs += 60_000;
  assert.equal((await rig.post('/api/session', { token: second.text })).status, 403);

  const third = rig.server.issueToken();
  rig.server.issueToken();
  assert.equal((await rig.post('/api/session', { token: third.text })).status, 403);
  for (const token of [undefined, null, 7, {}, '']) {
    assert.equal((await rig.post('/api/session', { token })).status, 403);
  }
});

test('requests that another web site makes are refused', async () => {
  await using rig = await PageRig.open();
  const { port, origin } = rig;
  const secret = await rig.newSecret();
  const ask = async (method: string, path: string, headers: Record<string, string>) =>
    (
      await rig.ask(
        method,
        path,
        { 'x-page-secret': secret, 'content-type': 'application/json', ...headers },
        '[]',
      )
    ).status;
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    '127.0.0.1',
    `127.0.0.1:${port + 1}`,
    `[::1]:${port}`,
  ]) {
    assert.equal(await ask('GET', '/', { host }), 421, host);
    assert.equal(await ask('POST', '/api/session', { host, origin: `http://${host}` }), 421, host);
  }
  assert.equal(await ask('GET', '/', { host: `localhost:${port}` }), 200);
  for (const foreign of [
    'http://evil.example',
    'null',
    `https://127.0.0.1:${port}`,
    `http://localhost:${port}`,
  ]) {
    assert.equal(await ask('POST', '/api/session', { origin: foreign }), 403, foreign);
    assert.equal(await ask('GET', '/api/stream', { origin: foreign }), 403, foreign);
  }
  assert.equal(await ask('POST', '/api/session', {}), 403, 'without Origin');
  for (const site of ['cross-site', 'same-site', 'none']) {
    assert.equal(await ask('POST', '/api/subscriptions', { origin, 'sec-fetch-site': site }), 403, site);
    assert.equal(await ask('GET', '/', { 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors' }), 403, site);
    assert.equal(await ask('GET', '/', { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate' }), 200, site);
  }
  for (const method of ['OPTIONS', 'PUT', 'DELETE', 'PATCH'])
    assert.equal(await ask(method, '/', { origin }), 405);
});

test('every request but that for the page itself needs the secret of a session', async () => {
  await using rig = await PageRig.open();
  const secret = await rig.newSecret();
  for (const wrong of [undefined, '', 'guess', `${secret}x`, secret.slice(1)]) {
    const headers: Record<string, string> = wrong === undefined ? {} : { 'x-page-secret': wrong };
    assert.equal((await rig.ask('GET', '/api/stream', headers)).status, 401);
    assert.equal((await rig.post('/api/subscriptions', [], headers)).status, 401);
    assert.equal((await rig.ask('GET', `/api/stream?secret=${secret}`, headers)).status, 401);
  }
  assert.equal(
    (await rig.post('/api/subscriptions', [], { 'x-page-secret': secret })).status,
    409,
    'no stream',
  );
  assert.equal((await rig.openStream(secret)).status, 200);
  assert.equal((await rig.post('/api/subscriptions', ['x'], { 'x-page-secret': secret })).status, 200);
  assert.deepEqual(rig.calls, [['x']]);
});

test('a tab with a secret goes on with its session, or gets a further one, and no other request does', async () => {
  await using rig = await PageRig.open({ sessions: 3, streams: 2, requestsPerSecond: 10 });
  const secret = await rig.newSecret();
  const own = { 'x-page-secret': secret };
  const resume = async (body: unknown, headers: Record<string, string> = own) => {
    const { status, text } = await rig.post('/api/resume', body, headers);
    return { status, ...(JSON.parse(text) as { secret?: string }) };
  };
  for (const body of [{}, { isFurther: false }, { isFurther: 'yes' }, null, []])
    assert.deepEqual(await resume(body), { status: 200 });
  const further = await resume({ isFurther: true });
  assert.notEqual(further.secret, secret);
  for (const each of [secret, further.secret ?? ''])
    assert.equal((await rig.openStream(each)).status, 200, 'both have a stream at once');

  for (const wrong of ['', 'guess', secret.slice(1)])
    assert.equal((await resume({ isFurther: true }, { 'x-page-secret': wrong })).status, 401);
  for (const foreign of ['http://evil.example', `http://127.0.0.1:${rig.port + 1}`, 'null'])
    assert.equal((await resume({ isFurther: true }, { ...own, origin: foreign })).status, 403, foreign);
  assert.equal((await rig.ask('GET', '/api/resume', own)).status, 404);

  // A page that asks without end takes sessions from no page that is open, and is slowed down.
  rig.nowMs += 1000;
  const statuses: number[] = [];
  for (let count = 0; count < 12; count += 1) statuses.push((await resume({ isFurther: true })).status);
  assert.deepEqual(statuses, [...Array(10).fill(200), 429, 429]);
  rig.nowMs += 1000;
  assert.equal((await resume({}, { 'x-page-secret': further.secret ?? '' })).status, 200);
});

test('no answer has a cookie, and each forbids scripts and requests of others', async () => {
  await using rig = await PageRig.open();
  const secret = await rig.newSecret();
  const answers = [
    await rig.ask('GET', '/'),
    await rig.ask('GET', '/nothing'),
    await rig.ask('GET', '/api/stream'),
    await rig.post('/api/session', {}),
    await rig.ask('GET', '/', { host: 'evil.example' }),
    { headers: (await rig.openStream(secret)).response.headers },
  ];
  for (const { headers } of answers) {
    assert.equal(headers['set-cookie'], undefined);
    assert.equal(headers['access-control-allow-origin'], undefined);
    assert.equal(headers['referrer-policy'], 'no-referrer');
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['cache-control'], 'no-store');
    const policy = headers['content-security-policy'] as string;
    assert.match(
      policy,
      /default-src 'none'; script-src 'self';.*frame-ancestors 'none'; require-trusted-types-for/,
    );
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
  }
});

test('no path leads to a file outside of the page', async () => {
  await using rig = await PageRig.open();
  const secret = await rig.newSecret();
  const paths = [
    ...[
      '/../../../etc/passwd',
      '/%2e%2e/%2e%2e/etc/passwd',
      '//etc/passwd',
      '/..%2f..%2fetc/passwd',
      '/index.html',
    ],
    ...[
      '/./',
      '/?',
      '/#',
      '/\\..\\',
      'http://evil.example/',
      '/api/../',
      '/page.js/..',
      '/constructor',
      '/__proto__',
    ],
  ];
  for (const path of paths) {
    const { status, text } = await rig.ask('GET', path, { 'x-page-secret': secret });
    assert.ok(status === 404 || status === 400, `${path}: ${status}`);
    assert.doesNotMatch(text, /root:|doctype/);
  }
  await rig.openStream(secret);
  assert.equal((await rig.post('/api/fail', [], { 'x-page-secret': secret })).status, 400);
});

test('bodies and heads of requests are limited in size, form and time', async () => {
  await using rig = await PageRig.open({ bodyBytes: 1000 });
  const large = await rig.post('/api/session', { token: 'x'.repeat(2000) });
  assert.equal(large.status, 413);
  const typed = { origin: rig.origin, 'content-type': 'text/plain' };
  assert.equal((await rig.ask('POST', '/api/session', typed, '{}')).status, 415);
  const broken = { origin: rig.origin, 'content-type': 'application/json' };
  assert.equal((await rig.ask('POST', '/api/session', broken, '{')).status, 400);
  assert.equal((await rig.ask('GET', '/', { padding: 'x'.repeat(9000) })).status, 431);

  await using hasty = await PageRig.open({ headMs: 300, requestMs: 600 });
  const host = `Host: 127.0.0.1:${hasty.port}\r\n`;
  const slow = [
    'GET / HTTP/1.1\r\n',
    `POST /api/session HTTP/1.1\r\n${host}Origin: ${hasty.origin}\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{`,
  ];
  const sockets = slow.map((text) => {
    const socket = hasty.connect();
    socket.resume().write(text);
    return socket;
  });
  // A busy machine may need more than one attempt within these limits.
  const isServed = async () => (await hasty.ask('GET', '/')).status === 200;
  await eventually(isServed, { what: 'answer for others meanwhile' });
  await Promise.all(sockets.map(closedOf));
});

test('the connections of strangers are limited, and those of open pages stay', async () => {
  await using rig = await PageRig.open({ strangers: 4 });
  const page = await rig.openStream(await rig.newSecret());
  const first = rig.connect();
  await new Promise((resolve) => first.once('connect', resolve));
  const closed = closedOf(first.resume());
  for (let count = 0; count < 4; count += 1) rig.connect();
  await closed;
  assert.equal(page.response.destroyed, false);
  rig.streams[0]?.send({ kind: 'tick', nowMs: 1 });
  await new Promise((resolve) => page.response.once('data', resolve));
});

test('open pages and requests of a page are limited', async () => {
  await using rig = await PageRig.open({ streams: 2, sessions: 3, requestsPerSecond: 5 });
  const secrets = [await rig.newSecret(), await rig.newSecret(), await rig.newSecret()];
  const [first = '', second = '', third = ''] = secrets;
  const stream = await rig.openStream(first);
  assert.equal((await rig.openStream(second)).status, 200);
  assert.equal((await rig.openStream(third)).status, 429);
  assert.equal((await rig.openStream(first)).status, 200, 'a page opens its stream again');
  await stream.closed;

  // The one without a stream gives way.
  await rig.newSecret();
  assert.equal((await rig.ask('GET', '/api/stream', { 'x-page-secret': third })).status, 401);
  const statuses: number[] = [];
  for (let count = 0; count < 8; count += 1) {
    statuses.push((await rig.post('/api/subscriptions', [], { 'x-page-secret': second })).status);
  }
  assert.deepEqual(statuses, [200, 200, 200, 200, 429, 429, 429, 429]);
  rig.nowMs += 1000;
  assert.equal((await rig.post('/api/subscriptions', [], { 'x-page-secret': second })).status, 200);
});

test('requests of a page that are not answered yet are limited, and answers make room', async () => {
  await using rig = await PageRig.open({ calls: 2 });
  const own = { 'x-page-secret': await rig.newSecret() };
  const other = { 'x-page-secret': await rig.newSecret() };
  await rig.openStream(own['x-page-secret']);
  await rig.openStream(other['x-page-secret']);
  const waiting = [rig.post('/api/wait', {}, own), rig.post('/api/wait', {}, own)];
  await rig.waiters(2);
  assert.equal((await rig.post('/api/check', {}, own)).status, 429);
  assert.equal((await rig.post('/api/check', {}, other)).status, 200, 'another page is not concerned');
  rig.answerAll();
  assert.deepEqual(
    (await Promise.all(waiting)).map(({ status }) => status),
    [200, 200],
  );
  assert.equal((await rig.post('/api/check', {}, own)).status, 200);
});

test('a failure of a request that is no fault of the page is an answer, not a broken connection', async () => {
  await using rig = await PageRig.open();
  const own = { 'x-page-secret': await rig.newSecret() };
  await rig.openStream(own['x-page-secret']);
  const { status, text } = await rig.post('/api/throw', {}, own);
  assert.equal(status, 502);
  assert.match(text, /it broke/);
});

test('a page that does not read loses its stream, and others do not notice', async () => {
  await using rig = await PageRig.open({ unreadBytes: 100_000 });
  const slow = await rig.openStream(await rig.newSecret());
  const other = await rig.openStream(await rig.newSecret());
  const text = 'x'.repeat(50_000);
  const [slowStream, otherStream] = rig.streams;
  let read = 0;
  other.response.on('data', (bytes: Buffer) => {
    read += bytes.length;
  });
  for (let count = 0; count < 1000 && slowStream?.isClosed === false; count += 1) {
    slowStream.sendText(text);
    otherStream?.sendText('line\n');
    await sleep(1);
  }
  assert.equal(slowStream?.isClosed, true);
  slow.response.resume();
  await slow.closed;
  assert.equal(otherStream?.isClosed, false);
  assert.ok(read > 0);
});

test('no text of a node reaches the page with characters that hide or reverse it', async () => {
  await using rig = await PageRig.open();
  const secret = await rig.newSecret();
  const { response } = await rig.openStream(secret);
  const evil = 'a\u202eb\u0007\u001b[2J\u2066\u200b\ud800';
  rig.streams[0]?.send({
    kind: 'welcome',
    program: evil,
    context: evil,
    nodes: [evil],
    [evil]: { [evil]: 1n },
  } as never);
  let text = '';
  for await (const part of response.setEncoding('utf8')) {
    text += part;
    if (text.includes('welcome')) break;
  }
  assert.doesNotMatch(text.replaceAll('\n', ''), /[\p{Cc}\p{Cf}\p{Cs}]/u);
  assert.match(text, /a\\\\u202eb\\\\u0007\\\\u001b\[2J/);
  const failed = await rig.post('/api/fail', [], { 'x-page-secret': secret });
  assert.equal(failed.status, 409, 'the stream was closed by leaving the loop');
});
