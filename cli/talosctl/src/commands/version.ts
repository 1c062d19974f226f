import { buildInfo } from '@nodewright/contract';
import type { CommandModule } from '../context/command-module.ts';
import {
  addInsecureOptions,
  addNodeOptions,
  addOutputOption,
  type NodeOptions,
  type OutputOptions,
} from '../nodes/node-options.ts';
import { writeDocument } from '../render/document.ts';
import { type VersionBlock, versionBlock } from '../render/version-block.ts';

interface VersionOptions extends NodeOptions, OutputOptions {
  readonly client?: boolean;
  readonly short?: boolean;
  readonly json?: boolean;
}

/** Architecture names of the API by those of Node.js. */
const architectures: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

function clientVersion(): VersionBlock {
  return {
    tag: buildInfo.tag,
    sha: buildInfo.sha,
    // Empty, as in upstream's client.
    built: '',
    goVersion: `node${process.versions.node}`,
    os: process.platform,
    arch: architectures[process.arch] ?? process.arch,
  };
}

/**
 * `talosctl version`. With `--client` it does not load the code that talks to nodes, because scripts use that flag to
 * check that the tool is installed. Source: Talos v1.14: version.
 */
export const versionCommand: CommandModule = {
  define(command, env) {
    addOutputOption(addInsecureOptions(addNodeOptions(command)))
      .option('--client', 'print the version of the client only')
      .option('--short', 'print the version of the client in one line')
      .addOption(command.createOption('--json', 'print one protobuf JSON message per node').hideHelp())
      .action(async (options: VersionOptions) => {
        if (options.output !== 'table') {
          if (options.client) return writeDocument(env.stdout, options.output, clientVersion());
        } else if (!options.json) {
          const text = options.short ? `Talos ${buildInfo.tag}\n` : versionBlock(clientVersion());
          env.stdout.write(`Client:\n${text}`);
        }
        if (options.client) return;
        const { reportServerVersions } = await import('../nodes/report-server-versions.ts');
        return reportServerVersions(env, options);
      });
  },
};
