import { connect } from 'node:http2';

const answerTimeoutMs = 15_000;
const succeeded = '0';

/** Whose call it is: PEM texts of a talosconfig. */
export interface ApiIdentity {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/**
 * Whether a call of `Version` succeeds. It is made with as little as possible in between, so that a measurement of the
 * machine is not one of a client.
 *
 * @param identity undefined for a machine in maintenance, whose certificate nobody can check
 */
export function callVersion(port: number, identity: ApiIdentity | undefined): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const session = connect(
    `https://127.0.0.1:${port}`,
    // The machine does not know the port of the loopback device, so its certificate does not name 127.0.0.1.
    identity === undefined
      ? { rejectUnauthorized: false }
      : { ...identity, checkServerIdentity: () => undefined },
  );
  session.setTimeout(answerTimeoutMs, () => session.destroy());
  session.on('error', () => {});
  session.on('close', () => resolve(false));
  const call = session.request({
    ':method': 'POST',
    ':path': '/machine.MachineService/Version',
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  const end = (status: unknown) => {
    if (status === undefined) return;
    resolve(status === succeeded);
    session.destroy();
  };
  call.on('error', () => {});
  // A refusal has its status in the headers, an answer behind its message.
  call.on('response', (headers) => end(headers['grpc-status']));
  call.on('trailers', (trailers) => end(trailers['grpc-status']));
  call.resume();
  const emptyMessage = Buffer.alloc(5);
  call.end(emptyMessage);
  return promise;
}
