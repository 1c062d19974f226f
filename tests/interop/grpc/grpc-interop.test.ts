// grpc-go's interoperability client against grpc-go's test server, through one gateway and through two.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { metadataKeys } from '@nodewright/contract';
import { eventually } from '@nodewright/testkit';
import { engineName, gatewayName } from '../gateway/start-gateway.ts';
import { ensureOutsideProgram } from '../go-programs.ts';
import { openRig } from '../open-rig.ts';
import { cloudCases, interopCases } from './cases.ts';

const client = ensureOutsideProgram('client');
const rig = await openRig();
after(() => rig[Symbol.asyncDispose]());

const emptyCall = '/grpc.testing.TestService/EmptyCall';
const caseTimeoutMs = 60_000;
/** How much of a failed client's output a test shows. */
const printedLines = 5;

/** Runs a case; rejects with what the client printed when it fails. */
async function runCase(...flags: string[]): Promise<void> {
  try {
    await promisify(execFile)(client, flags, { timeout: caseTimeoutMs });
  } catch (error) {
    const { stderr } = error as Error & { stderr: string };
    throw new Error(stderr.trim().split('\n').slice(-printedLines).join('\n'));
  }
}

const tunnel = [`--server_host=unix:${rig.tunnel}`, '--server_port=0'];
const secondGateway = [`--additional_metadata=${metadataKeys.node}:${gatewayName}`];

for (const { name, flags = [] } of interopCases) {
  test(`${name} passes through one gateway on the engine ${engineName}`, () =>
    runCase(...tunnel, `--test_case=${name}`, ...flags));
  test(`${name} passes through two gateways on the engine ${engineName}`, () =>
    runCase(...tunnel, `--test_case=${name}`, ...flags, ...secondGateway));
}

test('a call that names the second gateway goes through it', async () => {
  const served = () => rig.far.process.lines().filter(({ method }) => method === emptyCall).length;
  const before = served();
  await runCase(...tunnel, '--test_case=empty_unary', ...secondGateway);
  await eventually(() => served() === before + 1, { what: 'a line in the log of the second gateway' });
});

test(`empty_unary and ping_pong pass with TLS of Go itself on the engine ${engineName}`, async () => {
  const { port, caFile } = rig.open;
  const tls = ['--use_tls', '--use_test_ca', `--ca_file=${caFile}`, `--server_host_override=${gatewayName}`];
  for (const name of ['empty_unary', 'ping_pong'])
    await runCase('--server_host=127.0.0.1', `--server_port=${port}`, ...tls, `--test_case=${name}`);
});

test('the list of cases has every case that the client offers', async () => {
  const { stderr } = await promisify(execFile)(client, ['--help']);
  const offered = [...stderr.matchAll(/^\s+(\w+) ?: /gm)].map(([, name = '']) => name);
  const known = new Set([...interopCases.map(({ name }) => name), ...cloudCases]);
  assert.deepEqual(
    offered.filter((name) => !known.has(name)),
    [],
  );
  assert.ok(offered.length > 20);
});
