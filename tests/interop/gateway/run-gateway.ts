// The process of a test gateway: the data path of apid with an engine and an identity that a test chooses, for the
// methods of grpc.testing. It logs like apid, so its port is in the line "gateway listens".
import { readFileSync } from 'node:fs';
import { dialUnix, engineNamed, type InboundCall, sendStatus } from '@nodewright/h2';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import type { GatewayIdentity } from '../../../services/apid/src/domain/gateway-identity.ts';
import { openGateway } from '../../../services/apid/src/gateway/open-gateway.ts';
import { serveCall } from '../../../services/apid/src/gateway/serve-call.ts';
import { dialNode } from '../../../services/apid/src/host/dial-node.ts';
import type { GatewayJob } from './gateway-job.ts';
import { testingMethods } from './testing-methods.ts';

const drainTimeoutMs = 1000;
const unimplemented = 12;
const body = 'The test gateway has received the whole request.\n';

function identityOf(job: GatewayJob): GatewayIdentity {
  const loopback = ['127.0.0.1'];
  return {
    listen: { host: loopback[0], port: 0 },
    nodeRoutingDisabled: job.isOpen,
    readonlyRoleMode: job.isOpen,
    skipVerifyingClientCert: job.isOpen,
    waitsFor: undefined,
    server: job.server,
    client: job.client,
    acceptedCas: [job.ca],
    hostname: job.name,
    localTargets: new Set([job.name]),
    members: new Map(job.peers.map((peer) => [peer, loopback])),
    sharedNames: new Map(),
  };
}

/** Answers any request as an ordinary web server does, once it is complete. */
function answerWithBody(call: InboundCall): void {
  call.receive({
    requestData: () => {},
    requestEnded() {
      call.respond([':status', '200', 'content-type', 'text/plain']);
      call.write(Buffer.from(body));
      call.finish(['grpc-status', '0']);
    },
    answerDrained: () => {},
    cancelled: () => {},
  });
  call.resume();
}

const job = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as GatewayJob;
const log = createLogger({ name: job.name, telemetry: noTelemetry });
const scope = new AsyncDisposableStack();
process.once('SIGTERM', () => void scope.disposeAsync());
const { follow } = openGateway(
  {
    engine: engineNamed(job.engine),
    telemetry: noTelemetry,
    log,
    dialMachined: (signal) => dialUnix(job.backend, signal),
    dialNode: (identity, node, signal) => dialNode(identity, node, job.peerPort, signal),
    onListening: () => {},
    drainTimeoutMs,
    onCall(gateway, call, peer, active) {
      if (job.answersBodies) answerWithBody(call);
      else if (testingMethods.has(call.path)) serveCall(gateway, call, peer, active);
      else sendStatus(call, { code: unimplemented, message: `unknown method ${call.path}` }, false);
    },
  },
  scope,
);
await follow(identityOf(job));
