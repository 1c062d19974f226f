import type { NodeClient } from '@nodewright/client';
import { faultFrom } from '@nodewright/fault';
import type { Resource, ResourceDefinitionSpec } from '@nodewright/state';
import type { CliEnvironment } from '../command-module.ts';
import { NodeErrors } from '../node-errors.ts';
import { showWait } from '../progress.ts';
import { stateOf } from './get-resources.ts';
import { listDefinitions } from './resolve-kind.ts';

/** The resource definitions of a node. @throws ReportedFailure when the node does not return them */
export async function definitionsOf(
  env: CliEnvironment,
  node: NodeClient,
): Promise<readonly Resource<ResourceDefinitionSpec>[]> {
  const errors = new NodeErrors(env);
  const list = showWait(env.stderr, node.name, listDefinitions(stateOf(node), env.signal));
  const definitions = await list.catch((error) => errors.add(node.name, faultFrom(error)));
  errors.end();
  return definitions ?? [];
}
