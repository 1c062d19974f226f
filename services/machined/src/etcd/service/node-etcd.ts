import type { Condition } from '@nodewright/services';
import type { EtcdActions } from '../controllers/etcd-controllers.ts';
import type { EtcdAccess } from '../host/etcd-access.ts';
import type { EtcdService } from './etcd-service.ts';

/** The etcd of this node, and the access to that of other nodes. */
export interface NodeEtcd {
  readonly access: EtcdAccess;
  /** The etcd service and its operations; `undefined` when this node cannot run etcd. */
  readonly run: RunnableEtcd | undefined;
}

export interface RunnableEtcd {
  readonly service: EtcdService;
  readonly actions: EtcdActions;
  /** Met when the clock is synchronized. */
  readonly timeSync: Condition;
}
