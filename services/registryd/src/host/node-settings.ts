import { faultFrom } from '@nodewright/fault';
import { type ImageReference, parseImageReference, type RegistrySettings } from '@nodewright/oci';
import { dialState, followState, one } from '@nodewright/state/follow';
import { etcdSpecs, imageCacheConfigs, registryConfigs } from '@nodewright/state/kinds';
import type { Logger } from '@nodewright/telemetry';

/** What the node's resources say about images. */
export interface NodeSettings {
  readonly registries: RegistrySettings;
  /** Folders with images that are only read. */
  readonly roots: readonly string[];
  /** The images that the node uses. */
  readonly usedImages: readonly ImageReference[];
}

export const noSettings: NodeSettings = {
  registries: { mirrors: {}, auths: {}, tls: {} },
  roots: [],
  usedImages: [],
};

const followed = {
  registries: one(registryConfigs, registryConfigs.singleton),
  cache: one(imageCacheConfigs, imageCacheConfigs.singleton),
  etcd: one(etcdSpecs, etcdSpecs.singleton),
};

/** Yields the settings that machined serves on `socket`, and each change. While machined is away the last ones stay in force. */
export async function* followNodeSettings(
  socket: string,
  { signal, log }: { readonly signal: AbortSignal; readonly log: Logger },
): AsyncGenerator<NodeSettings, void, undefined> {
  const connect = (dialSignal: AbortSignal) => dialState(socket, dialSignal);
  const onBroken = ({ message }: Error, retryMs: number) => {
    log.warn({ socket, error: message, retryMs }, "the node's state cannot be read");
  };
  for await (const known of followState({ followed, connect, signal, onBroken })) {
    if (known === undefined) continue;
    const { registries, cache, etcd } = known.view;
    yield {
      registries: registries ?? noSettings.registries,
      roots: cache?.roots ?? [],
      usedImages: [etcd?.image ?? ''].flatMap((text) => referenceFrom(text, log)),
    };
  }
}

function referenceFrom(text: string, log: Logger): ImageReference[] {
  if (text === '') return [];
  try {
    return [parseImageReference(text)];
  } catch (error) {
    log.warn({ error: faultFrom(error).message }, 'an image of the node has no valid name');
    return [];
  }
}
