import { rmSync } from 'node:fs';
import type { Member } from '@nodewright/contract/gen/suite/runtime/v1/runtime.ts';
import type { NodeFacts } from '../domain/node-facts.ts';
import { apidRuntimeText, type Identity, trustdRuntimeText } from '../domain/runtime-files.ts';
import { type FileOwner, writeFileAtomically } from '../host/write-file-atomically.ts';

export interface RuntimePublisherInit {
  readonly node: NodeFacts;
  readonly members: () => readonly Member[];
  /** Where each daemon reads, and as which user it does so. */
  readonly apid: { readonly path: string; readonly owner?: FileOwner };
  readonly trustd: { readonly path: string; readonly owner?: FileOwner };
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
  const write = async ({ path, owner }: RuntimePublisherInit['apid'], text: string | undefined) => {
    if (text === undefined || written.get(path) === text) return;
    await writeFileAtomically(path, text, owner);
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
