// How trustd handles reports of nodes: it checks the token, adds the source address, and forwards the rest to
// machined.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  MembershipServiceDefinition,
  type NodeRecord,
  type ReportRequest,
  type ReportResponse,
} from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { MachineType } from '@nodewright/contract/gen/suite/runtime/v1/runtime.ts';
import { Fault } from '@nodewright/fault';
import { eventually } from '@nodewright/testkit';
import { createClient, Metadata } from 'nice-grpc';
import { dialTrustd, startTrustd, statusOf, token } from './harness.ts';

const code = { cancelled: 1, invalidArgument: 3, permissionDenied: 7, unavailable: 14, unauthenticated: 16 };

const node: NodeRecord = {
  nodeId: 'id5',
  addresses: ['10.5.0.5'],
  hostname: 'node05',
  nodename: 'node05',
  operatingSystem: 'Talos (v1.14.0)',
  machineType: MachineType.MACHINE_TYPE_WORKER,
  apiServerPort: 0,
};
const answer: ReportResponse = { nodes: [node], leaseSeconds: 15, version: 'one' };

const received: ReportRequest[] = [];
let respond: (signal: AbortSignal) => Promise<ReportResponse> = async () => answer;

const trustd = await startTrustd({
  env: { LOG_LEVEL: 'trace' },
  // Listens on IPv6 as on a real machine, where Node.js shows IPv4 clients as mapped addresses.
  listenAddress: ':0',
  report: async (request, { signal }) => {
    received.push(request);
    return respond(signal);
  },
});
const channel = dialTrustd(await trustd.port(), trustd.ca.certificate);
after(async () => {
  channel.close();
  await trustd[Symbol.asyncDispose]();
});
const client = createClient(MembershipServiceDefinition, channel);
const report = (
  request: Partial<ReportRequest> = {},
  given: string | string[] = token,
  signal?: AbortSignal,
): Promise<ReportResponse> =>
  client.report(
    { node, knownVersion: 'none', ...request },
    { metadata: Metadata({ token: given }), ...(signal && { signal }) },
  );

test('Report sends the record to machined with its source address, whatever address the caller claims', async () => {
  received.length = 0;
  assert.deepEqual(await report({ callerAddress: '10.5.0.5', isLeaving: true }), answer);
  assert.deepEqual(received, [{ node, knownVersion: 'none', isLeaving: true, callerAddress: '127.0.0.1' }]);
});

test('Report refuses a call without the token before it reaches machined', async () => {
  received.length = 0;
  const tokens = [[], '', 'wrong', `${token}x`];
  const statuses = await Promise.all(tokens.map((given) => statusOf(report({}, given))));
  const invalid = [code.unauthenticated, 'invalid token'] as const;
  assert.deepEqual(statuses, [[code.unauthenticated, 'missing token'], invalid, invalid, invalid]);
  assert.deepEqual(received, []);
});

test('Report refuses an invalid record before it reaches machined', async () => {
  received.length = 0;
  const addresses = new Array(2000).fill('10.5.0.5');
  const [actual, details] = await statusOf(report({ node: { ...node, addresses } }));
  assert.equal(actual, code.invalidArgument);
  assert.match(details, /^the report has \d+ bytes, more than 16384$/);
  assert.deepEqual(received, []);
});

test("Report returns machined's answer", async () => {
  respond = async () => {
    throw new Fault('permission-denied', 'only workers report themselves');
  };
  assert.deepEqual(await statusOf(report()), [code.permissionDenied, 'only workers report themselves']);
  respond = async () => answer;
});

test('Report is cancelled at machined when the caller cancels it', async () => {
  const ended = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  respond = (signal) => {
    begun.resolve();
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        ended.resolve();
        reject(signal.reason);
      });
    });
  };
  const stop = new AbortController();
  const call = report({}, token, stop.signal);
  await begun.promise;
  stop.abort();
  await assert.rejects(call, { name: 'AbortError' });
  await ended.promise;
  respond = async () => answer;
});

test('a pending report does not delay the exit of trustd', async () => {
  const begun = Promise.withResolvers<void>();
  await using other = await startTrustd({
    report: (_request, { signal }) => {
      begun.resolve();
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  });
  using own = dialTrustd(await other.port(), other.ca.certificate);
  const call = statusOf(
    createClient(MembershipServiceDefinition, own).report({ node }, { metadata: Metadata({ token }) }),
  );
  await begun.promise;
  other.process.signal('SIGTERM');
  assert.deepEqual(await other.process.exited, { code: 0, signal: null });
  assert.deepEqual(await call, [code.unavailable, 'trustd is stopping']);
});

test('Report is unavailable while machined is away, and works again when it is back', async () => {
  await trustd.stopState();
  assert.equal((await statusOf(report()))[0], code.unavailable);
  await trustd.restartState();
  const isBack = async () => (await statusOf(report()))[0] === 0;
  await eventually(isBack, { what: 'answer of the machined that is back' });
});

test('a report is logged when a node appears, and when it is refused', async () => {
  const lines = () =>
    trustd.process.lines().filter(({ method }) => method === '/suite.membership.v1.MembershipService/Report');
  const before = lines().length;
  await report({ knownVersion: '' });
  await report({ knownVersion: 'one' });
  await statusOf(report({ knownVersion: 'one' }, 'wrong'));
  await eventually(() => lines().length >= before + 2, { what: 'two lines' });
  assert.deepEqual(
    lines()
      .slice(before)
      .map((line) => line.code),
    ['OK', 'Unauthenticated'],
  );
});

test('the token appears in no log line', () => {
  assert.equal(trustd.process.stdout().includes(token) || trustd.process.stderr().includes(token), false);
});
