import type { Controller } from '@nodewright/controllers';
import type { EtcdPkiFiles } from '../host/pki-files.ts';
import { createAdvertisedPeerController, type UpdatePeerUrls } from './advertised-peer.ts';
import { createEtcdConfigController } from './config.ts';
import { type AskSpace, createEtcdDiagnosticsController } from './etcd-diagnostics.ts';
import { createEtcdSecretsController } from './etcd-secrets.ts';
import { type AskMemberId, createEtcdMemberController } from './member.ts';
import { createEtcdPkiController } from './pki.ts';
import { createRootEtcdController } from './root-etcd.ts';
import { createEtcdSpecController } from './spec.ts';

/** Operations of the controllers on a running etcd and its files. */
export interface EtcdActions {
  readonly pki: EtcdPkiFiles;
  readonly askMemberId: AskMemberId;
  readonly askSpace: AskSpace;
  readonly updatePeerUrls: UpdatePeerUrls;
}

export interface EtcdControllersInit {
  /**
   * Addresses for etcd to listen on; set when other nodes share the host and its other addresses are theirs.
   */
  readonly own: readonly string[] | undefined;
  /** The operations on etcd; `undefined` when this node cannot run etcd. */
  readonly actions: EtcdActions | undefined;
}

/**
 * The kernel uses this source address for connections within the host, even when the node has an address of
 * its own.
 */
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
          createEtcdDiagnosticsController(actions.askSpace),
          createAdvertisedPeerController(actions.updatePeerUrls),
        ]),
  ];
}
