import type { EthernetSettings, LinkFeatures, LinkState } from '@nodewright/linux/network';
import { type EthernetStatusSpec, networkEnumerations as enums } from '@nodewright/state/kinds';

/** What the driver of a device reports. What is undefined is not supported, or was not readable. */
export interface SeenEthernet {
  readonly state: LinkState;
  readonly settings: EthernetSettings | undefined;
  readonly features: LinkFeatures | undefined;
}

const otherPort = 255;
const unknownDuplex = 255;

/** A device as typed clients read it. Source: Talos v1.14: COSI resources, EthernetStatuses. */
export function ethernetStatusOf({ state, settings, features }: SeenEthernet): EthernetStatusSpec {
  const { modes, rings, channels, wakeOnLan = 0 } = settings ?? {};
  const isOn = (number: number | undefined) => (number === undefined ? undefined : number !== 0);
  return {
    linkState: state.hasLink,
    speedMbit: state.speedMbit ?? 0,
    port: enums.port.textOf(state.port ?? otherPort),
    duplex: enums.duplex.textOf(state.duplex ?? unknownDuplex),
    ourModes: modes?.own ?? [],
    peerModes: modes?.peer ?? [],
    rings: rings && {
      'rx-max': rings.rxMax,
      'rx-mini-max': rings.rxMiniMax,
      'rx-jumbo-max': rings.rxJumboMax,
      'tx-max': rings.txMax,
      'tx-push-buf-len-max': rings.txPushBufferMax,
      rx: rings.rx,
      'rx-mini': rings.rxMini,
      'rx-jumbo': rings.rxJumbo,
      tx: rings.tx,
      'rx-buf-len': rings.rxBufferBytes,
      'cqe-size': rings.completionBytes,
      'tx-push': isOn(rings.txPush),
      'rx-push': isOn(rings.rxPush),
      'tx-push-buf-len': rings.txPushBufferBytes,
      'tcp-data-split': splitOf(rings.tcpDataSplit),
    },
    features: [...(features ?? [])].map(([name, feature]) => ({ name, status: statusOf(feature) })),
    channels: channels && {
      'rx-max': channels.rxMax,
      'tx-max': channels.txMax,
      'other-max': channels.otherMax,
      'combined-max': channels.combinedMax,
      rx: channels.rx,
      tx: channels.tx,
      other: channels.other,
      combined: channels.combined,
    },
    wakeOnLAN: enums.wolMode.texts.filter((mode) => (wakeOnLan & enums.wolMode.numberOf(mode)) !== 0),
  };
}

/** `ETHTOOL_TCP_DATA_SPLIT_*` of <linux/ethtool.h>: unknown, off and on. */
const splitOf = (number: number | undefined) =>
  number === undefined || number === 0 ? undefined : number === 2;

/** As the program ethtool shows it. */
function statusOf({
  isOn,
  isWanted,
  isFixed,
}: {
  isOn: boolean;
  isWanted: boolean;
  isFixed: boolean;
}): string {
  const word = isOn ? 'on' : 'off';
  if (isFixed) return `${word} [fixed]`;
  if (isOn === isWanted) return word;
  return `${word} [requested ${isWanted ? 'on' : 'off'}]`;
}
