import type { NodeClient } from '@nodewright/client';
import { faultFrom } from '@nodewright/fault';
import type { Resource, ResourceDefinitionSpec } from '@nodewright/state';
import type { CommandLimit } from '../context/command-limit.ts';
import type { CliEnvironment } from '../context/command-module.ts';
import { showWait } from '../context/progress.ts';
import { NodeErrors } from '../nodes/node-errors.ts';
import { stateOf } from './get-resources.ts';
import { listDefinitions } from './resolve-kind.ts';

/** The resource definitions of a node. @throws ReportedFailure when the node does not return them, within the limit when there is one */
export async function definitionsOf(
  env: CliEnvironment,
  node: NodeClient,
  limit?: CommandLimit,
): Promise<readonly Resource<ResourceDefinitionSpec>[]> {
  const errors = new NodeErrors(env);
  const asked = listDefinitions(stateOf(node), limit?.signal ?? env.signal);
  const list = showWait(env.stderr, node.name, limit?.guard(asked) ?? asked);
  const definitions = await list.catch((error) => errors.add(node.name, faultFrom(error)));
  errors.end();
  return definitions ?? [];
}
