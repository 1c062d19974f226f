import { faultFrom } from '@nodewright/fault';
import { type ExtensionServiceSpec, parseServiceSpec } from './service-spec.ts';

/** Where the layers of extensions have the files of their services. Source: Talos v1.14: extension services, spec file. */
export const serviceFilesFolder = '/usr/local/etc/containers';
/** Where they have the roots of their services, in a folder with the name of each. */
export const serviceRootsFolder = '/usr/local/lib/containers';
export const serviceFileBytes = 64 * 1024;
/** Of files; more are not read. */
export const maximumServices = 64;

export interface ServiceFile {
  /** Its name in the folder. */
  readonly name: string;
  /** Why it could not be read, in place of its text. */
  readonly text: string | Error;
}

export interface LoadedServices {
  readonly specs: readonly ExtensionServiceSpec[];
  /** Why a file was left out. */
  readonly problems: readonly { readonly file: string; readonly reason: string }[];
}

/**
 * The services of files, in the order of the files' names. A file that is wrong, or has the name of a service before it, is left
 * out.
 */
export function loadServices(files: readonly ServiceFile[]): LoadedServices {
  const specs = new Map<string, ExtensionServiceSpec>();
  const problems: { file: string; reason: string }[] = [];
  for (const { name: file, text } of files) {
    try {
      if (text instanceof Error) throw text;
      const spec = parseServiceSpec(text);
      if (specs.has(spec.name)) problems.push({ file, reason: `there is a service ${spec.name} already` });
      else specs.set(spec.name, spec);
    } catch (error) {
      problems.push({ file, reason: faultFrom(error).message });
    }
  }
  return { specs: [...specs.values()], problems };
}
