import { parseProxyUrl } from '@nodewright/client/proxy';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { readContext } from '../../nodes/talosconfig-of.ts';
import { addConfigCommand, type ConfigOptions, changeContext, reportChange } from './config-options.ts';

/** `talosctl config proxy-url`: prints or sets the proxy of a context. Source: Talos v1.14: config proxy-url. */
export function defineConfigProxyUrl(config: Command, env: CliEnvironment): void {
  addConfigCommand(config, 'proxy-url', 'Print or set the proxy of the current context; "" clears it')
    .argument('[url]', '"direct" or the URL of an HTTP proxy')
    .action(async (url: string | undefined, _options: ConfigOptions, command: Command) => {
      const options = command.optsWithGlobals<ConfigOptions>();
      if (url === undefined) {
        const { name, context } = await readContext(env, options);
        // Upstream prints the URL to stderr too.
        if (options.output === 'table') env.stderr.write(`${context.proxyUrl ?? ''}\n`);
        return reportChange(env, options, { context: name, proxyUrl: context.proxyUrl ?? '' });
      }
      const proxyUrl = url.trim() === '' ? undefined : url.trim();
      if (proxyUrl !== undefined) parseProxyUrl(proxyUrl);
      const context = await changeContext(env, options, (before) => ({ ...before, proxyUrl }));
      await reportChange(env, options, { context, proxyUrl: proxyUrl ?? '' });
    });
}
