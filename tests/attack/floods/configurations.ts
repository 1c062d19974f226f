import { once } from 'node:events';
import { connect as connectSession } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { ports } from '@nodewright/contract';
import {
  ApplyConfigurationRequest,
  ApplyConfigurationRequest_Mode,
} from '@nodewright/contract/gen/machine/machine.ts';
import { messagePrefix } from '@nodewright/h2';
import type { FloodCounts } from '../measure/child-messages.ts';
import type { AttackTarget } from '../target/attack-target.ts';
import type { Flood } from './flood.ts';

const method = '/machine.MachineService/ApplyConfiguration';
const version = '/machine.MachineService/Version';
const attempts = 3;

const texts: Readonly<Record<string, () => string>> = {
  'configuration-size': () => `version: v1alpha1\nmachine:\n  type: ${'x'.repeat(30_000_000)}\n`,
  'configuration-documents': () =>
    'apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: a\n---\n'.repeat(50_000),
  'configuration-aliases': () => `a: &a [${'1'}]\nb:\n${'  - *a\n'.repeat(50_000)}`,
  'configuration-depth': () => `a: ${'['.repeat(100_000)}`,
  // A valid configuration with as many values as a node accepts.
  'configuration-values': () =>
    `version: v1alpha1\nmachine:\n  type: worker\n  sysctls:\n${Array.from({ length: 14_000 }, (_, at) => `    net.a${at}: "1"\n`).join('')}`,
  'configuration-nodes': () => `a:\n${'  - 1\n'.repeat(2_000_000)}`,
};

/** Sent to a node in maintenance, where a client without a certificate may try a configuration. */
export const configurationFloods: readonly Flood[] = Object.entries(texts).map(([name, textOf]) => ({
  name,
  what: `a client without a certificate sends an extreme configuration to a node in maintenance: ${name.replace('configuration-', '')}`,
  run: (target, signal) => apply(target, textOf(), signal),
  judge: ({ longestAnswerMs = 0 }) =>
    longestAnswerMs > longestStopMs
      ? [`the node answered nothing else for ${Math.round(longestAnswerMs)} ms`]
      : [],
}));

/**
 * How long a cheap call may take meanwhile, on a machine that two other programs keep busy, in milliseconds.
 */
const longestStopMs = 500;
const askMs = 20;

/** Sends the text a few times, and meanwhile repeats a cheap call to the same node. */
async function apply(target: AttackTarget, text: string, signal: AbortSignal): Promise<FloodCounts> {
  const counts = { applied: 0, refused: 0, asked: 0, longestAnswerMs: 0 };
  const message = ApplyConfigurationRequest.encode(
    ApplyConfigurationRequest.create({
      data: Buffer.from(text),
      mode: ApplyConfigurationRequest_Mode.AUTO,
      dryRun: true,
    }),
  ).finish();
  const body = Buffer.concat([messagePrefix(message.length), message]);
  let isOver = false;
  const asking = (async () => {
    while (!isOver && !signal.aborted) {
      const startMs = performance.now();
      const isAnswered = await call(target.maintenance, version, Buffer.alloc(5), signal).then(
        (status) => status === '0',
        () => false,
      );
      if (isAnswered) counts.asked += 1;
      counts.longestAnswerMs = Math.max(counts.longestAnswerMs, performance.now() - startMs);
      await sleep(askMs);
    }
  })();
  for (let attempt = 0; attempt < attempts && !signal.aborted; attempt += 1) {
    const status = await call(target.maintenance, method, body, signal).catch(() => undefined);
    if (status === '0') counts.applied += 1;
    else counts.refused += 1;
  }
  isOver = true;
  await asking;
  return counts;
}

/**
 * Makes a call on a connection of its own and returns its status, `undefined` when it had none. Rejects when
 * the attack is over.
 */
async function call(
  host: string,
  path: string,
  body: Buffer,
  signal: AbortSignal,
): Promise<string | undefined> {
  const socket = connect({ host, port: ports.apid, rejectUnauthorized: false, ALPNProtocols: ['h2'] });
  socket.on('error', () => {});
  await once(socket, 'secureConnect', { signal });
  const session = connectSession('https://node', { createConnection: () => socket });
  session.on('error', () => {});
  try {
    const stream = session.request(
      { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' },
      { endStream: false },
    );
    let status: string | undefined;
    const take = (fields: { 'grpc-status'?: string | undefined }) => {
      status ??= fields['grpc-status'];
    };
    stream.on('response', take);
    stream.on('trailers', take);
    stream.on('error', () => {});
    stream.on('data', () => {});
    stream.end(body);
    await once(stream, 'close', { signal });
    return status;
  } finally {
    session.destroy();
  }
}
