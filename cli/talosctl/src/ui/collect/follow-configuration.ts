import { Fault } from '@nodewright/fault';
import { encodeConfiguration, loadConfiguration } from '@nodewright/machine-config';
import { type EncodedSpec, pointerTo, type Resource } from '@nodewright/state';
import { parse } from 'yaml';
import { activeId, configurationKind } from '../../configuration/configuration-kind.ts';
import { keepTrying } from '../../dashboard/feed/feed-context.ts';
import { encodedStateOf } from '../../get/get-resources.ts';
import { shownConfiguration } from '../../support/shown-configuration.ts';
import type { PageFeedContext } from './page-feed-context.ts';

/** Follows the active machine configuration of a node, without its secrets. */
export function followConfiguration({ node, signal, emit }: PageFeedContext): Promise<void> {
  return keepTrying(
    signal,
    async () => {
      using watch = await encodedStateOf(node).watch(pointerTo(configurationKind, activeId), { signal });
      for await (const events of watch) {
        for (const event of events) {
          if (event.kind === 'errored') throw new Fault('unavailable', event.message);
          if (event.kind === 'absent' || event.kind === 'destroyed') {
            emit({ kind: 'problem', message: 'the node has no machine configuration' });
          } else if (event.kind === 'created' || event.kind === 'updated') {
            emit({ kind: 'configuration', text: shownText(event.resource) });
          }
        }
      }
    },
    (message) => emit({ kind: 'problem', message }),
  );
}

function shownText({ metadata, spec }: Resource<EncodedSpec>): string {
  // Old nodes set no annotations and send the text of the configuration as it is.
  const text: unknown = Object.keys(metadata.annotations).length === 0 ? spec.yaml : parse(spec.yaml);
  if (typeof text !== 'string') throw new Fault('internal', 'the machine configuration is not a text');
  return encodeConfiguration(shownConfiguration(loadConfiguration(text)));
}
