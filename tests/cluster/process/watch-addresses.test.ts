// What `talosctl get --watch` prints when addresses change: a node in a network namespace of the test's own,
// its apid, and the built command line.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { saveTalosconfig } from '@nodewright/client/talosconfig';
import { Secret } from '@nodewright/fault';
import { enterOwnNamespace, ip, noOwnNamespace } from '@nodewright/linux/testing';
import { eventually, startLoneNode } from '@nodewright/testkit';
import { startTalosctl } from '../run-talosctl.ts';

/** Time from the end of the command that changes the kernel to the printed line, in milliseconds. */
const budgetMs = 100;
const changes = 5;
const base64 = (text: string) => Buffer.from(text).toString('base64');

test('an added address is printed within 100 ms, and its removal too', {
  skip: noOwnNamespace,
}, async (context) => {
  await using scope = new AsyncDisposableStack();
  // Child processes started from here on are in the namespace, too.
  enterOwnNamespace();
  ip('link add pair0 type veth peer name pair1');
  ip('link set pair0 up');
  const node = scope.use(await startLoneNode());
  const home = await mkdtemp(join(tmpdir(), 'watch-'));
  scope.defer(() => rm(home, { recursive: true }));
  const { certificate, key } = await node.issueClient('os:reader');
  const reader = {
    ...{ endpoints: [node.address], nodes: [node.address] },
    ...{ ca: base64(node.ca.certificate), crt: base64(certificate), key: new Secret(base64(key)) },
  };
  const config = { context: 'lone', contexts: new Map([['lone', reader]]) };
  await saveTalosconfig({ path: join(home, 'config'), writable: true }, config);

  const watch = startTalosctl(['get', 'addresses', '--watch'], { home });
  scope.defer(() => void watch.kill());
  const lines: { text: string; atMs: number }[] = [];
  let rest = '';
  watch.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const texts = `${rest}${chunk}`.split('\n');
    rest = texts.pop() ?? '';
    for (const text of texts) lines.push({ text, atMs: performance.now() });
  });
  let said = '';
  watch.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk;
  });
  const find = (pattern: RegExp) => lines.find(({ text }) => pattern.test(text));
  const follow = (pattern: RegExp) =>
    eventually(() => find(pattern) !== undefined, { what: String(pattern), explain: () => said });
  await follow(/\+ +network +AddressStatus +lo\/127\.0\.0\.1\/8 /);

  const times: number[] = [];
  for (let number = 1; number <= changes; number += 1) {
    for (const [verb, sign] of [
      ['add', '\\+'],
      ['del', '-'],
    ] as const) {
      ip(`addr ${verb} 10.3.0.${number}/24 dev pair0`);
      const done = performance.now();
      const line = new RegExp(
        `^${node.address} +${sign} +network +AddressStatus +pair0/10\\.3\\.0\\.${number}/24 `,
      );
      await follow(line);
      times.push((find(line)?.atMs ?? Infinity) - done);
    }
  }
  context.diagnostic(`${times.map((time) => time.toFixed(0)).join(', ')} ms`);
  // Other programs may use the processors at the moment: the best one counts.
  assert.ok(Math.min(...times) < budgetMs, `${times.join(', ')} ms`);
});
