import { rmSync } from 'node:fs';
import type { Member } from '@nodewright/contract/gen/suite/runtime/v1/runtime.ts';
import type { NodeFacts } from '../domain/node-facts.ts';
import { apidRuntimeText, type Identity, trustdRuntimeText } from '../domain/runtime-files.ts';
import { type FileAccess, writeFileAtomically } from '../host/write-file-atomically.ts';

export interface RuntimePublisherInit {
  readonly node: NodeFacts;
  readonly members: () => readonly Member[];
  /** Where each daemon reads, and who else may. */
  readonly apid: FileAccess & { readonly path: string };
  readonly trustd: FileAccess & { readonly path: string };
}

export interface RuntimePublisher extends Disposable {
  publish(identity: Identity): Promise<void>;
}

/**
 * Writes the runtime files of apid and trustd. A file whose content would be the same is left alone, because apid drops
 * its connections to other nodes whenever it is told something new. Disposing it removes the files: keys do not outlive the node's run.
 */
export function createRuntimePublisher(init: RuntimePublisherInit): RuntimePublisher {
  const written = new Map<string, string>();
  const write = async ({ path, ...access }: RuntimePublisherInit['apid'], text: string | undefined) => {
    if (text === undefined || written.get(path) === text) return;
    await writeFileAtomically(path, text, access);
    written.set(path, text);
  };
  return {
    async publish(identity) {
      await write(init.trustd, trustdRuntimeText(init.node, identity));
      await write(init.apid, apidRuntimeText(init.node, identity, init.members()));
    },
    [Symbol.dispose]() {
      for (const path of written.keys()) rmSync(path, { force: true });
    },
  };
}
