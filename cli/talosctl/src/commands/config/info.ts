import { readTalosconfig } from '@nodewright/client/talosconfig';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import type { NodeOptions } from '../../nodes/node-options.ts';
import { chooseContext, talosconfigLocation } from '../../nodes/talosconfig-of.ts';
import { writeDocument } from '../../render/document.ts';
import { type DocumentFormat, outputWords, parseOutputFormat } from '../../render/output-format.ts';
import { formatRelativeTime } from '../../render/relative-time.ts';
import { readCertificateFacts } from '../../values/certificate-facts.ts';

interface InfoOptions extends NodeOptions {
  readonly output: 'text' | DocumentFormat;
}

interface ContextInfo {
  readonly context: string;
  readonly nodes: readonly string[];
  readonly endpoints: readonly string[];
  readonly roles: readonly string[];
  readonly certTTL?: string;
  readonly certNotAfter?: string;
}

/** Parses `-o`. This command calls its table `text`. */
function parseFormat(text: string): 'text' | DocumentFormat {
  if (text === 'text') return text;
  const format = parseOutputFormat(text, 'config info');
  return format === 'table' ? 'text' : format;
}

async function contextInfo(env: CliEnvironment, options: NodeOptions): Promise<ContextInfo> {
  const { path } = talosconfigLocation(env, options);
  const config = await readTalosconfig(path);
  const { context } = chooseContext(config, path, options.context);
  const { nodes, endpoints, crt } = context;
  const certificate = crt === undefined ? undefined : readCertificateFacts(crt);
  return {
    context: config.context,
    nodes,
    endpoints,
    roles: certificate?.roles ?? [],
    ...(certificate === undefined
      ? {}
      : {
          certTTL: formatRelativeTime(certificate.notAfter, env.now()),
          certNotAfter: certificate.notAfter.toISOString().slice(0, 10),
        }),
  };
}

function infoText({ context, nodes, endpoints, roles, certTTL, certNotAfter }: ContextInfo): string {
  const list = (words: readonly string[]) => (words.length === 0 ? 'not defined' : words.join(', '));
  const rows = [
    ['Current context:', context],
    ['Nodes:', list(nodes)],
    ['Endpoints:', list(endpoints)],
    ...(roles.length === 0 ? [] : [['Roles:', roles.join(', ')]]),
    ...(certTTL === undefined ? [] : [['Certificate expires:', `${certTTL} (${certNotAfter})`]]),
  ];
  return rows.map(([label = '', value]) => `${label.padEnd(21)}${value}\n`).join('');
}

/** `talosctl config info`: prints the context that `--context` names, or else the current one. */
export function defineConfigInfo(config: Command, env: CliEnvironment): void {
  config
    .command('info')
    .description('Show the current context')
    .option('-o, --output <format>', `${outputWords('config info')}; text means table`, parseFormat, 'text')
    .action(async (_options: InfoOptions, command: Command) => {
      const options = command.optsWithGlobals<InfoOptions>();
      const info = await contextInfo(env, options);
      if (options.output === 'text') env.stdout.write(infoText(info));
      else await writeDocument(env.stdout, options.output, info);
    });
}
