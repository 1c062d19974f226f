import type { Controller } from '@nodewright/controllers';
import type { EtcdPkiFiles } from '../host/pki-files.ts';
import { createAdvertisedPeerController, type UpdatePeerUrls } from './advertised-peer.ts';
import { createEtcdConfigController } from './config.ts';
import { createEtcdSecretsController } from './etcd-secrets.ts';
import { type AskMemberId, createEtcdMemberController } from './member.ts';
import { createEtcdPkiController } from './pki.ts';
import { createRootEtcdController } from './root-etcd.ts';
import { createEtcdSpecController } from './spec.ts';

/** What controllers do to an etcd that runs on this node. */
export interface EtcdActions {
  readonly pki: EtcdPkiFiles;
  readonly askMemberId: AskMemberId;
  readonly updatePeerUrls: UpdatePeerUrls;
}

export interface EtcdControllersInit {
  /** Where etcd listens where the host's other addresses belong to other nodes. */
  readonly own: readonly string[] | undefined;
  /** Undefined where this node has no way to run etcd. */
  readonly actions: EtcdActions | undefined;
}

/** The kernel gives this one to every connection within the host, whatever address the node has of its own. */
const loopbackAddress = '127.0.0.1';

/** Source: Talos v1.14: COSI resources, etcd, secrets. */
export function etcdControllers({ own, actions }: EtcdControllersInit): Controller[] {
  return [
    createRootEtcdController(),
    createEtcdSecretsController(own === undefined ? [] : [loopbackAddress]),
    createEtcdConfigController(),
    createEtcdSpecController(own),
    ...(actions === undefined
      ? []
      : [
          createEtcdPkiController(actions.pki),
          createEtcdMemberController(actions.askMemberId),
          createAdvertisedPeerController(actions.updatePeerUrls),
        ]),
  ];
}
