import type { EncodedSpec, KindRef } from '@nodewright/state';
import type { CliEnvironment, CommandModule } from '../context/command-module.ts';
import { definitionsOf } from '../get/definitions-of.ts';
import { checkExplainable, explainSpecs } from '../get/explain-specs.ts';
import { getResources, watchResources } from '../get/get-resources.ts';
import { resolveKind } from '../get/resolve-kind.ts';
import { createResourceOutput, parseResourceFormat, type ResourceFormat } from '../get/resource-output.ts';
import { checkServerVersions } from '../nodes/check-server-versions.ts';
import { addInsecureOptions, addNodeOptions, type NodeOptions } from '../nodes/node-options.ts';
import { openClient } from '../nodes/open-client.ts';

interface GetOptions extends NodeOptions {
  readonly output: ResourceFormat;
  readonly watch: boolean;
  readonly explain: boolean;
  readonly namespace?: string;
}

/** Resolves the name of the type on the first target and uses the result for all targets. */
async function get(
  env: CliEnvironment,
  type: string,
  id: string | undefined,
  options: GetOptions,
): Promise<void> {
  using client = await openClient(env, options);
  await checkServerVersions(env, client);
  const [first] = client.targets;
  if (first === undefined) return;
  const definition = resolveKind(await definitionsOf(env, first), type);
  const kind: KindRef<EncodedSpec> = {
    namespace: options.namespace ?? definition.defaultNamespace,
    type: definition.type,
  };
  if (options.explain) {
    checkExplainable(kind.type, options.output, options.watch);
    return await explainSpecs(env, client, { kind, id, format: options.output });
  }
  const output = createResourceOutput(env.stdout, options.output, definition, options.watch);
  const act = options.watch ? watchResources : getResources;
  await act(env, client, { kind, id, awaitsDevices: options.insecure === true }, output);
}

/** `talosctl get <type> [id]`. Source: Talos v1.14: get. */
export const getCommand: CommandModule = {
  define(command, env) {
    addInsecureOptions(addNodeOptions(command))
      .argument('<type>', 'resource type, by any of its names ("talosctl get rd" lists them)')
      .argument('[id]', 'id of one resource (default: all resources of the type)')
      .addOption(
        command
          .createOption(
            '-o, --output <format>',
            "output format: table, wide, yaml, json, name or jsonpath='{...}'",
          )
          .argParser(parseResourceFormat)
          .default({ kind: 'table' }, 'table'),
      )
      .option('-w, --watch', 'keep running and print changes', false)
      .option(
        '--explain',
        'of links, addresses and routes: the layer and sources of their specifications, and why they are not applied',
        false,
      )
      .option('--namespace <name>', 'namespace of the resources (default: the default namespace of the type)')
      .action((type: string, id: string | undefined, options: GetOptions) => get(env, type, id, options));
  },
};
