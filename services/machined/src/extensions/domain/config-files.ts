import { Fault } from '@nodewright/fault';
import type { ExtensionServiceConfigSpec } from '@nodewright/state/kinds';
import { isServiceName } from './service-spec.ts';

/** Below the root of the node; it has a folder for each service. Source: Talos v1.14: ExtensionServiceConfig document. */
export const configFilesFolder = '/system/overlays/extensions';

/** A file of a configuration. */
export interface ConfigFile {
  /** Its name in the folder of the service. */
  readonly name: string;
  /** Where the container sees it. */
  readonly mountPath: string;
  readonly content: string;
}

/**
 * The files of the configuration of a service.
 *
 * @throws Fault `invalid-argument` for a name or a path that would lead elsewhere, and for two files with one name
 */
export function configFiles(service: string, { files }: ExtensionServiceConfigSpec): ConfigFile[] {
  if (!isServiceName(service))
    throw new Fault('invalid-argument', `no extension service has the name ${JSON.stringify(service)}`);
  const found = new Map<string, ConfigFile>();
  for (const { mountPath, content } of files) {
    const parts = mountPath.split('/');
    if (!/^\/[^\0]+[^/\0]$|^\/[^/\0]$/.test(mountPath) || parts.some((part) => part === '..' || part === '.'))
      throw new Fault(
        'invalid-argument',
        `mountPath ${JSON.stringify(mountPath)} of extension service ${service} is not the absolute path of a file`,
      );
    const name = mountPath.slice(1).replaceAll('/', '-');
    const other = found.get(name);
    if (other !== undefined)
      throw new Fault(
        'invalid-argument',
        `mountPath ${other.mountPath} and ${mountPath} of extension service ${service} need a file of the same name, ${name}`,
      );
    found.set(name, { name, mountPath, content });
  }
  return [...found.values()];
}
