import type { Controller } from '@nodewright/controllers';
import type { EtcdPkiFiles } from '../host/pki-files.ts';
import { createAdvertisedPeerController, type UpdatePeerUrls } from './advertised-peer.ts';
import { createEtcdConfigController } from './config.ts';
import { type AskMemberId, createEtcdMemberController } from './member.ts';
import { createEtcdPkiController } from './pki.ts';
import { createEtcdSpecController } from './spec.ts';

/** What controllers do to an etcd that runs on this node. */
export interface EtcdHands {
  readonly pki: EtcdPkiFiles;
  readonly askMemberId: AskMemberId;
  readonly updatePeerUrls: UpdatePeerUrls;
}

export interface EtcdControllersInit {
  /** Where etcd listens where the host's other addresses belong to other nodes. */
  readonly own: readonly string[] | undefined;
  /** Undefined where this node has no way to run etcd. */
  readonly hands: EtcdHands | undefined;
}

/** Source: Talos v1.14: COSI resources, etcd. */
export function etcdControllers({ own, hands }: EtcdControllersInit): Controller[] {
  return [
    createEtcdConfigController(),
    createEtcdSpecController(own),
    ...(hands === undefined
      ? []
      : [
          createEtcdPkiController(hands.pki),
          createEtcdMemberController(hands.askMemberId),
          createAdvertisedPeerController(hands.updatePeerUrls),
        ]),
  ];
}
