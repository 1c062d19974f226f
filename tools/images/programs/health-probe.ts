// Calls a daemon's gRPC health service on its unix socket: `health-probe <socket>`. Exit code 0 when the
// daemon serves. It is the health check of every image. The engine starts it every few seconds in every
// container, so it implements the few bytes of the protocol itself: a gRPC library would take ten times as
// long to load.
import { connect } from 'node:http2';
import { createConnection } from 'node:net';

const timeoutMs = 2000;
/**
 * `HealthCheckRequest` for the daemon as a whole (no service named): five bytes of gRPC framing and no body.
 */
const request = Buffer.alloc(5);
/** `HealthCheckResponse { status: SERVING }` with its gRPC framing. */
const serving = Buffer.from([0, 0, 0, 0, 2, 0x08, 0x01]);

const [path] = process.argv.slice(2);
if (path === undefined) fail('health-probe: which socket?');
setTimeout(() => fail(`no answer from ${path} within ${timeoutMs} ms`), timeoutMs).unref();

const session = connect('http://localhost', { createConnection: () => createConnection({ path }) });
session.on('error', (error) => fail(`${path}: ${error.message}`));
const call = session.request({
  ':method': 'POST',
  ':path': '/grpc.health.v1.Health/Check',
  'content-type': 'application/grpc',
  te: 'trailers',
});
const chunks: Buffer[] = [];
call.on('error', (error) => fail(`${path}: ${error.message}`));
call.on('data', (chunk: Buffer) => chunks.push(chunk));
call.on('end', () => {
  if (Buffer.concat(chunks).equals(serving)) process.exit(0);
  fail(`${path}: not serving`);
});
call.end(request);

function fail(line: string): never {
  process.stderr.write(`${line}\n`);
  process.exit(1);
}
