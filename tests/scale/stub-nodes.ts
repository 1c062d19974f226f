import { ports } from '@nodewright/contract';
import { VersionResponse } from '@nodewright/contract/gen/machine/machine.ts';
import { type Authority, credentialsOf } from '../contract/apid/harness/authority.ts';
import { Backend, type Behaviour } from '../contract/apid/harness/backend.ts';
import { framed } from '../contract/apid/harness/messages.ts';

/** A node that only answers: a TLS listener on an address of its own, which takes the calls of other nodes. */
export interface StubNode {
  readonly name: string;
  readonly address: string;
  readonly backend: Backend;
}

export const versionMethod = '/machine.MachineService/Version';
/** Its stream stays open. */
export const streamMethod = '/machine.MachineService/Events';

const version = framed(
  VersionResponse.encode({
    messages: [
      {
        metadata: undefined,
        version: { tag: 'v0.1.0', sha: 'stub', built: '', goVersion: '', os: 'linux', arch: 'amd64' },
        platform: undefined,
        features: undefined,
      },
    ],
  }).finish(),
);

/** Answers `Version` with a message, and leaves every other call open after its headers. */
export const answerAsNode: Behaviour = (call) => {
  call.stream.resume();
  call.respond();
  if (call.path !== versionMethod) return;
  call.stream.write(version);
  call.finish();
};

/** Starts nodes at consecutive addresses `127.x.y.z`. They stop with `scope`. */
export async function startStubNodes(
  count: number,
  authority: Authority,
  scope: AsyncDisposableStack,
): Promise<StubNode[]> {
  // A /24 of its own for each process, so that two runs do not meet.
  const network = `127.${150 + (process.pid % 40)}.${1 + (Math.floor(process.pid / 40) % 250)}`;
  const nodes: StubNode[] = [];
  for (let number = 1; number <= count; number += 1) {
    const [name, address] = [`node${String(number).padStart(3, '0')}`, `${network}.${number}`];
    const credentials = credentialsOf(await authority.server(name, address));
    const backend = await Backend.tls(address, ports.apid, credentials, authority.certificate, answerAsNode);
    nodes.push({ name, address, backend: scope.use(backend) });
  }
  return nodes;
}
