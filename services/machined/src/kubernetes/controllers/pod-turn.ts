import {
  type RestartRequest,
  type ServiceController,
  serviceController,
  weak,
} from '@nodewright/controllers';
import { staticPods } from '@nodewright/state/kinds';
import type { PodGrant } from '../host/pod-grant.ts';
import type { PodProblems } from '../host/pod-problems.ts';
import type { ReplaceInTurn } from '../host/pod-service.ts';
import type { ReplaceInTurnInit } from '../host/replace-in-turn.ts';

export interface PodTurnInit {
  readonly grant: PodGrant;
  readonly problems: PodProblems;
  readonly replaceInTurn: ReplaceInTurn;
  /** Prepares a check that succeeds only when the API server of another pod than now is ready. */
  readonly checkSuccessor: () => Promise<ReplaceInTurnInit['checkOwn']>;
  /** Whether the API server of this node is ready. */
  readonly checkOwn: ReplaceInTurnInit['checkOwn'];
}

const component = 'kube-apiserver';

/** Lets the kubelet replace the API server when it is the turn of this node, and reports why it is not. */
export function createPodTurnController(init: PodTurnInit): ServiceController {
  const { grant } = init;
  const controller = serviceController({
    name: 'k8s.ReplaceAPIServerController',
    inputs: [weak(staticPods, component)],
    wanted: () => (grant.wanted === undefined ? undefined : { settings: grant.wanted }),
    service: {
      start: () => {},
      stop: async () => {},
      launchedWith: () => grant.published,
      restart: (request) => replaceNow(init, request),
    },
  });
  return {
    ...controller,
    open(source, scope) {
      scope.use(grant.onChange(() => source.wake()));
      return controller.open?.(source, scope);
    },
  };
}

function replaceNow(init: PodTurnInit, request: RestartRequest) {
  const { grant, problems, replaceInTurn } = init;
  let { checkOwn } = init;
  return replaceInTurn(
    {
      checkOwn: (timeoutMs) => checkOwn(timeoutMs),
      async replace() {
        checkOwn = await init.checkSuccessor();
        await grant.grant(request.signal);
      },
      report: (problem) => problems.report(component, grant.published ?? '', problem),
    },
    request,
  );
}
