import type { ConfigReader, DocumentReader } from '@nodewright/machine-config';
import { type EthernetSpecSpec, networkEnumerations as enums } from '@nodewright/state/kinds';

/** The settings of hardware, by the name of the link that is written. Source: Talos v1.14: EthernetConfig; network.EthernetConfigController. */
export function ethernetSpecsOf(
  reader: ConfigReader,
): { readonly id: string; readonly spec: EthernetSpecSpec }[] {
  return reader.documents('EthernetConfig').map((document) => {
    const modes = new Set(document.texts('wakeOnLan'));
    const spec = {
      rings: ringsOf(document.below('rings')),
      features: Object.fromEntries(
        Object.entries(document.map('features')).filter(
          (entry): entry is [string, boolean] => typeof entry[1] === 'boolean',
        ),
      ),
      channels: channelsOf(document.below('channels')),
      // A configuration on disk may have `arp`, which the resource lacks.
      wakeOnLan: enums.wolMode.texts.filter((mode) => modes.has(mode)),
    };
    return { id: document.name, spec };
  });
}

const ringsOf = (rings: DocumentReader): EthernetSpecSpec['rings'] => ({
  rx: rings.integer('rx'),
  tx: rings.integer('tx'),
  'rx-mini': rings.integer('rx-mini'),
  'rx-jumbo': rings.integer('rx-jumbo'),
  'rx-buf-len': rings.integer('rx-buf-len'),
  'cqe-size': rings.integer('cqe-size'),
  'tx-push': rings.boolean('tx-push'),
  'rx-push': rings.boolean('rx-push'),
  'tx-push-buf-len': rings.integer('tx-push-buf-len'),
  'tcp-data-split': rings.boolean('tcp-data-split'),
});

const channelsOf = (channels: DocumentReader): EthernetSpecSpec['channels'] => ({
  rx: channels.integer('rx'),
  tx: channels.integer('tx'),
  other: channels.integer('other'),
  combined: channels.integer('combined'),
});
